"""Positions of all nodes of a lattice, and their pixels: fit, zoom, pan, the node under a pixel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF

from engine.cached import cached_property
from engine.lattice.hasse import hasse

Ints = NDArray[np.int64]

MOST_SLOTS = 6  # largest number of nodes above one another in a column of dots
_ROW_GAP = 1 / 6  # space between two rows, as a share of their nodes' height
# Reference area for the number of slots; canvases of similar shape give the same number.
_NOMINAL_WIDTH, _NOMINAL_HEIGHT = 974.0, 408.0


@dataclass(frozen=True, eq=False)
class LatticeLayout:
    """Positions of all nodes, computed once per lattice and independent of thresholds.

    Attributes
    ----------
    positions : ndarray of int64, shape (n_nodes, 3)
        Row (by sum of levels), column (0 in the middle) and slot of each node.
    slots : int
        Nodes above one another in a column.
    rows : tuple of ndarray
        Node indices of each row from left to right, each column from top to bottom.
    sums : tuple of int
        Sum of levels of each row.
    edges : ndarray of int64, shape (n_edges, 2), optional
        Lower and upper node of every step, for lattices small enough to be drawn with all edges.
    """

    positions: Ints
    slots: int
    rows: tuple[Ints, ...]
    keys: tuple[Ints, ...]
    sums: tuple[int, ...]
    edges: Ints | None = None

    @property
    def n_nodes(self) -> int:
        return len(self.positions)

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @cached_property
    def n_columns(self) -> int:
        """Number of columns of the widest row."""
        return -(-max(len(row) for row in self.rows) // self.slots)

    @property
    def band(self) -> float:
        """Height of a row in slots, with the space to the next."""
        return self.slots * (1 + _ROW_GAP)

    def node_at(self, row: int, column: int, slot: int) -> int | None:
        """Return the node at a position, if there is one."""
        if not 0 <= row < self.n_rows or not 0 <= slot < self.slots:
            return None
        key = column * self.slots + slot
        at = int(np.searchsorted(self.keys[row], key))
        if at < len(self.keys[row]) and self.keys[row][at] == key:
            return int(self.rows[row][at])
        return None

    def beside(self, node: int, step: int) -> int | None:
        """Return the node `step` positions to the right in the row, slot by slot."""
        row, column, slot = (int(value) for value in self.positions[node])
        at = int(np.searchsorted(self.keys[row], column * self.slots + slot)) + step
        return int(self.rows[row][at]) if 0 <= at < len(self.rows[row]) else None


def lay_out(sums: Ints, losses: NDArray[np.float64]) -> LatticeLayout:
    """Place all nodes; a sum without nodes has no row.

    Parameters
    ----------
    sums : ndarray of int64, shape (n_nodes,)
        Sum of levels.
    losses : ndarray of float64, shape (n_nodes,)
        Order within a row: the least is in the middle, the others alternate outward. It must not
        depend on any threshold.
    """
    row_sums, counts = np.unique(sums, return_counts=True)
    slots = _slots(int(counts.max()), len(counts))
    positions = np.empty((len(sums), 3), dtype=np.int64)
    rows, keys = [], []
    order = np.lexsort((np.arange(len(sums)), losses, sums))
    starts = np.concatenate(([0], np.cumsum(counts)))
    for row in range(len(row_sums)):
        nodes = order[starts[row] : starts[row + 1]]
        rank = np.arange(len(nodes))
        turn = rank // slots
        # 0, 1, -1, 2, -2, ...
        column = np.where(turn % 2 == 1, (turn + 1) // 2, -(turn // 2))
        positions[nodes] = np.column_stack((np.full(len(nodes), row), column, rank % slots))
        key = column * slots + rank % slots
        by_place = np.argsort(key)
        rows.append(nodes[by_place])
        keys.append(key[by_place])
    return LatticeLayout(positions, slots, tuple(rows), tuple(keys), tuple(row_sums.tolist()))


def lay_out_small(levels: NDArray[np.int16]) -> LatticeLayout:
    """Place the nodes of a small lattice so that few edges cross.

    Parameters
    ----------
    levels : ndarray of int16, shape (n_nodes, n_qi)
        Level vectors; the order depends on nothing else.
    """
    drawn = hasse(levels)
    positions = np.zeros((len(levels), 3), dtype=np.int64)
    keys = []
    for row, nodes in enumerate(drawn.rows):
        columns = np.arange(len(nodes)) - (len(nodes) - 1) // 2
        positions[nodes, 0], positions[nodes, 1] = row, columns
        keys.append(columns)
    sums = tuple(int(levels[nodes[0]].sum()) for nodes in drawn.rows)
    return LatticeLayout(positions, 1, drawn.rows, tuple(keys), sums, drawn.edges)


def _slots(widest: int, n_rows: int) -> int:
    """Return the number of nodes per column that gives each node the most room."""

    def room(slots: int) -> float:
        columns = -(-widest // slots)
        return min(_NOMINAL_WIDTH / columns, _NOMINAL_HEIGHT / (n_rows * slots * (1 + _ROW_GAP)))

    return max(range(1, MOST_SLOTS + 1), key=lambda slots: (room(slots), -slots))


CHIP_WIDTH, CHIP_HEIGHT, CHIP_GAP = 132.0, 34.0, 8.0
CHIP_PITCH_X, CHIP_PITCH_Y = CHIP_WIDTH + CHIP_GAP, CHIP_HEIGHT + CHIP_GAP
SMALLEST_PITCH = 2.0  # px; below it nodes share pixels
_WHOLE_BELOW = 12.0  # px; smaller pitches are whole device pixels, for an even spacing of dots
_WHOLE = 1.001  # largest zoom that shows everything

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class LatticeGeometry:
    """Immutable view of a layout; each change returns a new one.

    Attributes
    ----------
    area : QRectF
        Area of the lattice without zoom.
    ratio : float
        Device pixels per logical pixel.
    zoom : float
        1 shows everything.
    scale : float
        Font size relative to the design; chips grow with it.
    left, top : float
        Pixel of the left edge of column 0 and of the top edge of the highest row.
    covered : float
        Height of the strip above the nodes of a zoomed lattice.
    largest : tuple of float
        Width and height of a node's place at the largest zoom, at font scale 1.
    """

    layout: LatticeLayout
    area: QRectF
    ratio: float = 1.0
    scale: float = 1.0
    zoom: float = 1.0
    left: float = 0.0
    top: float = 0.0
    covered: float = 0.0
    largest: tuple[float, float] = (CHIP_PITCH_X, CHIP_PITCH_Y)

    @classmethod
    def whole(cls, layout: LatticeLayout, area: QRectF, ratio: float, scale: float = 1.0) -> LatticeGeometry:
        """Return the view of the complete lattice."""
        return cls(layout, area, ratio, scale)._clamped()

    def beside(self, corner: QRectF) -> LatticeGeometry:
        """Return the view of the complete lattice, moved right of a top left corner if there is room."""
        geometry, area, layout = self.fitted(), self.area, self.layout
        if corner.isEmpty():
            return geometry
        needed = 0.0
        for row, nodes in enumerate(layout.rows):
            if geometry.row_top(row) < corner.bottom() + 4:
                x, _ = geometry.corners(nodes[:1])
                needed = max(needed, corner.right() + 8 - float(x[0]))
        if needed <= 0:
            return geometry
        free = area.width() - geometry.width
        # The view is centred in the remaining area, so it shifts by half of the change.
        moved = QRectF(area)
        moved.setLeft(area.left() + min(2 * needed, max(free, 0.0)))
        return replace(geometry, area=moved)._clamped()

    # -- sizes ---------------------------------------------------------------------------------

    @property
    def chip_pitches(self) -> tuple[float, float]:
        """Width and height of a node's place with a chip, or at the largest zoom without chips."""
        return self.largest[0] * self.scale, self.largest[1] * self.scale

    @cached_property
    def fit_pitches(self) -> tuple[float, float]:
        """Width and height of a node's place in the complete view."""
        layout = self.layout
        chip_x, chip_y = self.chip_pitches
        x = min(self.area.width() / layout.n_columns, chip_x)
        y = min(self.area.height() / (layout.n_rows * layout.band), chip_y)
        if min(x, y) >= _WHOLE_BELOW:
            return x, y
        # Dots may be closer than the rows of the design, by half of the space between them.
        tight = self.area.height() / (layout.n_rows * (layout.slots + layout.band) / 2)
        pitch = floor(min(x, tight) * self.ratio) / self.ratio
        if pitch < SMALLEST_PITCH:
            # Shares per column need no squares: they use all the width and height.
            return min(x, SMALLEST_PITCH - 0.01), y
        return pitch, pitch

    @cached_property
    def chip_zoom(self) -> float:
        """Zoom at which a node's place fits a chip."""
        return max(self.chip_pitches[0] / self.fit_pitches[0], 1.0)

    @cached_property
    def pitches(self) -> tuple[float, float]:
        """Width and height of a node's place; chips are wide, so width grows faster."""
        fit_x, fit_y = self.fit_pitches
        growth = 1.0
        if self.chip_zoom > 1.01:
            growth = log(self.chip_pitches[1] / fit_y) / log(self.chip_zoom)
        x, y = fit_x * self.zoom, fit_y * self.zoom**growth
        return self._snapped(x), self._snapped(y)

    @property
    def pitch(self) -> float:
        """Smaller side of a node's place."""
        return min(self.pitches)

    @cached_property
    def band_height(self) -> float:
        band = self.layout.band * self.pitches[1]
        return min(band, self.area.height() / self.layout.n_rows) if self.zoom <= 1 else band

    @property
    def width(self) -> float:
        return self.layout.n_columns * self.pitches[0]

    @property
    def height(self) -> float:
        return self.layout.n_rows * self.band_height

    @property
    def n_nodes(self) -> int:
        return self.layout.n_nodes

    @property
    def is_whole(self) -> bool:
        """True if everything is visible."""
        return self.zoom <= _WHOLE

    @property
    def seen(self) -> QRectF:
        """Part of the area in which nodes are visible."""
        return self.area if self.is_whole else self.area.adjusted(0, self.covered, 0, 0)

    @property
    def has_larger(self) -> bool:
        """True if chips do not all fit."""
        return self.chip_zoom > _WHOLE

    @property
    def stop(self) -> str:
        """ "fit" if everything is visible, "chips" if nodes are chips, "" between and beyond."""
        if self.is_whole:
            return "fit"
        return "chips" if abs(self.zoom / self.chip_zoom - 1) < 0.02 else ""

    # -- places --------------------------------------------------------------------------------

    def row_top(self, row: int) -> float:
        """Return the top of a row; row 0 is the lowest."""
        return self.top + (self.layout.n_rows - 1 - row) * self.band_height

    def corners(self, nodes: NDArray[np.int64] | slice = slice(None)) -> tuple[FloatArray, FloatArray]:
        """Return left and top pixel of the places of nodes."""
        pitch_x, pitch_y = self.pitches
        places = self.layout.positions[nodes]
        x = self.left + places[:, 1] * pitch_x
        y = self.top + (self.layout.n_rows - 1 - places[:, 0]) * self.band_height
        # Half of the space between rows above the nodes, half below.
        y = y + self._inset() + places[:, 2] * pitch_y
        return x.astype(np.float64), y.astype(np.float64)

    def place(self, node: int) -> QRectF:
        """Return the place of one node."""
        x, y = self.corners(np.array([node]))
        return QRectF(float(x[0]), float(y[0]), *self.pitches)

    def centers(self, nodes: Sequence[int]) -> list[QPointF]:
        """Return the centres of the places of nodes."""
        pitch_x, pitch_y = self.pitches
        x, y = self.corners(np.array(nodes, dtype=np.int64))
        return list(map(QPointF, (x + pitch_x / 2).tolist(), (y + pitch_y / 2).tolist()))

    def node_at(self, point: QPointF, reach: float = 0.0) -> int | None:
        """Return the node under a point, or the closest one within `reach` pixels."""
        pitch_x, pitch_y = self.pitches
        row = self.layout.n_rows - 1 - floor((point.y() - self.top) / self.band_height)
        if not 0 <= row < self.layout.n_rows:
            return None
        slot = floor((point.y() - self.row_top(row) - self._inset()) / pitch_y)
        slot = min(max(slot, 0), self.layout.slots - 1)
        column = floor((point.x() - self.left) / pitch_x)
        exact = self.layout.node_at(row, column, slot)
        if exact is not None or reach <= 0:
            return exact
        nodes = self.layout.rows[row]
        x, y = self.corners(nodes)
        distance = np.hypot(x + pitch_x / 2 - point.x(), y + pitch_y / 2 - point.y())
        nearest = int(np.argmin(distance))
        return int(nodes[nearest]) if distance[nearest] <= reach else None

    def is_free(self, rect: QRectF) -> bool:
        """Return whether no node overlaps a rectangle."""
        layout, (pitch_x, pitch_y) = self.layout, self.pitches
        for row, keys in enumerate(layout.keys):
            top = self.row_top(row) + self._inset()
            if rect.top() < top + layout.slots * pitch_y and rect.bottom() > top:
                # Columns of a row have no gaps between them.
                first, last = (int(keys[at]) // layout.slots for at in (0, -1))
                left, right = self.left + first * pitch_x, self.left + (last + 1) * pitch_x
                if rect.left() < right and rect.right() > left:
                    return False
        return True

    def visible(self, rect: QRectF) -> NDArray[np.int64]:
        """Return the indices of nodes whose place overlaps a rectangle, row by row from the lowest."""
        layout, (pitch_x, pitch_y) = self.layout, self.pitches
        # Nodes of a row are ordered by column, so only nearby ones are checked.
        first = floor((rect.left() - self.left) / pitch_x) - 1
        last = floor((rect.right() - self.left) / pitch_x) + 1
        found = []
        for row, keys in enumerate(layout.keys):
            top = self.row_top(row)
            if top >= rect.bottom() or top + self.band_height + pitch_y <= rect.top():
                continue
            span = np.searchsorted(keys, (first * layout.slots, (last + 1) * layout.slots))
            found.append(layout.rows[row][span[0] : span[1]])
        nodes = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
        x, y = self.corners(nodes)
        inside = (x + pitch_x > rect.left()) & (x < rect.right())
        inside &= (y + pitch_y > rect.top()) & (y < rect.bottom())
        return nodes[inside]

    def in_picture(self, width: int, height: int) -> tuple[NDArray[np.int64], FloatArray, FloatArray]:
        """Return the nodes in a picture of the view and the corners of their places in device pixels.

        The last result is cached, since turning knobs recolours the same nodes many times per second.
        """
        known: dict[tuple[int, int], tuple[NDArray[np.int64], FloatArray, FloatArray]] = self._pictures
        if (width, height) not in known:
            known.clear()
            nodes = self.visible(QRectF(0, 0, width / self.ratio, height / self.ratio))
            x, y = self.corners(nodes)
            known[width, height] = nodes, x * self.ratio, y * self.ratio
        return known[width, height]

    @cached_property
    def _pictures(self) -> dict[tuple[int, int], tuple[NDArray[np.int64], FloatArray, FloatArray]]:
        return {}

    @cached_property
    def pixel_columns(self) -> NDArray[np.int64]:
        """Device pixel of the left edge of every node's place, shape (n_nodes,)."""
        return np.floor(self.corners()[0] * self.ratio).astype(np.int64)

    def centre_share(self) -> tuple[float, float]:
        """Return the centre of the area as shares of the lattice's width and height."""
        return self.share_of(self.seen.center())

    def share_of(self, point: QPointF) -> tuple[float, float]:
        """Return a point as shares of the lattice's width and height."""
        before = (self.layout.n_columns - 1) // 2 * self.pitches[0]
        return (point.x() - self.left + before) / self.width, (point.y() - self.top) / self.height

    # -- changes -------------------------------------------------------------------------------

    def zoomed(self, factor: float, point: QPointF) -> LatticeGeometry | None:
        """Return a larger or smaller view that keeps the place under `point`; None beyond the largest."""
        if factor > 1 and self.zoom >= self.chip_zoom / _WHOLE:
            return None
        return self.zoomed_to(self.zoom * factor, point)

    def zoomed_to(self, zoom: float, point: QPointF) -> LatticeGeometry:
        """Return a zoomed view that keeps the place under `point`."""
        after = replace(self, zoom=min(max(zoom, 1.0), self.chip_zoom))
        return after._with(self._under(point), point)._clamped()

    def centered(self, zoom: float, node: int) -> LatticeGeometry:
        """Return a zoomed view with a node at the centre of the area."""
        after = replace(self, zoom=min(max(zoom, 1.0), self.chip_zoom))
        by = after.seen.center() - after.place(node).center()
        return replace(after, left=after.left + by.x(), top=after.top + by.y())._clamped()

    def on_way_to(self, end: LatticeGeometry, share: float, anchor: QPointF | None = None) -> LatticeGeometry:
        """Return an intermediate view towards another one, for an animation.

        The position of `anchor` in the end view moves on a straight line; the centre by default.
        """
        point = anchor or end.seen.center()
        column, row = under = end._under(point)
        start = QPointF(self.left + column * self.pitches[0], self.top + row * self.band_height)
        between = replace(end, zoom=self.zoom * (end.zoom / self.zoom) ** share)
        return between._with(under, start + (point - start) * share)

    def fitted(self) -> LatticeGeometry:
        """Return the complete view."""
        return replace(self, zoom=1.0)._clamped()

    def panned(self, by: QPointF) -> LatticeGeometry:
        """Return the view panned by pixels."""
        return replace(self, left=self.left + by.x(), top=self.top + by.y())._clamped()

    def in_area(self, area: QRectF, ratio: float, scale: float = 1.0) -> LatticeGeometry:
        """Return the view in another area with the same centre."""
        if self.zoom <= 1:
            return replace(self, area=area, ratio=ratio, scale=scale)._clamped()
        covered = self.covered * scale / self.scale
        after = replace(self, area=area, ratio=ratio, scale=scale, covered=covered)
        zoom = after.chip_zoom if self.stop == "chips" else min(self.zoom, after.chip_zoom)
        after = replace(after, zoom=zoom)
        return after._with(self._under(self.seen.center()), after.seen.center())._clamped()

    def _under(self, point: QPointF) -> tuple[float, float]:
        """Return the column under a point, and the row from the highest one, as fractions."""
        return (point.x() - self.left) / self.pitches[0], (point.y() - self.top) / self.band_height

    def _with(self, under: tuple[float, float], point: QPointF) -> LatticeGeometry:
        """Return the view with a column and a row under a point."""
        column, row = under
        left, top = point.x() - column * self.pitches[0], point.y() - row * self.band_height
        return replace(self, left=left, top=top)

    def centred_at(self, across: float, down: float) -> LatticeGeometry:
        """Return the view centred at these shares of width and height."""
        here = self.centre_share()
        return self.panned(QPointF((here[0] - across) * self.width, (here[1] - down) * self.height))

    def of(self, layout: LatticeLayout) -> LatticeGeometry:
        """Return the view of a layout with more nodes; nodes keep their size unless everything is visible."""
        after = replace(self, layout=layout, zoom=1.0)
        if self.is_whole:
            return after._clamped()
        zoom = min(max(self.pitches[0] / after.fit_pitches[0], 1.0), after.chip_zoom)
        return replace(after, zoom=zoom)._clamped()

    def _clamped(self) -> LatticeGeometry:
        """Return the view limited to the lattice: centred if it is smaller, without a gap if larger."""
        pitch_x = self.pitches[0]
        # Columns run from -(n - 1) // 2 to n // 2 around the middle one.
        before = (self.layout.n_columns - 1) // 2 * pitch_x
        left = _kept(self.left - before, self.width, self.area.left(), self.area.right()) + before
        centred = self.area.center().y() - self.height / 2
        # Not below the place without a strip, or the first zoom would move all nodes.
        highest, lowest = min(self.seen.bottom() - self.height, centred), max(self.seen.top(), centred)
        top = max(centred, self.seen.top()) if self.height <= self.seen.height() else self.top
        top = min(max(top, highest), lowest)
        snap = self.ratio
        return replace(self, left=round(left * snap) / snap, top=round(top * snap) / snap)

    def _inset(self) -> float:
        inset = (self.band_height - self.layout.slots * self.pitches[1]) / 2
        return round(inset * self.ratio) / self.ratio

    def _snapped(self, pitch: float) -> float:
        if not SMALLEST_PITCH <= pitch < _WHOLE_BELOW:
            return pitch
        return round(pitch * self.ratio) / self.ratio


def _kept(start: float, length: float, low: float, high: float) -> float:
    if length <= high - low:
        return (low + high - length) / 2
    return min(max(start, high - length), low)
