"""Finds the next cell that contains a text, record by record, beginning again at the top."""

from __future__ import annotations

import numpy as np

from engine.table import Table

Cell = tuple[int, int]


def find_next(table: Table, needle: str, after: Cell) -> Cell | None:
    """Return record and column of the next cell after one that contains the text, whatever its case."""
    wanted = needle.casefold()
    best: tuple[int, int, int] | None = None
    for place, column in enumerate(table.columns):
        has = np.array([wanted in label.casefold() for label in column.labels], dtype=np.bool_)
        if not has.any():
            continue
        hits = has[column.codes]
        first = after[0] if place > after[1] else after[0] + 1
        for wraps, part in enumerate((hits[first:], hits[:first])):
            if part.any():
                record = int(part.argmax()) + (0 if wraps else first)
                best = min(filter(None, (best, (wraps, record, place))))
                break
    return best[1:] if best is not None else None
