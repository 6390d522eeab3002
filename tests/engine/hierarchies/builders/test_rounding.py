"""Rounding: multiples of bases that nest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.rounding import RoundingBuilder
from engine.records import Kind
from tests.engine.hierarchies.columns import column_of


def test_numbers_become_multiples_of_each_base() -> None:
    column = column_of("12", "13", "37", "", kind=Kind.INTEGER)
    assert RoundingBuilder(bases=(5, 10)).build(column).rows() == [
        ("12", "10", "10", "*"), ("13", "15", "20", "*"), ("37", "35", "40", "*"), ("", "", "", "*"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("direction", "labels"),
    [("nearest", ("-10", "0", "10", "20")), ("down", ("-10", "0", "10")), ("up", ("-10", "0", "10", "20"))],
)
def test_a_half_goes_up_and_sides_are_those_of_the_number_line(
    direction: str, labels: tuple[str, ...]
) -> None:
    column = column_of("-15", "-5", "5", "15", kind=Kind.INTEGER)
    # -15 is half way between -20 and -10.
    builder = RoundingBuilder(bases=(10,), direction=direction)
    expected = {"nearest": labels, "down": ("-20", *labels), "up": labels}[direction]
    assert builder.build(column).levels[1].labels == expected


def test_decimals_are_rounded_as_typed() -> None:
    # 0.15 / 0.1 is below 1.5 in binary arithmetic.
    hierarchy = RoundingBuilder(bases=(0.1, 1)).build(column_of("0.15", "2.0", kind=Kind.DECIMAL))
    assert hierarchy.rows() == [("0.15", "0.2", "0.0", "*"), ("2.0", "2.0", "2.0", "*")]


def test_texts_among_numbers_stay_themselves() -> None:
    hierarchy = RoundingBuilder(bases=(10,)).build(column_of("12", "unknown", "18"))
    assert hierarchy.rows() == [("12", "10", "*"), ("18", "20", "*"), ("unknown", "unknown", "*")]
    with pytest.raises(HierarchyError, match="has no numbers") as caught:
        RoundingBuilder().build(column_of("a"))
    assert caught.value.hint


@pytest.mark.parametrize("bases", [(), (0,), (-5,), (10, 15), (10, 5), (0.3, 1)])
def test_bases_that_do_not_nest_are_refused(bases: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError) as caught:
        RoundingBuilder(bases=bases)
    assert caught.value.hint


@given(
    st.lists(st.integers(-500, 500), min_size=1, max_size=30),
    st.lists(st.integers(2, 5), min_size=1, max_size=3),
    st.sampled_from(["nearest", "down", "up"]),
)
def test_rounded_numbers_are_near_and_levels_nest(
    numbers: list[int], factors: list[int], direction: str
) -> None:
    bases, base = [], 1
    for factor in factors:
        base *= factor
        bases.append(base)
    column = column_of(*map(str, numbers), kind=Kind.INTEGER)
    hierarchy = RoundingBuilder(bases=tuple(bases), direction=direction).build(column)
    rows = Hierarchy.from_rows(hierarchy.rows()).rows()
    for row in rows:
        below = int(row[0])
        for base, label in zip(bases, row[1:], strict=False):
            step = int(label) - below
            assert int(label) % base == 0
            assert {"nearest": -base < 2 * step <= base, "down": -base < step <= 0, "up": 0 <= step < base}[
                direction
            ]
            below = int(label)
