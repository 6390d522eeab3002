"""Numbers along the axes of plots match the drawn values at every size and zoom."""

from __future__ import annotations

from itertools import combinations

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from anonymizer_gui.charts.bar_rows import Bar, BarRow, BarRows, BarScale
from anonymizer_gui.charts.plot import AxisTitles, ThemedPlot
from engine.findings.blocks import Chart, Series
from engine.numbers import as_decimal


@pytest.mark.parametrize("highest", [0.00004, 0.05, 40.0, 5_000_000.0])
def test_an_axis_prints_its_values_in_its_own_unit(
    qtbot: QtBot, themed: QApplication, highest: float
) -> None:
    printed: dict[float, str] = {}

    def told(value: float, decimals: int) -> str:
        printed[value] = as_decimal(value, decimals)
        return printed[value]

    def draw(plot: ThemedPlot) -> None:
        plot.set_tick_text("left", told)
        plot.set_range((0.0, 30_000.0), (0.0, highest))

    plot = ThemedPlot("records by day")
    qtbot.addWidget(plot)
    plot.resize(480, 320)
    plot.show_drawing(draw, AxisTitles("date of birth", "records per day"))
    with qtbot.waitExposed(plot):
        plot.show()
    qtbot.waitUntil(lambda: len(printed) > 1)
    assert highest / 2 < max(printed) <= highest
    assert len(set(printed.values())) == len(printed)  # enough decimals to distinguish neighbours


def test_ctrl_and_wheel_zoom_at_the_pointer_and_a_double_click_resets(qtbot: QtBot) -> None:
    plot = ThemedPlot("records by day")
    qtbot.addWidget(plot)
    plot.resize(400, 240)

    def draw(it: ThemedPlot) -> None:
        it.set_range((0.0, 10.0), (0.0, 1.0))
        it.add_line([0, 10], [0, 1], "series_1")
        it.tooltip = lambda x, _y: f"day {x:.0f}"

    plot.show_drawing(draw, AxisTitles("date of birth", "records per day"))
    plot.show()
    qtbot.waitExposed(plot)
    port, at = plot.plot.viewport(), plot.point_at(5.0, 0.5)
    turn(port, at, Qt.KeyboardModifier.NoModifier)
    assert not plot.is_zoomed, "the page is scrolled"
    turn(port, at, Qt.KeyboardModifier.ControlModifier)
    assert plot.is_zoomed
    assert plot.place_at(at).x() == pytest.approx(5.0)
    QTest.mouseMove(port, at.toPoint())
    readout = plot.findChild(QLabel, "plotReadout")
    assert (readout.isVisible(), readout.text()) == (True, "day 5")
    for _ in range(3):
        turn(port, at, Qt.KeyboardModifier.ControlModifier, steps=-5)
    assert not plot.is_zoomed, "there is nothing beyond what is drawn"
    turn(port, at, Qt.KeyboardModifier.ControlModifier)
    QTest.mouseDClick(port, Qt.MouseButton.LeftButton, pos=at.toPoint())
    assert not plot.is_zoomed


