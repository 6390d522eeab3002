"""The statistics of the editor: levels by mouse and keys."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.hierarchy.drafts import NOTHING, Selection
from anonymizer_gui.perspectives.configure.hierarchy.statistics import presenter as statistics_presenter
from anonymizer_gui.perspectives.configure.hierarchy.statistics.panel import (
    StatisticsPanel,
    StatisticsTable,
)
from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.session import Session
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from tests.anonymizer_gui.perspectives.configure.conftest import AGES, Settle

LEFT = Qt.MouseButton.LeftButton


def opened(qtbot: QtBot, configure: ConfigurePresenter, name: str, settle: Settle) -> StatisticsPanel:
    configure.view.table.table.select_columns((name,))
    qtbot.mouseClick(configure.view.column.edit_button, LEFT)
    settle()
    return configure.view.editor.statistics


def rows(table: StatisticsTable) -> list[list[str]]:
    model = table.model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def tinted(table: StatisticsTable) -> list[int]:
    """Return the levels of the highlighted rows."""
    return [table.model().rowCount() - 1 - index.row() for index in table.selectionModel().selectedRows()]


def cell(table: StatisticsTable, row: int) -> QModelIndex:
    return table.model().index(row, 0)


def click_row(qtbot: QtBot, table: StatisticsTable, row: int) -> None:
    qtbot.mouseClick(table.viewport(), LEFT, pos=table.visualRect(cell(table, row)).center())


def test_a_level_shows_how_many_records_its_groups_have(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    panel = opened(qtbot, configure, "age", settle)
    told = panel.table.model().index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert told.splitlines()[:2] == [
        "Level 1: 10-year bands",
        "3 groups of 2 to 3 records; the largest is 37.5\u202f% of all",
    ]


def test_a_changed_draft_updates_the_statistics(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    panel = opened(qtbot, configure, "age", settle)
    click_row(qtbot, panel.table, 1)
    QTest.keyClick(panel.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)  # removes the level
    assert len(rows(panel.table)) == 2
    configure.hierarchies.drafts.undo_stack.undo()
    assert len(rows(panel.table)) == 3


def test_clicking_a_row_selects_the_groups_of_its_level(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    panel = opened(qtbot, configure, "age", settle)
    drafts = configure.hierarchies.drafts
    assert tinted(panel.table) == []
    click_row(qtbot, panel.table, 1)
    assert drafts.selection == Selection(1, ("20-29", "30-39", "40-49"))
    assert tinted(panel.table) == [1]
    drafts.select(Selection(2, ("*",)))
    assert tinted(panel.table) == [2]
    click_row(qtbot, panel.table, 0)  # the highlighted row
    assert drafts.selection == Selection(2, ("*",))
    drafts.select(NOTHING)
    assert tinted(panel.table) == []


def test_arrow_keys_walk_through_levels_and_return_selects_again(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    table = opened(qtbot, configure, "age", settle).table
    drafts = configure.hierarchies.drafts
    table.setFocus()
    click_row(qtbot, table, 0)
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert drafts.selection.level == 1
    assert tinted(table) == [1]
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert drafts.selection == Selection(0, tuple(AGES))
    drafts.select(NOTHING)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert drafts.selection.level == 0


def test_another_k_is_counted_at_once(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    panel = opened(qtbot, configure, "age", settle)
    assert [row[4] for row in rows(panel.table)] == ["none", "none", "8 · 100\u202f%"]
    session.edit("k", replace(session.project, requirement=Requirement((KAnonymity(3),), 0.05)))
    assert [row[4] for row in rows(panel.table)] == ["none", "2 · 25\u202f%", "8 · 100\u202f%"]
    session.edit("k", replace(session.project, requirement=Requirement((), 0.05)))
    assert panel.table.isColumnHidden(4)


def test_statistics_of_many_values_are_counted_in_the_background(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = opened(qtbot, configure, "age", settle)
    before = rows(panel.table)
    monkeypatch.setattr(statistics_presenter, "AT_ONCE", 0)
    click_row(qtbot, panel.table, 1)
    QTest.keyClick(panel.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ControlModifier)
    assert panel.caption.text() == "updating"
    settle()
    assert panel.caption.text() == "this column alone"
    assert rows(panel.table) == [["1", *before[0][1:]], before[2]]


def test_narrow_statistics_hide_redundant_columns(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    panel = opened(qtbot, configure, "age", settle)
    table = panel.table
    for width, hidden in ((620, []), (410, [2]), (340, [2, 3]), (270, [2, 3, 4])):
        panel.setFixedWidth(width)
        settle()
        assert [section for section in range(6) if table.isColumnHidden(section)] == hidden
        assert table.horizontalHeader().length() <= table.viewport().width()


def test_models_obey_qt(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(opened(qtbot, configure, "age", settle).table.model())
