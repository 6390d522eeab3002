"""The hierarchy is copied to other columns, similar ones first, as one undo step of the project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.perspectives.configure.table.tick_list_dialog import TickListDialog
from anonymizer_gui.session import Session
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.project import AttributeHierarchy, Project
from engine.project.edits import set_hierarchy, set_roles
from engine.records import Kind, ReadOptions, Role, Table
from tests.anonymizer_gui.hands import pick
from tests.anonymizer_gui.perspectives.configure.conftest import AGES, Settle, make

LEFT = Qt.MouseButton.LeftButton
OLDER = ["52", "55", "41", "42", "34", "61", "62", "70"]
CITIES = Hierarchy.from_rows([["Rome", "Italy", "*"], ["Oslo", "Norway", "*"], ["Turin", "Italy", "*"]])


@pytest.fixture
def project() -> Project:
    """Return two columns of ages, one with a rule, cities grouped manually, and similar columns."""
    table = Table(
        (
            make("age", AGES, Kind.INTEGER),
            make("mother", OLDER, Kind.INTEGER),
            make("home", ["Rome", "Oslo", "Turin", "Rome"] * 2),
            make("work", ["Oslo", "Rome"] * 4),
            make("birth", ["Rome", "Bonn", "Oslo", "Kiel"] * 2),
        )
    )
    made = Project("people", Path("people.csv"), ReadOptions(), table)
    made = set_roles(made, ["age", "home"], Role.QUASI_IDENTIFYING)
    tens = IntervalsBuilder(width=10, merge=(2,))
    made = set_hierarchy(made, "age", AttributeHierarchy(tens.build(table.column("age")), builder=tens))
    return set_hierarchy(made, "home", AttributeHierarchy(CITIES))


@pytest.fixture
def asked(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle, request: pytest.FixtureRequest
) -> Iterator[TickListDialog]:
    """Return the dialog of the column given by the test, opened by its button."""
    configure.view.table.table.select_columns((request.param,))
    qtbot.mouseClick(configure.view.column.edit_button, LEFT)
    settle()
    qtbot.mouseClick(configure.view.editor.copy_button, LEFT)
    settle()
    dialogs = [d for d in configure.view.findChildren(TickListDialog) if d.isVisible()]
    assert len(dialogs) == 1
    yield dialogs[0]
    for left in configure.view.findChildren(TickListDialog):
        left.done(0)


def texts(dialog: TickListDialog) -> list[str]:
    return [label.text() for label in dialog.findChildren(QLabel)]


@pytest.mark.parametrize("asked", ["home"], indirect=True)
def test_similar_columns_come_first_with_the_effect(asked: TickListDialog) -> None:
    assert list(asked.boxes) == ["work", "birth", "age", "mother"]
    assert asked.ticked_columns() == ("work",)  # it has all of its values
    said = texts(asked)
    assert "All 2 values have a group: Italy, Norway · hidden" in said
    assert any(text.startswith("2 of 4 values would stay unchanged below the top") for text in said)
    assert not asked.boxes["age"].isEnabled()
    assert asked.boxes["age"].accessibleDescription() == "None of its values is in this hierarchy."


@pytest.mark.parametrize("asked", ["home"], indirect=True)
def test_ticked_columns_are_one_step_of_the_project_and_the_draft_stays(
    qtbot: QtBot, asked: TickListDialog, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    before = session.project
    box = asked.boxes["birth"]
    qtbot.mouseClick(box, LEFT, pos=box.rect().center())
    assert asked.accept_button.text() == "Copy to 2 columns"
    qtbot.mouseClick(asked.accept_button, LEFT)
    settle()
    made = session.project.hierarchies
    assert made["work"].hierarchy.label("Rome", 1) == "Italy"
    assert [made["birth"].hierarchy.label("Kiel", level) for level in (1, 2)] == ["Kiel", "*"]
    assert session.history.own.undoText() == "Copy hierarchy of home"
    assert session.history.own.count() == 1
    assert configure.view.is_editing
    session.history.own.undo()
    assert session.project is before


@pytest.mark.parametrize("asked", ["age"], indirect=True)
def test_the_rule_is_copied_to_columns_it_accepts_by_keys(
    qtbot: QtBot, asked: TickListDialog, session: Session, settle: Settle
) -> None:
    assert next(iter(asked.boxes)) == "mother"
    assert "By rule" in texts(asked)
    asked.activateWindow()
    qtbot.waitUntil(asked.isActiveWindow)
    asked.boxes["mother"].setFocus()
    focus = QApplication.focusWidget()
    qtbot.keyClick(focus, Qt.Key.Key_Space)
    qtbot.keyClick(asked, Qt.Key.Key_Return)
    settle()
    entry = session.project.hierarchies["mother"]
    assert entry.builder == IntervalsBuilder(width=10, merge=(2,))
    assert entry.hierarchy.label("70", 1) == "70-79"


@pytest.mark.parametrize("asked", ["age"], indirect=True)
def test_escape_copies_nothing(qtbot: QtBot, asked: TickListDialog, session: Session) -> None:
    qtbot.keyClick(asked, Qt.Key.Key_Escape)
    assert session.history.own.count() == 0


@pytest.mark.parametrize("asked", ["home"], indirect=True)
def test_the_draft_is_copied_although_it_is_not_used_yet(
    qtbot: QtBot, asked: TickListDialog, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    qtbot.keyClick(asked, Qt.Key.Key_Escape)
    pick(qtbot, configure.view.editor.builder.builder_box, "suppress")
    settle()
    qtbot.mouseClick(configure.view.editor.copy_button, LEFT)
    settle()
    dialog = next(d for d in configure.view.findChildren(TickListDialog) if d.isVisible())
    assert "work" in dialog.ticked_columns()
    qtbot.mouseClick(dialog.accept_button, LEFT)
    settle()
    assert session.project.hierarchies["work"].hierarchy.height == 1
    assert session.project.hierarchies["home"].hierarchy.height == 2
