"""Where rows and cells of the price table are: the largest rows that fit, all cells of a row equally wide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from anonymizer_gui.theming import scaled
from engine.cached import cached_property

# Heights of a row with its gap, and of its cells, in px at scale 1, from the largest.
PITCHES = ((66, 56), (46, 40), (38, 32), (28, 24))
TWO_LINES, ONE_LINE, ONLY_PRICE = 40, 32, 24  # heights of cells: what is shown, see `PriceLayout.cell`
NAME_WIDTH, GAP, TOP, RULE, SIDE = 156, 6, 18, 9, 2
_MOST_OF_NAMES = 0.28  # of the width
NARROW, OPEN = 44, 132  # widths of cells of long rows
_MOST_LEVELS, _MOST_LEVELS_OF_NARROW, _NARROW_VIEW = 7, 5, 760
Place = tuple[int, int]  # row, cell in it


@dataclass(frozen=True)
class PriceLayout:
    """Layout of rows in a view; immutable.

    Attributes
    ----------
    n_cells : tuple of int
        Number of cells of each row.
    n_upper : int
        Rows above the rule.
    opened : frozenset of (int, int)
        Cells of long rows that are wide: chosen, or under pointer or focus.
    """

    width: float
    height: float
    n_cells: tuple[int, ...]
    n_upper: int
    opened: frozenset[Place] = frozenset()

    @cached_property
    def pitch(self) -> tuple[int, int]:
        """Heights of a row and of its cells, in px at scale 1."""
        fits = (pitch for pitch in PITCHES if needed_height(self.n_cells, self.n_upper, pitch) <= self.height)
        return next(fits, PITCHES[-1])

    @property
    def cell_height(self) -> int:
        """Height of cells in px at scale 1, by which a painter chooses what to show."""
        return self.pitch[1]

    def row_top(self, row: int) -> float:
        """Return the upper edge of a row."""
        rule = scaled(RULE) if 0 < self.n_upper <= row else 0
        return scaled(TOP) + row * scaled(self.pitch[0]) + rule

    @property
    def rule(self) -> float | None:
        """Height of the rule between both blocks; None if there is one only."""
        if not 0 < self.n_upper < len(self.n_cells):
            return None
        return self.row_top(self.n_upper) - scaled(RULE) / 2 - scaled(self.pitch[0] - self.pitch[1]) / 2

    def name(self, row: int) -> QRectF:
        """Return the place of a column's name."""
        return QRectF(SIDE, self.row_top(row), self._names - 2 * GAP, scaled(self.pitch[1]))

    @property
    def _names(self) -> float:
        """Width of the names, which with large text leave cells room for their prices."""
        return min(scaled(NAME_WIDTH), _MOST_OF_NAMES * self.width)

    def is_long(self, row: int) -> bool:
        """Return whether a row has more levels than there is room for."""
        most = _MOST_LEVELS_OF_NARROW if self.width < scaled(_NARROW_VIEW) else _MOST_LEVELS
        return self.n_cells[row] > most

    def cells(self, row: int) -> Sequence[QRectF]:
        """Return the places of the cells of a row."""
        n, left = self.n_cells[row], float(round(self._names))
        room = self.width - left - SIDE - GAP * (n - 1)
        if self.is_long(row):
            widths = [scaled(OPEN if (row, cell) in self.opened else NARROW) for cell in range(n)]
            spare = max(room - sum(widths), 0.0) / n
            sizes = [width + spare for width in widths]
        else:
            sizes = [room / max(n, 1)] * n
        places, top, height = [], self.row_top(row), float(scaled(self.pitch[1]))
        for size in sizes:
            first, last = round(left), round(left + size)  # whole pixels, so that pictures of cells are sharp
            places.append(QRectF(first, top, last - first, height))
            left += size + GAP
        return places

    def place(self, at: Place) -> QRectF:
        """Return the rectangle of a cell."""
        return self.cells(at[0])[at[1]]

    def cell_at(self, point: QPointF) -> Place | None:
        """Return the cell under a point."""
        for row in range(len(self.n_cells)):
            top = self.row_top(row)
            if top <= point.y() < top + scaled(self.pitch[1]):
                found = (cell for cell, place in enumerate(self.cells(row)) if place.contains(point))
                cell = next(found, None)
                return None if cell is None else (row, cell)
        return None


def needed_height(n_cells: Sequence[int], n_upper: int, pitch: tuple[int, int] = PITCHES[-1]) -> int:
    """Return the height of all rows at a pitch, and of the frame of the focus below them."""
    rule = scaled(RULE) if 0 < n_upper < len(n_cells) else 0
    above = max(len(n_cells) - 1, 0) * scaled(pitch[0])
    return scaled(TOP) + above + scaled(pitch[1]) + rule + 2 * SIDE
