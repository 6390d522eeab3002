"""The judge's own count of people and choice of records, against the engine's and against forged claims."""

from __future__ import annotations

import csv
from dataclasses import replace
from decimal import Decimal, getcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.delta_presence import DeltaPresence
from engine.privacy.k_map import KMap
from engine.project import AttributeHierarchy, Population, Project, Subset
from engine.project.claims import subset_claim
from engine.project.compile import compile_problem
from engine.project.project import frozen
from engine.project.subset import records_of
from engine.recoding import make_release
from engine.table import DataType, Kind, Role, Table
from engine.table.filtering import records_where
from engine.table.options import ReadOptions
from engine.table.reading import read_table
from engine.table.values import make_column
from engine.table.writing import write_csv
from engine.verification.claims import Expected, ModelClaim, OtherTable, ReleaseClaim, SubsetClaim, Verdict
from engine.verification.classes import Classes
from engine.verification.crowd import Crowd
from engine.verification.findings import UnjudgeableError
from engine.verification.reading import Vocabulary
from engine.verification.subsets import chosen_records
from engine.verification.verify import verify
from tests.strategies import few, modest

COLUMNS = {
    "word": (Kind.TEXT, "", ["a", "b", "B", "it's", "10"]),
    "count": (Kind.INTEGER, "", ["1", "2", "+2", "10", "-3", "9007199254740993"]),
    "size": (Kind.DECIMAL, ",", ["0,1", "0,10", "2,5", "-1", "1e1"]),
    "day": (Kind.DATE, "%d.%m.%Y", ["31.01.2024", "01.02.2024", "15.06.1999"]),
    "grade": (Kind.ORDERED, "", ["low", "middle", "high"]),
    "yes": (Kind.BOOLEAN, "", ["true", "False", "TRUE"]),
}
LITERALS = {
    "word": ["'a'", "'B'", "'it''s'", "'10'", "'none'"],
    "count": ["2", "0.5", "-3", "9007199254740992", "9007199254740993"],
    "size": ["0.1", "2.5", "10", "-1"],
    "day": ["'2024-01-31'", "'2024-02-01'", "'2000-01-01'"],
    "grade": ["'low'", "'middle'", "'high'"],
    "yes": ["'true'", "'false'"],
}
MISSING = "?"


@st.composite
def tables(draw: st.DrawFn) -> Table:
    n_records = draw(st.integers(1, 12))
    columns = []
    for name, (kind, form, values) in COLUMNS.items():
        texts = draw(st.lists(st.sampled_from([*values, MISSING]), min_size=n_records, max_size=n_records))
        labels = sorted(set(texts))
        codes = np.array([labels.index(text) for text in texts], dtype=np.int32)
        data_type = DataType(kind, form, tuple(values) if kind is Kind.ORDERED else ())
        columns.append(make_column(name, labels, codes, data_type, MISSING))
    return Table(tuple(columns))


@st.composite
def conditions(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from(list(COLUMNS)))
    has_order = COLUMNS[name][0] not in (Kind.TEXT, Kind.BOOLEAN)
    match draw(st.integers(0, 3)):
        case 0:
            return f"{name} is {draw(st.sampled_from(['', 'not ']))}missing"
        case 1:
            values = draw(st.lists(st.sampled_from(LITERALS[name]), min_size=1, max_size=3))
            return f"{name} {draw(st.sampled_from(['', 'not ']))}in ({', '.join(values)})"
    operators = ["=", "!=", "<", "<=", ">", ">="] if has_order else ["=", "!="]
    return f"{name} {draw(st.sampled_from(operators))} {draw(st.sampled_from(LITERALS[name]))}"


FILTERS = st.recursive(
    conditions(),
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner),
        st.builds("({} or {})".format, inner, inner),
        st.builds("not ({})".format, inner),
    ),
    max_leaves=5,
)


def coded(table: Table) -> tuple[pd.DataFrame, dict[str, Vocabulary]]:
    """The table as the judge reads it."""
    known = {column.name: Vocabulary() for column in table.columns}
    codes = {
        column.name: [known[column.name].code(column.text(i)) for i in range(table.n_records)]
        for column in table.columns
    }
    return pd.DataFrame(codes), known


def project_of(table: Table, **more: Any) -> Project:
    return Project("p", None, ReadOptions(missing=(MISSING,)), table, **more)


