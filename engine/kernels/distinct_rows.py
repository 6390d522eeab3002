"""Distinct rows of columns that are read block by block, with how often each occurs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Codes, Counts, IntArray, Keys

_MOST = 1 << 62
_DENSE = 1 << 22  # keys below this are counted in place
_LISTED = 1 << 25  # keys below this are looked up in a table
_PENDING = 1 << 22  # keys that wait until they are merged
_PIECE = 1 << 20  # keys that are merged at a time

Block = Sequence[NDArray[np.integer[Any]]]
Blocks = Callable[[], Iterable[Block]]
Pause = Callable[[], object]


class RowKeys:
    """One key per row, equal if all columns are equal, and the same in every block of rows.

    Columns are digits of a number as long as it fits; then the numbers that occur are numbered again.

    Parameters
    ----------
    spans : sequence of int
        One more than the largest code of each column.
    """

    def __init__(self, spans: Sequence[int]) -> None:
        self._spans = [max(span, 1) for span in spans]
        self._stops: list[int] = []  # columns after which keys are numbered again,
        self._known: list[Keys] = []  # and the keys that occur there, ascending
        span = 1
        for place, own in enumerate(self._spans):
            if span > _MOST // own:
                self._stops.append(place)
                span = 1 << 40  # more rows than fit into memory
            span *= own
        self.span = span

    def prepare(self, blocks: Blocks, pause: Pause = lambda: None) -> None:
        """Renumber the keys of all rows if they would not fit."""
        for stop in self._stops:
            self._known.append(_counted((self._keys(block, stop) for block in blocks()), 0, pause)[0])
        self.span = len(self._known[-1]) if self._known else 1
        for own in self._spans[self._stops[-1] if self._stops else 0 :]:
            self.span *= own

    def of(self, block: Block) -> Keys:
        """Return the key of each row; -1 for one whose beginning was not among those prepared."""
        return self._keys(block, len(self._spans))

    def _keys(self, block: Block, stop: int) -> Keys:
        keys = np.zeros(len(block[0]), dtype=np.int64)
        again = 0
        unknown = None
        for place in range(stop):
            if again < len(self._known) and self._stops[again] == place:
                known = self._known[again]
                found = np.minimum(np.searchsorted(known, keys), max(len(known) - 1, 0))
                missing = known[found] != keys if len(known) else np.ones(len(keys), dtype=np.bool_)
                unknown = missing if unknown is None else unknown | missing
                keys = found.astype(np.int64, copy=False)
                again += 1
            keys *= self._spans[place]
            keys += block[place]
        if unknown is not None:
            keys[unknown] = -1
        return keys

    def rows(self, keys: Keys, pause: Pause = lambda: None) -> tuple[Codes, ...]:
        """Return the columns of keys."""
        columns: list[Codes] = []
        stops, known = list(self._stops), list(self._known)
        rest = keys
        for place in range(len(self._spans) - 1, -1, -1):
            pause()
            rest, digit = np.divmod(rest, self._spans[place])
            columns.append(digit.astype(np.int32))
            if stops and stops[-1] == place:
                stops.pop()
                rest = known.pop()[rest]
        return tuple(reversed(columns))


class RowPlaces:
    """Finds rows among different listed ones.

    Parameters
    ----------
    listed : sequence of integer arrays
        Columns of the listed rows.
    spans : sequence of int
        As for `RowKeys`.
    """

    def __init__(self, listed: Block, spans: Sequence[int]) -> None:
        self._keys = RowKeys(spans)
        self._keys.prepare(lambda: [listed])
        own = self._keys.of(listed)
        self._order = np.argsort(own, kind="stable")
        self._ascending = own[self._order]
        self._table: Codes | None = None
        if self._keys.span <= _LISTED:
            self._table = np.full(self._keys.span + 1, -1, dtype=np.int32)  # the last one for keys of -1
            self._table[own] = np.arange(len(own), dtype=np.int32)

    def of(self, block: Block) -> IntArray:
        """Return the place of each row among those listed; -1 for one that is not."""
        keys = self._keys.of(block)
        if self._table is not None:
            return self._table[keys].astype(np.int64)
        if not len(self._ascending):
            return np.full(len(keys), -1, dtype=np.int64)
        found = np.minimum(np.searchsorted(self._ascending, keys), len(self._ascending) - 1)
        return np.where(self._ascending[found] == keys, self._order[found], -1)


def distinct_rows(
    blocks: Blocks, spans: Sequence[int], pause: Pause = lambda: None
) -> tuple[tuple[Codes, ...], Counts]:
    """Return the distinct rows in lexicographic order, as columns, and how often each occurs.

    Parameters
    ----------
    blocks : callable
        Returns the columns of all rows block by block; called once more for every 62 bits of a row.
    spans : sequence of int
        One more than the largest code of each column.
    pause : callable, optional
        Called often while rows of several blocks are merged; may raise to end the work.

    Returns
    -------
    columns : tuple of ndarray of int32, each of shape (n_distinct,)
    counts : ndarray of int64, shape (n_distinct,)
    """
    row_keys = RowKeys(spans)
    row_keys.prepare(blocks, pause)
    keys, counts = _counted(map(row_keys.of, blocks()), row_keys.span, pause)
    return row_keys.rows(keys, pause), counts


def _counted(parts: Iterable[Keys], span: int, pause: Pause) -> tuple[Keys, Counts]:
    """Return the distinct keys in ascending order, and their counts; a span of 0 is unknown."""
    if 0 < span <= _DENSE:
        counts = np.zeros(span, dtype=np.int64)
        for keys in parts:
            counts += np.bincount(keys, minlength=span)
        present = np.flatnonzero(counts)
        return present, counts[present]
    known, totals = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    waiting: list[tuple[IntArray, Counts]] = []
    n_waiting = 0
    for keys in parts:
        found, times = np.unique(keys, return_counts=True)
        waiting.append((found, times))
        n_waiting += len(found)
        if n_waiting > max(_PENDING, len(known)):
            known, totals = _merged([(known, totals), *waiting], pause)
            waiting, n_waiting = [], 0
    return _merged([(known, totals), *waiting], pause)


def _merged(parts: Sequence[tuple[IntArray, Counts]], pause: Pause) -> tuple[Keys, Counts]:
    """Merge ascending keys with their counts, range by range."""
    n_pieces = sum(len(keys) for keys, _unused in parts) // _PIECE + 1
    longest = max((keys for keys, _unused in parts), key=len)
    limits = longest[np.arange(1, n_pieces) * len(longest) // n_pieces]
    places = [[0, *np.searchsorted(keys, limits).tolist(), len(keys)] for keys, _unused in parts]
    merged = []
    for piece in range(n_pieces):
        pause()
        own = [slice(*found[piece : piece + 2]) for found in places]
        merged.append(_joined([(k[at], c[at]) for (k, c), at in zip(parts, own, strict=True)]))
    return np.concatenate([k for k, _unused in merged]), np.concatenate([c for _unused, c in merged])


def _joined(parts: Sequence[tuple[IntArray, Counts]]) -> tuple[Keys, Counts]:
    keys = np.concatenate([part for part, _unused in parts])
    times = np.concatenate([own for _unused, own in parts])
    if not len(keys):
        return keys, times
    order = np.argsort(keys, kind="stable")
    keys, times = keys[order], times[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return keys[starts], np.add.reduceat(times, starts)
