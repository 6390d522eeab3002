"""Contract of counted tables: members give on distinct tuples with counts what they give on the records."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.findings.base import all_analyses
from engine.findings.subject import Subject
from engine.monitor import SILENT
from engine.params import describe
from engine.privacy import Requirement, privacy_models
from engine.privacy.k_anonymity import KAnonymity
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.recoding import Release, make_release
from engine.records import Table
from engine.records.counting import counted_table
from engine.scoring import Evaluation, LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.search import SearchTask, search_algorithms
from engine.testing import laws
from engine.utility import utility_metrics
from tests.contracts.populated import project_for
from tests.contracts.test_analyses import survey
from tests.contracts.test_analyses import table as some_table
from tests.strategies import cases, ten

pytestmark = pytest.mark.usefixtures("by_numpy")

LIMITS = st.sampled_from([0.0, 0.1, 0.3, 1.0])


def counted(project: Project) -> Project:
    """Return the project with one row per distinct tuple of the columns that have a role."""
    return replace(project, table=counted_table(project.table, tuple(project.roles)))


def evaluated(project: Project, requirement: Requirement) -> Evaluation:
    problem = compile_problem(replace(project, requirement=requirement))
    return evaluate(score_lattice(problem, profile=LatticeProfile(problem, requirement)), requirement)


def by_both(project: Project, action: Callable[[Project], Any]) -> tuple[Any, Any]:
    """Return what an action gives for the records and for their tuples; an error as its text."""
    found = []
    for one in (project, counted(project)):
        try:
            found.append(action(one))
        except InputError as error:
            found.append(str(error))
    return found[0], found[1]


def same(one: Any, other: Any) -> bool:
    return bool(np.array_equal(one, other, equal_nan=np.asarray(one).dtype.kind == "f"))


def written(release: Release) -> Counter[tuple[str, ...]]:
    """Return the records of a release, expanded by counts, in no order."""
    rows = release.rows()
    counts = release.problem.counts
    found: Counter[tuple[str, ...]] = Counter()
    for row in rows.tolist():
        texts = tuple(column.text(row) for column in sorted(release.columns, key=lambda c: c.name))
        found[texts] += 1 if counts is None else int(counts[row])
    return found


@pytest.mark.parametrize("key", list(privacy_models))
@ten
@given(data=st.data())
def test_a_model_keeps_the_same_records_of_every_node(key: str, data: st.DataObject) -> None:
    case = data.draw(cases(min_sensitive=1))
    kind = privacy_models[key]
    knows = kind().is_of_attackers and "known" in {d.name for d in describe(kind)}
    model = laws.made(kind, **({"known": ("q0",)} if knows else {}))
    project = project_for(case, model, random.Random(data.draw(st.integers(0, 99))))
    requirement = Requirement((KAnonymity(data.draw(st.integers(1, 4))), model), data.draw(LIMITS))
    of_records, of_tuples = by_both(project, lambda one: evaluated(one, requirement))
    if isinstance(of_records, str):
        assert isinstance(of_tuples, str)
        return
    assert same(of_records.satisfies, of_tuples.satisfies)
    assert same(of_records.suppressed, of_tuples.suppressed)
    assert same(of_records.kept_k, of_tuples.kept_k)
    lattice = of_records.problem.lattice
    node = lattice.node(data.draw(st.integers(0, lattice.n_nodes - 1)))
    one, other = by_both(
        replace(project, requirement=requirement), lambda p: make_release(p, compile_problem(p), node)
    )
    for name in ("n_records", "n_suppressed", "k", "l", "t", "is_within", "satisfies", "n_classes"):
        assert getattr(one, name) == getattr(other, name), name
    assert written(one) == written(other)


@pytest.mark.parametrize("key", list(utility_metrics))
@ten
@given(case=cases(min_sensitive=1), k=st.integers(1, 4), limit=LIMITS)
def test_a_metric_has_the_same_value_at_every_node(key: str, case, k: int, limit: float) -> None:  # type: ignore[no-untyped-def]
    requirement = Requirement((KAnonymity(k),), limit)
    project = case.project
    of_records, of_tuples = by_both(project, lambda one: evaluated(one, requirement))
    assert same(of_records.metric(key), of_tuples.metric(key))
    assert of_records.optimum(key) == of_tuples.optimum(key)


@pytest.mark.parametrize("key", list(search_algorithms))
@ten
@given(case=cases(min_sensitive=1), k=st.integers(1, 4), limit=LIMITS)
def test_an_algorithm_finds_the_same_node(key: str, case, k: int, limit: float) -> None:  # type: ignore[no-untyped-def]
    requirement = Requirement((KAnonymity(k),), limit)

    def searched(project: Project) -> Any:
        problem = compile_problem(project)
        return search_algorithms.create(key).run(SearchTask(problem, requirement), SILENT).node

    of_records, of_tuples = by_both(case.project, searched)
    assert of_records == of_tuples


def releases(name: str) -> tuple[Subject, Subject]:
    """Return a release of a table and of its counted form, of columns that several records share."""
    options: dict[str, dict[str, Any]] = {
        "missing": {"missing": True},
        "blanked": {"blank_suppressed": True, "k": 9},
        "removed": {"suppressed_records": "remove", "k": 9},
    }
    whole = survey() if name == "survey" else some_table(300, **options.get(name, {}))
    columns = tuple(column for column in whole.table.columns if column.name not in ("name", "home"))
    roles = {column.name: whole.roles[column.name] for column in columns}
    project = replace(whole, table=Table(columns), roles=frozen(roles), household=None)
    found = [Subject(p, make_release(p, compile_problem(p), (1, 0))) for p in (project, counted(project))]
    return found[0], found[1]


@pytest.mark.parametrize("name", ["plain", "missing", "blanked", "removed", "survey"])
def test_an_analysis_finds_the_same_values_or_needs_records(name: str) -> None:
    of_records, of_tuples = releases(name)
    n_same = 0
    for kind in all_analyses():
        analysis = kind()
        if kind.needs_records:
            assert "only counted" in analysis.why_not(of_tuples)
        elif reason := analysis.why_not(of_records):
            assert analysis.why_not(of_tuples) == reason
        else:
            n_same += 1
            one, other = analysis.run(of_records).tables(), analysis.run(of_tuples).tables()
            assert [t.key for t in one] == [t.key for t in other]
            for left, right in zip(one, other, strict=True):
                for row, same_row in zip(left.rows, right.rows, strict=True):
                    # sums of rounded numbers depend on their order
                    assert [
                        pytest.approx(cell, rel=1e-9, abs=1e-12, nan_ok=True)
                        if isinstance(cell, float)
                        else cell
                        for cell in row
                    ] == list(same_row), left.key
    assert n_same >= 14
