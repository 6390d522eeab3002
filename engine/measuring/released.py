"""A released table against its original: every cell found in its hierarchy, as metrics need it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from engine.frequency import Problem
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray, Reals
from engine.kernels.grouping import class_labels
from engine.measuring.given import GivenTable
from engine.measuring.released_column import (
    ReleasedColumn,
    coarsening_bits,
    original_attribute,
    released_column,
)
from engine.table import Table

ONE_BY_ONE = 64  # classes of the same levels up to which each is matched alone; more are matched by sorting


class ReleasedTable:
    """One release of an original table; implements `engine.utility.Candidates` as a single node.

    Records of stars, and those that the release has fewer than the original, are suppressed.

    Parameters
    ----------
    raw : Table
    given : GivenTable
        The release, with the quasi-identifying columns.
    hierarchies : mapping of str to Hierarchy
        By column; a column without one can only be released as it is.

    Raises
    ------
    HierarchyGapError
        An original value, or a released cell, is not in the hierarchy of its column.
    """

    required_k = None

    def __init__(self, raw: Table, given: GivenTable, hierarchies: Mapping[str, Hierarchy]) -> None:
        self.kept: BoolArray = ~given.is_suppressed
        self.columns = tuple(
            released_column(
                original_attribute(raw.column(name), hierarchies.get(name)),
                given.table.column(name),
                self.kept,
            )
            for name in given.quasi_identifying
        )
        self.problem = Problem(raw.n_records, tuple(column.attribute for column in self.columns), ())
        self.n_kept = int(self.kept.sum())
        self.n_suppressed = raw.n_records - self.n_kept
        self.suppressed: Counts = np.array([self.n_suppressed])

    @property
    def n_records(self) -> int:
        """Records of the original."""
        return self.problem.n_records

    @cached_property
    def levels(self) -> Reals:
        """Mean level over kept records, shape (1, n_qi)."""
        return np.array([[column.levels.sum() / max(self.n_kept, 1) for column in self.columns]])

    @cached_property
    def _classes(self) -> tuple[IntArray, Counts]:
        """A record of every kept class, and the class sizes."""
        if not self.n_kept:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        codes = [codes for column in self.columns for codes in (column.levels, column.labels)]
        _, first, sizes = class_labels(codes, [int(c.max()) + 1 for c in codes])
        return first, sizes

    @property
    def class_sizes(self) -> Counts:
        """Records per kept class."""
        return self._classes[1]

    @property
    def kept_classes(self) -> Counts:
        """Number of classes of kept records."""
        return np.array([len(self.class_sizes)])

    @property
    def kept_k(self) -> Counts:
        """Records of the smallest of them."""
        return np.array([self.class_sizes.min(initial=self.n_records) if self.n_kept else 0])

    @property
    def kept_squares(self) -> Counts:
        """Sum of their squared sizes."""
        return np.array([int(self.class_sizes @ self.class_sizes)])

    def kept_leaves(self, attribute: int) -> Counts:
        """Sum over kept records of the leaves that their label covers."""
        return np.array([self.columns[attribute].n_leaves.sum()])

    def kept_spans(self, attribute: int) -> Reals:
        """Sum over kept records of the numeric width of their label."""
        return np.array([self.columns[attribute].spans.sum()])

    def lost_bits(self, attribute: int) -> Reals:
        """See `coarsening_bits`."""
        return np.array([coarsening_bits(self.columns[attribute], self.n_suppressed)])

    @property
    def kept_misses(self) -> Counts:
        """Not told: a pair of tables is asked by sensitive column."""
        raise NotImplementedError

    @property
    def kept_combinations(self) -> Reals:
        """Sum over kept records of the combinations of leaves that their labels cover."""
        covered = np.ones(self.n_kept)
        with np.errstate(over="ignore"):
            for column in self.columns:
                covered *= column.n_leaves
        return np.array([covered.sum()])

    @property
    def spread_bits(self) -> Reals:
        """Cross entropy of the release with the original, summed over records, bits.

        inf where no released label covers an original record.
        """
        attributes = self.problem.attributes
        leaves, counts = _distinct([attribute.leaves for attribute in attributes])
        everywhere = sum(np.log2(a.hierarchy.n_leaves) for a in attributes)
        share = self.n_suppressed / self.n_records
        mass = np.full(len(counts), np.log2(share) - everywhere if share else -np.inf)
        first, sizes = self._classes
        shares = np.log2(sizes / self.n_records)
        for column in self.columns:
            shares -= np.log2(column.n_leaves[first])
        vectors = np.column_stack([column.levels[first] for column in self.columns])
        _, which = np.unique(vectors, axis=0, return_inverse=True)
        order = np.argsort(which.ravel(), kind="stable")
        generalized = _Generalized(self.columns, leaves)
        for here in np.split(order, np.flatnonzero(np.diff(which.ravel()[order])) + 1):
            if len(here) > ONE_BY_ONE:
                mass = np.logaddexp2(mass, self._mass(first[here], shares[here], generalized))
                continue
            for number in here.tolist():
                covered = generalized.under(int(first[number]))
                mass[covered] = np.logaddexp2(mass[covered], shares[number])
        return np.array([-(counts @ mass)])

    def _mass(self, first: IntArray, shares: Reals, generalized: _Generalized) -> Reals:
        """What classes of the same levels put on combinations of leaves, as binary logarithms."""
        codes: list[IntArray] = []
        for q, column in enumerate(self.columns):
            original = generalized.at(q, int(column.levels[first[0]]))
            codes.append(np.concatenate((column.labels[first], original)))
        labels, _, sizes_of_all = class_labels(codes, [int(c.max()) + 1 for c in codes])
        by_label = np.full(len(sizes_of_all), -np.inf)
        by_label[labels[: len(first)]] = shares
        return by_label[labels[len(first) :]]


class _Generalized:
    """Combinations of leaves raised to any levels, each column and level once.

    Parameters
    ----------
    columns : tuple of ReleasedColumn
    leaves : list of ndarray of int, each of shape (n_combinations,)
    """

    def __init__(self, columns: tuple[ReleasedColumn, ...], leaves: list[Codes]) -> None:
        self._columns, self._leaves = columns, leaves
        self._codes: dict[tuple[int, int], Codes] = {}

    def at(self, column: int, level: int) -> Codes:
        """Label of every combination in a column, shape (n_combinations,)."""
        if (column, level) not in self._codes:
            entry = self._columns[column].attribute.hierarchy.levels[level]
            self._codes[column, level] = entry.codes[self._leaves[column]]
        return self._codes[column, level]

    def under(self, record: int) -> IntArray:
        """The combinations that the labels of a kept record cover."""
        found: IntArray = np.arange(len(self._leaves[0]))
        for q, column in enumerate(self._columns):
            codes = self.at(q, int(column.levels[record]))
            found = found[codes[found] == column.labels[record]]
        return found


def _distinct(columns: list[Codes]) -> tuple[list[Codes], Counts]:
    """Distinct rows and how often each occurs."""
    _, first, counts = class_labels(columns, [int(column.max()) + 1 for column in columns])
    return [column[first] for column in columns], counts