@modest
@given(tables(), FILTERS)
def test_the_judge_finds_the_records_of_a_filter_by_its_own_rules(table: Table, text: str) -> None:
    claim = subset_claim(project_of(table, subset=Subset(text)), Path(), copies=False)
    assert claim is not None
    original, known = coded(table)
    found = chosen_records(claim, original, None, known, (MISSING,))
    expected = np.flatnonzero(records_where(table, text)).tolist()
    assert found == expected


@few
@given(tables(), st.data())
def test_the_judge_matches_rows_and_draws_records_as_the_engine_does(
    table: Table, data: st.DataObject
) -> None:
    names = data.draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=2, unique=True))
    wanted = data.draw(st.lists(st.integers(0, table.n_records - 1), min_size=1, unique=True))
    order = np.array(data.draw(st.permutations(wanted)))
    rows = Table(tuple(table.column(name).take(order) for name in names))
    original, known = coded(table)
    own = {
        column.name: [known[column.name].code(column.text(i)) for i in range(rows.n_records)]
        for column in rows.columns
    }
    found = chosen_records(SubsetClaim(rows=OtherTable(Path())), original, pd.DataFrame(own), known, ("?",))
    assert found == records_of(Subset(rows=rows), table).tolist()
    seed = data.draw(st.integers(0, 2**70))
    for subset, claim in (
        (Subset(size=len(wanted), seed=seed), SubsetClaim(size=len(wanted), seed=seed)),
        (Subset(fraction=1.0, seed=seed), SubsetClaim(fraction="1.0", seed=seed)),
    ):
        expected = records_of(subset, table).tolist()
        assert chosen_records(claim, original, None, known, ("?",)) == expected


def test_the_judge_refuses_a_choice_it_cannot_follow() -> None:
    original = pd.DataFrame({"a": [0, 0, 1]})
    known = {"a": Vocabulary()}
    for claim, rows in (
        (SubsetClaim(size=4), None),
        (SubsetClaim(size=0), None),
        (SubsetClaim(("=", "b", "x")), None),
        (SubsetClaim(rows=OtherTable(Path())), pd.DataFrame({"a": [1, 1]})),
        (SubsetClaim(rows=OtherTable(Path())), pd.DataFrame({"b": [1]})),
    ):
        with pytest.raises(UnjudgeableError):
            chosen_records(claim, original, rows, known, ())


@pytest.mark.parametrize("estimator", ["poisson", "zero_truncated_poisson"])
def test_the_judge_tests_a_class_by_the_sum_of_the_distribution(estimator: str) -> None:
    getcontext().prec = 50
    sizes = [1, 2, 3, 5, 8, 13, 30]
    classes = Classes(pd.DataFrame({"q": np.repeat(range(len(sizes)), sizes)}))
    n_records, n_people = sum(sizes), 400
    for k in (1, 2, 5, 20, 60, 200):
        for significance in ("0.01", "0.2", "0.5"):
            met = Crowd(None, Fraction(n_people)).met(
                "k_map",
                Fraction(k),
                classes,
                pd.DataFrame(),
                n_records=n_records,
                words={"estimator": estimator},
                reals={"significance": Fraction(significance)},
            )
            rate = Decimal(k * n_records) / n_people
            none = (-rate).exp()
            for size, is_met in zip(sizes, met.tolist(), strict=True):
                below, term = Decimal(0), none
                for number in range(size):
                    term = term * rate / number if number else none
                    below += term if number or estimator == "poisson" else 0
                whole = 1 if estimator == "poisson" else 1 - none
                assert is_met is (size >= k or (whole - below) / whole <= Decimal(significance))


def test_a_crowd_of_unknown_people_is_not_judged() -> None:
    classes = Classes(pd.DataFrame({"q": [0, 0]}))
    labels = pd.DataFrame({"q": [0, 0]})
    common: dict[str, Any] = {"n_records": 2, "words": {"estimator": "table"}, "reals": {}}
    with pytest.raises(UnjudgeableError, match="No table of the population"):
        Crowd(None, Fraction(9)).met("k_map", Fraction(2), classes, labels, **common)
    common["words"] = {"estimator": "poisson"}
    with pytest.raises(UnjudgeableError, match="No size of the population"):
        Crowd(None, None).met("k_map", Fraction(2), classes, labels, **common)


# -- forged claims -----------------------------------------------------------------------------

AGES = ["31", "35", "35", "52", "58", "58"]
EVERYBODY = [*AGES, "31", "35", "52", "35", "58", "40"]
TREE = [(age, f"{age[0]}0-{age[0]}9", "*") for age in ("31", "35", "52", "58", "40")]


