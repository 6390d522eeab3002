"""Masking: which characters go first, and that lengths do not show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import HierarchyError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.masking import MaskingBuilder
from engine.records import Kind
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


def test_a_character_is_a_code_point_of_any_alphabet() -> None:
    column = column_of("Łódź", "𝄞🙂", "e\u0301")  # an accent may be a character of its own
    assert MaskingBuilder().build(column).rows() == [
        ("e\u0301", "e\u0301**", "e\u0301**", "e***", "*"),
        ("Łódź", "Łód*", "Łó**", "Ł***", "*"),
        ("𝄞🙂", "𝄞🙂**", "𝄞🙂**", "𝄞***", "*"),
    ]


def test_values_that_hold_the_mask_or_the_padding_share_labels_and_nest() -> None:
    column = column_of("12", "120", "12*", "1*3", "**")
    right = MaskingBuilder(padding="0").build(column)
    assert {row[0]: row[1:] for row in right.rows()} == {
        "12": ("12*", "1**", "*"), "120": ("12*", "1**", "*"), "12*": ("12*", "1**", "*"),
        "1*3": ("1**", "1**", "*"), "**": ("***", "***", "*"),
    }  # fmt: skip
    left = MaskingBuilder(direction="left_to_right", character="0").build(column)
    assert {row[0]: row[1:] for row in left.rows()} == {
        "12": ("012", "002", "*"), "120": ("020", "000", "*"), "12*": ("02*", "00*", "*"),
        "1*3": ("0*3", "003", "*"), "**": ("0**", "00*", "*"),
    }  # fmt: skip


def test_a_missing_value_written_like_a_mask_is_refused() -> None:
    with pytest.raises(HierarchyError, match=r"would have the label '1\*'"):
        MaskingBuilder().build(column_of("12", "13", "1*", missing="1*"))


def test_long_texts_are_not_masked_character_by_character() -> None:
    column = column_of("x" * 250, "short")
    with pytest.raises(HierarchyError, match="has 250 characters, which results in 250 levels") as caught:
        MaskingBuilder().build(column)
    assert "at least 3 characters per level" in caught.value.hint
    assert MaskingBuilder(characters_per_level=3).build(column).height == 84


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
