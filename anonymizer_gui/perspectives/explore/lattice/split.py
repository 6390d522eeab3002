"""A large lattice split into facets by two columns: places of facets and dots, and how they are painted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import floor
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage

from anonymizer_gui.perspectives.explore.lattice.card_faces import draw_words
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout
from anonymizer_gui.perspectives.explore.lattice.marks import Marks, PlacedMark, marks_at_dots
from anonymizer_gui.theming import Text, Theme, font, ramp_colors, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from engine.cached import cached_property
from engine.scoring.split import Split
from engine.words import _

Facet: TypeAlias = tuple[int, int]
Placed: TypeAlias = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]

_HEAD, _TOP, _GAP, _INSET, _FOOT = 104, 22, 8, 8, 22  # px beside, above, between, within and below facets
_LEAST_WIDTH, _LEAST_HEIGHT, _LEAST_HEAD = 200, 72, 60  # px of a facet, and of one with a title
_NUMBERS = 96  # px at the right of the dots
_FEW, _PITCH_OF_FEW, _LARGEST_PITCH, _OPENED_PITCH = 60, 5.0, 9.0, 18.0
_WRAPS = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)
_EMPTY, _RADIUS, _BAR = 0.7, 5.0, 16  # opacity, px, colour of the ramp
_BELOW_NUMBERS = 0.6  # share of the numbers' width that the longest rows of dots may reach into


@dataclass(frozen=True)
class FacetWords:
    """Best value of a facet, its price, satisfying nodes and their share."""

    best: str
    price: str
    count: str
    share: float


@dataclass(frozen=True)
class SplitWords:
    """Names of the two columns, titles of their levels from the finest, best of each row, and all facets.

    `spoken` returns what a screen reader says of a facet.
    """

    names: tuple[str, str]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    best_of_rows: tuple[str, ...]
    facets: Mapping[Facet, FacetWords]
    spoken: Callable[[Facet], str]
    optimum: Facet | None = None


@dataclass(frozen=True, eq=False)
class SplitLayout:
    """Immutable places of all facets, or of one that is opened; each change returns another layout.

    Attributes
    ----------
    layout : LatticeLayout
        Of the nodes of one facet, alike in all of them.
    area : QRectF
        Area of the facets, between their heads.
    """

    split: Split
    layout: LatticeLayout
    area: QRectF
    ratio: float
    scale: float = 1.0
    moved: QPointF = field(default_factory=QPointF)
    opened: Facet | None = None

    @property
    def n_nodes(self) -> int:
        return self.split.lattice.n_nodes

    @cached_property
    def _size(self) -> tuple[float, float]:
        """Width and height of a facet."""
        rows, columns = self.split.shape
        width = (self.area.width() - (columns - 1) * _GAP) / columns
        height = (self.area.height() - (rows - 1) * _GAP) / rows
        return max(width, _LEAST_WIDTH * self.scale), max(height, _LEAST_HEIGHT * self.scale)

    @property
    def _spare(self) -> tuple[float, float]:
        """Width and height by which the facets exceed the area."""
        (width, height), (rows, columns) = self._size, self.split.shape
        wide, high = columns * (width + _GAP) - _GAP, rows * (height + _GAP) - _GAP
        return max(wide - self.area.width(), 0.0), max(high - self.area.height(), 0.0)

    @property
    def is_whole(self) -> bool:
        return self.opened is None and max(self._spare) < 0.5

    def facets(self) -> Iterator[Facet]:
        """Yield the facets, the finest first."""
        yield from np.ndindex(*self.split.shape) if self.opened is None else (self.opened,)

    def rect_of(self, facet: Facet) -> QRectF:
        """Return the place of a facet; the finest levels are at the lower left."""
        if facet == self.opened:
            return self.area
        (width, height), (row, column) = self._size, facet
        x = self.area.left() + self.moved.x() + column * (width + _GAP)
        y = self.area.top() + self.moved.y() + (self.split.shape[0] - 1 - row) * (height + _GAP)
        return QRectF(round(x) + 0.5, round(y) + 0.5, round(width) - 1, round(height) - 1)

    def facet_at(self, point: QPointF) -> Facet | None:
        """Return the facet under a point."""
        return next((facet for facet in self.facets() if self.rect_of(facet).contains(point)), None)

    # -- dots ----------------------------------------------------------------------------------

    @cached_property
    def pitch(self) -> float:
        """Width and height of the place of a node."""
        layout, inner = self.layout, self._inner(next(self.facets()))
        rows = layout.n_rows * (layout.slots + layout.band) / 2
        most = _PITCH_OF_FEW if layout.n_nodes < _FEW else _LARGEST_PITCH
        room = min(inner.width() / layout.n_columns, inner.height() / rows, self.scale * most)
        if self.opened is not None:
            room = min(inner.width() / layout.n_columns, inner.height() / rows, _OPENED_PITCH)
        return max(floor(room * self.ratio), 1) / self.ratio

    @property
    def pitches(self) -> tuple[float, float]:
        return self.pitch, self.pitch

    def _inner(self, facet: Facet) -> QRectF:
        """Return the area of the dots: the middle rows, the longest, reach between the numbers."""
        right = _INSET + _NUMBERS * self.scale * (1 - _BELOW_NUMBERS)
        return self.rect_of(facet).adjusted(_INSET, _INSET / 2, -right, -_INSET / 2)

    @cached_property
    def _within(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Left and top of the places of a facet's nodes from the centre of its dots."""
        layout, pitch = self.layout, self.pitch
        apart = layout.band if self.opened is None else 2 * layout.slots
        band = min(apart * pitch, self._inner(next(self.facets())).height() / layout.n_rows)
        row, column, slot = layout.positions.T
        y = (layout.n_rows / 2 - 1 - row) * band + (band - layout.slots * pitch) / 2 + slot * pitch
        return (column - 0.5) * pitch, y

    def _corners(self, facet: Facet) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        inner, (x, y) = self._inner(facet), self._within
        free = max(inner.width() - _NUMBERS * self.scale * _BELOW_NUMBERS, self.layout.n_columns * self.pitch)
        return x + round(inner.left() + free / 2), y + round(inner.center().y())

    def in_picture(self, _width: int, _height: int) -> Placed:
        """Return the nodes and the corners of their places in device pixels."""
        return self._placed

    @cached_property
    def _placed(self) -> Placed:
        facets = list(self.facets())
        x, y = zip(*map(self._corners, facets), strict=True)
        nodes = np.concatenate([self.split.nodes[facet] for facet in facets])
        return nodes, np.concatenate(x) * self.ratio, np.concatenate(y) * self.ratio

    def place(self, node: int) -> QRectF | None:
        facet = self.split.facet_of(node)
        if self.opened not in (None, facet):
            return None
        at = int(np.flatnonzero(self.split.nodes[facet] == node)[0])
        x, y = self._corners(facet)
        return QRectF(float(x[at]), float(y[at]), self.pitch, self.pitch)

    def node_at(self, point: QPointF, reach: float = 0.0) -> int | None:
        """Return the node under a point, or the closest one of its facet within `reach` pixels."""
        if (facet := self.facet_at(point)) is None or not self.area.contains(point):
            return None
        x, y = self._corners(facet)
        half = self.pitch / 2
        apart = np.hypot(x + half - point.x(), y + half - point.y())
        nearest = int(np.argmin(apart))
        return int(self.split.nodes[facet][nearest]) if apart[nearest] <= max(reach, half) else None

    def is_free(self, rect: QRectF) -> bool:
        """Return whether no facet meets a rectangle."""
        return not any(rect.intersects(self.rect_of(facet)) for facet in self.facets())

    # -- changes -------------------------------------------------------------------------------

    @property
    def stop(self) -> str:
        """Name of this view among the sizes of nodes."""
        return "split"

    def opening(self, facet: Facet | None) -> SplitLayout:
        """Return the layout with one facet over the whole area; None for all."""
        return replace(self, opened=facet)

    def zoomed(self, factor: float, point: QPointF) -> SplitLayout | None:
        """Open the facet at a point; None beyond one facet."""
        if factor > 1:
            return None if self.opened is not None else self.opening(self.facet_at(point))
        return self.opening(None)

    def panned(self, by: QPointF) -> SplitLayout:
        (wide, high), moved = self._spare, self.moved + by
        x, y = min(max(moved.x(), -wide), 0.0), min(max(moved.y(), -high), 0.0)
        return replace(self, moved=QPointF(x, y))

    def showing(self, facet: Facet) -> SplitLayout:
        """Return the layout panned so that a facet is in view."""
        rect, area = self.rect_of(facet), self.area
        x = max(area.left() - rect.left(), 0.0) + min(area.right() - rect.right(), 0.0)
        y = max(area.top() - rect.top(), 0.0) + min(area.bottom() - rect.bottom(), 0.0)
        return self.panned(QPointF(x, y)) if x or y else self

    def fitted(self) -> SplitLayout:
        return replace(self, opened=None, moved=QPointF())


