"""Grouping and suppressing: neighbours in an order, named groups, keep or hide."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.hierarchies.builders.suppress import SuppressBuilder
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
    with pytest.raises(HierarchyError, match="would be called 'c'"):
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
    ],
)
def test_contradictions_are_refused_with_a_hint(values: dict[str, object]) -> None:
    with pytest.raises(ParameterError) as caught:
        GroupingBuilder(**values)  # type: ignore[arg-type]
    assert caught.value.hint


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
