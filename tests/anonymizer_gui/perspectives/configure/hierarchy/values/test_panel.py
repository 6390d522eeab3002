"""The table of values turns clicks, drags and keys into requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QContextMenuEvent, QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.hierarchy.commands import HierarchyCommands
from anonymizer_gui.perspectives.configure.hierarchy.drafts import (
    NOTHING,
    Arrangement,
    Draft,
    HierarchyDrafts,
    Selection,
)
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget, GroupDrag
from anonymizer_gui.perspectives.configure.hierarchy.values.panel import ValuePanel
from anonymizer_gui.perspectives.configure.hierarchy.values.view import ValueView
from anonymizer_gui.theming import DARK, LIGHT, Theme, theme_manager
from engine.hierarchies import Hierarchy
from engine.hierarchies.outline import Order
from engine.records import DataType, Kind
from engine.records.values import make_column

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
PLAIN = Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
AGES = [str(age) for age in range(20, 60)]
ROWS = [[age, f"{age[0]}0-{age[0]}9", "young" if age < "40" else "old", "*"] for age in AGES]
VALUE, RECORDS, TENS, HALVES, TOP = range(5)
THREE = Selection(0, ("20", "21", "22"))


class Desk:
    """The panel with its drafts, and its requests other than selections."""

    def __init__(self, host: QWidget) -> None:
        self.commands, self.drag = HierarchyCommands(host), GroupDrag(host)
        self.panel = ValuePanel(self.commands, self.drag, host)
        self.drafts = HierarchyDrafts(host)
        self.asked: list[tuple[Any, ...]] = []
        panel, drafts = self.panel, self.drafts
        panel.view.selection_requested.connect(drafts.select)
        panel.view.toggle_requested.connect(drafts.toggle)
        panel.arrangement_requested.connect(drafts.arrange)
        panel.view.assign_requested.connect(lambda *args: self.asked.append(("assign", *args)))
        panel.view.rename_requested.connect(lambda *args: self.asked.append(("rename", *args)))
        self.drag.dropped.connect(lambda *args: self.asked.append(("drop", *args)))
        drafts.selection_changed.connect(panel.view.show_selection)
        drafts.outline_changed.connect(self._on_outline_changed)
        self.commands["rename"].triggered.connect(self._on_rename)

    @property
    def view(self) -> ValueView:
        return self.panel.view

    @property
    def selection(self) -> Selection:
        return self.drafts.selection

    def at(self, row: int, column: int) -> QPoint:
        """Return the middle of a cell in the viewport."""
        return self.view.visualRect(self.panel.view.model().index(row, column)).center()

    def click(self, row: int, column: int, modifier: Qt.KeyboardModifier = PLAIN) -> None:
        QTest.mouseClick(self.view.viewport(), LEFT, modifier, self.at(row, column))

    def drag_to(self, start: QPoint, end: QPoint, *, lets_go: bool = True) -> None:
        viewport = self.view.viewport()
        QTest.mousePress(viewport, LEFT, PLAIN, start)
        QCursor.setPos(viewport.mapToGlobal(end))  # where the table scrolls
        for part in (4, 3, 2, 1):
            QTest.mouseMove(viewport, start + (end - start) / part)
        if lets_go:
            QTest.mouseRelease(viewport, LEFT, PLAIN, end)

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = PLAIN) -> None:
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key, modifier)
        QApplication.processEvents()  # a field closes in a second round

    def field(self) -> QLineEdit:
        """Return the field over a cell."""
        found = [field for field in self.view.findChildren(QLineEdit, "labelField") if field.isVisible()]
        assert len(found) == 1
        return found[0]

    def shown(self, column: int) -> list[str]:
        model = self.panel.view.model()
        return [model.index(row, column).data() for row in range(model.rowCount())]

    def _on_outline_changed(self, _outline: object) -> None:
        self.panel.show_arrangement(self.drafts.arrangement)
        self.panel.show_outline(self.drafts.column, self.drafts.outline)

    def _on_rename(self) -> None:
        self.panel.view.begin_rename(self.selection.level, self.selection.labels[0])


@pytest.fixture
def desk(qtbot: QtBot, themed: QApplication) -> Desk:
    """Return forty ages under tens, halves and *, with room for ten rows."""
    host = QWidget()
    qtbot.addWidget(host)
    host.resize(700, 330)
    made = Desk(host)
    made.panel.resize(QSize(660, 306))
    host.show()
    qtbot.waitExposed(host)
    host.activateWindow()
    codes = np.repeat(np.arange(40), [40 - n for n in range(40)]).astype(np.int32)
    column = make_column("age", AGES, codes, DataType(Kind.INTEGER))
    made.drafts.begin(column, Draft(Hierarchy.from_rows(ROWS)))
    return made


# Selecting ----------------------------------------------------------------------------------------


def test_a_click_selects_the_value_of_a_row_or_the_group_of_a_cell(desk: Desk) -> None:
    desk.click(1, VALUE)
    assert desk.selection == Selection(0, ("21",))
    desk.click(2, RECORDS)
    assert desk.selection == Selection(0, ("22",))
    desk.click(2, TENS)
    assert desk.selection == Selection(1, ("20-29",))
    desk.click(2, HALVES)
    assert desk.selection == Selection(2, ("young",))


def test_ctrl_adds_and_removes_and_shift_selects_a_range(desk: Desk) -> None:
    desk.click(1, VALUE)
    desk.click(4, VALUE, CTRL)
    assert desk.selection == Selection(0, ("21", "24"))
    desk.click(1, VALUE, CTRL)
    assert desk.selection == Selection(0, ("24",))
    desk.click(2, VALUE)
    desk.click(5, VALUE, SHIFT)
    assert desk.selection == Selection(0, ("22", "23", "24", "25"))
    desk.click(3, VALUE, SHIFT)
    assert desk.selection == Selection(0, ("22", "23"))
    desk.click(3, VALUE)  # one of several
    assert desk.selection == Selection(0, ("23",))
    desk.click(3, TENS, CTRL)  # another level begins again
    assert desk.selection == Selection(1, ("20-29",))


def test_dragging_over_cells_that_are_not_selected_selects_them(desk: Desk) -> None:
    desk.drag_to(desk.at(2, VALUE), desk.at(5, VALUE))
    assert desk.selection == Selection(0, ("22", "23", "24", "25"))
    assert desk.asked == []


def test_texts_are_dragged_at_once(desk: Desk) -> None:
    texts = ["apple", "kiwi", "lime", "pear"]
    column = make_column("fruit", texts, np.arange(4, dtype=np.int32), DataType(Kind.TEXT))
    rows = [["apple", "red", "*"], ["kiwi", "green", "*"], ["lime", "green", "*"], ["pear", "green", "*"]]
    desk.drafts.begin(column, Draft(Hierarchy.from_rows(rows)))
    place = {value: row for row, value in enumerate(desk.shown(VALUE))}
    desk.drag_to(desk.at(place["apple"], VALUE), desk.at(place["lime"], VALUE))
    assert desk.selection == Selection(0, ("apple",))
    assert desk.asked == [("drop", Selection(0, ("apple",)), DropTarget(1, "green"))]
    desk.click(place["kiwi"], VALUE)
    desk.click(place["lime"], VALUE, SHIFT)
    desk.drag_to(desk.at(place["lime"], VALUE), desk.at(place["apple"], RECORDS))
    assert desk.asked[-1] == ("drop", Selection(0, ("kiwi", "lime")), DropTarget(1, "red"))


def test_a_text_dropped_on_one_of_the_same_group_makes_a_new_one_only_in_that_of_all(desk: Desk) -> None:
    texts = ["apple", "kiwi", "lime"]
    column = make_column("fruit", texts, np.arange(3, dtype=np.int32), DataType(Kind.TEXT))
    desk.drafts.begin(column, Draft(Hierarchy.from_rows([[text, "*"] for text in texts])))
    start, end = desk.at(0, VALUE), desk.at(2, VALUE)
    desk.drag_to(start, end, lets_go=False)
    framed = desk.view.grab().toImage()
    desk.key(Qt.Key.Key_Escape)
    assert desk.view.grab().toImage() != framed
    QTest.mouseRelease(desk.view.viewport(), LEFT, PLAIN, end)
    assert desk.asked == []
    desk.drag_to(start, end)
    assert desk.asked == [("drop", Selection(0, ("apple",)), DropTarget(1, beside="lime"))]
    desk.drafts.begin(column, Draft(Hierarchy.from_rows([["apple", "a"], ["kiwi", "b"], ["lime", "b"]])))
    desk.drag_to(desk.at(1, VALUE), desk.at(2, VALUE))
    assert len(desk.asked) == 1


def test_selecting_at_the_edge_scrolls_on(qtbot: QtBot, desk: Desk) -> None:
    height = desk.view.viewport().height()
    desk.drag_to(desk.at(2, VALUE), QPoint(20, height - 12), lets_go=False)
    for y in (height - 9, height - 6):
        QTest.mouseMove(desk.view.viewport(), QPoint(20, y))
    qtbot.waitUntil(lambda: desk.view.verticalScrollBar().value() > 3)
    QTest.mouseRelease(desk.view.viewport(), LEFT)
    assert len(desk.selection.labels) > 10


def test_a_click_below_the_rows_and_escape_clear_the_selection(qtbot: QtBot, desk: Desk) -> None:
    desk.drafts.arrange(Arrangement(closed=frozenset({(2, "young"), (2, "old")})))
    desk.click(0, HALVES)
    assert desk.selection == Selection(2, ("young",))
    QTest.mouseClick(desk.view.viewport(), LEFT, PLAIN, QPoint(300, 200))
    assert desk.selection == NOTHING
    desk.click(1, VALUE)  # a closed group is selected by its row too
    assert desk.selection == Selection(2, ("old",))
    desk.key(Qt.Key.Key_Escape)
    assert desk.selection == NOTHING


def test_a_click_on_a_heading_selects_the_level(desk: Desk) -> None:
    header = desk.view.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(TENS) + 20, 10)
    QTest.mouseClick(header.viewport(), LEFT, PLAIN, place)
    assert desk.selection == Selection(1, ("20-29", "30-39", "40-49", "50-59"))


def test_arrows_move_over_values_and_levels_and_select_them(desk: Desk) -> None:
    desk.click(0, VALUE)
    desk.key(Qt.Key.Key_Down)
    assert desk.selection == Selection(0, ("21",))
    desk.key(Qt.Key.Key_Right)
    assert desk.selection == Selection(1, ("20-29",))
    desk.key(Qt.Key.Key_Right)
    desk.key(Qt.Key.Key_End)
    assert desk.selection == Selection(2, ("old",))
    assert desk.view.visualRect(desk.view.currentIndex()).intersects(desk.view.viewport().rect())
    desk.key(Qt.Key.Key_Left)
    desk.key(Qt.Key.Key_Left)
    desk.key(Qt.Key.Key_PageUp)
    assert desk.selection.level == 0
    assert "40" < desk.selection.labels[0] < "59"
    desk.key(Qt.Key.Key_Home)
    assert desk.selection == Selection(0, ("20",))


def test_shift_and_space_and_select_all_work_by_keys(desk: Desk) -> None:
    desk.click(0, VALUE)
    desk.key(Qt.Key.Key_Down, SHIFT)
    desk.key(Qt.Key.Key_Down, SHIFT)
    assert desk.selection == THREE
    desk.key(Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)  # moves without selecting
    desk.key(Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert desk.selection == THREE
    desk.key(Qt.Key.Key_Space)
    assert desk.selection == Selection(0, ("20", "21", "22", "24"))
    desk.key(Qt.Key.Key_Space)
    assert desk.selection == THREE
    desk.key(Qt.Key.Key_A, CTRL)
    assert desk.selection == Selection(0, tuple(AGES))
    desk.key(Qt.Key.Key_Right, CTRL)
    desk.key(Qt.Key.Key_A, CTRL)
    assert desk.selection == Selection(1, ("20-29", "30-39", "40-49", "50-59"))


def test_rows_selected_elsewhere_are_scrolled_into_view(desk: Desk) -> None:
    desk.click(0, VALUE)
    desk.drafts.select(Selection(1, ("50-59",)))
    assert desk.view.rowAt(0) > 20
    assert desk.view.current_cell == (1, 30)
    place = desk.view.verticalScrollBar().value()
    desk.drafts.select(Selection(0, ("31", "52")))  # one of them is seen
    assert desk.view.verticalScrollBar().value() == place


# Finding ------------------------------------------------------------------------------------------


def test_typing_finds_values_first_and_enter_continues(desk: Desk) -> None:
    desk.click(0, VALUE)
    QTest.keyClicks(desk.view, "3")
    assert desk.panel.find_field.hasFocus()
    assert desk.selection == Selection(0, ("23",))
    QTest.keyClicks(desk.panel.find_field, "9")
    assert desk.selection == Selection(0, ("39",))
    assert desk.panel.caption.text() == "2 matches"
    desk.key(Qt.Key.Key_Return)
    assert desk.selection == Selection(1, ("30-39",))
    desk.key(Qt.Key.Key_Return)
    assert desk.selection == Selection(0, ("39",))
    desk.key(Qt.Key.Key_Return, SHIFT)
    assert desk.selection == Selection(1, ("30-39",))
    desk.key(Qt.Key.Key_F3)
    assert desk.selection == Selection(0, ("39",))
    desk.key(Qt.Key.Key_Escape)
    assert desk.view.hasFocus()
    assert desk.panel.find_field.text() == ""
    assert desk.panel.caption.text() == "40 values, 4 levels, every cell editable"
    assert desk.selection == Selection(0, ("39",))


def test_ctrl_f_and_ctrl_enter_select_all_that_contain_a_text(qtbot: QtBot, desk: Desk) -> None:
    desk.click(0, VALUE)
    desk.key(Qt.Key.Key_F, CTRL)
    qtbot.waitUntil(desk.panel.find_field.hasFocus)
    QTest.keyClicks(desk.panel.find_field, "5")
    desk.key(Qt.Key.Key_Return, CTRL)
    assert desk.selection.labels == ("25", "35", "45", *AGES[30:])
    QTest.keyClicks(desk.panel.find_field, "x")
    assert desk.panel.find_field.property("invalid") == "true"
    assert desk.panel.caption.text() == "0 matches"


# Dragging -----------------------------------------------------------------------------------------


def test_selected_groups_can_be_dragged_onto_a_group(desk: Desk) -> None:
    desk.drafts.select(Selection(0, ("20", "22")))
    desk.drafts.arrange(Arrangement(closed=frozenset({(1, "30-39")})))
    desk.view.verticalScrollBar().setValue(2)
    start, end = desk.at(2, VALUE), desk.at(10, TENS)
    desk.drag_to(start, end, lets_go=False)
    assert desk.drag.dragged == Selection(0, ("20", "22"))
    QTest.mouseRelease(desk.view.viewport(), LEFT, PLAIN, end)
    assert desk.asked == [("drop", Selection(0, ("20", "22")), DropTarget(1, "30-39"))]


def test_a_drop_on_a_heading_makes_a_new_group(desk: Desk) -> None:
    desk.drafts.select(THREE)
    header = desk.view.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(HALVES) + 20, -10)
    desk.drag_to(desk.at(1, VALUE), place)
    assert desk.asked == [("drop", THREE, DropTarget(2))]


def test_a_drop_below_the_rows_makes_a_new_group(desk: Desk) -> None:
    desk.drafts.arrange(Arrangement(closed=frozenset({(2, "young"), (1, "40-49"), (1, "50-59")})))
    desk.click(1, TENS)
    desk.drag_to(desk.at(1, TENS), QPoint(desk.at(0, HALVES).x(), 200))
    assert desk.asked == [("drop", Selection(1, ("40-49",)), DropTarget(2))]


@pytest.mark.parametrize("column", [VALUE, RECORDS, TENS])
def test_a_drop_that_would_change_nothing_does_nothing(desk: Desk, column: int) -> None:
    desk.drafts.select(THREE)
    desk.drag_to(desk.at(1, VALUE), desk.at(5, column))
    assert desk.asked == []
    assert desk.selection == THREE


def test_groups_are_dragged_onto_groups_of_the_same_level_but_not_below(desk: Desk) -> None:
    desk.view.verticalScrollBar().setValue(6)
    desk.click(8, TENS)
    for column, expected in (
        (VALUE, []),
        (TENS, [("drop", Selection(1, ("20-29",)), DropTarget(1, "30-39"))]),
    ):
        desk.drag_to(desk.at(8, TENS), desk.at(11, column))
        assert desk.asked == expected


def test_escape_ends_a_drag(desk: Desk) -> None:
    desk.drafts.select(THREE)
    desk.drag_to(desk.at(1, VALUE), desk.at(5, HALVES), lets_go=False)
    desk.key(Qt.Key.Key_Escape)
    QTest.mouseMove(desk.view.viewport(), desk.at(6, HALVES))
    QTest.mouseRelease(desk.view.viewport(), LEFT, PLAIN, desk.at(6, HALVES))
    assert desk.asked == []
    assert desk.selection == THREE


def test_the_table_scrolls_while_a_drag_waits_at_its_edge(qtbot: QtBot, desk: Desk) -> None:
    desk.drafts.select(THREE)
    edge = QPoint(desk.at(0, TENS).x(), desk.view.viewport().height() - 3)
    desk.drag_to(desk.at(1, VALUE), edge, lets_go=False)
    qtbot.waitUntil(lambda: desk.view.verticalScrollBar().value() > 2)
    QTest.mouseRelease(desk.view.viewport(), LEFT, PLAIN, edge)
    assert desk.asked == [("drop", THREE, DropTarget(1, "30-39"))]


# Editing ------------------------------------------------------------------------------------------


def test_writing_into_a_cell_puts_its_row_into_another_group(desk: Desk) -> None:
    desk.click(3, TENS)
    desk.key(Qt.Key.Key_Return)
    assert desk.field().text() == "20-29"
    QTest.keyClicks(desk.field(), "teens")
    desk.key(Qt.Key.Key_Return)
    assert desk.asked == [("assign", Selection(0, ("23",)), 1, "teens")]
    assert desk.view.hasFocus()


def test_a_double_click_opens_a_cell_and_a_click_elsewhere_accepts_the_text(desk: Desk) -> None:
    desk.click(3, HALVES)
    QTest.mouseDClick(desk.view.viewport(), LEFT, PLAIN, desk.at(3, HALVES))
    QTest.keyClicks(desk.field(), "middle")
    desk.click(5, VALUE)
    assert desk.asked == [("assign", Selection(1, ("20-29",)), 2, "middle")]


def test_writing_over_one_of_several_selected_groups_means_all_of_them(desk: Desk) -> None:
    desk.click(3, TENS)
    desk.drafts.select(Selection(1, ("20-29", "30-39")))
    desk.key(Qt.Key.Key_Return)
    QTest.keyClicks(desk.field(), "20-39")
    desk.key(Qt.Key.Key_Return)
    assert desk.asked == [("assign", Selection(0, tuple(AGES[:20])), 1, "20-39")]


def test_selected_values_are_put_into_a_group_by_writing_its_label(desk: Desk) -> None:
    desk.click(0, VALUE)
    desk.click(2, VALUE, SHIFT)
    desk.key(Qt.Key.Key_Right, CTRL)
    assert desk.selection == THREE
    desk.key(Qt.Key.Key_F2)
    QTest.keyClicks(desk.field(), "early")
    desk.key(Qt.Key.Key_Return)
    assert desk.asked == [("assign", THREE, 1, "early")]


def test_labels_of_the_level_are_offered_while_writing(desk: Desk) -> None:
    desk.click(3, TENS)
    desk.key(Qt.Key.Key_Return)
    completer = desk.field().completer()
    QTest.keyClicks(desk.field(), "40")
    assert completer.completionCount() == 1
    assert completer.currentCompletion() == "40-49"
    desk.key(Qt.Key.Key_Escape)  # closes the list
    desk.key(Qt.Key.Key_Escape)
    assert desk.asked == []


@pytest.mark.parametrize(("typed", "keys"), [("40-49", ()), ("40", (Qt.Key.Key_Down,))])
def test_one_enter_accepts_a_label_from_the_list(
    qtbot: QtBot, desk: Desk, typed: str, keys: tuple[Qt.Key, ...]
) -> None:
    desk.click(3, TENS)
    desk.key(Qt.Key.Key_Return)
    field = desk.field()
    QTest.keyClicks(field, typed)
    offer = field.completer().popup()
    assert offer.isVisible()
    for key in (*keys, Qt.Key.Key_Return):
        QTest.keyClick(offer, key)
    qtbot.waitUntil(lambda: bool(desk.asked))
    assert desk.asked == [("assign", Selection(0, ("23",)), 1, "40-49")]
    assert not [field for field in desk.view.findChildren(QLineEdit, "labelField") if field.isVisible()]


@pytest.mark.parametrize("text", ["", "  ", "20-29"])
def test_an_unchanged_text_requests_nothing(desk: Desk, text: str) -> None:
    desk.click(3, TENS)
    desk.key(Qt.Key.Key_Return)
    desk.field().clear()
    QTest.keyClicks(desk.field(), text)
    desk.field().completer().popup().hide()
    desk.key(Qt.Key.Key_Return)
    assert desk.asked == []


def test_values_and_records_are_not_edited(desk: Desk) -> None:
    for column in (VALUE, RECORDS):
        desk.click(3, column)
        QTest.mouseDClick(desk.view.viewport(), LEFT, PLAIN, desk.at(3, column))
    desk.key(Qt.Key.Key_Return)
    assert not desk.view.findChildren(QLineEdit, "labelField")


def test_renaming_writes_over_the_first_row_of_the_group_and_means_all_of_it(desk: Desk) -> None:
    desk.click(0, VALUE)
    desk.drafts.select(Selection(1, ("40-49",)))
    desk.commands.set_enabled("rename", True)
    desk.key(Qt.Key.Key_F2)
    assert desk.view.current_cell == (1, 20)
    assert desk.field().text() == "40-49"
    QTest.keyClicks(desk.field(), "for")
    desk.key(Qt.Key.Key_F2)  # once more changes nothing
    QTest.keyClicks(desk.field(), "ties")
    desk.key(Qt.Key.Key_Return)
    assert desk.asked == [("rename", 1, "40-49", "forties")]


@pytest.mark.parametrize(
    "arrangement", [Arrangement(Order.RECORDS), Arrangement(closed=frozenset({(2, "old")}))]
)
def test_a_label_being_written_is_discarded_when_rows_change(desk: Desk, arrangement: Arrangement) -> None:
    desk.click(3, TENS)
    desk.key(Qt.Key.Key_Return)
    QTest.keyClicks(desk.field(), "te")
    desk.drafts.arrange(arrangement)
    QApplication.processEvents()
    assert not [field for field in desk.view.findChildren(QLineEdit, "labelField") if field.isVisible()]
    assert desk.asked == []
    assert desk.view.hasFocus()


# Opening, closing, sorting ------------------------------------------------------------------------


def test_a_closed_group_is_opened_by_its_chevron_or_a_double_click_or_enter(desk: Desk) -> None:
    closed = Arrangement(closed=frozenset({(1, "20-29")}))
    opened: tuple[Callable[[], None], ...] = (
        lambda: QTest.mouseClick(desk.view.viewport(), LEFT, PLAIN, QPoint(10, desk.at(0, VALUE).y())),
        lambda: QTest.mouseDClick(desk.view.viewport(), LEFT, PLAIN, desk.at(0, VALUE)),
        lambda: desk.key(Qt.Key.Key_Return),
    )
    for opens in opened:
        desk.drafts.arrange(closed)
        assert desk.shown(VALUE)[:2] == ["20-29", "30"]
        desk.click(0, VALUE)
        opens()
        assert desk.shown(VALUE)[:2] == ["20", "21"]


def test_the_current_cell_stays_with_its_value_when_rows_move(desk: Desk) -> None:
    desk.click(5, TENS)
    desk.drafts.arrange(Arrangement(closed=frozenset({(2, "old")})))
    assert desk.view.current_cell == (1, 5)
    desk.drafts.arrange(Arrangement(closed=frozenset({(1, "20-29")})))
    assert desk.view.current_cell == (1, 0)


def test_the_menu_sorts_and_shows_values_without_records(desk: Desk) -> None:
    actions = {action.text(): action for action in desk.panel.more_button.menu().actions()}
    assert actions["Sort by value"].isChecked()
    actions["Sort by records"].trigger()
    assert desk.drafts.arrangement.order is Order.RECORDS
    assert actions["Sort by records"].isChecked()
    actions["Show values without records"].trigger()
    assert desk.drafts.arrangement == Arrangement(order=Order.RECORDS, shows_absent=True)
    assert desk.commands["open_all"] in actions.values()
    assert desk.commands["merge"] in actions.values()


def test_a_right_click_selects_the_row_and_opens_the_commands(desk: Desk) -> None:
    desk.drafts.select(THREE)
    for row, expected in ((1, THREE), (4, Selection(0, ("24",)))):
        at = desk.at(row, VALUE)
        QTest.mouseClick(desk.view.viewport(), RIGHT, PLAIN, at)
        reason = QContextMenuEvent.Reason.Mouse
        QApplication.sendEvent(
            desk.view.viewport(), QContextMenuEvent(reason, at, desk.view.viewport().mapToGlobal(at))
        )
        assert desk.selection == expected
        assert desk.panel.menu.isVisible()
        assert desk.commands["group"] in desk.panel.menu.actions()
        desk.panel.menu.hide()


@pytest.mark.parametrize(("theme", "scale"), [(LIGHT, 1.0), (DARK, 1.5)])
def test_columns_share_the_width_without_a_scroll_bar(
    desk: Desk, qapp: QApplication, theme: Theme, scale: float
) -> None:
    theme_manager().apply(qapp, theme, scale)
    QApplication.processEvents()
    header, viewport = desk.view.horizontalHeader(), desk.view.viewport()
    assert not desk.view.horizontalScrollBar().isVisible()
    assert header.length() <= viewport.width() < header.length() + 10


def test_keys_reach_the_field_the_menu_and_the_table_in_reading_order(desk: Desk) -> None:
    desk.panel.find_field.setFocus()
    desk.key(Qt.Key.Key_Tab)
    assert desk.panel.more_button.hasFocus()
    desk.key(Qt.Key.Key_Tab)
    assert desk.view.hasFocus()
    assert desk.view.current_cell == (0, 0)


def test_ten_thousand_values_are_drawn_and_selected_like_few(qtbot: QtBot, desk: Desk) -> None:
    texts = [f"{n:05d}" for n in range(10_000)]
    column = make_column("zip", texts, np.arange(10_000, dtype=np.int32), DataType(Kind.TEXT))
    hierarchy = Hierarchy.from_labels([[text, text[:4] + "*", text[:2] + "***", "*"] for text in texts])
    desk.drafts.begin(column, Draft(hierarchy))
    desk.click(0, VALUE)
    desk.key(Qt.Key.Key_End, SHIFT)
    assert len(desk.selection.labels) == 10_000
    assert desk.view.rowAt(desk.view.viewport().height() - 30) > 9_980
