"""The minimap: visible while the lattice is zoomed, framing the view, moved by clicks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.view import LatticeView
from tests.anonymizer_gui.perspectives.explore.lattice_helpers import (
    ADULT,
    LEFT,
    make_view,
    select,
    turn_wheel,
)


@pytest.fixture
def view(qtbot: QtBot, themed: QApplication) -> LatticeView:
    return make_view(qtbot, ADULT)


def test_the_minimap_is_visible_only_while_the_lattice_is_zoomed(qtbot: QtBot, view: LatticeView) -> None:
    assert not view.minimap.isVisible()
    turn_wheel(view, QPoint(500, 200), 4)
    assert view.minimap.isVisible()
    assert view.rect().contains(view.minimap.geometry())
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert not view.minimap.isVisible()


def test_its_frame_is_the_part_in_view(view: LatticeView) -> None:
    turn_wheel(view, QPoint(500, 200), 10)
    geometry, frame = view.geometry_shown, view.minimap.frame
    left, top = geometry.share_of(geometry.seen.topLeft())
    assert (frame.left(), frame.top()) == pytest.approx((left, top))
    assert frame.width() == pytest.approx(geometry.area.width() / geometry.width)


def test_a_click_brings_a_place_into_the_middle_and_a_drag_follows(qtbot: QtBot, view: LatticeView) -> None:
    turn_wheel(view, QPoint(500, 200), 12)
    for across, down in ((0.4, 0.45), (0.6, 0.55)):
        qtbot.mouseClick(view.minimap, LEFT, pos=view.minimap.point_at(across, down).toPoint())
        assert view.geometry_shown.centre_share() == pytest.approx((across, down), abs=0.02)
    start, end = view.minimap.point_at(0.6, 0.55).toPoint(), view.minimap.point_at(0.5, 0.5).toPoint()
    qtbot.mousePress(view.minimap, LEFT, pos=start)
    qtbot.mouseMove(view.minimap, (start + end) / 2)
    qtbot.mouseMove(view.minimap, end)
    qtbot.mouseRelease(view.minimap, LEFT, pos=end)
    first, last = view.minimap.point_at(0, 0), view.minimap.point_at(1, 1)
    room = last - first
    there = (end.x() - first.x()) / room.x(), (end.y() - first.y()) / room.y()
    assert view.geometry_shown.centre_share() == pytest.approx(there, abs=0.02)


def test_with_cards_a_click_requests_the_node_there(qtbot: QtBot, themed: QApplication) -> None:
    view = make_view(qtbot, ADULT, 1380, 660)
    select(view, ADULT, 6000)
    view.show_cards()
    assert view.minimap.isVisible()
    with qtbot.waitSignal(view.node_requested) as asked:
        qtbot.mouseClick(view.minimap, LEFT, pos=view.minimap.point_at(0.5, 0.2).toPoint())
    layout = view.layout_shown
    row = int(layout.positions[asked.args[0], 0])
    assert row == pytest.approx(0.8 * layout.n_rows, abs=1)


def test_a_node_scrolled_into_view_is_not_below_the_minimap(view: LatticeView) -> None:
    select(view, ADULT, 6000)
    view.show_chips()
    geometry, corner = view.geometry_shown, QPointF(view.minimap.geometry().center())
    covered = geometry.node_at(corner, 100)
    assert covered is not None
    view.bring_into_view(covered)
    assert not view.node_rect(covered).intersects(view.minimap.geometry())