def split_area(view: QRectF) -> QRectF:
    """Return the area of a view between the heads of the facets."""
    return view.adjusted(scaled(_HEAD) + _INSET, scaled(_TOP), -_INSET, -scaled(_FOOT))


def marks_of_split(layout: SplitLayout, marks: Marks) -> list[PlacedMark]:
    """Place the marks of the nodes in view."""

    def point_of(node: int) -> QPointF | None:
        place = layout.place(node)
        return place.center() if place is not None and layout.area.contains(place.center()) else None

    return marks_at_dots(marks, point_of)


def draw_frames(dots: QImage, layout: SplitLayout, theme: Theme) -> None:
    """Draw the frames of all facets into the picture of their dots."""
    painter = ThemedPainter(dots, theme)
    painter.setRenderHint(painter.RenderHint.Antialiasing)
    for facet in layout.facets():
        painter.outline(layout.rect_of(facet), "border", radius=_RADIUS)
    painter.end()


def paint_split(
    painter: ThemedPainter,
    layout: SplitLayout,
    dots: QImage,
    words: SplitWords,
    marks: Marks,
    at: Facet | None,
) -> None:
    """Paint the dots, and around them the facets with their numbers; `at` is the facet that keys act on."""
    painter.drawImage(0, 0, dots)
    painter.setRenderHint(painter.RenderHint.Antialiasing)
    for facet in layout.facets():
        rect = layout.rect_of(facet)
        if not rect.intersects(layout.area):
            continue
        if not words.facets[facet].share:
            painter.fill(rect, "surface_2", _EMPTY, radius=_RADIUS)
        if is_optimum := facet == words.optimum:
            painter.outline(rect, "ink", 2.0, _RADIUS)
        if facet == at:
            painter.outline(rect.adjusted(2, 2, -2, -2), "accent", 1.5, _RADIUS)
        _draw_numbers(painter, rect, words.facets[facet], is_optimum=is_optimum)
    _draw_heads(painter, layout, words)
    for mark in marks_of_split(layout, marks):
        mark.draw(painter, mark.box, painter.theme)


