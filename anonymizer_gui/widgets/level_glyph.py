"""The level glyph: one column per quasi-identifier, filled up to the level of a node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from anonymizer_gui.theming import Theme, current_theme, font_scale, scaled
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import Picture

MOST_COLUMNS = 16
_MOST_PICTURES = 6000


@dataclass(frozen=True)
class GlyphSize:
    """Pixels at scale 1: height, width of a column, gap between columns, steps that keep their gaps."""

    height: int
    column: int
    gap: int
    most_steps: int


SMALL = GlyphSize(14, 4, 2, 7)
MIDDLE = GlyphSize(18, 5, 2, 10)
LARGE = GlyphSize(24, 8, 3, 14)


@dataclass(frozen=True)
class Glyph:
    """Content of a glyph.

    Attributes
    ----------
    levels, heights : tuple of int
        Level of each column, and the highest level of its hierarchy.
    differing : set of int
        Columns drawn in the accent colour, as they differ from what the node is compared with.
    fails : bool
        Whether the node fails the requirement, drawn paler.
    """

    levels: tuple[int, ...] = ()
    heights: tuple[int, ...] = ()
    differing: frozenset[int] = frozenset()
    fails: bool = False


def glyph_width(n_columns: int, size: GlyphSize) -> int:
    """Return the width of a glyph in pixels."""
    return max(n_columns * (scaled(size.column) + scaled(size.gap)) - scaled(size.gap), 0)


def draw_glyph(
    painter: QPainter, place: QPointF, glyph: Glyph, size: GlyphSize, theme: Theme | None = None
) -> None:
    """Draw a glyph with its upper left corner at `place`, in whole device pixels."""
    theme = theme or current_theme()
    ratio = painter.device().devicePixelRatioF()
    origin = painter.transform().map(place)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.resetTransform()
    painter.scale(1 / ratio, 1 / ratio)
    left, top = round(origin.x() * ratio), round(origin.y() * ratio)
    height, width, gap = (
        max(round(scaled(length) * ratio), 1) for length in (size.height, size.column, size.gap)
    )
    empty = QColor(theme.fail)
    for number, (level, steps) in enumerate(zip(glyph.levels, glyph.heights, strict=True)):
        is_other = number in glyph.differing
        filled = QColor(theme.accent if is_other else theme.fail_line if glyph.fails else theme.text_2)
        column = QRect(left + number * (width + gap), top, width, height)
        for step, rect in enumerate(step_rects(column, steps, size, round(ratio))):
            painter.fillRect(rect, filled if step < level else empty)
        if is_other and level == 0:
            _outline(painter, column, QColor(theme.accent), max(round(ratio), 1))
    painter.restore()


def glyph_picture(glyph: Glyph, size: GlyphSize, ratio: float, theme: Theme) -> QPixmap:
    """Return a glyph as a picture; a lattice draws hundreds of them in a frame."""
    return _picture(glyph, size, ratio, theme, font_scale())


@lru_cache(maxsize=_MOST_PICTURES)
def _picture(glyph: Glyph, size: GlyphSize, ratio: float, theme: Theme, _scale: float) -> QPixmap:
    picture = QPixmap(
        max(round(glyph_width(len(glyph.levels), size) * ratio), 1), round(scaled(size.height) * ratio)
    )
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    draw_glyph(painter, QPointF(0, 0), glyph, size, theme)
    painter.end()
    return picture


def fitting(glyph: Glyph, width: float, sizes: Sequence[GlyphSize]) -> tuple[Glyph, GlyphSize]:
    """Return the glyph in the largest of the sizes that fits a width; else its generalized columns."""
    for size in sizes:
        if glyph_width(len(glyph.levels), size) <= width:
            return glyph, size
    size = sizes[-1]
    n_columns = int((width + scaled(size.gap)) // (scaled(size.column) + scaled(size.gap)))
    return generalized_columns(glyph, max(n_columns, 0)), size


def generalized_columns(glyph: Glyph, most: int = MOST_COLUMNS) -> Glyph:
    """Return a glyph with its first generalized or differing columns only."""
    kept = [q for q, level in enumerate(glyph.levels) if level or q in glyph.differing][:most]
    differing = frozenset(place for place, q in enumerate(kept) if q in glyph.differing)
    levels, heights = (tuple(values[q] for q in kept) for values in (glyph.levels, glyph.heights))
    return Glyph(levels, heights, differing, glyph.fails)


def step_rects(column: QRect, steps: int, size: GlyphSize, between: int = 1) -> list[QRect]:
    """Divide a column into its steps from the bottom; without gaps if there are too many steps."""
    if steps <= 1:
        return [column] * max(steps, 1)
    gap = max(between, 1) if steps <= size.most_steps else 0
    free = column.height() - (steps - 1) * gap
    edges = [round(free * step / steps) for step in range(steps + 1)]
    bottom, x, width = column.y() + column.height(), column.x(), column.width()
    return [
        QRect(x, bottom - high - step * gap, width, high - low)
        for step, (low, high) in enumerate(pairwise(edges))
    ]


def _outline(painter: QPainter, column: QRect, colour: QColor, width: int) -> None:
    inner = column.adjusted(width, width, -width, -width)
    for rect in (
        QRect(column.x(), column.y(), column.width(), width),
        QRect(column.x(), inner.y() + inner.height(), column.width(), width),
        QRect(column.x(), inner.y(), width, inner.height()),
        QRect(inner.x() + inner.width(), inner.y(), width, inner.height()),
    ):
        painter.fillRect(rect, colour)


class LevelGlyph(Picture):
    """Draws the glyph of a node; hidden without one. It never takes the focus."""

    def __init__(self, size: GlyphSize = SMALL) -> None:
        super().__init__(0, size.height)
        self._size, self.glyph = size, Glyph()
        self.hide()

    def show_glyph(self, glyph: Glyph) -> None:
        """Show the levels of a node; if more columns than fit, ungeneralized ones are omitted."""
        self.glyph = glyph if len(glyph.levels) <= MOST_COLUMNS else generalized_columns(glyph)
        self.setVisible(bool(self.glyph.levels))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(glyph_width(len(self.glyph.levels), self._size), scaled(self._size.height))

    def draw(self, painter: ThemedPainter) -> None:
        top = (self.height() - scaled(self._size.height)) // 2
        draw_glyph(painter, QPointF(0, top), self.glyph, self._size)
