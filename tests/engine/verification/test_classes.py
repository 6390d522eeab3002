"""Classes in the database of the verification: fractions, logarithms and distances, whatever the counts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.verification import Expected, Limits, ReleaseClaim
from engine.verification.classes import Classes, Reference
from engine.verification.persons import Persons
from engine.verification.tables.database import Database, opened
from tests.engine.verification.plain_release import distance, tree_distance
from tests.strategies import modest

COUNTS = st.integers(1, 2**124)
TREE = [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"]]


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    claim = ReleaseClaim(Path(), Path(), Expected(0, 0, 0, 0, None), (), {}, {})
    with opened(claim, Limits(), reads_files=False) as own:
        yield own


@modest
@given(a=COUNTS, b=COUNTS)
def test_a_quotient_is_the_double_nearest_to_it(database: Database, a: int, b: int) -> None:
    found = database.rows(f"SELECT quotient({a}::HUGEINT, {b}::HUGEINT)")
    assert found == [(float(Fraction(a, b)),)]


@modest
@given(a=COUNTS, more=st.integers(1, 10**9) | COUNTS)
def test_a_logarithm_of_nearly_equal_numbers_keeps_its_digits(database: Database, a: int, more: int) -> None:
    ((found,),) = database.rows(f"SELECT log_ratio({a + more}::HUGEINT, {a}::HUGEINT)")
    ratio = Fraction(more, a)
    assert found == pytest.approx(math.log1p(ratio), rel=1e-14)


@pytest.mark.parametrize("unit", [1, 2**50])
def test_distances_are_those_of_their_definitions(database: Database, unit: int) -> None:
    rows = st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abcd")), min_size=1, max_size=20)

    @modest
    @given(rows)
    def check(found: list[tuple[int, str]]) -> None:
        whole = [value for _unused, value in found]
        order = tuple(sorted(set(whole)))
        levels = tuple(
            {ord(row[0]): ord(row[level]) for row in TREE if row[0] in order} for level in range(2)
        )
        counts = pd.Series({ord(value): whole.count(value) * unit for value in order})
        reference = Reference(counts, tuple(map(ord, order)), levels)
        labels = pd.DataFrame({"q": [group for group, _unused in found]})
        values = pd.DataFrame({"v": [ord(value) for value in whole]})
        each = pd.Series(unit, index=labels.index)
        persons = Persons(pd.Series(range(len(found))), each, each)
        classes = Classes(database, "made", labels, values, pd.Series(1, index=labels.index), persons)
        groups = [[own for group, own in found if group == number] for number in set(labels["q"])]
        tree = [row for row in TREE if row[0] in order]
        for kind, expected in (
            ("equal", max(distance(own, whole, None) for own in groups)),
            ("ordered", max(distance(own, whole, order) for own in groups)),
            (
                "hierarchical",
                max(tree_distance(own, whole, [[*row[:2], "*"] for row in tree]) for own in groups),
            ),
        ):
            n_values, farthest = classes.figures("v", reference, kind, others=False)
            assert farthest == float(expected)
            assert n_values == min(len(set(own)) for own in groups)

    check()