def _draw_numbers(painter: ThemedPainter, rect: QRectF, words: FacetWords, *, is_optimum: bool) -> None:
    room = QRectF(rect.right() - scaled(_NUMBERS) - _INSET, rect.top() + 4, scaled(_NUMBERS), scaled(19))
    painter.ink("text" if words.share else "text_2")
    draw_words(painter, room, words.best, Text.HEADING if words.share else Text.CAPTION, at_right=True)
    painter.ink("text_2" if is_optimum else "warn")
    draw_words(painter, room.translated(0, scaled(18)), words.price, Text.CAPTION, at_right=True)
    if words.share:
        count = QRectF(room.left(), rect.bottom() - scaled(17), room.width(), scaled(15))
        painter.ink("text_2")
        draw_words(painter, count, words.count, Text.CAPTION, at_right=True)
        track = QRectF(room.right() - scaled(64), count.top() - scaled(6), scaled(64), scaled(5))
        painter.fill(track, "border" if painter.theme.is_dark else "sunken")  # round ends take too long
        track.setWidth(max(track.width() * words.share, 1.5))
        painter.fillRect(track, ramp_colors(painter.theme)[_BAR])


def _draw_heads(painter: ThemedPainter, layout: SplitLayout, words: SplitWords) -> None:
    """Draw the titles of rows and columns, which stay while facets scroll, and how to read the dots."""
    area, whole = layout.area, QRectF(painter.viewport())
    painter.setRenderHint(painter.RenderHint.Antialiasing, False)
    for strip in (
        QRectF(0, 0, area.left() - 2, whole.height()),
        QRectF(0, 0, whole.width(), area.top() - 2),
        QRectF(0, area.bottom() + 2, whole.width(), whole.height()),
    ):
        painter.fill(strip, "surface")
    painter.setRenderHint(painter.RenderHint.Antialiasing)
    height, (down, right) = QFontMetricsF(font(Text.CELL_STRONG)).height(), words.names
    top = QRectF(_INSET, 3, area.left() - 2 * _INSET, height)
    painter.ink("text_3")
    draw_words(painter, top, _("{column} →").format(column=right), Text.CAPTION)
    foot = QRectF(area.left(), area.bottom() + 4, area.width(), scaled(15))
    if layout.opened is None:
        text = _("Rows of dots: sum of the other levels. Click beside the dots, or Enter: one facet alone.")
    else:
        text = _("Rows of dots: sum of the other levels. Esc, or Split: all facets.")
    draw_words(painter, foot, text, Text.CAPTION)
    bold, seen = QFontMetricsF(font(Text.CELL_STRONG)), set[tuple[str, int]]()
    for row, column in layout.facets():
        place = layout.rect_of((row, column)).intersected(area)
        wide, title = min(bold.horizontalAdvance(words.columns[column]), place.width()), words.columns[column]
        if ("column", column) not in seen and place.width() >= scaled(_LEAST_HEAD):
            seen.add(("column", column))
            painter.ink("text")
            left = place.center().x() - wide / 2
            draw_words(painter, QRectF(left, 3, wide, height), title, Text.CELL_STRONG)
        if ("row", row) not in seen and place.height() >= 3 * height:
            seen.add(("row", row))
            two = QRectF(0, 0, top.width(), 2 * height)
            high = min(bold.boundingRect(two, _WRAPS, words.rows[row]).height(), two.height())
            two.moveTopLeft(QPointF(top.left(), place.center().y() - high / 2 - height))
            painter.style(Text.CELL_STRONG, "text")
            painter.drawText(two, _WRAPS, words.rows[row])
            painter.ink("text_3")
            for at, text in enumerate((down, words.best_of_rows[row])):
                line = QRectF(two.left(), two.top() + high + at * height, two.width(), height)
                draw_words(painter, line, text, Text.CAPTION)
