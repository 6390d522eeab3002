"""Conversion between rows and selections, and the search for texts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer_gui.perspectives.configure.hierarchy.drafts import NOTHING, Selection
from anonymizer_gui.perspectives.configure.hierarchy.values.panel import ValueFinder
from anonymizer_gui.perspectives.configure.hierarchy.values.rows import (
    column_of,
    covered_rows,
    groups_of_rows,
    groups_under,
    level_of,
    row_of_value,
    rows_of_group,
)
from engine.hierarchies import Hierarchy
from engine.hierarchies.outline import Outline, outline
from engine.table import DataType
from engine.table.values import make_column
from tests.strategies import hierarchy_rows

VALUES = tuple("abcdefgh")
LETTERS = make_column("letter", VALUES, np.arange(8, dtype=np.int32), DataType())
WORDS = Hierarchy.from_rows(
    [
        [value, "vowel" if value in "ae" else "consonant", "early" if value in "ae" else "late", "*"]
        for value in VALUES
    ]
)


@st.composite
def outlines(draw: st.DrawFn) -> Outline:
    hierarchy = Hierarchy.from_rows(draw(hierarchy_rows(VALUES)))
    groups = [(n, label) for n, level in enumerate(hierarchy.levels) if n > 0 for label in level.labels]
    closed = draw(st.lists(st.sampled_from(groups), max_size=3)) if groups else []
    return outline(hierarchy, LETTERS, closed=closed)


@given(outlines(), st.data())
def test_rows_give_groups_that_cover_them(shown: Outline, data: st.DataObject) -> None:
    level = data.draw(st.integers(0, shown.hierarchy.height))
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, shown.n_places - 1), min_size=1))))
    for found in (groups_under(shown, rows, level), groups_of_rows(shown, rows, level)):
        assert found.level >= level
        assert covered_rows(shown, found)[rows].all()
        assert len(set(found.labels)) == len(found.labels)


@given(outlines())
def test_every_value_has_its_row_and_every_open_group_its_rows(shown: Outline) -> None:
    for value in VALUES:
        row = row_of_value(shown, value)
        assert row is not None
        assert value in groups_under(shown, np.array([row]), 0).labels
    top = shown.hierarchy.height
    for label in shown.hierarchy.levels[top].labels:
        assert len(rows_of_group(shown, top, label)) > 0


def test_rows_of_closed_groups_select_these_groups_and_mixed_rows_select_values() -> None:
    shown = outline(WORDS, LETTERS, closed=[(1, "vowel")])  # a closed row, then b, c, d, f, g, h
    assert groups_of_rows(shown, np.array([0]), 0) == Selection(1, ("vowel",))
    assert groups_of_rows(shown, np.array([0, 1]), 0) == Selection(0, ("a", "e", "b"))
    assert row_of_value(shown, "e") == 0
    assert row_of_value(shown, "x") is None


def test_records_are_shown_next_to_the_values() -> None:
    assert [level_of(column) for column in range(4)] == [0, 0, 1, 2]
    assert [column_of(level) for level in range(3)] == [0, 2, 3]


def test_values_are_found_before_groups_and_the_search_wraps_around() -> None:
    finder = ValueFinder(outline(WORDS, LETTERS))  # a, e, b, c, d, f, g, h
    assert finder.look_for("E") == 4  # the value e, vowel, early and late
    assert finder.next_to(0, 0, itself=True) == (0, 1)
    assert finder.next_to(0, 1) == (1, 0)
    assert finder.next_to(1, 0) == (2, 0)
    assert finder.next_to(2, 0) == (2, 2)
    assert finder.next_to(2, 2) == (0, 1)
    assert finder.next_to(0, 1, backwards=True) == (2, 2)
    assert finder.everything() == Selection(0, ("e",))
    assert finder.look_for("con") == 1
    assert finder.everything() == Selection(1, ("consonant",))
    assert finder.look_for("nowhere") == 0
    assert finder.next_to(0, 0) is None
    assert finder.everything() == NOTHING


def test_a_value_in_a_closed_group_is_found_in_its_row() -> None:
    finder = ValueFinder(outline(WORDS, LETTERS, closed=[(2, "late")]))
    finder.look_for("h")
    assert finder.next_to(0, 0) == (0, 2)
    finder.look_for("consonant")
    assert finder.next_to(0, 0) is None  # a closed group hides the groups within it
