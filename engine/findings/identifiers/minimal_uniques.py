"""Minimal sample uniques: sets of columns in which a record is unique, and in no subset of them [1]_.

References
----------
.. [1] Manning, Haglin, Keane (2008). A Recursive Search Algorithm for Statistical Disclosure Assessment. Data
   Mining and Knowledge Discovery 16(2), 165-196.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.errors import InputError
from engine.findings.identifiers.coded import Partitioning, Subset
from engine.kernels.arrays import BoolArray, Codes, Counts, FloatArray, IntArray
from engine.kernels.grouping import class_labels
from engine.kernels.partitions import NarrowCodes, Partition
from engine.kernels.survey import score_of_size
from engine.monitor import SILENT, Monitor
from engine.notebook import Brief
from engine.numbers import as_exact_count
from engine.records import Column
from engine.scoring.acceleration import fetch_if_worth
from engine.words import N_, _

MOST_SETS = 50_000
MOST_LISTED = 100_000  # sets of all records together, beyond which those of a record are found alone
MOST_BYTES = 500_000_000  # for a bit per row and set of one size
_PER_CELL = 2e-6  # approximate seconds of interpreted code per row of one set
_NARROW = 1 << 16
TEXT = N_("Searched {done} of {total} column sets")


@dataclass(frozen=True, eq=False)
class MinimalUniques(Brief):
    """Minimal sample uniques of the records of a table.

    Attributes
    ----------
    columns : tuple of Column
        Examined columns, with the codes of every record.
    largest : int
        Columns of the largest sets that were searched.
    counts : mapping of tuple of int to int
        Records whose minimal unique set it is, by the numbers of its columns; only sets with any.
    scores : ndarray of float64, shape (n_records,)
        Score of every record: the sum of `score_of_size` over its minimal unique sets.
    owners : ndarray of int, shape (n_records,), or None
        Number of the person of every record; None if every record is another person.
    sets : tuple of (tuple of tuple of int), length n_records, or None
        Minimal unique sets of every record; None if there are more than `MOST_LISTED`.
    """

    columns: tuple[Column, ...]
    largest: int
    counts: dict[Subset, int]
    scores: FloatArray
    owners: IntArray | None = None
    sets: tuple[tuple[Subset, ...], ...] | None = None

    @cached_property
    def contributions(self) -> FloatArray:
        """Share of all scores that is due to sets with a column, shape (n_columns,); nan without scores.

        A set counts for each of its columns, so that shares may add to more than 1.
        """
        n_columns = len(self.columns)
        shares, total = np.zeros(n_columns), 0.0
        for subset, count in self.counts.items():
            score = count * score_of_size(len(subset), n_columns, self.largest)
            shares[list(subset)] += score
            total += score
        return shares / total if total else np.full(n_columns, np.nan)

    def sets_of(self, record: int) -> tuple[Subset, ...]:
        """Return the minimal unique sets of one record, by size and then by the numbers of columns.

        If they are not listed, they are found by comparing the record with all others.
        """
        if self.sets is not None:
            return self.sets[record]
        if not self.scores[record]:
            return ()
        alike = np.zeros(len(self.scores), dtype=np.int64)
        for number, column in enumerate(self.columns):
            alike |= (column.codes == column.codes[record]).astype(np.int64) << number
        is_other = np.ones(len(alike), dtype=np.bool_)
        is_other[record] = False
        if self.owners is not None:
            is_other &= self.owners != self.owners[record]
        shared = np.unique(alike[is_other])  # columns in which any other record is equal
        found: list[int] = []
        for subset in _subsets(len(self.columns), self.largest):
            bits = sum(1 << number for number in subset)
            if any(known & bits == known for known in found):
                continue
            if not np.any(shared & bits == bits):
                found.append(bits)
        numbers = range(len(self.columns))
        return tuple(tuple(n for n in numbers if bits >> n & 1) for bits in found)


def largest_set(n_columns: int, asked: int | None) -> int:
    """Return the columns of the largest sets to search: all by default."""
    return n_columns if asked is None else min(max(asked, 1), n_columns)


def find_minimal_uniques(
    columns: Sequence[Column],
    largest: int | None = None,
    *,
    owners: IntArray | None = None,
    monitor: Monitor = SILENT,
) -> MinimalUniques:
    """Find the minimal sample uniques of every record.

    Parameters
    ----------
    columns : sequence of Column
        At least one column of the same records; missing is an ordinary value.
    largest : int, optional
        Columns of the largest sets to search; by default all.
    owners : ndarray of int, shape (n_records,), optional
        Number of the person of every record, if persons may have several: a record is unique if no record of
        another person is equal.

    Raises
    ------
    InputError
        There are too many sets of columns.
    """
    n_columns = len(columns)
    size = largest_set(n_columns, largest)
    n_sets = sum(comb(n_columns, i) for i in range(1, size + 1))
    if n_sets > MOST_SETS:
        raise InputError(
            _("{n} sets of up to {size} columns are too many to search.").format(
                n=as_exact_count(n_sets), size=size
            ),
            hint=_("Search sets of fewer columns."),
        )
    _tell(monitor, 0, n_sets)
    rows = _Rows.of(columns, owners)
    _tell(monitor, 0, n_sets)
    n_rows = len(rows.is_possible)
    most = max(comb(n_columns, i) for i in range(1, size + 1)) * (n_rows // 8 + 1)
    if most > MOST_BYTES:
        raise InputError(
            _("Sets of up to {size} of {n} columns need too much memory.").format(size=size, n=n_columns),
            hint=_("Search sets of fewer columns."),
        )
    fetch_if_worth(n_sets * n_rows * _PER_CELL, ("partitions",), monitor)
    counts: dict[Subset, int] = {}
    scores, n_listed = np.zeros(n_rows), 0
    listed: list[list[Subset]] | None = [[] for _unused in range(n_rows)] if n_rows <= MOST_LISTED else None
    for subset, found in rows.minimal(size, lambda done: _tell(monitor, done, n_sets)):
        scores[found] += score_of_size(len(subset), n_columns, size)
        counts[subset] = int(rows.records[found].sum())
        n_listed += counts[subset]
        if listed is not None and n_listed > MOST_LISTED:
            listed = None
        if listed is not None:
            for row in found.tolist():
                listed[row].append(subset)
    sets = None
    if listed is not None:
        by_row = [tuple(sorted(own, key=lambda subset: (len(subset), subset))) for own in listed]
        sets = tuple(by_row[row] for row in rows.labels.tolist())
    return MinimalUniques(tuple(columns), size, counts, scores[rows.labels], owners, sets)


def _tell(monitor: Monitor, done: int, total: int) -> None:
    monitor.step(done, total, _(TEXT).format(done=as_exact_count(done), total=as_exact_count(total)))


def _subsets(n_columns: int, largest: int) -> Iterator[Subset]:
    for size in range(1, largest + 1):
        yield from combinations(range(n_columns), size)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Distinct rows of a table, of every person if these may have several records.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_records,)
        Row of every record.
    records : ndarray of int64, shape (n_rows,)
    codes : ndarray of uint16 or int32, shape (n_columns, n_rows)
        Columns, the most separating first.
    order : tuple of int
        Number of each of these among the columns of the table.
    cardinalities : ndarray of int64, shape (n_columns,)
    owners : ndarray of int64, shape (n_rows,), or None
    is_possible : ndarray of bool, shape (n_rows,)
        Whether all records of a row have the same owner, so that they may be unique.
    """

    labels: IntArray
    records: Counts
    codes: NarrowCodes
    order: Subset
    cardinalities: IntArray
    owners: IntArray | None
    is_possible: BoolArray

    @classmethod
    def of(cls, columns: Sequence[Column], owners: IntArray | None) -> _Rows:
        order = sorted(range(len(columns)), key=lambda c: (int((columns[c].counts ** 2).sum()), c))
        chosen = [columns[number] for number in order]
        cardinalities = np.array([len(column.labels) for column in chosen], dtype=np.int64)
        own: list[Codes | IntArray] = [column.codes for column in chosen]
        spans = cardinalities.tolist()
        if owners is not None:
            own, spans = [*own, owners], [*spans, int(owners.max(initial=0)) + 1]
        labels, first, records = class_labels(own, spans)
        width = np.uint16 if max(cardinalities) <= _NARROW else np.int32
        codes: NarrowCodes = np.empty((len(chosen), len(first)), dtype=width)
        for place, column in enumerate(chosen):
            codes[place] = column.codes[first]
        possible = records == 1 if owners is None else np.ones(len(first), dtype=np.bool_)
        of_rows = None if owners is None else np.asarray(owners[first])
        return cls(labels, records, codes, tuple(order), cardinalities, of_rows, possible)

    def minimal(self, largest: int, tell: Callable[[int], None]) -> Iterator[tuple[Subset, IntArray]]:
        """Yield sets of columns of the table with the rows for which they are minimal unique sets."""
        ones = np.ones(len(self.records), dtype=np.int32)
        partitioning = Partitioning(self.codes, self.cardinalities, ones)
        n_rows, n_possible, done = len(ones), int(np.count_nonzero(self.is_possible)), 0
        before: dict[Subset, NDArray[np.uint8]] = {(): np.packbits(np.zeros(n_rows, dtype=np.bool_))}
        for size in range(1, largest + 1):
            now: dict[Subset, NDArray[np.uint8]] = {}
            for subset in combinations(range(len(self.codes)), size):
                done += 1
                parts = [before.get(subset[:i] + subset[i + 1 :]) for i in range(size)]
                known = [part for part in parts if part is not None]
                if len(known) < size:
                    continue  # every possible row is unique in a part already
                tell(done)
                is_unique = self._unique(partitioning.partition(subset))
                already = np.bitwise_or.reduce(known)
                is_new = is_unique & ~np.unpackbits(already, count=n_rows).astype(np.bool_)
                found = np.flatnonzero(is_new)
                if len(found):
                    yield tuple(sorted(self.order[place] for place in subset)), found
                if np.count_nonzero(is_unique) < n_possible:
                    now[subset] = np.packbits(is_unique)
            if not now:
                return
            before = now

    def _unique(self, partition: Partition) -> BoolArray:
        """Return the rows that no row of another owner equals, shape (n_rows,)."""
        unique = self.is_possible.copy()
        unique[partition.rows] = False
        if self.owners is not None and partition.n_classes:
            owners, starts = self.owners[partition.rows], partition.starts[:-1]
            has_one = np.minimum.reduceat(owners, starts) == np.maximum.reduceat(owners, starts)
            unique[partition.rows[np.repeat(has_one, np.diff(partition.starts))]] = True
        return unique
