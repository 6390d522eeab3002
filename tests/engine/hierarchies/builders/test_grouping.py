"""Grouping and suppressing: neighbours in an order, named groups, keep or hide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.hierarchies.builders.suppress import SuppressBuilder
from engine.records import Column, Kind
from tests.engine.hierarchies.columns import column_of


def test_neighbours_are_joined_level_by_level() -> None:
    builder = GroupingBuilder(order=("S", "M", "L", "XL", "XXL"), sizes=(2, 2))
    hierarchy = builder.build(column_of("M", "S", "XL", "L", "XXL"))
    assert hierarchy.values == ("S", "M", "L", "XL", "XXL")
    assert hierarchy.levels[1].labels == ("S, M", "L, XL", "XXL")
    assert hierarchy.levels[2].labels == ("S to XL (4 values)", "XXL")
    assert hierarchy.top_label == "*"


def test_without_an_order_that_of_the_type_counts() -> None:
    hierarchy = GroupingBuilder(sizes=(2,)).build(column_of("d", "a", "c", "b"))
    assert hierarchy.levels[1].labels == ("a, b", "c, d")


def test_values_outside_the_order_and_the_missing_one_stay_themselves() -> None:
    hierarchy = GroupingBuilder(order=("a", "b"), sizes=(2,)).build(column_of("a", "x", "", "b"))
    assert hierarchy.rows() == [
        ("a", "a, b", "*"), ("b", "a, b", "*"), ("x", "x", "*"), ("", "", "*"),
    ]  # fmt: skip


def test_a_group_called_after_the_empty_value_alone_is_refused_where_it_holds_others() -> None:
    builder = GroupingBuilder(order=("", "absent"), sizes=(2,), label="bounds")
    with pytest.raises(HierarchyError, match="'absent' has no label"):
        builder.build(column_of("", "x"))


def test_named_groups_join_values_then_groups() -> None:
    groups = [{"Not married": ["Single", "Widowed"]}, {"Anyone": ["Not married", "Married"]}]
    hierarchy = GroupingBuilder(groups=groups).build(column_of("Single", "Married"))  # type: ignore[arg-type]
    assert hierarchy.rows() == [
        ("Married", "Married", "Anyone", "*"),
        ("Single", "Not married", "Anyone", "*"),
        ("Widowed", "Not married", "Anyone", "*"),
    ]


def test_a_group_called_like_a_value_outside_it_is_refused() -> None:
    builder = GroupingBuilder(groups=[{"c": ["a", "b"]}])  # type: ignore[arg-type]
    with pytest.raises(HierarchyError, match="would have the label 'c'"):
        builder.build(column_of("a", "b", "c"))


def test_a_second_level_that_tears_a_group_apart_is_refused() -> None:
    groups = [{"ab": ["a", "b"]}, {"x": ["a", "c"]}]
    with pytest.raises(HierarchyError, match="level 2"):
        GroupingBuilder(groups=groups).build(column_of("a", "b", "c"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "values",
    [
        {"order": ("a", "a")},
        {"order": ("a",), "groups": [{"x": ["a"]}]},
        {"groups": [{"x": ["a"], "y": ["a"]}]},
        {"sizes": (1,)},
        {"records": ()},
        {"records": (5, 5)},
        {"records": (2,), "groups": [{"x": ["a"]}]},
    ],
)
def test_contradictions_are_refused_with_a_hint(values: dict[str, object]) -> None:
    with pytest.raises(ParameterError) as caught:
        GroupingBuilder(**values)  # type: ignore[arg-type]
    assert caught.value.hint


def years(*counts: int) -> Column:
    """So many records of 2001, 2002, ..."""
    texts = [str(2001 + i) for i, count in enumerate(counts) for _ in range(count)]
    return column_of(*texts, kind=Kind.INTEGER)


def test_groups_of_records_close_as_soon_as_they_have_enough() -> None:
    # 2001 alone has 3; 2002 and 2003 have 3; 2004 has 2, too few, and joins the group before.
    hierarchy = GroupingBuilder(records=(3,), label="range").build(years(3, 2, 1, 2))
    assert [row[1] for row in hierarchy.rows()] == ["2001-2001", "2002-2004", "2002-2004", "2002-2004"]


def test_each_level_of_groups_of_records_joins_whole_groups() -> None:
    hierarchy = GroupingBuilder(records=(2, 5), label="range").build(years(2, 1, 1, 1, 1, 1))
    assert [level.labels for level in hierarchy.levels[1:]] == [
        ("2001-2001", "2002-2003", "2004-2006"),
        ("2001-2006",),
        ("*",),
    ]


def test_values_of_an_order_that_do_not_occur_count_no_record() -> None:
    hierarchy = GroupingBuilder(order=("a", "b", "c"), records=(1,)).build(column_of("a", "c", "c"))
    assert [row[1] for row in hierarchy.rows()] == ["a", "b, c", "b, c"]


def test_a_mean_is_that_of_the_records_with_as_many_places_as_the_values() -> None:
    # (3 * 2001 + 2002) / 4 = 2001.25, and (2003 + 2 * 2004) / 3 = 2003.67
    hierarchy = GroupingBuilder(sizes=(2,), label="mean").build(years(3, 1, 1, 2))
    assert [row[1] for row in hierarchy.rows()] == ["2001", "2001", "2004", "2004"]
    decimals = column_of("1.25", "1.75", "2.0", kind=Kind.DECIMAL)
    assert GroupingBuilder(sizes=(2,), label="mean").build(decimals).levels[1].labels == ("1.5", "2.0")


def test_values_may_be_sorted_by_the_numbers_in_them_or_by_records() -> None:
    column = column_of("item 10", "item 2", "item 1", "item 10", "", "item 2", "item 10")
    natural = GroupingBuilder(sort="natural", sizes=(2,)).build(column)
    assert natural.rows()[2:] == [("item 10", "item 10", "*"), ("", "", "*")]
    frequent = GroupingBuilder(sort="records", sizes=(2,)).build(column)
    assert frequent.levels[1].labels == ("item 10, item 2", "item 1", "")
    listed = GroupingBuilder(sort="natural", order=("item 10", "item 2"), sizes=(2,)).build(column)
    assert listed.levels[1].labels == ("item 10, item 2", "item 1", "")


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("range", ("7-8", "9-10", "11-11")),
        ("interval", ("[7, 8]", "[9, 10]", "[11, 11]")),
        ("set", ("7, 8", "9, 10", "11")),
        ("bounds", ("[7, 8]", "10", "11")),  # no record is 9
        ("mean", ("8", "10", "11")),  # (7 + 2 * 8) / 3 = 7.67; of 9 and 10 only 10 occurs
    ],
)
def test_groups_of_numbers_have_five_forms_of_labels(label: str, expected: tuple[str, ...]) -> None:
    column = column_of("7", "8", "8", "10", "11", kind=Kind.INTEGER)
    builder = GroupingBuilder(order=("7", "8", "9", "10", "11"), sizes=(2,), label=label)
    assert builder.build(column).levels[1].labels == expected


def test_a_common_prefix_is_filled_up_to_the_longest_member() -> None:
    column = column_of("32042", "32043", "3211", "54000", "5")
    builder = GroupingBuilder(sizes=(3, 2), label="prefix")
    assert builder.build(column).levels[1].labels == ("32***", "5****")
    assert builder.build(column).levels[2].labels == ("*",)  # they have nothing in common
    words = column_of("ähre", "ähren", "år", "år\u0308")  # a character is a code point
    assert GroupingBuilder(sizes=(2,), label="prefix").build(words).levels[1].labels == ("ähre*", "år*")


def test_two_groups_with_one_prefix_are_refused_and_named() -> None:
    with pytest.raises(HierarchyError, match=r"would have the label '1\*'.*'12'") as caught:
        GroupingBuilder(sizes=(2,), label="prefix").build(column_of("10", "11", "12", "13"))
    assert "another form of labels" in caught.value.hint


def test_a_decimal_comma_parts_the_bounds_by_a_semicolon() -> None:
    column = column_of("1,5", "2,0", kind=Kind.DECIMAL)
    assert GroupingBuilder(sizes=(2,), label="bounds").build(column).levels[1].labels == ("[1,5; 2,0]",)


def test_texts_have_a_range_but_no_mean() -> None:
    column = column_of("a", "b", "c")
    assert GroupingBuilder(sizes=(2,), label="range").build(column).levels[1].labels == ("a to b", "c to c")
    with pytest.raises(HierarchyError, match="'a' is not a number") as caught:
        GroupingBuilder(sizes=(2,), label="mean").build(column)
    assert caught.value.hint


def test_a_range_of_negative_numbers_is_not_written_with_a_second_minus() -> None:
    column = column_of("-7", "-5", "3", "4", kind=Kind.INTEGER)
    assert GroupingBuilder(sizes=(2,), label="range").build(column).levels[1].labels == ("-7 to -5", "3-4")


@pytest.mark.parametrize("label", ["set", "range", "interval", "bounds", "prefix", "mean"])
def test_a_column_without_values_has_no_groups(label: str) -> None:
    column = column_of("", "")
    for builder in (GroupingBuilder(label=label), GroupingBuilder(records=(2,), label=label)):
        assert builder.build(column).rows() == [("", "", "*")]
    assert GroupingBuilder(records=(1, 2), label=label).build(column).rows() == [("", "", "", "*")]


def test_keep_or_hide_has_two_levels() -> None:
    assert SuppressBuilder().build(column_of("a", "", "b")).rows() == [("a", "*"), ("b", "*"), ("", "*")]


@given(
    st.lists(st.text("abcd", min_size=1, max_size=3), min_size=1, max_size=20, unique=True),
    st.lists(st.integers(2, 5), max_size=3),
)
def test_groups_nest_and_hold_as_many_values_as_asked(values: list[str], sizes: list[int]) -> None:
    hierarchy = GroupingBuilder(sizes=tuple(sizes)).build(column_of(*values))
    assert Hierarchy.from_rows(hierarchy.rows()).height == len(sizes) + 1
    joined = 1
    for size, level in zip(sizes, hierarchy.levels[1:], strict=False):
        joined *= size
        assert all(level.n_leaves[:-1] == joined)
        assert level.n_leaves[-1] <= joined


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=20),
    st.lists(st.integers(1, 30), min_size=1, max_size=3, unique=True).map(sorted),
    st.sampled_from(["range", "mean", "set"]),
)
def test_groups_of_records_are_runs_of_neighbours_that_have_enough(
    counts: list[int], records: list[int], label: str
) -> None:
    column = years(*counts)
    hierarchy = GroupingBuilder(records=tuple(records), label=label).build(column)
    assert Hierarchy.from_rows(hierarchy.rows()).height == len(records) + 1
    for least, level in zip(records, hierarchy.levels[1:], strict=False):
        sizes = np.bincount(level.codes, weights=column.counts)
        assert sizes.min() >= min(least, sum(counts))
        assert (np.diff(level.codes) >= 0).all()
        lasts = column.counts[np.append(np.flatnonzero(np.diff(level.codes)), len(counts) - 1)]
        if level is hierarchy.levels[1]:  # no group but the last goes on after it has enough
            assert all(size - last < least for size, last in list(zip(sizes, lasts, strict=True))[:-1])
