"""Groups made by hand are called after what is in them."""

from __future__ import annotations

import pytest

from engine.hierarchies import Hierarchy, editing
from engine.hierarchies.follow import followed
from engine.hierarchies.group_names import group_name, unused
from tests.engine.hierarchies.columns import column_of


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        (["20-24", "40-44"], "20-24, 40-44"),
        (["Divorced", "Widowed"], "Divorced, Widowed"),
        (["", "Unknown"], "missing, Unknown"),
        ([""], ""),
    ],
)
def test_a_name_says_what_is_in_the_group(labels: list[str], name: str) -> None:
    assert group_name(labels, ()) == name


def test_what_is_too_much_for_a_name_gets_a_number_and_no_member_for_the_whole() -> None:
    assert group_name(["a", "b", "c", "d"], {"e"}) == "Group 1"
    assert group_name(["a", "b", "c", "d"], {"Group 1"}) == "Group 2"
    assert group_name(["a", "b"], {"a, b"}) == "a, b (2)"


def test_the_first_group_without_a_better_name_is_number_one() -> None:
    column = column_of(*"abcdefgh")
    hierarchy = Hierarchy.from_rows([[value, value, "*"] for value in "abcdefgh"])
    for some, labels in (("abcd", ("Group 1", *"efgh")), ("efgh", ("Group 1", "Group 2"))):
        hierarchy = followed(hierarchy, editing.new_group(hierarchy, 0, list(some), 1), column)
        assert hierarchy.levels[1].labels == labels


def test_a_name_that_is_taken_gets_a_number() -> None:
    assert unused("a", {"b"}) == "a"
    assert unused("a", {"a", "a (2)"}) == "a (3)"
