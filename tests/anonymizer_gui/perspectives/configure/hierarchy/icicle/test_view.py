"""The icicle by mouse and keys: each edit is emitted as a request, the display is set from outside."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QWheelEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.configure.hierarchy.commands import HierarchyCommands
from anonymizer_gui.perspectives.configure.hierarchy.drafts import (
    Arrangement,
    Draft,
    HierarchyDrafts,
    Selection,
)
from anonymizer_gui.perspectives.configure.hierarchy.icicle.view import IcicleView
from anonymizer_gui.perspectives.configure.hierarchy.values.group_drag import DropTarget, GroupDrag
from anonymizer_gui.perspectives.configure.hierarchy.values.groups_panel import GroupsPanel
from anonymizer_gui.theming import DARK, LIGHT, theme_manager
from engine.hierarchies import Hierarchy
from engine.hierarchies.outline import Order
from engine.numbers import NARROW_SPACE
from engine.records import Column, DataType, Kind
from engine.records.values import make_column

LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE, ALT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier
AGES = [str(age) for age in range(20, 40)]


class Face(QWidget):
    """The panel with its drafts, without the presenter."""

    def __init__(self) -> None:
        super().__init__()
        self.commands = HierarchyCommands(self)
        self.drag = GroupDrag(self)
        self.panel = GroupsPanel(self.commands, self.drag)
        QVBoxLayout(self).addWidget(self.panel)
        self.layout().setContentsMargins(0, 0, 0, 0)
        self.drafts = HierarchyDrafts(self)
        self.drafts.outline_changed.connect(self._show)
        self.drafts.selection_changed.connect(self.panel.view.show_selection)
        self.panel.view.selection_requested.connect(self.drafts.select)
        self.panel.arrangement_requested.connect(self.drafts.arrange)
        self.panel.view.toggle_requested.connect(self.drafts.toggle)
        self.resize(1000, 420)

    @property
    def view(self) -> IcicleView:
        return self.panel.view

    @property
    def selection(self) -> Selection:
        return self.drafts.selection

    def place(self, level: int, label: str, x: float = 0.5) -> QPoint:
        """Return a point within a group, at a share of its width."""
        rect = self.view.group_rect(level, label)
        return QPointF(rect.left() + x * rect.width(), rect.center().y()).toPoint()

    def click(self, point: QPoint, modifiers: Qt.KeyboardModifier = NONE) -> None:
        QTest.mouseClick(self.view, LEFT, modifiers, point)

    def drag_along(self, *points: QPoint, button: Qt.MouseButton = LEFT, lets_go: bool = True) -> None:
        QTest.mousePress(self.view, button, NONE, points[0])
        for point in points[1:]:
            QTest.mouseMove(self.view, (point + points[0]) / 2)
            QTest.mouseMove(self.view, point)
        if lets_go:
            QTest.mouseRelease(self.view, button, NONE, points[-1])

    def keys(self, *keys: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        for key in keys:
            QTest.keyClick(self.view, key, modifiers)

    def _show(self, outline: object) -> None:
        self.panel.show_arrangement(self.drafts.arrangement)
        self.panel.show_outline(self.drafts.column, outline)  # type: ignore[arg-type]


def column_of(values: list[str], counts: list[int], kind: Kind) -> Column:
    codes = np.repeat(np.arange(len(values), dtype=np.int32), counts)
    return make_column("age" if kind is Kind.INTEGER else "fruit", values, codes, DataType(kind))


def said(face: Face) -> str:
    """Return the accessible text of the view, with plain spaces."""
    return face.view.accessibleDescription().replace(NARROW_SPACE, " ")


@pytest.fixture
def face(qtbot: QtBot, themed: QApplication) -> Iterator[Face]:
    """Return ages 20 to 39 in bands of five and ten years; 20 has one record, 21 two, and so on."""
    made = Face()
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    rows = [[age, f"{int(age) // 5 * 5}-{int(age) // 5 * 5 + 4}", f"{age[0]}0s", "*"] for age in AGES]
    made.drafts.begin(column_of(AGES, list(range(1, 21)), Kind.INTEGER), Draft(Hierarchy.from_rows(rows)))
    made.activateWindow()
    made.view.setFocus()
    qtbot.waitUntil(made.view.hasFocus)
    yield made
    made.hide()


@pytest.fixture
def fruit(face: Face) -> Face:
    """Return texts without a number line."""
    rows = [["apple", "red", "*"], ["cherry", "red", "*"], ["lime", "green", "*"], ["pear", "green", "*"]]
    hierarchy = Hierarchy.from_rows(rows)
    face.drafts.begin(column_of([row[0] for row in rows], [5, 1, 4, 2], Kind.TEXT), Draft(hierarchy))
    return face


# Selecting by mouse -----------------------------------------------------------------------------


def test_a_click_selects_a_group_of_any_level_and_a_value_by_its_bar(face: Face) -> None:
    for level, label in ((1, "25-29"), (2, "30s"), (3, "*"), (0, "33")):
        face.click(face.place(level, label))
        assert face.selection == Selection(level, (label,))


def test_ctrl_adds_and_removes_and_shift_extends_within_the_level(face: Face) -> None:
    face.click(face.place(1, "20-24"))
    face.click(face.place(1, "35-39"), CTRL)
    assert face.selection == Selection(1, ("20-24", "35-39"))
    face.click(face.place(1, "20-24"), CTRL)
    assert face.selection == Selection(1, ("35-39",))
    face.click(face.place(1, "25-29"))
    face.click(face.place(1, "35-39"), SHIFT)
    assert face.selection == Selection(1, ("25-29", "30-34", "35-39"))
    face.click(face.place(0, "22"))
    face.click(face.place(0, "24"), SHIFT)
    assert face.selection == Selection(0, ("22", "23", "24"))
    face.click(face.place(0, "30"), CTRL)
    assert face.selection == Selection(0, ("22", "23", "24", "30"))


def test_a_rubber_band_over_the_histogram_selects_values(face: Face) -> None:
    face.drag_along(face.place(0, "23"), face.place(0, "27"))
    assert face.selection == Selection(0, ("23", "24", "25", "26", "27"))


def test_a_rubber_band_from_between_the_rows_selects_groups_of_the_row_it_reaches_first(face: Face) -> None:
    below = QPoint(face.place(1, "20-24").x(), round(face.view.group_rect(1, "20-24").bottom()) + 8)
    face.drag_along(below, face.place(1, "30-34"))
    assert face.selection == Selection(1, ("20-24", "25-29", "30-34"))


def test_a_click_on_the_name_of_a_level_selects_all_of_it_and_one_on_nothing_clears(face: Face) -> None:
    row = face.place(2, "20s").y()
    face.click(QPoint(20, row))
    assert face.selection == Selection(2, ("20s", "30s"))
    gap = round(face.view.group_rect(1, "20-24").bottom()) + 8
    face.click(QPoint(500, gap))
    assert face.selection == Selection()


def test_a_click_on_one_of_several_selected_groups_selects_it_alone(face: Face) -> None:
    face.drafts.select(Selection(1, ("20-24", "25-29")))
    face.click(face.place(1, "25-29"))
    assert face.selection == Selection(1, ("25-29",))


# Dragging ---------------------------------------------------------------------------------------


@pytest.fixture
def dropped(face: Face) -> QSignalSpy:
    return QSignalSpy(face.drag.dropped)


def drops(spy: QSignalSpy) -> list[list[object]]:
    return [spy.at(i) for i in range(spy.count())]


def test_selected_groups_are_dragged_onto_a_group_of_a_higher_level(face: Face, dropped: QSignalSpy) -> None:
    face.drafts.select(Selection(1, ("20-24", "25-29")))
    face.drag_along(face.place(1, "25-29"), face.place(2, "30s"))
    assert drops(dropped) == [[Selection(1, ("20-24", "25-29")), DropTarget(2, "30s")]]


def test_a_group_not_selected_before_is_selected_and_dragged_at_once(face: Face, dropped: QSignalSpy) -> None:
    face.drag_along(face.place(1, "25-29"), face.place(1, "30-34"))
    assert drops(dropped) == [[Selection(1, ("25-29",)), DropTarget(1, "30-34")]]
    assert face.selection == Selection(1, ("25-29",))


def test_selected_values_are_dragged_from_the_histogram_into_a_group(face: Face, dropped: QSignalSpy) -> None:
    face.drag_along(face.place(0, "23"), face.place(0, "24"))
    face.drag_along(face.place(0, "24"), face.place(1, "35-39"))
    assert drops(dropped) == [[Selection(0, ("23", "24")), DropTarget(1, "35-39")]]


@pytest.mark.parametrize("where", ["beside", "between", "below"])
def test_a_drop_into_free_room_makes_a_new_group(face: Face, dropped: QSignalSpy, where: str) -> None:
    row = face.place(2, "20s").y()
    room = {
        "beside": QPoint(20, row),
        "between": QPoint(round(face.view.group_rect(2, "30s").left()), row),
        "below": QPoint(500, round(face.view.group_rect(1, "20-24").bottom()) + 8),
    }[where]
    face.drag_along(face.place(1, "30-34"), room)
    assert drops(dropped) == [[Selection(1, ("30-34",)), DropTarget(2)]]


def test_the_target_of_a_drop_is_highlighted_and_escape_cancels_the_drag(
    face: Face, dropped: QSignalSpy
) -> None:
    face.drag_along(face.place(1, "25-29"), face.place(2, "30s"), lets_go=False)
    marked = face.view.grab().toImage()
    face.keys(Qt.Key.Key_Escape)
    assert face.drag.dragged is None
    assert face.view.grab().toImage() != marked
    QTest.mouseRelease(face.view, LEFT, NONE, face.place(2, "30s"))
    assert dropped.count() == 0
    assert face.selection == Selection(1, ("25-29",))


def test_a_drag_from_elsewhere_finds_its_target_by_the_screen_position(face: Face) -> None:
    somewhere = face.view.mapToGlobal(face.place(1, "35-39"))
    assert face.panel.view.drop_target_at(somewhere, Selection(0, ("20",))) == DropTarget(1, "35-39")
    assert face.panel.view.drop_target_at(QPoint(-50, -50), Selection(0, ("20",))) is None


# Cuts -------------------------------------------------------------------------------------------


@pytest.fixture
def cuts(face: Face) -> QSignalSpy:
    return QSignalSpy(face.panel.view.cut_requested)


def test_a_handle_shows_its_number_and_is_dragged_to_another_one(face: Face, cuts: QSignalSpy) -> None:
    face.click(face.place(2, "20s"))
    handle = face.view.handle_rect(1)
    (shown,) = face.view.cuts()
    assert shown.text == "30"
    start, step = handle.center().toPoint(), face.view.group_rect(0, "20").width()
    face.drag_along(start, start + QPoint(round(2.3 * step), -60), lets_go=False)
    (moved,) = face.view.cuts()
    assert moved.text == "32"
    assert moved.tag == ("Cut of level 2 at 32", "78 records left, 132 right")
    assert cuts.count() == 0
    QTest.mouseRelease(face.view, LEFT, NONE, start + QPoint(round(2.3 * step), -60))
    assert [cuts.at(0), cuts.count()] == [[2, 1, 12], 1]
    assert face.selection == Selection(2, ("20s",))


def test_escape_puts_a_cut_back_that_is_being_dragged(face: Face, cuts: QSignalSpy) -> None:
    face.click(face.place(2, "20s"))
    start = face.view.handle_rect(1).center().toPoint()
    face.drag_along(start, start + QPoint(120, 0), lets_go=False)
    face.keys(Qt.Key.Key_Escape)
    assert face.view.cuts()[0].text == "30"
    QTest.mouseRelease(face.view, LEFT, NONE, start + QPoint(120, 0))
    assert cuts.count() == 0


def test_a_cut_leaves_a_value_on_each_side_however_far_it_is_dragged(face: Face, cuts: QSignalSpy) -> None:
    face.click(face.place(1, "25-29"))
    line = QPoint(round(face.view.group_rect(1, "25-29").left()), face.place(0, "25").y())
    face.drag_along(line, QPoint(face.view.width() - 5, line.y()))
    face.drag_along(line, QPoint(0, line.y()))
    assert [cuts.at(0), cuts.at(1)] == [[1, 1, 9], [1, 1, 1]]


def test_arrows_move_the_chosen_cut_by_one_value_until_escape(face: Face, cuts: QSignalSpy) -> None:
    face.click(face.place(1, "25-29"))
    face.click(face.view.handle_rect(2).center().toPoint())
    assert face.view.accessibleDescription() == "Cut of level 1 at 30: 40 records left, 65 right"
    face.keys(Qt.Key.Key_Right, Qt.Key.Key_Left)
    assert [cuts.at(0), cuts.at(1)] == [[1, 2, 11], [1, 2, 9]]
    face.keys(Qt.Key.Key_Escape, Qt.Key.Key_Right)
    assert cuts.count() == 2
    assert face.selection == Selection(1, ("30-34",))


def test_alt_and_an_arrow_move_the_end_of_the_current_group(face: Face, cuts: QSignalSpy) -> None:
    face.click(face.place(1, "20-24"))
    face.keys(Qt.Key.Key_Right, modifiers=ALT)
    assert cuts.at(0) == [1, 1, 6]


def test_a_moved_cut_stays_chosen(face: Face, cuts: QSignalSpy) -> None:
    face.click(face.place(1, "20-24"))
    face.click(face.view.handle_rect(1).center().toPoint())
    rows = [[a, "young" if a < "26" else "old", "20s" if a < "30" else "30s", "*"] for a in AGES]
    rows = [row if row[2] == "20s" else [row[0], "older", *row[2:]] for row in rows]
    face.drafts.show(Draft(Hierarchy.from_rows(rows)))
    assert face.view.cut == (1, 1)
    assert face.view.handle_rect(1).center().x() == pytest.approx(
        face.view.group_rect(1, "old").left(), abs=1
    )


def test_a_cut_of_a_removed_level_is_no_longer_chosen(face: Face) -> None:
    face.click(face.place(2, "20s"))
    face.click(face.view.handle_rect(1).center().toPoint())
    assert face.view.cut == (2, 1)
    face.drafts.show(Draft(Hierarchy.from_rows([[age, "*"] for age in AGES])))
    assert face.view.cut is None


def test_texts_have_cuts_too(fruit: Face, cuts: QSignalSpy) -> None:
    fruit.click(fruit.place(1, "red"))
    handle = fruit.view.handle_rect(1).center().toPoint()
    fruit.drag_along(handle, QPoint(fruit.place(0, "cherry", 0.2).x(), handle.y()))
    assert cuts.at(0) == [1, 1, 1]


# Renaming ---------------------------------------------------------------------------------------


@pytest.fixture
def renamed(face: Face) -> QSignalSpy:
    return QSignalSpy(face.panel.view.rename_requested)


def line_of(face: Face) -> QLineEdit:
    found = face.view.findChild(QLineEdit, "groupRename")
    assert found is not None
    return found


def test_a_double_click_renames_a_group_in_its_place(face: Face, renamed: QSignalSpy) -> None:
    QTest.mouseDClick(face.view, LEFT, NONE, face.place(2, "20s"))
    line = line_of(face)
    assert line.isVisible()
    assert face.view.group_rect(2, "20s").toAlignedRect().contains(line.geometry().topLeft())
    QTest.keyClicks(line, "twenties")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert renamed.at(0) == [2, "20s", "twenties"]
    assert not line.isVisible()
    assert face.view.hasFocus()


def test_escape_and_an_unchanged_label_rename_nothing(face: Face, renamed: QSignalSpy) -> None:
    face.click(face.place(2, "20s"))
    face.keys(Qt.Key.Key_Return)
    QTest.keyClicks(line_of(face), "twenties")
    QTest.keyClick(line_of(face), Qt.Key.Key_Escape)
    face.keys(Qt.Key.Key_Return)
    QTest.keyClick(line_of(face), Qt.Key.Key_Return)
    assert renamed.count() == 0
    assert face.selection == Selection(2, ("20s",))


def test_losing_the_focus_accepts_the_new_label_once(face: Face, renamed: QSignalSpy) -> None:
    face.panel.view.begin_rename(1, "25-29")
    QTest.keyClicks(line_of(face), "late")
    face.click(face.place(2, "30s"))
    assert [renamed.count(), renamed.at(0)] == [1, [1, "25-29", "late"]]


def test_accepting_a_label_keeps_the_new_focus(face: Face, renamed: QSignalSpy) -> None:
    face.panel.view.begin_rename(1, "25-29")
    QTest.keyClicks(line_of(face), "late")
    QTest.mouseClick(face.panel.order_box, LEFT)
    QApplication.activePopupWidget().close()
    face.panel.width_choice.setFocus()
    assert renamed.count() == 1
    assert face.panel.width_choice.hasFocus()


def test_values_are_not_renamed(face: Face) -> None:
    face.panel.view.begin_rename(0, "25")
    assert not line_of(face).isVisible()


# Keys -------------------------------------------------------------------------------------------


def test_arrows_walk_within_a_level_and_between_levels(face: Face) -> None:
    face.click(face.place(1, "20-24"))
    walked = []
    for key in (
        Qt.Key.Key_Right,
        Qt.Key.Key_Up,
        Qt.Key.Key_Right,
        Qt.Key.Key_Down,
        Qt.Key.Key_Down,
        Qt.Key.Key_End,
    ):
        face.keys(key)
        walked.append((face.selection.level, *face.selection.labels))
    assert walked == [(1, "25-29"), (2, "20s"), (2, "30s"), (1, "30-34"), (0, "30"), (0, "39")]
    face.keys(Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_Left)
    assert face.selection == Selection(0, ("20",))


def test_shift_and_arrows_extend_and_shrink_the_selection(face: Face) -> None:
    face.click(face.place(1, "25-29"))
    face.keys(Qt.Key.Key_Right, Qt.Key.Key_Right, modifiers=SHIFT)
    assert face.selection == Selection(1, ("25-29", "30-34", "35-39"))
    face.keys(Qt.Key.Key_Left, modifiers=SHIFT)
    assert face.selection == Selection(1, ("25-29", "30-34"))
    face.keys(Qt.Key.Key_Home, modifiers=SHIFT)
    assert face.selection == Selection(1, ("20-24", "25-29"))


def test_ctrl_a_selects_the_level_and_escape_nothing(face: Face) -> None:
    face.click(face.place(1, "25-29"))
    face.keys(Qt.Key.Key_A, modifiers=CTRL)
    assert len(face.selection.labels) == 4
    face.keys(Qt.Key.Key_Escape)
    assert face.selection == Selection()


def test_typing_finds_labels_that_begin_so_then_those_that_hold_it(face: Face) -> None:
    face.click(face.place(1, "20-24"))
    QTest.keyClicks(face.view, "3")
    assert face.selection == Selection(1, ("30-34",))
    QTest.keyClicks(face.view, "5")
    assert face.selection == Selection(1, ("35-39",))
    face.keys(Qt.Key.Key_Backspace, Qt.Key.Key_Escape)
    QTest.keyClicks(face.view, "-29")
    assert face.selection == Selection(1, ("25-29",))


def test_the_keys_of_commands_reach_them_from_the_icicle(face: Face) -> None:
    heard = []
    for key in ("rename", "toggle"):
        face.commands.set_enabled(key, True)
        face.commands[key].triggered.connect(lambda _checked=False, key=key: heard.append(key))
    face.keys(Qt.Key.Key_F2)
    face.keys(Qt.Key.Key_Space, modifiers=CTRL)
    assert heard == ["rename", "toggle"]


# Zoom -------------------------------------------------------------------------------------------


def turn(face: Face, point: QPoint, delta: int) -> None:
    event = QWheelEvent(
        QPointF(point),
        QPointF(face.view.mapToGlobal(point)),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        NONE,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(face.view, event)


def test_the_wheel_zooms_at_the_pointer_and_a_double_click_on_free_room_fits(face: Face) -> None:
    point = face.place(0, "33")
    geometry = face.view.geometry_shown
    assert not face.panel.scroll_bar.isVisible()
    turn(face, point, 480)
    zoomed = face.view.geometry_shown
    assert zoomed.zoom > 2
    assert zoomed.unit_at(point.x()) == pytest.approx(geometry.unit_at(point.x()))
    assert face.panel.scroll_bar.isVisible()
    gap = round(face.view.group_rect(1, "30-34").bottom()) + 8
    QTest.mouseDClick(face.view, LEFT, NONE, QPoint(500, gap))
    assert face.view.geometry_shown.zoom == 1
    assert not face.panel.scroll_bar.isVisible()


@pytest.mark.parametrize("way", ["middle", "space", "scroll bar"])
def test_a_zoomed_view_is_panned(face: Face, way: str) -> None:
    turn(face, face.place(0, "30"), 480)
    before = face.view.geometry_shown
    here = QPoint(500, 300)
    if way == "middle":
        face.drag_along(here, here + QPoint(-80, 0), button=MIDDLE)
    elif way == "space":
        QTest.keyPress(face.view, Qt.Key.Key_Space)
        face.drag_along(here, here + QPoint(-80, 0))
        QTest.keyRelease(face.view, Qt.Key.Key_Space)
    else:
        face.panel.scroll_bar.setValue(face.panel.scroll_bar.maximum())
    after = face.view.geometry_shown
    assert after.start > before.start
    assert face.selection == Selection()


def test_keys_zoom_at_the_current_group_and_fit(face: Face) -> None:
    face.click(face.place(1, "35-39"))
    face.keys(Qt.Key.Key_PageUp, Qt.Key.Key_PageUp)
    geometry = face.view.geometry_shown
    assert geometry.zoom == pytest.approx(2.25)
    face.keys(Qt.Key.Key_Home)  # the first group comes into view
    assert face.selection == Selection(1, ("20-24",))
    assert face.view.geometry_shown.start == 0
    face.keys(Qt.Key.Key_Home, modifiers=CTRL)
    assert face.view.geometry_shown.zoom == 1


def test_a_change_of_the_hierarchy_keeps_the_view_and_another_column_fits(face: Face) -> None:
    turn(face, face.place(0, "33"), 480)
    before = face.view.geometry_shown
    face.drafts.show(Draft(Hierarchy.from_rows([[age, "*"] for age in AGES])))
    after = face.view.geometry_shown
    assert (after.zoom, after.start) == (before.zoom, before.start)
    face.drafts.begin(
        column_of(["a", "b"], [1, 1], Kind.TEXT), Draft(Hierarchy.from_rows([["a", "*"], ["b", "*"]]))
    )
    assert face.view.geometry_shown.zoom == 1


def test_a_drag_to_the_edge_of_a_zoomed_view_brings_more_into_view(face: Face) -> None:
    turn(face, face.place(0, "20"), 480)
    face.click(face.place(1, "20-24"))
    before = face.view.geometry_shown
    edge = QPoint(round(before.frame.right) - 3, face.place(2, "20s").y())
    face.drag_along(face.place(1, "20-24"), edge, edge + QPoint(1, 0), lets_go=False)
    face.keys(Qt.Key.Key_Escape)
    QTest.mouseRelease(face.view, LEFT, NONE, edge)
    assert face.view.geometry_shown.start > before.start


# Display ----------------------------------------------------------------------------------------


def test_a_closed_group_is_one_place_that_its_chevron_opens(face: Face) -> None:
    face.drafts.toggle(1, "25-29")
    geometry = face.view.geometry_shown
    assert geometry.outline.n_places == 16
    bar = QPoint(face.place(1, "25-29", 0.8).x(), round(geometry.frame.bars_bottom) - 5)
    face.click(bar)  # its bar is that of the group
    assert face.selection == Selection(1, ("25-29",))
    assert said(face) == "Level 1, 25-29, 5 values, collapsed, 40 records, 19 % of all"
    rect = face.view.group_rect(1, "25-29")
    face.click(QPointF(rect.left() + 8, rect.center().y()).toPoint())
    assert geometry.outline.closed.any()
    assert not face.view.geometry_shown.outline.closed.any()


def test_closing_the_current_group_is_announced(face: Face) -> None:
    face.click(face.place(2, "30s"))
    face.drafts.toggle(2, "30s")
    assert said(face) == "Level 2, 30s, 10 values, collapsed, 155 records, 73.8 % of all"


def test_keys_go_to_the_closed_group_that_a_value_is_in(face: Face) -> None:
    face.drafts.toggle(2, "20s")
    face.click(face.place(1, "30-34"))
    face.keys(Qt.Key.Key_Left)
    assert face.selection == Selection(2, ("20s",))
    face.keys(Qt.Key.Key_Down)
    assert face.selection == Selection(2, ("20s",))


def test_the_current_group_is_described(face: Face, qtbot: QtBot) -> None:
    face.click(face.place(2, "20s"))
    assert said(face) == "Level 2, 20s, 10 values, 55 records, 26.2 % of all"
    face.click(face.place(2, "30s"), CTRL)
    assert said(face) == "Level 2, 30s, 10 values, 155 records, 73.8 % of all; 2 groups selected"
    point = face.place(0, "23")
    QApplication.sendEvent(
        face.view, QHelpEvent(QHelpEvent.Type.ToolTip, point, face.view.mapToGlobal(point))
    )
    qtbot.waitUntil(lambda: QToolTip.text().startswith("Level 0, 23, 4 records, 1.9"))
    QToolTip.hideText()


def test_a_selection_made_elsewhere_becomes_the_current_group(face: Face) -> None:
    face.drafts.select(Selection(1, ("30-34", "35-39")))
    assert said(face) == "Level 1, 30-34, 5 values, 65 records, 31 % of all; 2 groups selected"
    face.keys(Qt.Key.Key_Left)
    assert face.selection == Selection(1, ("25-29",))


def test_a_selection_made_elsewhere_is_scrolled_into_view(face: Face) -> None:
    turn(face, face.place(0, "38"), 480)
    face.drafts.select(Selection(0, ("20",)))
    geometry = face.view.geometry_shown
    assert geometry.start == 0


def test_groups_are_sized_by_records_and_the_caption_explains_widths(face: Face) -> None:
    assert face.panel.caption.text().startswith("width = age, height of bars = records; drag a cut")
    QTest.mouseClick(face.panel.width_choice.segment("records"), LEFT)
    assert face.panel.caption.text().startswith("width and height of bars = records")
    first, last = (face.view.group_rect(0, age).width() for age in ("20", "39"))
    assert last == pytest.approx(20 * first)
    QTest.mouseClick(face.panel.width_choice.segment("value"), LEFT)
    first, last = (face.view.group_rect(0, age).width() for age in ("20", "39"))
    assert last == pytest.approx(first)


def test_the_order_is_chosen_in_the_header(fruit: Face, qtbot: QtBot) -> None:
    box = fruit.panel.order_box
    assert box.currentData() is Order.VALUE
    assert fruit.panel.caption.text().startswith("values side by side")
    asked = QSignalSpy(fruit.panel.arrangement_requested)
    qtbot.keyClick(box, Qt.Key.Key_Down)
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert [asked.at(0), asked.at(1)] == [[Arrangement(Order.NATURAL)], [Arrangement(Order.RECORDS)]]
    assert fruit.view.group_rect(0, "lime").left() > fruit.view.group_rect(0, "apple").left()


def test_the_buttons_of_the_header_follow_the_commands(face: Face, qtbot: QtBot) -> None:
    assert not face.panel.merge_button.isEnabled()
    face.commands.set_enabled("merge", True)
    assert face.panel.merge_button.isEnabled()
    assert face.panel.merge_button.toolTip() == face.commands["merge"].toolTip()
    with qtbot.waitSignal(face.commands["merge"].triggered):
        qtbot.mouseClick(face.panel.merge_button, LEFT)


def menu_at(face: Face, point: QPoint) -> QMenu:
    QTest.mousePress(face.view, Qt.MouseButton.RightButton, NONE, point)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, face.view.mapToGlobal(point))
    QApplication.sendEvent(face.view, event)
    return QApplication.activePopupWidget()


def test_a_right_click_selects_the_group_and_offers_the_commands(face: Face) -> None:
    face.drafts.select(Selection(1, ("20-24",)))
    menu = menu_at(face, face.place(1, "35-39"))
    assert face.selection == Selection(1, ("35-39",))
    assert face.commands["merge"] in menu.actions()
    menu.close()
    menu_at(face, QPoint(20, face.place(2, "20s").y())).close()
    assert face.selection == Selection(2, ("20s", "30s"))


def test_without_a_hierarchy_nothing_can_be_pressed(face: Face) -> None:
    face.drafts.show(Draft())
    face.click(QPoint(400, 100))
    face.keys(Qt.Key.Key_Right, Qt.Key.Key_A)
    turn(face, QPoint(400, 100), 120)
    assert face.view.geometry_shown is None
    assert face.panel.caption.text() == ""
    assert face.selection == Selection()


@pytest.mark.parametrize("size", [(992, 280), (1150, 420)], ids=str)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_picture_is_the_same_after_going_to_another_theme_and_back(
    face: Face, themed: QApplication, size: tuple[int, int], theme: object
) -> None:
    face.resize(*size)
    face.drafts.select(Selection(1, ("25-29",)))
    other = DARK if theme is LIGHT else LIGHT
    theme_manager().apply(themed, theme, 1.5)  # type: ignore[arg-type]
    QApplication.processEvents()
    before = face.view.grab().toImage()
    theme_manager().apply(themed, other, 1.0)
    QApplication.processEvents()
    assert face.view.grab().toImage() != before
    theme_manager().apply(themed, theme, 1.5)  # type: ignore[arg-type]
    QApplication.processEvents()
    assert face.view.grab().toImage() == before


def test_ten_thousand_values_are_combined_and_can_be_found(face: Face) -> None:
    numbers = [str(number) for number in range(10_000)]
    rows = [[text, str(int(text) // 10), str(int(text) // 1000), "*"] for text in numbers]
    face.drafts.begin(column_of(numbers, [1] * 10_000, Kind.INTEGER), Draft(Hierarchy.from_rows(rows)))
    geometry = face.view.geometry_shown
    assert geometry.bars.is_shared
    face.click(QPoint(500, round(geometry.frame.bars_bottom) - 4))
    n_shared = len(face.selection.labels)
    assert face.selection.level == 0
    assert 25 <= n_shared <= 45
    face.keys(Qt.Key.Key_Right)
    assert len(face.selection.labels) == 1
    face.click(face.place(2, "7"))
    assert face.selection == Selection(2, ("7",))
    assert not face.view.grab().isNull()
