"""Hierarchies proposed for several columns, with levels and reason, accepted in one step."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.perspectives.configure.table.tick_list_dialog import TickListDialog
from anonymizer_gui.session import Session
from engine.project.edits import set_roles
from engine.records import Role
from tests.anonymizer_gui.perspectives.configure.conftest import Settle

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def asked(qtbot: QtBot, configure: ConfigurePresenter, settle: Settle) -> Iterator[TickListDialog]:
    """Return the dialog, opened by the button above the table."""
    qtbot.mouseClick(configure.view.table.propose_button, LEFT)
    settle()
    dialog = shown_dialog(configure)
    assert dialog is not None
    yield dialog
    for left in configure.view.findChildren(TickListDialog):
        left.done(0)


def shown_dialog(configure: ConfigurePresenter) -> TickListDialog | None:
    return next((d for d in configure.view.findChildren(TickListDialog) if d.isVisible()), None)


def test_the_button_asks_about_every_quasi_identifier_and_ticks_those_without_a_hierarchy(
    asked: TickListDialog,
) -> None:
    assert list(asked.boxes) == ["age", "sex"]
    assert asked.ticked_columns() == ("sex",)
    assert asked.accept_button.text() == "Use 1 hierarchy"
    assert asked.findChild(QPushButton, "acceptAllButton").text() == "Use all 2"
    texts = [label.text() for label in asked.findChildren(QLabel)]
    assert "5-year bands (5) · 10-year bands (3) · 20-year bands (2) · hidden" in texts
    assert "20 → 20-24 → 20-29 → 20-39 → *" in texts
    said = asked.boxes["age"].accessibleDescription()
    assert said.startswith("Intervals. 5-year bands (5)")
    assert "Replaces its hierarchy of height 2" in said


def test_ticked_columns_are_one_undo_step(
    qtbot: QtBot, asked: TickListDialog, session: Session, settle: Settle
) -> None:
    before = session.project
    qtbot.mouseClick(asked.accept_button, LEFT)
    settle()
    assert session.project.hierarchies["sex"].hierarchy.label("f", 1) == "*"
    assert session.project.hierarchies["age"] is before.hierarchies["age"]
    assert session.history.own.undoText() == "Suggest hierarchy"
    session.history.undo()
    assert session.project is before


def test_all_are_taken_at_once(qtbot: QtBot, asked: TickListDialog, session: Session, settle: Settle) -> None:
    qtbot.mouseClick(asked.findChild(QPushButton, "acceptAllButton"), LEFT)
    settle()
    assert session.project.hierarchies["age"].hierarchy.height == 4
    assert "sex" in session.project.hierarchies
    assert session.history.own.count() == 1


def test_keys_tick_and_take(qtbot: QtBot, asked: TickListDialog, session: Session, settle: Settle) -> None:
    asked.activateWindow()
    qtbot.waitUntil(asked.isActiveWindow)
    asked.boxes["age"].setFocus()
    for _ in range(2):
        focus = QApplication.focusWidget()
        qtbot.keyClick(focus, Qt.Key.Key_Space)
        qtbot.keyClick(focus, Qt.Key.Key_Tab)
    assert asked.ticked_columns() == ("age",)
    qtbot.keyClick(asked, Qt.Key.Key_Return)
    settle()
    assert session.project.hierarchies["age"].hierarchy.height == 4
    assert "sex" not in session.project.hierarchies


def test_escape_changes_nothing(qtbot: QtBot, asked: TickListDialog, session: Session) -> None:
    qtbot.keyClick(asked, Qt.Key.Key_Escape)
    assert not asked.isVisible()
    assert session.history.own.count() == 0


def test_none_and_all_are_ticked_at_once(qtbot: QtBot, asked: TickListDialog) -> None:
    qtbot.mouseClick(asked.findChild(QPushButton, "tickNoneButton"), LEFT)
    assert asked.ticked_columns() == ()
    assert not asked.accept_button.isEnabled()
    assert asked.accept_button.toolTip() == "No column is selected"
    qtbot.mouseClick(asked.findChild(QPushButton, "tickAllButton"), LEFT)
    assert asked.ticked_columns() == ("age", "sex")
    assert asked.accept_button.text() == "Use 2 hierarchies"


def test_the_panel_of_several_selected_columns_asks_about_these(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    configure.view.table.table.select_columns(("sex", "disease"))
    qtbot.mouseClick(configure.view.column.propose_button, LEFT)
    settle()
    dialog = shown_dialog(configure)
    assert dialog.ticked_columns() == ("sex", "disease")
    dialog.done(0)


def test_without_a_quasi_identifier_there_is_nothing_to_propose_for(
    configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    session.edit("Nobody knows", set_roles(session.project, ["age", "sex"], Role.INSENSITIVE))
    settle()
    button = configure.view.table.propose_button
    assert not button.isEnabled()
    assert button.toolTip() == "No column is quasi-identifying yet"
