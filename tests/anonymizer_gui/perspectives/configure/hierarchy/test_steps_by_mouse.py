"""Steps of the editor that involve several views: cuts of a builder, and commands of the menus."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.widgets import file_dialogs
from tests.anonymizer_gui.hands import pick
from tests.anonymizer_gui.perspectives.configure.conftest import AGES, Settle

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def drag(widget: QWidget, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(widget, LEFT, NONE, start)
    QTest.mouseMove(widget, (start + end) / 2)
    QTest.mouseMove(widget, end)
    QTest.mouseRelease(widget, LEFT, NONE, end)


@pytest.fixture
def editing(qtbot: QtBot, configure: ConfigurePresenter, settle: Settle) -> ConfigurePresenter:
    """Return the editor, opened for age by its button."""
    configure.view.table.table.select_columns(("age",))
    qtbot.mouseClick(configure.view.column.edit_button, LEFT)
    settle()
    return configure


def labels(editing: ConfigurePresenter, value: str) -> list[str]:
    hierarchy = editing.hierarchies.drafts.draft.hierarchy
    return [hierarchy.label(value, level) for level in range(hierarchy.height + 1)]


def choose(menu: QMenu, action: QAction) -> None:
    assert action in menu.actions()
    QTest.mouseClick(menu, LEFT, NONE, menu.actionGeometry(action).center())


def test_every_move_of_a_cut_is_a_separate_step(
    qtbot: QtBot, editing: ConfigurePresenter, settle: Settle
) -> None:
    pick(qtbot, editing.view.editor.builder.builder_box, "intervals")
    settle()
    drafts, icicle = editing.hierarchies.drafts, editing.view.editor.groups.view
    before, n_steps = drafts.draft.builder, drafts.undo_stack.count()
    found = [before]
    for value in ("21", "25"):  # the cut moves to the place before this value
        handle = icicle.handle_rect(1).center().toPoint()
        drag(icicle, handle, QPoint(round(icicle.group_rect(0, value).left()), handle.y()))
        settle()
        assert drafts.undo_stack.undoText() == "Move cut of level 1"
        found.append(drafts.draft.builder)
    assert found[0] != found[1] != found[2]
    assert drafts.undo_stack.count() == n_steps + 2
    drafts.undo_stack.undo()
    assert drafts.draft.builder == found[1]
    drafts.undo_stack.undo()
    assert drafts.draft.builder == before
    for _attempt in range(2):  # the second one has no value to take from the group
        handle = icicle.handle_rect(1).center().toPoint()
        drag(icicle, handle, QPoint(round(icicle.group_rect(0, "20").left()), handle.y()))
        settle()
    assert QToolTip.text().startswith("The cut cannot move further")


def test_levels_with_the_same_groups_are_exchanged_by_a_right_click(editing: ConfigurePresenter) -> None:
    drafts, icicle = editing.hierarchies.drafts, editing.view.editor.groups.view
    QTest.mouseClick(icicle, LEFT, NONE, icicle.group_rect(1, "20-29").center().toPoint())
    QTest.keyClick(icicle, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)  # a level above, the same
    QTest.mouseClick(icicle, LEFT, NONE, icicle.group_rect(2, "20-29").center().toPoint())
    QTest.keyClick(icicle, Qt.Key.Key_Return)
    line = icicle.findChild(QLineEdit, "groupRename")
    assert line is not None
    QTest.keyClicks(line, "twenties")
    QTest.keyClick(line, Qt.Key.Key_Return)
    before = labels(editing, "21")
    assert before == ["21", "20-29", "twenties", "*"]
    point = icicle.group_rect(1, "20-29").center().toPoint()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, icicle.mapToGlobal(point))
    QApplication.sendEvent(icicle, event)
    menu = QApplication.activePopupWidget()
    choose(menu, editing.view.editor.commands["swap_levels"])
    assert labels(editing, "21") == ["21", "twenties", "20-29", "*"]
    assert drafts.undo_stack.undoText() == "Swap levels 1 and 2"
    drafts.undo_stack.undo()
    assert labels(editing, "21") == before


def test_values_without_records_are_removed_by_the_menu_of_the_table(
    qtbot: QtBot,
    editing: ConfigurePresenter,
    settle: Settle,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    editor, drafts = editing.view.editor, editing.hierarchies.drafts
    action = editor.commands["remove_absent"]
    assert not action.isEnabled()
    path = tmp_path / "ages.csv"
    path.write_text("".join(f"{age};young;*\n" for age in [*AGES, "98", "99"]), encoding="utf-8")
    monkeypatch.setattr(file_dialogs, "ask_open", lambda *_args: path)
    qtbot.mouseClick(editor.import_button, LEFT)
    settle()
    menu = editor.values.more_button.menu()
    menu.popup(QPoint(0, 0))
    choose(menu, action)
    hierarchy = drafts.draft.hierarchy
    assert list(hierarchy.values) == AGES
    assert drafts.undo_stack.undoText() == "Remove 2 values without records"
    assert not action.isEnabled()
    drafts.undo_stack.undo()
    assert labels(editing, "99") == ["99", "young", "*"]


def test_a_level_is_named_by_a_double_click_or_keys_and_keeps_its_builder(
    qtbot: QtBot, editing: ConfigurePresenter, settle: Settle
) -> None:
    pick(qtbot, editing.view.editor.builder.builder_box, "intervals")
    settle()
    drafts, icicle = editing.hierarchies.drafts, editing.view.editor.groups.view
    builder = drafts.draft.builder
    row = icicle.geometry_shown.row_rect(1)
    QTest.mouseDClick(icicle, LEFT, NONE, QPoint(12, round(row.center().y())))
    line = icicle.findChild(QLineEdit, "groupRename")
    assert line.isVisible()
    assert line.placeholderText().endswith("-year bands")
    QTest.keyClicks(line, "bands of ages")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert drafts.draft.hierarchy.level_names[0] == "bands of ages"
    assert drafts.draft.builder is builder
    assert drafts.undo_stack.undoText() == "Name level 1"
    assert icicle.words.level(1) == "bands of ages"
    QTest.mouseClick(icicle, LEFT, NONE, icicle.group_rect(1, icicle.words.label(1, 0)).center().toPoint())
    QTest.keyClick(icicle, Qt.Key.Key_F2, Qt.KeyboardModifier.ShiftModifier)
    assert line.text() == "bands of ages"
    QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert drafts.draft.hierarchy.level_names[0] == ""
    drafts.undo_stack.undo()
    assert drafts.draft.hierarchy.level_names[0] == "bands of ages"
