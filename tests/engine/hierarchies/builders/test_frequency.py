"""Rare values join one group that grows level by level."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ParameterError
from engine.hierarchies.builders.frequency import FrequencyBuilder
from engine.hierarchies.hierarchy import Hierarchy
from engine.records import Kind
from tests.engine.hierarchies.columns import column_of

# a 5, b 4, c 2, d 2, e 1, f 1, g 1, h 3 records, one missing
LETTERS = column_of(*"aaaaabbbbccddefghhh", "")


def joined(builder: FrequencyBuilder, label: str = "other") -> list[str]:
    """Per level which letters are in the group."""
    levels = builder.build(LETTERS).levels[1:-1]
    return ["".join(v for v, c in zip(LETTERS.labels, level.codes, strict=True) if level.labels[c] == label)
            for level in levels]  # fmt: skip


def test_the_rarest_values_join_first_in_equal_steps() -> None:
    assert joined(FrequencyBuilder()) == ["ef", "cefg", "cdefgh"]


def test_the_most_frequent_values_may_join_first() -> None:
    assert joined(FrequencyBuilder(direction="highest_first")) == ["ab", "abch", "abcdeh"]


def test_the_order_of_the_values_may_decide() -> None:
    assert joined(FrequencyBuilder(by="value", levels=1)) == ["abcd"]
    assert joined(FrequencyBuilder(by="value", direction="highest_first", levels=1)) == ["efgh"]
    numbers = column_of("9", "10", "100", kind=Kind.INTEGER)
    hierarchy = FrequencyBuilder(by="value", levels=1).build(numbers)
    assert hierarchy.rows() == [("9", "other", "*"), ("10", "other", "*"), ("100", "100", "*")]


def test_missing_stays_itself_and_all_values_end_in_a_star() -> None:
    hierarchy = FrequencyBuilder(levels=1).build(LETTERS)
    assert hierarchy.label("", 1) == ""
    assert hierarchy.levels[-1].labels == ("*",)


def test_levels_that_join_nothing_more_are_left_out() -> None:
    assert joined(FrequencyBuilder(levels=50)) == ["ef", "efg", "cefg", "cdefg", "cdefgh", "bcdefgh"]
    assert FrequencyBuilder(levels=3).build(column_of("x")).rows() == [("x", "*")]


def test_a_value_called_like_the_group_belongs_to_it() -> None:
    assert joined(FrequencyBuilder(levels=1, label="a"), "a") == ["aefg"]


def test_a_group_without_a_name_is_refused() -> None:
    with pytest.raises(ParameterError, match="needs a label"):
        FrequencyBuilder(label="")


def test_two_values_are_too_few_to_join_some() -> None:
    assert not FrequencyBuilder().accepts(column_of("a", "b", ""))
    assert FrequencyBuilder().accepts(column_of("a", "b", "c"))


@given(
    st.lists(st.sampled_from(["a", "b", "c", "other", "", "10", "9"]), min_size=1, max_size=40),
    st.integers(1, 8),
    st.sampled_from(["lowest_first", "highest_first"]),
    st.sampled_from(["frequency", "value"]),
    st.sampled_from(["other", "*", "a"]),
)
def test_groups_grow_and_never_take_a_commoner_value_before_a_rarer_one(
    texts: list[str], levels: int, direction: str, by: str, label: str
) -> None:
    column = column_of(*texts)
    builder = FrequencyBuilder(direction=direction, levels=levels, by=by, label=label)
    hierarchy = builder.build(column)
    assert Hierarchy.from_rows(hierarchy.rows()).top_label == "*"
    assert hierarchy.gaps(column) == []
    before: set[str] = set()
    for level in range(1, hierarchy.height):
        inside = {v for v in column.labels if v and hierarchy.label(v, level) == label}
        assert inside > before
        assert all(hierarchy.label(v, level) == v for v in column.labels if v not in inside)
        if by == "frequency":
            counts = {v: texts.count(v) for v in column.labels if v and v != label}
            most = [counts[v] for v in inside if v in counts]
            rest = [counts[v] for v in counts if v not in inside]
            if most and rest:
                rarer_first = direction == "lowest_first"
                assert max(most) <= min(rest) if rarer_first else min(most) >= max(rest)
        before = inside
