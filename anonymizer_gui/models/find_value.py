"""Search for the next cell that contains a text, row by row in display order, wrapping at the end."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import BoolArray, Codes
from engine.monitor import SILENT, Monitor
from engine.table import Column, Table
from engine.table.stored import is_cut
from engine.words import _

Cell = tuple[int, int]


def find_next(
    table: Table,
    needle: str,
    after: Cell,
    order: Codes | None = None,
    *,
    backwards: bool = False,
    monitor: Monitor = SILENT,
) -> Cell | None:
    """Return row and column of the next cell that contains the text, ignoring case.

    Parameters
    ----------
    table : Table
    needle : str
    after : tuple of two ints
        Row and column of the previous cell; (-1, -1) begins at the top.
    order : ndarray of int32, optional
        Records in display order; the complete table in its own order by default.
    backwards : bool
        Whether to search in the opposite direction.
    """
    best: tuple[int, int, int] | None = None
    sign = -1 if backwards else 1
    for place, column in enumerate(table.columns):
        monitor.step(place, len(table.columns), _("Finding"))
        has = _contains(column, needle)
        if is_cut(column) or not has.any():
            continue
        hits = has[column.codes if order is None else column.codes[order]]
        is_beyond = place < after[1] if backwards else place > after[1]
        first = max(after[0] + (1 if is_beyond == backwards else 0), 0)
        parts = ((hits[:first], 0), (hits[first:], first))
        for wraps, (part, start) in enumerate(parts if backwards else parts[::-1]):
            if part.any():
                row = start + int(len(part) - 1 - part[::-1].argmax() if backwards else part.argmax())
                key = (wraps, sign * row, sign * place)
                best = key if best is None else min(best, key)
                break
    return (sign * best[1], sign * best[2]) if best is not None else None


def _contains(column: Column, needle: str) -> BoolArray:
    wanted = needle.casefold()
    return np.fromiter((wanted in label.casefold() for label in column.labels), np.bool_, len(column.labels))
