"""Search for the next cell that contains a text, row by row in display order, wrapping at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from engine.kernels.arrays import BoolArray, Codes
from engine.monitor import SILENT, Monitor
from engine.records import Table
from engine.words import _

_BLOCK = 1 << 18  # rows between checks for cancellation
_LABELS = 1 << 16

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
    after : tuple of two ints
        Row and column of the previous cell; (-1, -1) begins at the top.
    order : ndarray of int32, optional
        Records in display order; the complete table in its own order by default.
    backwards : bool
        Whether to search in the opposite direction.
    """
    wanted = []
    for place, column in enumerate(table.columns):
        has = _contains(column.listed_labels or (), needle, monitor)
        if has.any():
            wanted.append((place, has))
    n_rows, done = table.n_rows if order is None else len(order), 0
    for rows, is_due in _stretches(after, n_rows, backwards):
        places = [own for own in wanted if is_due(own[0])]
        for block in _blocks(rows, backwards) if places else ():
            monitor.step(done, max(n_rows, 1), _("Finding"))
            done += len(block)
            shown = slice(block.start, block.stop)
            records = shown if order is None else order[shown]
            found = [
                (int(hits[-1 if backwards else 0]) + block.start, place)
                for place, has in places
                if len(hits := np.flatnonzero(has[table.columns[place].codes[records]]))
            ]
            if found:
                return max(found) if backwards else min(found)
    return None


def _stretches(after: Cell, n_rows: int, backwards: bool) -> list[tuple[range, Callable[[int], bool]]]:
    """Return rows, and which of their columns are due, in the order of the search around the table."""
    row, place = after
    if not 0 <= row < n_rows:
        return [(range(n_rows), lambda _place: True)]
    above, own, below = range(row), range(row, row + 1), range(row + 1, n_rows)
    first, then = (above, below) if backwards else (below, above)
    return [
        (own, lambda other: other < place if backwards else other > place),
        (first, lambda _place: True),
        (then, lambda _place: True),
        (own, lambda other: other >= place if backwards else other <= place),
    ]


def _blocks(rows: range, backwards: bool) -> Iterator[range]:
    """Yield the rows block by block, the last block first if backwards."""
    if backwards:
        for stop in range(rows.stop, rows.start, -_BLOCK):
            yield range(max(stop - _BLOCK, rows.start), stop)
    else:
        for start in range(rows.start, rows.stop, _BLOCK):
            yield range(start, min(start + _BLOCK, rows.stop))


def _contains(texts: Sequence[str], needle: str, monitor: Monitor) -> BoolArray:
    wanted, found = needle.casefold(), np.zeros(len(texts), dtype=np.bool_)
    for start in range(0, len(found), _LABELS):
        monitor.step(0, 1, _("Finding"))
        labels = texts[start : start + _LABELS]
        found[start : start + len(labels)] = [wanted in label.casefold() for label in labels]
    return found
