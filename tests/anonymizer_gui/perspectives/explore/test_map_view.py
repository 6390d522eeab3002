"""The painted map: what a click, a frame, a key, the wheel and a dragged limit do."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPolygonF, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.marks import Marks
from anonymizer_gui.perspectives.explore.lattice.raster import DIMMED, FAILS, NOT_SCORED
from anonymizer_gui.perspectives.explore.map import drawing as map_drawing
from anonymizer_gui.perspectives.explore.map.geometry import (
    Axis,
    MapAxis,
    MapGeometry,
    MapLegend,
    MapLimit,
    MapLook,
    MapPoints,
    Scale,
)
from anonymizer_gui.perspectives.explore.map.view import Drag, MapView
from anonymizer_gui.theming import DARK, LIGHT, ramp_colors, theme_manager

LEFT = Qt.MouseButton.LeftButton
ACROSS = MapAxis(Axis(0.0, 1.0, Scale.ROOT), "suppressed records (square-root scale)", "suppressed", True)
UP = MapAxis(Axis(0.2, 1.0), "loss, 0 to 1", "loss")
# Five nodes: four corners of a square and one in its middle.
FIVE = np.array([[0.2, 0.2], [0.8, 0.2], [0.2, 0.8], [0.8, 0.8], [0.5, 0.5]])


def points(places: NDArray[np.float64]) -> MapPoints:
    return MapPoints(ACROSS, UP, places[:, 0].copy(), places[:, 1].copy())


def look(n_nodes: int, **changes: object) -> MapLook:
    values: dict[str, object] = {
        "classes": np.full(n_nodes, 3, dtype=np.uint8),
        "rank": lambda: np.arange(1, n_nodes + 1),
        "passing": np.ones(n_nodes, dtype=np.bool_),
    }
    return MapLook(**(values | changes))  # type: ignore[arg-type]


def make_view(qtbot: QtBot, places: NDArray[np.float64]) -> MapView:
    view = MapView()
    qtbot.addWidget(view)
    view.resize(422, 218)
    view.show_points(points(places))
    view.show_look(look(len(places)))
    view.show()
    return view


@pytest.fixture
def view(qtbot: QtBot, themed: QApplication) -> MapView:
    return make_view(qtbot, FIVE)


def drag(view: MapView, *path: QPoint, button: Qt.MouseButton = LEFT) -> None:
    QTest.mousePress(view, button, pos=path[0])
    for at in path[1:]:
        QTest.mouseMove(view, at)
    QTest.mouseRelease(view, button, pos=path[-1])


def around(view: MapView, *nodes: int) -> tuple[QPoint, QPoint]:
    """Return two corners of a rectangle with these nodes."""
    at = [view.node_point(node) for node in nodes]
    return (
        QPoint(min(p.x() for p in at) - 9, min(p.y() for p in at) - 9),
        QPoint(max(p.x() for p in at) + 9, max(p.y() for p in at) + 9),
    )


def wheel(view: MapView, at: QPoint, turns: int) -> None:
    event = QWheelEvent(
        QPointF(at),
        view.mapToGlobal(QPointF(at)),
        QPoint(),
        QPoint(0, 120 * turns),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


# -- clicks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("node", range(5))
def test_clicking_close_to_a_node_requests_it(qtbot: QtBot, view: MapView, node: int) -> None:
    with qtbot.waitSignal(view.node_requested) as asked:
        qtbot.mouseClick(view, LEFT, pos=view.node_point(node) + QPoint(5, -4))
    assert asked.args == [node]


def test_of_nodes_on_one_pixel_the_best_is_meant(qtbot: QtBot, view: MapView) -> None:
    view.show_points(points(np.full((3, 2), 0.5)))
    view.show_look(look(3, rank=lambda: np.array([0, 2, 1])))
    with qtbot.waitSignal(view.node_requested) as asked:
        qtbot.mouseClick(view, LEFT, pos=view.node_point(0))
    assert asked.args == [2]


def test_filtered_nodes_are_not_hit_while_others_pass(qtbot: QtBot, view: MapView) -> None:
    view.show_points(points(np.full((2, 2), 0.5)))
    view.show_look(look(2, passing=np.array([False, True])))
    with qtbot.waitSignal(view.node_requested) as asked:
        qtbot.mouseClick(view, LEFT, pos=view.node_point(0))
    assert asked.args == [1]


# -- frames ----------------------------------------------------------------------------------------


def test_a_rectangle_frames_the_nodes_within_it(qtbot: QtBot, view: MapView) -> None:
    with qtbot.waitSignal(view.nodes_framed) as framed:
        drag(view, *around(view, 0, 2))
    assert np.flatnonzero(framed.args[0]).tolist() == [0, 2]
    assert view.shape_shown is not None


def test_a_lasso_frames_the_nodes_within_it(qtbot: QtBot, view: MapView) -> None:
    view.set_tool(Drag.LASSO)
    corners = [view.node_point(node) for node in (0, 1, 2)]  # a triangle, its long side through the middle
    out = [QPoint(-9, 12), QPoint(24, 9), QPoint(-9, -30)]
    path = [corner + away for corner, away in zip(corners, out, strict=True)]
    with qtbot.waitSignal(view.nodes_framed) as framed:
        drag(view, *path)
    assert np.flatnonzero(framed.args[0]).tolist() == [0, 1, 2, 4]


def test_the_shape_contains_the_nodes_of_the_same_qt_polygon() -> None:
    rng = np.random.default_rng(3)
    places = rng.random((400, 2))
    shape = [QPointF(*rng.random(2)) for _ in range(9)]
    geometry = MapGeometry(places[:, 0], places[:, 1], QRectF(0, 0, 100, 100))
    polygon = QPolygonF(shape)
    expected = [polygon.containsPoint(QPointF(*place), Qt.FillRule.OddEvenFill) for place in places]
    assert geometry.within(shape).tolist() == expected


def test_a_frame_around_nothing_and_escape_take_the_choice_back(qtbot: QtBot, view: MapView) -> None:
    drag(view, *around(view, 0, 2))
    view.show_choice(True)
    middle = (view.node_point(0) + view.node_point(1)) / 2
    with qtbot.waitSignal(view.clear_requested):
        drag(view, middle, middle + QPoint(20, 10))
    assert view.shape_shown is None
    drag(view, *around(view, 0, 2))
    with qtbot.waitSignal(view.clear_requested):
        qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.shape_shown is None


def test_escape_while_framing_requests_nothing(qtbot: QtBot, view: MapView) -> None:
    first, last = around(view, 0, 3)
    QTest.mousePress(view, LEFT, pos=first)
    QTest.mouseMove(view, last)
    with qtbot.assertNotEmitted(view.nodes_framed):
        qtbot.keyClick(view, Qt.Key.Key_Escape)
        QTest.mouseRelease(view, LEFT, pos=last)
    assert view.shape_shown is None


def test_a_frame_is_removed_when_the_nodes_move(view: MapView) -> None:
    drag(view, *around(view, 0, 2))
    view.show_points(points(FIVE * 0.9), keep_view=True)
    assert view.shape_shown is None


# -- keys ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "found"),
    [(Qt.Key.Key_Right, 3), (Qt.Key.Key_Left, 2), (Qt.Key.Key_Up, 2), (Qt.Key.Key_Down, 0)],
)
def test_arrows_go_to_the_nearest_node_in_their_direction(
    qtbot: QtBot, view: MapView, key: Qt.Key, found: int
) -> None:
    view.show_points(points(np.array([[0.5, 0.2], [0.9, 0.8], [0.3, 0.6], [0.7, 0.5], [0.5, 0.5]])))
    view.show_look(look(5))
    view.show_marks(Marks(selected=4))
    with qtbot.waitSignal(view.node_requested) as asked:
        qtbot.keyClick(view, key)
    assert asked.args == [found]


def test_without_a_selected_node_an_arrow_starts_at_the_optimum(qtbot: QtBot, view: MapView) -> None:
    view.show_marks(Marks(optimum=3))
    with qtbot.waitSignal(view.node_requested) as asked:
        qtbot.keyClick(view, Qt.Key.Key_Left)
    assert asked.args == [3]


def test_control_and_arrows_walk_along_the_front(qtbot: QtBot, view: MapView) -> None:
    view.show_front(np.array([2, 4, 1]))
    visited: list[int] = []
    view.node_requested.connect(lambda node: (visited.append(node), view.show_marks(Marks(selected=node))))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
        qtbot.keyClick(view, key, Qt.KeyboardModifier.ControlModifier)
    assert visited == [2, 4, 1, 1, 4]


def test_shift_and_arrows_frame_nodes_from_the_selected_one_on(qtbot: QtBot, view: MapView) -> None:
    framed: list[list[int]] = []
    view.node_requested.connect(lambda node: view.show_marks(Marks(selected=node)))
    view.nodes_framed.connect(lambda mask: framed.append(np.flatnonzero(mask).tolist()))
    view.show_marks(Marks(selected=0))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right):
        qtbot.keyClick(view, key, Qt.KeyboardModifier.ShiftModifier)
    assert framed == [[0, 4], [0, 1]]  # through the middle to the corner at the right
    assert view.shape_shown is not None


# -- limit -----------------------------------------------------------------------------------------


def test_dragging_the_limit_shows_its_value(qtbot: QtBot, view: MapView) -> None:
    view.show_limit(MapLimit(0.05, "limit 5 %"))
    line, told = view.limit_shown(), []
    view.limit_changing.connect(told.append)
    start, geometry = line.center().toPoint(), view.geometry_shown
    end = QPoint(round(geometry.pixel(0.5, 0.0).x()), start.y())
    with qtbot.waitSignal(view.limit_changed) as changed:
        drag(view, start, start + QPoint(20, 0), end)
    assert 0.05 < told[0] < told[1]
    assert changed.args[0] == told[-1] == pytest.approx(0.25, abs=0.003)


def test_a_limit_on_the_vertical_axis_is_dragged_up_and_down(qtbot: QtBot, view: MapView) -> None:
    view.show_limit(MapLimit(0.5, "limit", is_across=False))
    line = view.limit_shown()
    start = line.center().toPoint()
    with qtbot.waitSignal(view.limit_changed) as changed:
        drag(view, start, start - QPoint(0, 30))
    assert changed.args[0] > 0.55


def test_escape_while_the_limit_is_dragged_restores_it(qtbot: QtBot, view: MapView) -> None:
    view.show_limit(MapLimit(0.05, "limit 5 %"))
    line = view.limit_shown()
    start = line.center().toPoint()
    QTest.mousePress(view, LEFT, pos=start)
    QTest.mouseMove(view, start + QPoint(30, 0))
    with qtbot.waitSignal(view.limit_cancelled), qtbot.assertNotEmitted(view.limit_changed):
        qtbot.keyClick(view, Qt.Key.Key_Escape)
        QTest.mouseRelease(view, LEFT, pos=start + QPoint(30, 0))


def test_the_area_beyond_the_limit_is_shaded(view: MapView) -> None:
    view.show_limit(MapLimit(0.25, "limit 25 %"))
    geometry = view.geometry_shown
    picture = view.grab().toImage()
    before, beyond = (geometry.pixel(place, 0.31).toPoint() for place in (0.4, 0.6))
    assert picture.pixelColor(before) == QColor(LIGHT.surface)
    assert picture.pixelColor(beyond) == QColor(LIGHT.surface_2)


# -- zoom ------------------------------------------------------------------------------------------


def test_the_zoom_is_unchanged_if_only_scores_changed(view: MapView) -> None:
    wheel(view, view.node_point(4), 4)
    before = view.geometry_shown
    view.show_points(points(FIVE + 0.001), keep_view=True)
    after = view.geometry_shown
    assert (after.zoom, after.left, after.bottom) == (before.zoom, before.left, before.bottom)
    view.show_points(points(FIVE))
    assert view.geometry_shown.zoom == 1


# -- painting --------------------------------------------------------------------------------------


def test_nodes_have_the_colour_and_shape_of_their_status(view: MapView) -> None:
    classes = np.array([0, FAILS, 40, NOT_SCORED, DIMMED], dtype=np.uint8)
    view.show_look(look(5, classes=classes))
    picture = view.grab().toImage()
    ramp = ramp_colors(LIGHT)
    colours = [picture.pixelColor(view.node_point(node)) for node in range(5)]
    assert [colours[0], colours[2]] == [ramp[0], ramp[40]]
    assert colours[1] == colours[3] == QColor(LIGHT.surface)  # hollow, and missing
    edge = view.node_point(1) - QPoint(3, 0)
    assert picture.pixelColor(edge) == QColor(LIGHT.fail_line)


def test_of_many_nodes_the_best_is_on_top(monkeypatch: pytest.MonkeyPatch, themed: QApplication) -> None:
    rng = np.random.default_rng(0)
    places = rng.random((2000, 2))
    geometry = MapGeometry(places[:, 0], places[:, 1], QRectF(10, 10, 60, 40))
    classes = rng.integers(0, FAILS + 1, 2000).astype(np.uint8)

    def picture() -> bytes:
        drawn = map_drawing.draw_nodes(geometry, classes, None, (80, 60), 1.0, LIGHT)
        return bytes(drawn.constBits())

    one_by_one = picture()
    monkeypatch.setattr(map_drawing, "_MANY", 1)
    assert picture() == one_by_one


def test_a_third_score_is_named_above_the_plot(view: MapView) -> None:
    before = view.node_point(2)
    legend = MapLegend("Classes", ("814", "1"), "Size: k, 5 to 20")
    view.show_look(look(5, sizes=np.linspace(0, 1, 5), legend=legend))
    assert view.node_point(2).y() > before.y()
    picture = view.grab().toImage()
    assert picture.pixelColor(view.node_point(4) + QPoint(4, 0)) == ramp_colors(LIGHT)[3]
    assert picture.pixelColor(view.node_point(0) + QPoint(4, 0)) != ramp_colors(LIGHT)[3]


def test_switching_the_theme_twice_gives_the_same_picture(view: MapView, themed: QApplication) -> None:
    view.show_limit(MapLimit(0.05, "limit 5 %"))
    view.show_front(np.array([2, 4, 1]))
    view.show_marks(Marks(selected=0, optimum=4, applied=0))
    before = view.grab().toImage()
    theme_manager().apply(themed, DARK, 1.0)
    assert view.grab().toImage() != before
    theme_manager().apply(themed, LIGHT, 1.0)
    assert view.grab().toImage() == before
