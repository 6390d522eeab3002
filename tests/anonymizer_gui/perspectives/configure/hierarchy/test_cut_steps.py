"""Cuts of bands that a builder makes are moved by mouse, and each move is undone by itself."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from tests.anonymizer_gui.perspectives.configure.conftest import Settle

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def drag(widget: QWidget, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(widget, LEFT, NONE, start)
    QTest.mouseMove(widget, (start + end) / 2)
    QTest.mouseMove(widget, end)
    QTest.mouseRelease(widget, LEFT, NONE, end)


def test_every_move_of_a_cut_is_a_step_of_its_own(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    configure.view.table.table.select_columns(("age",))
    qtbot.mouseClick(configure.view.column.edit_button, LEFT)
    box = configure.view.editor.builder.builder_box
    box.setCurrentIndex(box.findData("intervals"))
    box.activated.emit(box.currentIndex())
    settle()
    drafts, icicle = configure.hierarchies.drafts, configure.view.editor.groups.view
    before, n_steps = drafts.draft.builder, drafts.undo_stack.count()
    found = [before]
    for value in ("21", "25"):  # the cut stands before the first of these from then on
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
