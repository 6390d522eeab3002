"""Conversion between rows and selections, and the search for texts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymizer_gui.perspectives.configure.hierarchy.values.panel import ValueFinder
from anonymizer_gui.perspectives.configure.hierarchy.values.rows import (
    covered_rows,
    groups_of_rows,
    groups_under,
    row_of_value,
    rows_of_group,
)
from engine.hierarchies import Hierarchy
from engine.hierarchies.outline import Outline, outline
from engine.records import DataType
from engine.records.values import make_column
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


def test_a_value_in_a_closed_group_is_found_in_its_row() -> None:
    finder = ValueFinder(outline(WORDS, LETTERS, closed=[(2, "late")]))
    finder.look_for("h")
    assert finder.next_to(0, 0) == (0, 2)
    finder.look_for("consonant")
    assert finder.next_to(0, 0) is None  # a closed group hides the groups within it
