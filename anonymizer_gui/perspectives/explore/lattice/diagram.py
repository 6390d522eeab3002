"""Places of the cards and edges of a small lattice drawn as a Hasse diagram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF

from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout
from anonymizer_gui.widgets.level_glyph import GlyphSize
from engine.cached import cached_property

RADIUS = 5.0
_LARGEST_GROWTH = 1.25
_WIDEST_SLOT, _HIGHEST_SLOT = 194.0, 174.0  # px at scale 1; more would only lengthen edges
_APART_X, _APART_Y = 6.0, 12.0  # px between two line cards
_LEAST_LINE = 88.0, 30.0  # px at scale 1 of line cards without a glyph, for large texts
_SIDES = 3.0  # px of a card's edge without ports, beside the rounded corners


@dataclass(frozen=True, eq=False)
class CardSize:
    """Pixels of a card at scale 1, of the place it needs, and between two edges at it."""

    width: float
    height: float
    pitch_x: float
    pitch_y: float
    port: float
    glyphs: tuple[GlyphSize, ...]


def _glyphs(height: int, most_steps: int, *columns: tuple[int, int]) -> tuple[GlyphSize, ...]:
    return tuple(GlyphSize(height, width, gap, most_steps) for width, gap in columns)


_COLUMNS = (8, 3), (5, 2), (4, 2), (3, 1), (2, 1)
FULL = CardSize(158, 60, 166, 76, 26, _glyphs(28, 14, *_COLUMNS))
LINE = CardSize(150, 34, 138, 44, 20, _glyphs(18, 10, *_COLUMNS[1:]))
HALF = CardSize(92, 44, 98, 62, 12, _glyphs(24, 14, *_COLUMNS))
LEAST = CardSize(44, 32, 50, 48, 8, tuple(g for h in (18, 14, 11) for g in _glyphs(h, 10, *_COLUMNS[1:])))
SIZES = (LEAST, HALF, LINE, FULL)  # words are worth more than a bar


@dataclass(frozen=True, eq=False)
class Diagram:
    """Immutable view of a layout with edges; each change returns a new one.

    Every node has a slot, whose place depends on layout and area alone; its card is centred in the slot.

    Attributes
    ----------
    layout : LatticeLayout
        With its edges.
    area : QRectF
        Area of the widget with the slots.
    scale : float
        Font size relative to the design.
    moved : QPointF
        Distance by which a diagram larger than the area is panned from its centre.
    failing : ndarray of bool, shape (n_nodes,), optional
        Nodes with line cards, where slots are wide enough for these.
    """

    layout: LatticeLayout
    area: QRectF
    size: CardSize
    scale: float = 1.0
    moved: QPointF = field(default_factory=QPointF)
    failing: NDArray[np.bool_] | None = None

    @property
    def n_nodes(self) -> int:
        return self.layout.n_nodes

    @property
    def is_whole(self) -> bool:
        """True if everything is visible."""
        width, height = self._needed
        return width <= self.area.width() + 0.5 and height <= self.area.height() + 0.5

    @property
    def _widest(self) -> int:
        return max(len(row) for row in self.layout.rows)

    @cached_property
    def _unit(self) -> float:
        """Size of the cards by the font; the least ones have no text and stay smaller without room."""
        if self.size is not LEAST:
            return self.scale
        room_x = self.area.width() / (self._widest * LEAST.pitch_x)
        room_y = self.area.height() / (self.layout.n_rows * LEAST.pitch_y)
        return max(min(self.scale, room_x, room_y), 1.0)

    @property
    def _needed(self) -> tuple[float, float]:
        pitch_x, pitch_y = self._least_pitches
        return self._widest * pitch_x, self.layout.n_rows * pitch_y

    @property
    def _least_pitches(self) -> tuple[float, float]:
        size, unit = self.size, self._unit
        if size is not LINE:
            return size.pitch_x * unit, size.pitch_y * unit
        wide, high = _LEAST_LINE
        return max(size.pitch_x, wide * unit + _APART_X), max(size.pitch_y, high * unit + _APART_Y)

    @cached_property
    def growth(self) -> float:
        """Size of the cards relative to their design."""
        (x, y), (least_x, least_y) = self.pitches, self._least_pitches
        return 1.0 if self.size is LINE else max(min(x / least_x, y / least_y, _LARGEST_GROWTH), 1.0)

    @cached_property
    def card(self) -> tuple[int, int]:
        """Width and height of the card of a satisfying node."""
        if self.size is LINE:
            return self._line
        grown = self.growth * self._unit
        return round(self.size.width * grown), round(self.size.height * grown)

    @cached_property
    def _line(self) -> tuple[int, int]:
        """Width and height of a line card."""
        (x, y), scale = self.pitches, self.scale
        return int(min(LINE.width * scale, x - _APART_X)), int(min(LINE.height * scale, y - _APART_Y))

    def size_of(self, node: int) -> CardSize:
        """Return the format of a node's card."""
        return LINE if self._has_line[node] else self.size

    @cached_property
    def _has_line(self) -> NDArray[np.bool_]:
        if self.failing is None or self.size is LEAST or self._line[0] < _LEAST_LINE[0] * self.scale:
            return np.zeros(self.layout.n_nodes, dtype=np.bool_)
        return self.failing

    @cached_property
    def pitches(self) -> tuple[float, float]:
        """Width and height of a slot; they depend on the cards only if these do not all fit."""
        least_x, least_y = self._least_pitches
        x = min(self.area.width() / self._widest, _WIDEST_SLOT * self.scale)
        y = min(self.area.height() / self.layout.n_rows, _HIGHEST_SLOT * self.scale)
        return max(x, least_x), max(y, least_y)

    @cached_property
    def rects(self) -> tuple[QRectF, ...]:
        """Rectangle of every node's card, on whole pixels."""
        pitch_x, layout = self.pitches[0], self.layout
        center = self.area.center() + self.moved
        found = [QRectF()] * layout.n_nodes
        for row, nodes in enumerate(layout.rows):
            middle = self.row_middle(row)
            for at, node in enumerate(nodes.tolist()):
                width, height = self._line if self._has_line[node] else self.card
                x = center.x() + (at - (len(nodes) - 1) / 2) * pitch_x - width / 2
                found[node] = QRectF(round(x), round(middle - height / 2), width, height)
        return tuple(found)

    def row_middle(self, row: int) -> float:
        """Return the vertical middle of a row; row 0 is the lowest."""
        at = (self.layout.n_rows - 1) / 2 - row
        return self.area.center().y() + self.moved.y() + at * self.pitches[1]

    @cached_property
    def lines(self) -> tuple[QLineF, ...]:
        """Every edge from the top of its lower card to the bottom of its upper one, each at its own port."""
        edges, rects = self.layout.edges, self.rects
        assert edges is not None, "only layouts with edges are drawn"
        starts, ends = [QPointF()] * len(edges), [QPointF()] * len(edges)
        middles = np.array([rect.center().x() for rect in rects])
        for own, other, points, at_top in ((0, 1, starts, True), (1, 0, ends, False)):
            order = np.lexsort((middles[edges[:, other]], edges[:, own]))
            for numbers in np.split(order, np.flatnonzero(np.diff(edges[order, own])) + 1):
                if len(numbers):
                    rect = rects[int(edges[numbers[0], own])]
                    y = rect.top() if at_top else rect.bottom()
                    ports = self._ports(int(edges[numbers[0], own]), len(numbers))
                    for number, x in zip(numbers.tolist(), ports, strict=True):
                        points[number] = QPointF(x, y)
        return tuple(map(QLineF, starts, ends))

    def _ports(self, node: int, n: int) -> Sequence[float]:
        rect = self.rects[node]
        room = rect.width() - 2 * (RADIUS + _SIDES)
        apart = min(self.size_of(node).port * self._unit, room / max(n - 1, 1))
        # Half a pixel, so that a vertical edge is one sharp column of pixels.
        return [round(rect.center().x() + (at - (n - 1) / 2) * apart) + 0.5 for at in range(n)]

    @cached_property
    def _edges_of(self) -> dict[int, list[tuple[int, int]]]:
        found: dict[int, list[tuple[int, int]]] = {node: [] for node in range(self.layout.n_nodes)}
        assert self.layout.edges is not None, "only layouts with edges are drawn"
        for number, (low, high) in enumerate(self.layout.edges.tolist()):
            found[low].append((number, high))
            found[high].append((number, low))
        return found

    def edges_of(self, node: int) -> Sequence[tuple[int, int]]:
        """Return pairs of an edge and the other node at it."""
        return self._edges_of[node]

    def place(self, node: int) -> QRectF:
        """Return the rectangle of a node."""
        return self.rects[node]

    def node_at(self, point: QPointF, reach: float = 0.0) -> int | None:
        """Return the node under a point, or the closest one within `reach` pixels."""
        for node, rect in enumerate(self.rects):
            if rect.contains(point):
                return node
        if reach <= 0:
            return None
        apart = [
            max(abs(point.x() - rect.center().x()) - rect.width() / 2, 0.0)
            + max(abs(point.y() - rect.center().y()) - rect.height() / 2, 0.0)
            for rect in self.rects
        ]
        nearest = int(np.argmin(apart))
        return nearest if apart[nearest] <= reach else None

    def is_free(self, rect: QRectF) -> bool:
        """Return whether no card and no edge meets a rectangle."""
        if any(rect.intersects(card) for card in self.rects):
            return False
        return not any(_meets(line, rect) for line in self.lines)

    def panned(self, by: QPointF) -> Diagram:
        """Return the diagram panned by pixels, within the part that exceeds the area."""
        width, height = self._needed
        spare_x = max(width - self.area.width(), 0.0) / 2
        spare_y = max(height - self.area.height(), 0.0) / 2
        moved = self.moved + by
        x, y = min(max(moved.x(), -spare_x), spare_x), min(max(moved.y(), -spare_y), spare_y)
        return replace(self, moved=QPointF(x, y))

    def sized(self, size: CardSize, node: int | None, point: QPointF | None = None) -> Diagram:
        """Return the diagram with cards of a size; a node is moved to a point, by default to the middle."""
        after = replace(self, size=size, moved=QPointF())
        if node is None:
            return after
        return after.panned((point or self.area.center()) - after.rects[node].center())

    def fitted(self) -> Diagram:
        """Return the diagram that shows everything."""
        return fitted_diagram(self.layout, self.area, self.scale, self.failing) or self

    @property
    def has_larger(self) -> bool:
        """True if the largest cards do not all fit."""
        return self.fitted().size is not FULL

    @property
    def stop(self) -> str:
        """ "fit" if everything is visible, "chips" for the largest cards, "" between."""
        return "fit" if self.is_whole else "chips" if self.size is FULL else ""

    def zoomed(self, factor: float, point: QPointF) -> Diagram | None:
        """Return the diagram with the next size of cards, a node kept at a point; None beyond the largest."""
        is_larger = factor > 1
        at = SIZES.index(self.size) + (1 if is_larger else -1)
        if at >= len(SIZES):
            return None
        if at < 0 or (not is_larger and self.is_whole):
            return self
        node = self.node_at(point, float("inf"))
        after = self.sized(SIZES[at], node, None if node is None else self.rects[node].center())
        return after.fitted() if after.is_whole else after