def turn(port: QWidget, at: QPointF, modifier: Qt.KeyboardModifier, steps: int = 1) -> None:
    """Turn the wheel by a number of notches."""
    event = QWheelEvent(
        at,
        port.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        modifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(port, event)


def drawn_plot(qtbot: QtBot) -> ThemedPlot:
    """Return a visible plot of ten days."""
    plot = ThemedPlot("records by day")
    qtbot.addWidget(plot)
    plot.resize(400, 240)

    def draw(it: ThemedPlot) -> None:
        it.set_range((0.0, 10.0), (0.0, 1.0))
        it.add_line([0, 10], [0, 1], "series_1")
        it.tooltip = lambda x, _y: f"day {x:.0f}"

    plot.show_drawing(draw, AxisTitles("date of birth", "records per day"))
    with qtbot.waitExposed(plot):
        plot.show()
    plot.grab()  # an axis takes its width when it is painted
    QApplication.processEvents()
    return plot


def test_the_readout_follows_the_pointer_and_remains_inside(qtbot: QtBot) -> None:
    plot = drawn_plot(qtbot)
    port, readout = plot.plot.viewport(), plot.findChild(QLabel, "plotReadout")
    places = []
    for x, y in ((1.0, 0.9), (5.0, 0.5), (9.9, 0.02)):
        at = plot.point_at(x, y).toPoint()
        QTest.mouseMove(port, at)
        assert readout.text() == f"day {x:.0f}"
        assert plot.rect().contains(readout.geometry())
        pointer = port.mapTo(plot, at)
        assert not readout.geometry().contains(pointer)
        near = readout.geometry().adjusted(-16, -16, 16, 16)
        assert near.contains(pointer)
        places.append(readout.pos())
    assert len({(place.x(), place.y()) for place in places}) == 3


def test_a_button_resets_the_zoom_and_is_absent_without_one(qtbot: QtBot) -> None:
    plot = drawn_plot(qtbot)
    port, reset = plot.plot.viewport(), plot.findChild(QPushButton, "plotReset")
    assert not reset.isVisible()
    turn(port, plot.point_at(5.0, 0.5), Qt.KeyboardModifier.ControlModifier, steps=2)
    assert plot.is_zoomed
    assert reset.isVisible()
    assert plot.rect().contains(reset.geometry())
    qtbot.mouseClick(reset, Qt.MouseButton.LeftButton)
    assert not plot.is_zoomed
    assert not reset.isVisible()


def test_the_context_menu_copies_a_picture_without_tools(qtbot: QtBot) -> None:
    plot = drawn_plot(qtbot)
    whole = copied(qtbot, plot)
    assert whole.size() == plot.size() * 2
    port, at = plot.plot.viewport(), plot.point_at(5.0, 0.5)
    QTest.mouseMove(port, plot.point_at(2.0, 0.5).toPoint())
    assert plot.findChild(QLabel, "plotReadout").isVisible()
    assert copied(qtbot, plot) == whole
    turn(port, at, Qt.KeyboardModifier.ControlModifier, steps=2)
    reset = plot.findChild(QPushButton, "plotReset")
    assert reset.isVisible()
    zoomed = copied(qtbot, plot)
    assert reset.isVisible()
    reset.hide()
    assert copied(qtbot, plot) == zoomed != whole


def copied(qtbot: QtBot, plot: ThemedPlot) -> QImage:
    """Return the picture that the first entry of the context menu copies."""
    QApplication.clipboard().clear()
    port, at = plot.plot.viewport(), plot.point_at(5.0, 0.5).toPoint()
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(port, QContextMenuEvent(reason, at, port.mapToGlobal(at)))
    menu = QApplication.activePopupWidget()
    entry = menu.actions()[0]
    assert entry.text() == "Copy picture"
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entry).center())
    image = QApplication.clipboard().image()
    assert not image.isNull()
    qtbot.waitUntil(lambda: not menu.isVisible())
    return image


@pytest.mark.parametrize("titles", [("", "records"), ("age in years", " ")])
def test_a_chart_without_the_title_of_an_axis_is_refused(titles: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="no title"):
        AxisTitles(*titles)
    with pytest.raises(ValueError, match="no title"):
        Chart("c", "Chart", "bars", *titles, (Series("Input", (1.0,)),), ("a",))


def test_bars_without_the_name_of_their_scale_are_refused(qtbot: QtBot) -> None:
    rows = BarRows("Loss")
    qtbot.addWidget(rows)
    with pytest.raises(ValueError, match="no name"):
        rows.show_rows([BarRow("age", bars=(Bar(0.5),))], BarScale("0", "1"))
    rows.show_rows([BarRow("age", bars=(Bar(0.5),))], BarScale("0", "1", "loss"))
    assert rows.texts() == [("age", "", "")]


def test_texts_along_an_axis_do_not_overlap_and_the_last_one_stays(
    qtbot: QtBot, themed: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[QRectF, str]] = []

    def note(
        _self: object, _p: object, _axis: object, _ticks: object, texts: list[tuple[QRectF, int, str]]
    ) -> None:
        drawn[:] = [(rect, text) for rect, _flags, text in texts if "%" in text]

    monkeypatch.setattr(pg.AxisItem, "drawPicture", note)

    def draw(plot: ThemedPlot) -> None:
        plot.set_range((-6.0, 0.1), (0.0, 1.0))
        plot.set_ticks("bottom", [(place, f"{place} %") for place in (-6, -3, -0.5, -0.4, -0.3, 0)])

    plot = ThemedPlot("shares")
    qtbot.addWidget(plot)
    plot.resize(420, 240)
    plot.show_drawing(draw, AxisTitles("records / population size", "unique"))
    with qtbot.waitExposed(plot):
        plot.show()
    qtbot.waitUntil(lambda: bool(drawn))
    assert {"-6 %", "-3 %", "0 %"} <= {text for _rect, text in drawn}
    assert not any(one.intersects(other) for (one, _), (other, _) in combinations(drawn, 2))
