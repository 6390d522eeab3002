"""Contract of every analysis of a release, for any release."""

from __future__ import annotations

import json
import math
import random
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from engine.errors import CancelledError, InputError
from engine.findings.base import Analysis, risk_analyses, utility_analyses
from engine.findings.blocks import FigureTable
from engine.findings.subject import Subject
from engine.params import describe, values_of
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.profitability import Profitability
from engine.project import Project, Transformation
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.project.subset import Subset
from engine.recoding import Recoding, make_local_release, make_release, rooted
from engine.recoding.aggregation.functions import Interval
from engine.records import Kind, Role, Table
from engine.registry import Registry
from tests.contracts.populated import weighted
from tests.strategies import MISSING, Attributes, Case, column_of

pytestmark = pytest.mark.usefixtures("trained_here")

REGISTRIES: dict[str, Registry[Analysis]] = {"utility": utility_analyses, "risk": risk_analyses}
KINDS = [(family, key) for family, registry in REGISTRIES.items() for key in sorted(registry)]
N = 40
RANDOM = np.random.default_rng(8)
AGES = tuple(str(age) for age in range(20, 40))
TOWNS = ("Bari", "Oslo", "Rome")


@pytest.fixture(params=KINDS, ids=lambda kind: "-".join(kind))
def analysis(request: pytest.FixtureRequest) -> Analysis:
    family, key = request.param
    quick = {"folds": 2, "classifier": "naive_bayes"} if key == "classification" else {}
    return REGISTRIES[family].create(key, **quick)


def table(n_records: int = N, *, missing: bool = False, **options: Any) -> Project:
    """Ages and towns with an illness, a wage and a name."""

    def drawn(values: tuple[str, ...]) -> tuple[str, ...]:
        texts = RANDOM.choice(values, n_records).tolist()
        return tuple(MISSING if missing and i % 7 == 0 else text for i, text in enumerate(texts))

    bands = tuple((age, f"{age[0]}0s", "*") for age in AGES)
    case = Case(
        (
            Attributes("age", drawn(AGES), Kind.INTEGER, bands),
            Attributes("town", drawn(TOWNS), rows=tuple((town, "*") for town in TOWNS)),
        ),
        (
            Attributes("ill", drawn(("flu", "cough", "none"))),
            Attributes("wage", drawn(("10", "20", "30")), Kind.INTEGER),
            Attributes("name", tuple(f"n{i}" for i in range(n_records))),
        ),
    )
    roles = {**case.project.roles, "wage": Role.INSENSITIVE, "name": Role.IDENTIFYING}
    k = options.pop("k", 2)
    return replace(
        case.project,
        roles=frozen(roles),
        target=None,
        requirement=Requirement((KAnonymity(k),), 1.0),
        transformation=Transformation(**options),
    )


def at_node(project: Project, node: tuple[int, ...] = (1, 0)) -> Subject:
    return Subject(project, make_release(project, compile_problem(project), node))