@pytest.fixture
def claim(tmp_path: Path) -> ReleaseClaim:
    """A true claim: ages by tens, of people of whom one in its forties has no record."""
    for name, texts in (("people", AGES), ("all", EVERYBODY)):
        (tmp_path / f"{name}.csv").write_text("age\n" + "\n".join(texts) + "\n", encoding="utf-8")
    options = ReadOptions(delimiter=",", header=True)
    table, options = read_table(tmp_path / "people.csv", options)
    people, _ = read_table(tmp_path / "all.csv", options)
    project = Project(
        "p",
        tmp_path / "people.csv",
        options,
        table,
        frozen({"age": Role.QUASI_IDENTIFYING}),
        ("age",),
        hierarchies=frozen({"age": AttributeHierarchy(Hierarchy.from_rows(TREE))}),
        requirement=Requirement((KMap(5), DeltaPresence(0, 0.6)), 0.0),
        population=Population(table=people),
    )
    problem = compile_problem(project)
    release = make_release(project, problem, (1,))
    assert release.satisfies, "3 of 6 in their thirties, 3 of 5 in their fifties"
    columns = [(column.labels, column.codes) for column in release.columns]
    write_csv(tmp_path / "out.csv", ["age"], columns)
    return ReleaseClaim(
        original=tmp_path / "people.csv",
        released=tmp_path / "out.csv",
        expected=Expected(6, 6, 0, 2, 3),
        quasi_identifying=("age",),
        hierarchies={"age": TREE},
        node={"age": 1},
        models=(
            ModelClaim("k_map", {"k": 5, "estimator": "table", "significance": 0.01}),
            ModelClaim("delta_presence", {"minimum": 0.0, "maximum": 0.6}),
        ),
        people="12",
        population=OtherTable(tmp_path / "all.csv"),
    )


def judged(claim: ReleaseClaim, *models: ModelClaim) -> Verdict:
    return verify(replace(claim, models=models) if models else claim)


def test_a_true_claim_about_a_population_is_confirmed(claim: ReleaseClaim) -> None:
    assert judged(claim).problems == ()
    with open(claim.released, encoding="utf-8", newline="") as file:
        assert [row[0] for row in csv.reader(file)][1:] == ["30-39"] * 3 + ["50-59"] * 3


@pytest.mark.parametrize(
    "model",
    [
        ModelClaim("k_map", {"k": 6, "estimator": "table", "significance": 0.01}),
        ModelClaim("k_map", {"k": 5, "estimator": "poisson", "significance": 0.01}),
        ModelClaim("delta_presence", {"minimum": 0.0, "maximum": 0.59}),
        ModelClaim("delta_presence", {"minimum": 0.51, "maximum": 1.0}),
        ModelClaim("delta_presence", {"minimum": 0.1, "maximum": 1.0}),
        ModelClaim("delta_presence", {"minimum": 0.0, "maximum": 0.6}, met=False),
    ],
)
def test_a_claim_that_promises_too_much_or_too_little_is_not_confirmed(
    claim: ReleaseClaim, model: ModelClaim
) -> None:
    assert not judged(claim, model).ok


def test_that_somebody_is_known_to_be_absent_may_be_admitted(claim: ReleaseClaim) -> None:
    admitted = ModelClaim("delta_presence", {"minimum": 0.1, "maximum": 1.0}, holds=False)
    assert judged(claim, admitted).problems == ()


def test_a_population_that_lacks_people_is_noticed(claim: ReleaseClaim) -> None:
    assert claim.population is not None
    path = claim.population.path
    path.write_text("age\n" + "\n".join(EVERYBODY[:-2]) + "\n", encoding="utf-8")
    assert not judged(claim).ok
    path.write_text("years\n" + "\n".join(EVERYBODY) + "\n", encoding="utf-8")
    assert "no column 'age'" in judged(claim).problems[0]
    assert "No table of the population" in judged(replace(claim, population=None)).problems[0]


def test_a_subset_that_is_another_one_is_noticed(claim: ReleaseClaim) -> None:
    whole = SubsetClaim(fraction="1")
    models = (ModelClaim("k_map", {"k": 3, "estimator": "table", "significance": 0.01}),)
    of_table = replace(claim, population=None, subset=whole, models=models)
    assert judged(of_table).problems == ()
    assert not judged(replace(of_table, subset=SubsetClaim(size=5))).ok
