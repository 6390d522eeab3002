"""Groups made by hand are called after what is in them."""

from __future__ import annotations

import pytest

from engine.hierarchies.group_names import group_name, joined_name, unused


@pytest.mark.parametrize(
    ("labels", "others", "name"),
    [
        (["20-24", "25-29"], ["30-34"], "20-29"),
        (["25-29", "20-24"], [], "20-29"),
        (["17", "18", "19"], ["20", "16"], "17-19"),
        (["17", "19"], ["20"], "17-19"),
        (["17", "19"], ["18"], "17, 19"),
        (["20-24", "40-44"], ["30-34"], "20-24, 40-44"),
        (["1", "2", "4", "9"], ["3"], None),
        (["20 to 24", "25 to 29"], [], "20 to 29"),
        (["-2", "-1", "0"], [], "-2 to 0"),
        (["1,5", "2,5"], ["3,5"], "1,5-2,5"),
        (["900-999", "1,000-1,999"], [], "900-999, 1,000-1,999"),  # a thousand, or one
        (["[20, 25)", "[25, 30)"], ["[30, 35)", "[15, 20)"], "[20, 30)"),
        (["(20, 25]", "(25, 30]"], ["(30, 35]"], "(20, 30]"),
        (["[20, 25[", "[25, 30]"], [], "[20, 30]"),
        (["]20, 25]", "]25, 30["], [], "]20, 30["),
        (["[20, 25)", "[30, 35)"], ["[25, 30)"], "[20, 25), [30, 35)"),
        (["<20", "20-24"], [], "<20, 20-24"),
        (["2020-01", "2020-02"], [], "2020-01, 2020-02"),  # months, not a range downwards
        (["Divorced", "Widowed"], [], "Divorced, Widowed"),
        (["", "Unknown"], [], "missing, Unknown"),
        (["a", "b", "c", "d"], [], None),
        ([""], [], ""),
    ],
)
def test_a_name_says_what_is_in_the_group(labels: list[str], others: list[str], name: str | None) -> None:
    assert joined_name(labels, others) == name


def test_what_is_too_much_for_a_name_gets_a_number_and_no_member_for_the_whole() -> None:
    assert group_name(["a", "b", "c", "d"], (), {"e"}) == "Group 1"
    assert group_name(["a", "b", "c", "d"], (), {"Group 1"}) == "Group 2"
    assert group_name(["a", "b"], (), {"a, b"}) == "a, b (2)"


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert unused("a", {"b"}) == "a"
    assert unused("a", {"a", "a (2)"}) == "a (3)"