def recoded() -> Subject:
    """Return a release with levels that vary by record, some hidden cells and some suppressed records."""
    project = table()
    problem = rooted(compile_problem(project))
    levels = np.zeros((N, 2), dtype=np.int16)
    levels[: N // 2] = (1, 1)
    levels[::3] = (2, 0)
    return Subject(project, make_local_release(project, problem, Recoding(levels, np.arange(N) % 9 == 0)))


def aggregated() -> Subject:
    project = replace(table(), microaggregation=frozen({"age": Interval(grouping=True)}))
    return at_node(project)


def survey() -> Project:
    """Return the table with weights, and households of two or three records."""
    project = weighted(table(), random.Random(1))
    homes = column_of(Attributes("home", tuple(f"h{i * 2 // 5}" for i in range(N))))
    return replace(
        project,
        table=Table((*project.table.columns, homes)),
        roles=frozen({**project.roles, "home": Role.IDENTIFYING}),
        household="home",
    )


SUBJECTS = {
    "node": lambda: at_node(table()),
    "original": lambda: at_node(table(k=1), (0, 0)),
    "hidden": lambda: at_node(table(), (2, 1)),
    "recoded": recoded,
    "aggregated": aggregated,
    "missing": lambda: at_node(table(missing=True)),
    "dropped": lambda: at_node(table(identifying="drop", suppressed_records="remove", k=4)),
    "blanked": lambda: at_node(table(blank_suppressed=True, k=4)),
    "survey": lambda: at_node(survey()),
    "money": lambda: at_node(replace(table(), requirement=Requirement((Profitability(),), 1.0))),
    "subset": lambda: at_node(replace(table(), subset=Subset(filter="age < 30"))),
    "single": lambda: at_node(table(1, k=1)),
    "many": lambda: at_node(table(240)),  # enough for a control group
    "nothing kept": lambda: at_node(table(k=N + 1)),
    "nothing sensitive": lambda: at_node(
        replace(table(), roles=frozen({"age": Role.QUASI_IDENTIFYING, "town": Role.QUASI_IDENTIFYING}))
    ),
}


@cache
def subject(name: str) -> Subject:
    return SUBJECTS[name]()


def answered(analysis: Analysis) -> Subject:
    """Return the first subject that the analysis answers; every analysis answers at least one."""
    return next(subject(name) for name in SUBJECTS if not analysis.why_not(subject(name)))


class Counting:
    """Counts steps, which never decrease, and cancels at one of them."""

    def __init__(self, cancel_at: int = 0) -> None:
        self.n_steps = 0
        self.reached = 0.0
        self.cancel_at = cancel_at

    def step(self, done: int, total: int, text: str = "") -> None:
        self.n_steps += 1
        assert self.reached <= done / total <= 1, text
        self.reached = done / total
        assert text, "a person is told what is done"
        if self.n_steps == self.cancel_at:
            raise CancelledError


def figures(tables: tuple[FigureTable, ...]) -> str:
    """Return all values as a text that is equal for equal values."""
    return json.dumps([(t.key, [list(row) for row in t.rows]) for t in tables])


def test_it_describes_its_findings_and_how_to_read_them(analysis: Analysis) -> None:
    kind = type(analysis)
    assert kind.title
    assert not kind.title.endswith(".")
    for sentence in (kind.summary, kind.reading):
        assert sentence.endswith(".")
        assert not sentence[0].islower()
    assert isinstance(kind.source, str)
    assert kind.__doc__


def test_its_parameters_can_be_shown_in_a_form(analysis: Analysis) -> None:
    for parameter in describe(type(analysis)):
        assert parameter.label
    again = type(analysis)(**values_of(analysis))
    assert again == analysis
    assert hash(again) == hash(analysis)


def test_it_returns_values_or_refuses_any_release_with_a_reason(analysis: Analysis) -> None:
    for name in SUBJECTS:
        if reason := analysis.why_not(subject(name)):
            assert reason.endswith("."), name
            with pytest.raises(InputError):
                analysis.run(subject(name))
        else:
            are_values(analysis.run(subject(name)))


def are_values(found: Any) -> None:
    """Assert that findings are a sentence and tables whose cells have the types of figures."""
    assert is_dataclass(found)
    if fields(found):
        with pytest.raises(FrozenInstanceError):
            setattr(found, fields(found)[0].name, None)
    told = found.statement()
    assert told.sentence.endswith(".")
    assert told.tone in ("text", "ok", "warn", "danger")
    tables = found.tables()
    assert len({t.key for t in tables}) == len(tables) > 0
    for t in tables:
        assert t.title
        keys = [column.key for column in t.columns]
        assert len(set(keys)) == len(keys)
        assert all(column.key and column.title for column in t.columns)
        for row in t.rows:
            assert len(row) == len(keys), t.key
            assert {type(cell) for cell in row} <= {str, int, float, bool, type(None)}, t.key
            assert not any(isinstance(cell, float) and math.isnan(cell) for cell in row), t.key


def test_equal_inputs_have_equal_results(analysis: Analysis) -> None:
    given = answered(analysis)
    again = Subject(given.project, given.release)
    assert figures(analysis.run(given).tables()) == figures(analysis.run(again).tables())


def test_it_can_be_cancelled_at_every_step(analysis: Analysis) -> None:
    given = answered(analysis)

    def fresh() -> Subject:
        return Subject(given.project, replace(given.release))  # without the values that a release saves

    whole = Counting()
    analysis.run(fresh(), whole)
    assert whole.n_steps > 0
    for step in {1, whole.n_steps // 2 + 1, whole.n_steps}:
        with pytest.raises(CancelledError):
            analysis.run(fresh(), Counting(step))
