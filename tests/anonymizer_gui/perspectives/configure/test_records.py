"""Records are filtered, sorted, found and copied, columns frozen; none of this is an edit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.presenter import ConfigurePresenter
from anonymizer_gui.perspectives.configure.table.column_header import ColumnHeader
from anonymizer_gui.session import Session
from anonymizer_gui.tables.table_view import FITTED_COLUMNS
from anonymizer_gui.theming import Text, font, scaled
from engine.numbers import as_count
from engine.privacy import Requirement
from engine.project import Project, edits
from engine.records import DataType, Kind, ReadOptions, Table, retype
from tests.anonymizer_gui.perspectives.configure.conftest import Settle, make

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier
Typed = Callable[[str], None]


@pytest.fixture
def type_filter(qtbot: QtBot, configure: ConfigurePresenter, settle: Settle) -> Typed:
    """Open the strip if it is hidden, type a filter and submit it."""

    def act(text: str) -> None:
        panel = configure.view.table
        if not panel.filter_bar.isVisible():
            qtbot.mouseClick(panel.filter_button, LEFT)
        field = panel.filter_bar.filter_edit
        field.selectAll()
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Qt.Key.Key_Return)
        settle()

    return act


def shown(configure: ConfigurePresenter, column: int = 0) -> list[str]:
    model = configure.view.table.table.records
    return [model.index(row, column).data() for row in range(model.rowCount())]


def click_in_menu(qtbot: QtBot, configure: ConfigurePresenter, section: int, text: str) -> None:
    """Open the menu of a column by its arrow and click an entry."""
    header = configure.view.table.table.header
    qtbot.mouseMove(header.viewport(), header.section_rect(section).center())
    qtbot.mouseClick(header.viewport(), LEFT, NONE, header.menu_rect(section).center())
    menu = QApplication.activePopupWidget()
    action = next(action for action in menu.actions() if action.text().startswith(text))
    qtbot.mouseClick(menu, LEFT, NONE, menu.actionGeometry(action).center())
    menu.close()


def test_a_filter_shows_only_matching_records_and_their_number(
    configure: ConfigurePresenter, session: Session, type_filter: Typed
) -> None:
    type_filter("age >= 30 and disease = 'cold'")
    assert shown(configure) == ["Dan", "Gil"]
    assert configure.view.table.caption.text() == "2 of 8 records shown"
    assert configure.view.table.filter_bar.words() == "2 of 8 records shown"
    assert session.history.own.count() == 0


def test_closing_the_strip_shows_all_records_again(
    qtbot: QtBot, configure: ConfigurePresenter, type_filter: Typed, settle: Settle
) -> None:
    type_filter("age > 100")
    assert shown(configure) == []
    assert configure.selected_columns() == ("name",)
    qtbot.keyClick(configure.view.table.filter_bar.filter_edit, Qt.Key.Key_Escape)
    settle()
    assert len(shown(configure)) == 8
    assert not configure.view.table.filter_bar.isVisible()
    assert configure.selected_columns() == ("name",)


def test_a_filter_that_cannot_be_read_leaves_the_records_and_marks_the_place(
    configure: ConfigurePresenter, type_filter: Typed
) -> None:
    type_filter("age >= 30 and sexx = 'f'")
    field = configure.view.table.filter_bar.filter_edit
    assert len(shown(configure)) == 8
    assert field.property("invalid") == "true"
    assert field.error_span() == (14, 18)
    assert field.cursorPosition() == 14
    assert "Did you mean 'sex'?" in configure.view.table.filter_bar.words()
    type_filter("sex = 'f'")
    assert field.property("invalid") == "false"
    assert field.error_span() is None


def test_a_filter_is_completed_from_the_list_by_keys_alone(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    qtbot.mouseClick(configure.view.table.filter_button, LEFT)
    field = configure.view.table.filter_bar.filter_edit
    qtbot.keyClicks(field, "dis")
    assert field.offered() == ("disease",)
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    assert field.text() == "disease "
    assert field.offered()[:2] == ("=", "!=")
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    assert field.offered() == ("'cold'", "'flu'", "'mumps'")
    popup = QApplication.activePopupWidget()
    assert popup is not None
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(popup, key)
    assert field.text() == "disease = 'flu' "
    qtbot.keyClick(field, Qt.Key.Key_Return)
    settle()
    assert shown(configure) == ["Ada", "Bob", "Eve", "Hal"]


def test_the_menu_of_a_header_sorts_and_restores_the_order_of_the_table(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle, session: Session
) -> None:
    click_in_menu(qtbot, configure, 3, "Sort descending")
    settle()
    assert shown(configure, 3) == ["mumps", "flu", "flu", "flu", "flu", "cold", "cold", "cold"]
    assert configure.view.table.caption.text().endswith("sorted by disease")
    assert configure.selected_columns() == ("disease",)
    click_in_menu(qtbot, configure, 3, "Original order")
    settle()
    assert shown(configure)[:2] == ["Ada", "Bob"]
    assert session.history.own.count() == 0


def test_filter_and_order_hold_when_a_column_changes(
    configure: ConfigurePresenter, session: Session, type_filter: Typed, settle: Settle
) -> None:
    type_filter("sex = 'f'")
    column = retype(session.project.table.column("disease"), DataType(Kind.ORDERED))
    session.edit("type", edits.set_column(session.project, column))
    settle()
    assert shown(configure) == ["Ada", "Eve", "Fay"]


def test_find_searches_visible_records_in_both_directions(
    qtbot: QtBot, configure: ConfigurePresenter, type_filter: Typed, settle: Settle
) -> None:
    type_filter("sex = 'm'")
    field, table = configure.view.table.find_field, configure.view.table.table
    qtbot.keyClicks(field, "cold")
    found = []
    for keys in (NONE, NONE, Qt.KeyboardModifier.ShiftModifier):
        qtbot.keyClick(field, Qt.Key.Key_Return, keys)
        settle()
        found.append(table.currentIndex().siblingAtColumn(0).data())
    assert found == ["Cid", "Dan", "Cid"]


def test_go_to_record_finds_visible_records_by_number(
    qtbot: QtBot, configure: ConfigurePresenter, type_filter: Typed
) -> None:
    type_filter("sex = 'm'")
    bar, table = configure.view.table.filter_bar, configure.view.table.table
    configure.actions()["go_to_record"]()
    assert bar.window().focusWidget() is bar.number_edit
    qtbot.keyClicks(bar.number_edit, "7")
    qtbot.keyClick(bar.number_edit, Qt.Key.Key_Return)
    assert table.currentIndex().siblingAtColumn(0).data() == "Gil"
    bar.number_edit.selectAll()
    qtbot.keyClicks(bar.number_edit, "5")
    qtbot.keyClick(bar.number_edit, Qt.Key.Key_Return)
    assert bar.words() == "Record 5 does not meet the condition and is not shown."


def test_frozen_columns_stay_in_place_and_can_be_selected(
    qtbot: QtBot, configure: ConfigurePresenter
) -> None:
    table = configure.view.table.table
    for section in range(4):
        table.setColumnWidth(section, 400)
    click_in_menu(qtbot, configure, 0, "Freeze columns up to this one")
    assert table.frozen.isVisible()
    assert table.frozen.width() == 400
    table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
    qtbot.mouseClick(table.frozen.viewport(), LEFT, NONE, QPoint(20, 40))
    assert configure.selected_columns() == ("name",)
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert configure.selected_columns() == ("age",)
    assert table.columnViewportPosition(1) >= 400  # not below the frozen one
    click_in_menu(qtbot, configure, 1, "Unfreeze columns")
    assert not table.frozen.isVisible()


def test_the_selected_columns_are_copied_as_they_are_shown(
    qtbot: QtBot, configure: ConfigurePresenter, type_filter: Typed, settle: Settle
) -> None:
    type_filter("age < 30")
    table = configure.view.table.table
    qtbot.mouseClick(table.header.viewport(), LEFT, NONE, table.header.section_rect(0).center())
    qtbot.keyClick(table, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    settle()
    assert QApplication.clipboard().text() == "name\tage\nAda\t20\nBob\t21\nCid\t25\n"


def test_very_many_cells_are_copied_only_when_that_is_confirmed(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anonymizer_gui.perspectives.configure.table.records_presenter.MOST_CELLS", 5)
    QApplication.clipboard().setText("before")
    panel = configure.view.table
    qtbot.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    settle()
    assert panel.error.problem() == "Copying 8 cells may be too much for the clipboard."
    assert QApplication.clipboard().text() == "before"
    panel.error.focus_action()
    button = QApplication.focusWidget()
    assert button is not None
    qtbot.keyClick(button, Qt.Key.Key_Space)
    settle()
    assert QApplication.clipboard().text().startswith("name\nAda\n")


def test_of_a_large_table_the_distributions_follow_when_they_are_counted(
    configure: ConfigurePresenter, session: Session, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anonymizer_gui.perspectives.configure.facts._MOST_COUNTED", 0)
    table = session.project.table
    session.open_project(replace(session.project, table=table.take(np.arange(8))))
    header = configure.view.table.table.header
    assert [summary.bars for summary in header.summaries] == [()] * 4
    assert header.summaries[1].n_values == 8
    settle()
    assert all(summary.bars for summary in header.summaries)


def test_a_widened_column_keeps_its_width_in_the_next_table_with_that_name(
    qtbot: QtBot, configure: ConfigurePresenter, session: Session, settle: Settle
) -> None:
    table, told = configure.view.table.table, []
    table.widths_chosen.connect(told.append)
    header = table.header
    place = QPoint(header.sectionViewportPosition(1) + header.sectionSize(1) - 1, 12)
    width = table.columnWidth(1)
    QTest.mousePress(header.viewport(), LEFT, NONE, place)
    QTest.mouseMove(header.viewport(), place + QPoint(30, 0))
    QTest.mouseMove(header.viewport(), place + QPoint(60, 0))
    QTest.mouseRelease(header.viewport(), LEFT, NONE, place + QPoint(60, 0))
    assert table.columnWidth(1) == width + 60
    qtbot.waitUntil(lambda: bool(told))
    assert told[-1]["age"] == width + 60
    table.set_known_widths({"age": width + 60})
    project = session.project
    other = replace(
        project,
        table=Table(project.table.columns[:2]),
        roles={},
        qi_order=(),
        hierarchies={},
        requirement=Requirement((), 0.0),
    )
    session.open_project(other)
    settle()
    assert table.columnWidth(1) == width + 60


def test_records_are_searched_through_by_the_keyboard_alone(
    qtbot: QtBot, configure: ConfigurePresenter, settle: Settle
) -> None:
    panel, table = configure.view.table, configure.view.table.table
    actions = configure.actions()

    def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        focus = configure.view.window().focusWidget()
        assert focus is not None
        qtbot.keyClick(focus, key, modifiers)
        settle()

    def type_text(text: str) -> None:
        focus = configure.view.window().focusWidget()
        assert focus is not None
        qtbot.keyClicks(focus, text)

    actions["filter_records"]()  # Ctrl+Shift+F
    assert configure.view.window().focusWidget() is panel.filter_bar.filter_edit
    type_text("age >= 30")
    press(Qt.Key.Key_Return)
    assert shown(configure) == ["Dan", "Eve", "Fay", "Gil", "Hal"]
    actions["go_to_record"]()  # Ctrl+Shift+J
    assert configure.view.window().focusWidget() is panel.filter_bar.number_edit
    type_text("6")
    press(Qt.Key.Key_Return)
    assert configure.view.window().focusWidget() is table
    assert table.currentIndex().data() == "Fay"
    press(Qt.Key.Key_Right)
    press(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().splitlines()[0] == "age"
    assert QApplication.clipboard().text().splitlines()[1:] == ["30", "34", "35", "41", "42"]
    panel.find_field.setFocus(Qt.FocusReason.ShortcutFocusReason)  # Ctrl+F
    type_text("gil")
    press(Qt.Key.Key_Return)
    assert table.currentIndex().data() == "Gil"


def test_the_last_texts_fill_the_table_and_counts_are_whole(
    configure: ConfigurePresenter, session: Session
) -> None:
    values = [str(number) for number in range(2_977)]
    table = Table((make("id", values), make("n", values, Kind.INTEGER)))
    session.open_project(Project("narrow", Path("narrow.csv"), ReadOptions(), table))
    shown = configure.view.table.table
    assert shown.columnWidth(0) + shown.columnWidth(1) == shown.viewport().width()
    assert shown.columnWidth(0) > shown.columnWidth(1) == shown.sizeHintForColumn(1)
    count = QFontMetrics(font(Text.CELL)).horizontalAdvance(as_count(2_977))
    assert shown.header.least_width(0) - 8 - 4 - scaled(16) - 6 >= count


def test_of_very_many_columns_the_first_are_measured_and_all_are_there(
    configure: ConfigurePresenter, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[int] = []
    width_for = ColumnHeader.width_for

    def told(self: ColumnHeader, section: int, texts: Sequence[str]) -> int:
        measured.append(section)
        return width_for(self, section, texts)

    monkeypatch.setattr(ColumnHeader, "width_for", told)
    table = Table(tuple(make(f"c{i}", ["a long text that is no number", "b"]) for i in range(1_000)))
    session.open_project(Project("wide", Path("wide.csv"), ReadOptions(), table))
    shown = configure.view.table.table
    assert set(measured) == set(range(FITTED_COLUMNS))
    assert shown.columnWidth(999) == shown.header.defaultSectionSize()
    assert shown.model().columnCount() == 1_000
