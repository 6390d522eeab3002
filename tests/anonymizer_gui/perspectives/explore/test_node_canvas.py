"""A drawing of nodes is a layout and a painter; the canvas does everything else, here for nodes by price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from anonymizer_gui.perspectives.explore.lattice.marks import Marks, PlacedMark, marks_at_dots
from anonymizer_gui.perspectives.explore.node_canvas import NodeCanvas
from anonymizer_gui.theming import current_theme
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.accessible import SHOW_MENU
from tests.anonymizer_gui.perspectives.explore.lattice_helpers import turn_wheel

LEFT = Qt.MouseButton.LeftButton


@dataclass(frozen=True)
class PriceLayout:
    """Nodes on a line from the cheapest to the dearest."""

    prices: tuple[float, ...]
    zoom: float = 1.0
    left: float = 0.0

    @property
    def n_nodes(self) -> int:
        return len(self.prices)

    @property
    def area(self) -> QRectF:
        return QRectF(0, 0, 400, 100)

    @property
    def is_whole(self) -> bool:
        return self.zoom <= 1

    def place(self, node: int) -> QRectF:
        return QRectF(self.prices[node] * self.zoom - self.left - 5, 45, 10, 10)

    def node_at(self, point: QPointF, reach: float = 0.0) -> int | None:
        away = [(self.place(node).center() - point).manhattanLength() for node in range(self.n_nodes)]
        return min(range(self.n_nodes), key=away.__getitem__) if min(away) <= 10 + reach else None

    def zoomed(self, factor: float, point: QPointF) -> PriceLayout | None:
        if self.zoom * factor > 10:
            return None
        return replace(self, zoom=self.zoom * factor, left=(point.x() + self.left) * factor - point.x())

    def panned(self, by: QPointF) -> PriceLayout:
        return replace(self, left=self.left - by.x())

    def fitted(self) -> PriceLayout:
        return PriceLayout(self.prices)


class PricePainter:
    """Squares, in another colour under the pointer."""

    def placed(self, layout: PriceLayout, marks: Marks) -> Sequence[PlacedMark]:
        return marks_at_dots(marks, lambda node: layout.place(node).center())

    def paint(self, painter: ThemedPainter, layout: PriceLayout, marks: Marks, hovered: int | None) -> None:
        painter.fill(layout.area, "surface")
        for node in range(layout.n_nodes):
            painter.fill(layout.place(node), "accent" if node == hovered else "fail_line")
        for mark in self.placed(layout, marks):
            mark.draw(painter, mark.box, painter.theme)


@pytest.fixture
def prices(qtbot: QtBot, themed: QApplication) -> NodeCanvas:
    view = NodeCanvas("prices", "Nodes by price", PricePainter())
    qtbot.addWidget(view)
    view.resize(400, 100)
    view.show_layout(PriceLayout((50.0, 100.0, 300.0)))
    view.show()
    return view


def at(view: NodeCanvas, node: int) -> QPoint:
    return view.node_rect(node).center()


def test_clicks_and_keys_request_nodes(prices: NodeCanvas, qtbot: QtBot) -> None:
    asked: list[tuple[str, int]] = []
    prices.node_requested.connect(lambda node: asked.append(("select", node)))
    prices.apply_requested.connect(lambda node: asked.append(("apply", node)))
    prices.menu_requested.connect(lambda node, _place: asked.append(("menu", node)))
    qtbot.mouseClick(prices, LEFT, pos=at(prices, 1))
    qtbot.mouseDClick(prices, LEFT, pos=at(prices, 2))
    prices.show_marks(Marks(selected=0))
    qtbot.keyClick(prices, Qt.Key.Key_Return)
    prices.as_accessible().actions[SHOW_MENU]()
    qtbot.mouseClick(prices, LEFT, pos=QPoint(200, 50))
    assert asked == [("select", 1), ("apply", 2), ("apply", 0), ("menu", 0)]


def test_zoom_pan_and_fit(prices: NodeCanvas, qtbot: QtBot) -> None:
    place = at(prices, 1)
    turn_wheel(prices, place, 3)  # type: ignore[arg-type]
    assert (at(prices, 1) - place).manhattanLength() <= 1
    assert not prices.rect().contains(at(prices, 2))
    prices.bring_into_view(2)
    assert prices.rect().contains(at(prices, 2))
    before = at(prices, 2)
    QTest.mousePress(prices, LEFT, pos=QPoint(200, 20))
    QTest.mouseMove(prices, QPoint(150, 20))
    QTest.mouseRelease(prices, LEFT, pos=QPoint(150, 20))
    assert at(prices, 2) == before - QPoint(50, 0)
    qtbot.keyClick(prices, Qt.Key.Key_Home)
    assert at(prices, 1) == place
    for _ in range(20):
        prices.zoom_in()
    assert prices.shown.zoom <= 10


def test_the_node_under_the_pointer_is_drawn_and_described(prices: NodeCanvas, qtbot: QtBot) -> None:
    qtbot.mouseMove(prices, at(prices, 1))
    qtbot.waitUntil(lambda: prices.hovered == 1)
    colour = prices.grab().toImage().pixelColor(at(prices, 1))
    assert colour == QColor(current_theme().accent)
    with qtbot.waitSignal(prices.details_requested) as asked:
        prices.explain(at(prices, 1), prices.mapToGlobal(at(prices, 1)))
    assert asked.args == [1]
