"""Verification's own count of people and selection of records, compared with the engine and forged claims."""

from __future__ import annotations

from decimal import Decimal, getcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.project import Project, Subset
from engine.project.claims import subset_claim
from engine.project.subset import records_of
from engine.records import DataType, Kind, Table
from engine.records.filtering import records_where
from engine.records.options import ReadOptions
from engine.records.values import make_column
from engine.verification.claims import ColumnKind, Reading, SubsetClaim
from engine.verification.findings import UnverifiableError
from engine.verification.models.base import Known, Model, verifier_of
from engine.verification.persons import Population
from engine.verification.readers.collecting import Vocabulary
from engine.verification.subsets import chosen_records
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
    """Return the table as verification reads it."""
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
def test_verification_finds_the_records_of_a_filter_by_its_own_rules(table: Table, text: str) -> None:
    claim = subset_claim(project_of(table, subset=Subset(text)), Path(), copies=False)
    assert claim is not None
    original, known = coded(table)
    found = chosen_records(claim, original, None, known, (MISSING,))
    expected = np.flatnonzero(records_where(table, text)).tolist()
    assert found == expected


@few
@given(tables(), st.data())
def test_verification_matches_rows_and_draws_records_as_the_engine_does(
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
    found = chosen_records(SubsetClaim(rows=Reading(Path())), original, pd.DataFrame(own), known, ("?",))
    assert found == records_of(Subset(rows=rows), table).tolist()
    seed = data.draw(st.integers(0, 2**70))
    for subset, claim in (
        (Subset(size=len(wanted), seed=seed), SubsetClaim(size=len(wanted), seed=seed)),
        (Subset(fraction=1.0, seed=seed), SubsetClaim(fraction="1.0", seed=seed)),
    ):
        expected = records_of(subset, table).tolist()
        assert chosen_records(claim, original, None, known, ("?",)) == expected


def test_verification_refuses_a_selection_it_cannot_repeat() -> None:
    original = pd.DataFrame({"a": [0, 0, 1]})
    known = {"a": Vocabulary()}
    for claim, rows in (
        (SubsetClaim(size=4), None),
        (SubsetClaim(size=0), None),
        (SubsetClaim(("=", "b", "x")), None),
        (SubsetClaim(rows=Reading(Path())), pd.DataFrame({"a": [1, 1]})),
        (SubsetClaim(rows=Reading(Path())), pd.DataFrame({"b": [1]})),
    ):
        with pytest.raises(UnverifiableError):
            chosen_records(claim, original, rows, known, ())


@pytest.mark.parametrize("estimator", ["poisson", "zero_truncated_poisson"])
def test_verification_tests_a_class_by_the_sum_of_the_distribution(estimator: str) -> None:
    getcontext().prec = 50
    sizes = [1, 2, 3, 5, 8, 13, 30]
    n_records, n_people = sum(sizes), 400
    for k in (1, 2, 5, 20, 60, 200):
        for significance in ("0.01", "0.2", "0.5"):
            rate = Decimal(k * n_records) / n_people
            none = (-rate).exp()
            for size in sizes:
                is_met = meets_k_map(k, estimator, size, Known(n_records, Fraction(n_people)), significance)
                below, term = Decimal(0), none
                for number in range(size):
                    term = term * rate / number if number else none
                    below += term if number or estimator == "poisson" else 0
                whole = 1 if estimator == "poisson" else 1 - none
                assert is_met is (size >= k or (whole - below) / whole <= Decimal(significance))


def test_an_unknown_population_is_not_verified() -> None:
    with pytest.raises(UnverifiableError, match="population table is missing"):
        Population(None).counted({})
    for people in (None, Fraction(1)):
        with pytest.raises(UnverifiableError, match="population size is missing"):
            meets_k_map(2, "poisson", 2, Known(2, people))


def meets_k_map(k: int, estimator: str, size: int, known: Known, significance: str = "0.01") -> bool:
    """Return whether a class meets k-map by its verifier."""
    verifier, reals = verifier_of("k_map"), {"significance": Fraction(significance)}
    model = Model("k_map", verifier, Fraction(k), "", words={"estimator": estimator}, reals=reals)
    return verifier.met(model, known, size=size)


@pytest.mark.parametrize(
    ("word", "expected"),
    [("<", [0]), ("<=", [0, 1]), ("=", [1]), ("!=", [0, 2]), (">=", [1, 2]), (">", [2])],
)
@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (ColumnKind("integer"), ("9", "10", "11")),
        (ColumnKind("decimal", ",."), ("9,5", "10", "1.000,5")),
        (ColumnKind("date", "%d.%m.%Y"), ("31.12.2019", "01.01.2020", "02.01.2020")),
        (ColumnKind("ordered", values=("low", "mid", "high")), ("low", "mid", "high")),
    ],
    ids=["integer", "decimal", "date", "ordered"],
)
def test_verification_compares_values_at_the_bound(
    word: str, expected: list[int], kind: ColumnKind, texts: tuple[str, ...]
) -> None:
    bound = {"date": "2020-01-01"}.get(kind.kind, texts[1])
    known = {"a": Vocabulary()}
    original = pd.DataFrame({"a": [known["a"].code(text) for text in (*texts, "?")]})
    claim = SubsetClaim((word, "a", bound), {"a": kind})
    assert chosen_records(claim, original, None, known, ("?",)) == expected
