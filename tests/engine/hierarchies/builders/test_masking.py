"""Masking: which characters go first, and that lengths do not show."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.masking import MaskingBuilder
from engine.table import Kind
from tests.engine.hierarchies.columns import column_of


def test_the_last_characters_go_first() -> None:
    hierarchy = MaskingBuilder().build(column_of("32042", "32021"))
    assert hierarchy.rows()[1] == ("32042", "3204*", "320**", "32***", "3****", "*")


def test_the_first_characters_may_go_first_and_several_at_once() -> None:
    builder = MaskingBuilder(direction="left_to_right", characters_per_level=2)
    assert builder.build(column_of("32042")).rows() == [("32042", "**042", "****2", "*")]


def test_shorter_values_are_filled_up_so_that_length_does_not_show() -> None:
    assert MaskingBuilder().build(column_of("12", "1234")).rows() == [
        ("12", "12**", "12**", "1***", "*"),
        ("1234", "123*", "12**", "1***", "*"),
    ]
    right = MaskingBuilder(direction="left_to_right", padding="0").build(column_of("12", "1234"))
    assert right.rows()[0] == ("12", "*012", "**12", "***2", "*")


def test_another_character_may_mask_but_the_top_is_a_star() -> None:
    assert MaskingBuilder(character="x").build(column_of("ab")).rows() == [("ab", "ax", "*")]


def test_the_missing_value_stays_itself_below_the_top() -> None:
    hierarchy = MaskingBuilder().build(column_of("abc", "?", missing="?"))
    assert hierarchy.rows()[-1] == ("?", "?", "?", "*")


def test_decimals_are_not_masked() -> None:
    assert not MaskingBuilder().accepts(column_of("1.5", kind=Kind.DECIMAL))
    assert MaskingBuilder().accepts(column_of("32042", kind=Kind.INTEGER))


@given(
    st.lists(st.text(min_size=1, max_size=7), min_size=1, max_size=20),
    st.sampled_from(["right_to_left", "left_to_right"]),
    st.integers(1, 4),
    st.characters(),
)
def test_levels_nest_and_all_labels_of_one_are_equally_long(
    values: list[str], direction: str, step: int, padding: str
) -> None:
    builder = MaskingBuilder(direction=direction, characters_per_level=step, padding=padding)
    hierarchy = builder.build(column_of(*values, missing=None))
    assert Hierarchy.from_rows(hierarchy.rows()).top_label == "*"
    length = max(map(len, values))
    for number, level in enumerate(hierarchy.levels[1:-1], start=1):
        assert {len(label) for label in level.labels} == {length}
        assert all(label.count("*") >= number * step for label in level.labels)
