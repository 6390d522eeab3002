"""Intervals: which number belongs where, what the bands are called, and exact steps."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.table import Kind
from tests.engine.hierarchies.columns import column_of


def level(hierarchy: Hierarchy, number: int) -> dict[str, str]:
    return {row[0]: row[number] for row in hierarchy.rows()}


def test_the_ages_of_the_thesis_come_out_as_printed(data: Path) -> None:
    path = next(data.rglob("thesis_crime.json"))
    case = json.loads(path.read_text())
    ages = column_of(*map(str, case["raw"]["age"]), kind=Kind.DECIMAL)
    hierarchy = IntervalsBuilder(width=5, merge=(2,)).build(ages)
    assert hierarchy.height == 3
    assert [hierarchy.label(str(age), 2) for age in case["raw"]["age"]] == case["expected"]["age"]
    assert hierarchy.label("29", 1) == "[25.0, 30.0)"


def test_whole_numbers_are_named_by_first_and_last() -> None:
    hierarchy = IntervalsBuilder(width=10, merge=(2,)).build(
        column_of("19", "20", "29", "30", kind=Kind.INTEGER)
    )
    assert level(hierarchy, 1) == {"19": "10-19", "20": "20-29", "29": "20-29", "30": "30-39"}
    assert level(hierarchy, 2) == {"19": "0-19", "20": "20-39", "29": "20-39", "30": "20-39"}
    assert hierarchy.top_label == "*"


def test_intervals_may_be_asked_for() -> None:
    hierarchy = IntervalsBuilder(width=10, label="interval").build(column_of("20", kind=Kind.INTEGER))
    assert level(hierarchy, 1) == {"20": "[20, 30)"}


def test_negative_whole_numbers_are_named_in_words() -> None:
    hierarchy = IntervalsBuilder(width=10).build(column_of("-7", "3", kind=Kind.INTEGER))
    assert level(hierarchy, 1) == {"-7": "-10 to -1", "3": "0-9"}


def test_a_range_of_broken_bounds_names_only_numbers_inside() -> None:
    hierarchy = IntervalsBuilder(width=2.5).build(column_of("2", "3", "4", "5", kind=Kind.INTEGER))
    assert level(hierarchy, 1) == {"2": "0-2", "3": "3-4", "4": "3-4", "5": "5-7"}


def test_steps_of_a_tenth_do_not_drift() -> None:
    values = [str(Decimal(i) / 10) for i in range(1000)]
    hierarchy = IntervalsBuilder(width=0.1).build(column_of(*values, kind=Kind.DECIMAL))
    assert hierarchy.label("0.3", 1) == "[0.3, 0.4)"
    assert hierarchy.label("99.9", 1) == "[99.9, 100.0)"
    assert len(hierarchy.levels[1].labels) == 1000


def test_a_decimal_comma_is_kept_in_labels() -> None:
    hierarchy = IntervalsBuilder(width=0.5).build(column_of("1,25", "2,0", kind=Kind.DECIMAL))
    assert level(hierarchy, 1) == {"1,25": "[1,0; 1,5)", "2,0": "[2,0; 2,5)"}


def test_a_value_on_a_cut_begins_a_group_the_last_cut_too() -> None:
    builder = IntervalsBuilder(cuts=(18, 30, 65))
    hierarchy = builder.build(column_of("17", "18", "29", "30", "65", "90", kind=Kind.INTEGER))
    assert level(hierarchy, 1) == {
        "17": "<18", "18": "18-29", "29": "18-29", "30": "30-64", "65": ">=65", "90": ">=65",
    }  # fmt: skip


def test_joined_cuts_leave_a_shorter_last_group() -> None:
    builder = IntervalsBuilder(cuts=(0, 10, 20, 50), merge=(2,))
    hierarchy = builder.build(column_of("5", "15", "25", "50", kind=Kind.INTEGER))
    assert level(hierarchy, 2) == {"5": "0-19", "15": "0-19", "25": "20-49", "50": ">=50"}


def test_bottom_and_top_are_groups_on_every_level_and_cut_the_bands_beside_them() -> None:
    builder = IntervalsBuilder(width=10, merge=(2,), bottom=18, top=65)
    hierarchy = builder.build(column_of("12", "18", "25", "64", "65", kind=Kind.INTEGER))
    assert level(hierarchy, 1) == {"12": "<18", "18": "18-19", "25": "20-29", "64": "60-64", "65": ">=65"}
    assert level(hierarchy, 2) == {"12": "<18", "18": "18-19", "25": "20-39", "64": "60-64", "65": ">=65"}


def test_missing_and_unreadable_values_stay_themselves_below_the_top() -> None:
    column = column_of("1", "about 3", "12", "", "7")
    builder = IntervalsBuilder(width=10)
    assert builder.accepts(column)
    hierarchy = builder.build(column)
    assert level(hierarchy, 1)["about 3"] == "about 3"
    assert level(hierarchy, 1)[""] == ""
    assert set(level(hierarchy, 2).values()) == {"*"}


def test_a_text_written_like_a_band_is_refused() -> None:
    with pytest.raises(HierarchyError, match="two different groups would be called '0-9'"):
        IntervalsBuilder(width=10).build(column_of("1", "2", "0-9"))


def test_texts_without_numbers_are_refused() -> None:
    assert not IntervalsBuilder().accepts(column_of("a", "b"))
    with pytest.raises(HierarchyError, match="no numbers"):
        IntervalsBuilder().build(column_of("a", "b"))


@pytest.mark.parametrize(
    "values", [{"bottom": 5, "top": 5}, {"cuts": ()}, {"cuts": (2, 1)}, {"width": 0}, {"merge": (1,)}]
)
def test_impossible_parameters_are_refused_with_a_hint(values: dict[str, object]) -> None:
    with pytest.raises(ParameterError) as caught:
        IntervalsBuilder(**values)  # type: ignore[arg-type]
    assert caught.value.hint


@given(
    st.lists(st.decimals(-(10**6), 10**6, places=2), min_size=1, max_size=30),
    st.decimals("0.01", 1000, places=2),
    st.decimals(-100, 100, places=2),
    st.lists(st.integers(2, 4), max_size=3),
)
def test_every_label_tells_the_truth_and_levels_nest(
    numbers: list[Decimal], width: Decimal, origin: Decimal, merge: list[int]
) -> None:
    column = column_of(*map(str, numbers), kind=Kind.DECIMAL)
    builder = IntervalsBuilder(width=float(width), origin=float(origin), merge=tuple(merge))
    hierarchy = builder.build(column)
    assert hierarchy.height == len(merge) + 2
    assert Hierarchy.from_rows(hierarchy.rows()).top_label == "*"
    wide = Decimal(1)
    for number, factor in enumerate((1, *merge), start=1):
        wide *= factor
        for value, label in level(hierarchy, number).items():
            low, high = map(Decimal, re.fullmatch(r"\[(.*), (.*)\)", label).groups())  # type: ignore[union-attr]
            assert low <= Decimal(value) < high
            assert high - low == width * wide
            assert (low - origin) % (width * wide) == 0
