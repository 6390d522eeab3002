"""Drafts have their own undo stack; existing selected groups stay selected."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from anonymizer_gui.perspectives.configure.hierarchy.drafts import (
    NOTHING,
    Arrangement,
    Draft,
    HierarchyDrafts,
    Selection,
)
from engine.hierarchies import Hierarchy, editing
from engine.hierarchies.outline import Order
from engine.records import DataType, Kind
from engine.records.values import make_column
from tests.anonymizer_gui.perspectives.configure.conftest import AGES, make

TENS = Hierarchy.from_rows([[age, f"{age[0]}0-{age[0]}9", "*"] for age in AGES])


@pytest.fixture
def drafts(themed: QApplication) -> HierarchyDrafts:
    made = HierarchyDrafts()
    made.begin(make("age", AGES), Draft(TENS))
    return made


def test_steps_of_one_kind_that_follow_each_other_are_one(drafts: HierarchyDrafts) -> None:
    for name, kind in (("a", "typing"), ("ab", "typing"), ("abc", "typing"), ("x", "other"), ("y", "")):
        after = editing.rename(TENS, 1, "20-29", name)
        drafts.edit(f"Rename to {name}", Draft(after), kind)
    assert drafts.undo_stack.count() == 3
    drafts.undo_stack.setIndex(1)
    assert drafts.undo_stack.undoText() == "Rename to abc"
    drafts.undo_stack.undo()
    assert drafts.draft.hierarchy is TENS


def test_an_equal_draft_is_not_a_step(drafts: HierarchyDrafts) -> None:
    drafts.edit("Nothing", Draft(TENS))
    assert drafts.undo_stack.count() == 0


def test_selected_groups_stay_selected_only_while_they_exist(drafts: HierarchyDrafts) -> None:
    drafts.select(Selection(1, ("20-29", "30-39", "nowhere")))
    assert drafts.selection == Selection(1, ("20-29", "30-39"))
    drafts.edit("Rename", Draft(editing.rename(TENS, 1, "20-29", "young")))
    assert drafts.selection == Selection(1, ("30-39",))
    drafts.edit("Remove", Draft(editing.remove_level(TENS, 1)))
    assert drafts.selection == NOTHING


def test_an_order_or_a_closed_group_is_not_a_step_and_applies_immediately(drafts: HierarchyDrafts) -> None:
    drafts.arrange(Arrangement(Order.RECORDS))
    drafts.toggle(1, "20-29")
    assert drafts.undo_stack.count() == 0
    assert drafts.outline.n_places == len(AGES) - 2  # three values of the twenties share one place
    drafts.toggle(1, "20-29")
    assert drafts.outline.n_places == len(AGES)


def test_the_missing_value_has_a_place_while_it_is_edited(themed: QApplication) -> None:
    codes = np.array([0, 1, 1, 2], dtype=np.int32)
    column = make_column("sex", ["f", "m", ""], codes, DataType(Kind.TEXT), missing="")
    drafts = HierarchyDrafts()
    drafts.begin(column, Draft(Hierarchy.from_rows([["f", "*"], ["m", "*"]])))
    assert drafts.outline.n_places == 3
    assert "" in drafts.outline.hierarchy.index


def test_closing_forgets_the_steps(drafts: HierarchyDrafts) -> None:
    drafts.edit("Rename", Draft(editing.rename(TENS, 1, "20-29", "young")))
    drafts.end()
    assert drafts.column is None
    assert drafts.outline is None
    assert drafts.undo_stack.count() == 0
