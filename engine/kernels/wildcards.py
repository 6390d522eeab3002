"""Rows that agree wherever neither has a wildcard, a cell that could be anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.kernels.grouping import class_keys, class_labels

_ROWS_PER_PATTERN = 4  # fewer rows than one per so many indexes are compared one by one instead
_PLACES = 1 << 23  # places of rows in indexes at a time


class Run(NamedTuple):
    """Places in a list of rows, per queried row: those from `first` to before `last` match it."""

    rows: IntArray
    first: IntArray
    last: IntArray


class Block(NamedTuple):
    """Pairs of matching rows, sorted by the queried one.

    Attributes
    ----------
    queried : ndarray of int64, shape (n_queried,)
        Distinct rows.
    places, matches : ndarray of int64, shape (n_pairs,)
        Place of a row among them, and a row that matches it.
    """

    queried: IntArray
    places: IntArray
    matches: IntArray


@dataclass(frozen=True, eq=False)
class Matched:
    """Some rows, and the rows that match them; every row matches itself.

    Attributes
    ----------
    queried : ndarray of int64, shape (n_queried,)
    runs : tuple of Run
        A match is in one of them only.
    """

    queried: IntArray
    runs: tuple[Run, ...]

    def sums(self, weights: Counts) -> Counts:
        """Return the sum of the weights of the matching rows, per queried row."""
        found = np.zeros(len(self.queried), dtype=np.int64)
        for run in self.runs:
            before = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(weights[run.rows])))
            found += before[run.last] - before[run.first]
        return found

    def blocks(self, weights: Counts, most: int) -> Iterator[Block]:
        """Yield the pairs; the weights of the matches of one block add to at most `most`, or it is one row.

        Parameters
        ----------
        weights : ndarray of int64, shape (n_rows,)
            At least 1 each.
        """
        total = np.cumsum(self.sums(weights))
        start = 0
        while start < len(self.queried):
            before = int(total[start - 1]) if start else 0
            end = max(int(np.searchsorted(total, before + most, side="right")), start + 1)
            yield self._block(start, end)
            start = end

    def _block(self, start: int, end: int) -> Block:
        places, matches = [], []
        for run in self.runs:
            first, n_matches = run.first[start:end], (run.last - run.first)[start:end]
            own = np.repeat(np.arange(end - start), n_matches)
            ends = np.cumsum(n_matches)
            places.append(own)
            matches.append(run.rows[np.arange(len(own)) - (ends - n_matches)[own] + first[own]])
        place = np.concatenate(places)
        order = np.argsort(place, kind="stable")
        return Block(self.queried[start:end], place[order], np.concatenate(matches)[order])


@dataclass(frozen=True, eq=False)
class WildcardRows:
    """Distinct rows of codes, some of whose cells are wildcards.

    Attributes
    ----------
    columns : sequence of ndarray of int64, each of shape (n_rows,)
        Codes; those of wildcards are ignored.
    wild : ndarray of bool, shape (n_rows, n_columns)
        Whether a cell is a wildcard.

    Notes
    -----
    Rows with the same cells wild have one pattern. Of two patterns, only the columns count in which neither
    is wild: the rows of one pattern are sorted by these, and looked up by those of the other. If a table has
    very many patterns, the rows of a rare one are compared with the rows of their rarest value instead.
    """

    columns: Sequence[IntArray]
    wild: BoolArray
    patterns: BoolArray = field(init=False)
    members: tuple[IntArray, ...] = field(init=False)

    def __post_init__(self) -> None:
        packed = np.packbits(self.wild, axis=1)
        numbers, first, sizes = class_labels(
            [own.astype(np.int32) for own in packed.T], [256] * packed.shape[1]
        )
        order, ends = np.argsort(numbers, kind="stable"), np.cumsum(sizes)
        object.__setattr__(self, "patterns", self.wild[first])
        object.__setattr__(self, "members", tuple(np.split(order, ends[:-1])))

    @property
    def n_patterns(self) -> int:
        """Number of different patterns."""
        return len(self.members)

    def matched(self, pattern: int, tick: Callable[[], None]) -> Iterator[Matched]:
        """Yield the matches of all rows of a pattern; `tick` is called at every step, and may raise.

        Memory is bounded by the number of all rows, as rows of a pattern are looked up in parts.
        """
        rows, own = self.members[pattern], self.patterns[pattern]
        either = self.patterns | own
        unions, first, numbers = np.unique(
            np.packbits(either, axis=1), axis=0, return_index=True, return_inverse=True
        )
        if len(rows) * _ROWS_PER_PATTERN <= len(unions) and not own.all():
            for row in rows.tolist():
                tick()
                found = self._compared(row)
                whole = Run(found, np.zeros(1, dtype=np.int64), np.array([len(found)]))
                yield Matched(np.array([row]), (whole,))
            return
        others: list[list[int]] = [[] for _unused in first]
        for other, number in enumerate(numbers.reshape(-1).tolist()):
            others[number].append(other)
        step = max(_PLACES // len(others), 1)
        for start in range(0, len(rows), step):
            some, runs = rows[start : start + step], []
            for place, group in zip(first.tolist(), others, strict=True):
                tick()
                union = either[place]
                if not union.any():  # without a wildcard a row matches itself only, as rows are distinct
                    here = np.arange(len(some))
                    runs.append(Run(some, here, here + 1))
                    continue
                runs.append(self._run(some, np.concatenate([self.members[n] for n in group]), union))
            yield Matched(some, tuple(runs))

    def _run(self, rows: IntArray, others: IntArray, union: BoolArray) -> Run:
        """Look rows up among others by the columns outside the union of their patterns."""
        compared = np.flatnonzero(~union).tolist()
        if not compared:
            start = np.zeros(len(rows), dtype=np.int64)
            return Run(others, start, start + len(others))
        both = np.concatenate((rows, others))
        keys = class_keys([self.columns[c][both] for c in compared], [self._spans[c] for c in compared])
        own, theirs = keys[: len(rows)], keys[len(rows) :]
        order = np.argsort(theirs, kind="stable")
        theirs = theirs[order]
        return Run(others[order], np.searchsorted(theirs, own), np.searchsorted(theirs, own, side="right"))

    @cached_property
    def _spans(self) -> list[int]:
        return [int(column.max(initial=0)) + 1 for column in self.columns]

    @cached_property
    def _by_value(self) -> list[tuple[IntArray, IntArray, IntArray]]:
        """Per column: known rows sorted by value, where each value begins, and rows with a wildcard."""
        found = []
        for c, column in enumerate(self.columns):
            known = np.flatnonzero(~self.wild[:, c])
            codes = column[known]
            starts = np.searchsorted(np.sort(codes), np.arange(self._spans[c] + 1))
            found.append((known[np.argsort(codes, kind="stable")], starts, np.flatnonzero(self.wild[:, c])))
        return found

    def _compared(self, row: int) -> IntArray:
        """Return the rows that match one with at least one known cell."""
        known = np.flatnonzero(~self.wild[row]).tolist()
        found: IntArray | None = None
        rarest = 0
        for c in known:
            rows, starts, anything = self._by_value[c]
            code = self.columns[c][row]
            n_rows = int(starts[code + 1] - starts[code]) + len(anything)
            if found is None or n_rows < len(found):
                found, rarest = np.concatenate((rows[starts[code] : starts[code + 1]], anything)), c
        assert found is not None, "rows with wildcards only have an index"
        for c in known:
            if c != rarest:
                agrees = (self.columns[c][found] == self.columns[c][row]) | self.wild[found, c]
                found = found[agrees]
        return found