def fitted_diagram(
    layout: LatticeLayout, area: QRectF, scale: float = 1.0, failing: NDArray[np.bool_] | None = None
) -> Diagram | None:
    """Return the diagram with the largest cards that all fit; None if the smallest do not."""
    if layout.edges is None:
        return None
    sizes = (Diagram(layout, area, size, scale, failing=failing) for size in reversed(SIZES))
    return next((diagram for diagram in sizes if diagram.is_whole), None)


def diagram_of(
    layout: LatticeLayout,
    area: QRectF,
    scale: float,
    failing: NDArray[np.bool_] | None = None,
    before: Diagram | None = None,
) -> Diagram | None:
    """Return the diagram that shows everything, or one that is zoomed as `before`; None if none fits."""
    fitted = fitted_diagram(layout, area, scale, failing)
    if fitted is None or before is None or before.is_whole:
        return fitted
    kept = replace(before, area=area, scale=scale).panned(QPointF())
    return fitted if kept.is_whole else kept


def _meets(line: QLineF, rect: QRectF) -> bool:
    bounds = QRectF(line.p1(), line.p2()).normalized()
    if not rect.adjusted(-1, -1, 1, 1).intersects(bounds.adjusted(-0.5, -0.5, 0.5, 0.5)):
        return False
    corners = rect.topLeft(), rect.topRight(), rect.bottomRight(), rect.bottomLeft()
    sides = [QLineF(a, b) for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)]
    bounded = QLineF.IntersectionType.BoundedIntersection
    return rect.contains(line.p1()) or any(line.intersects(side)[0] == bounded for side in sides)
