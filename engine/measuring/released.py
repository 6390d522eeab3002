"""A released table against its original: every cell found in its hierarchy, as metrics need it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.errors import HierarchyGapError, InputError
from engine.frequency import Attribute, Problem
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray, Reals
from engine.kernels.grouping import class_labels
from engine.measuring.given import STAR, GivenTable
from engine.table import Column, Table
from engine.utility.non_uniform_entropy import leaf_counts


@dataclass(frozen=True, eq=False)
class ReleasedColumn:
    """One quasi-identifying column of the released records that are not suppressed.

    Attributes
    ----------
    attribute : Attribute
        The original column with its hierarchy.
    levels : ndarray of int64, shape (n_kept,)
        Per record the lowest level on which its label occurs.
    labels : ndarray of int64, shape (n_kept,)
        Index of the label among those of its level.
    """

    attribute: Attribute
    levels: IntArray
    labels: IntArray

    @cached_property
    def n_leaves(self) -> Counts:
        """Leaves that each record's label covers, shape (n_kept,)."""
        values = [level.n_leaves for level in self.attribute.hierarchy.levels]
        return np.concatenate(values)[self._places]

    @cached_property
    def spans(self) -> Reals:
        """Numeric width of each record's label, shape (n_kept,)."""
        n_levels = len(self.attribute.hierarchy.levels)
        values = [self.attribute.label_spans(level) for level in range(n_levels)]
        return np.concatenate(values)[self._places]

    @cached_property
    def levels_present(self) -> tuple[int, ...]:
        """Levels that labels of the column are on, the lowest first."""
        return tuple(np.unique(self.levels).tolist())

    def counts(self, level: int) -> Counts:
        """Records per label of a level, those whose label is on another level left out."""
        n_labels = len(self.attribute.hierarchy.levels[level].labels)
        return np.bincount(self.labels[self.levels == level], minlength=n_labels).astype(np.int64)

    @property
    def _places(self) -> IntArray:
        """Place of each record's label where the labels of all levels stand one after the other."""
        n_labels = [len(level.labels) for level in self.attribute.hierarchy.levels]
        starts: IntArray = np.cumsum(n_labels) - np.array(n_labels, dtype=np.int64)
        return starts[self.levels] + self.labels


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
            _released(
                _attribute(raw.column(name), hierarchies.get(name)), given.table.column(name), self.kept
            )
            for name in given.quasi_identifying
        )
        self.problem = Problem(raw.n_records, tuple(column.attribute for column in self.columns), ())
        self.n_kept = int(self.kept.sum())
        self.n_suppressed = raw.n_records - self.n_kept
        self.suppressed: Counts = np.array([self.n_suppressed])
        self.n_given = given.n_records

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
        vectors = np.column_stack([column.levels[first] for column in self.columns])
        _, which = np.unique(vectors, axis=0, return_inverse=True)
        for number in range(int(which.max(initial=-1)) + 1):
            here = first[which.ravel() == number]
            mass = np.logaddexp2(mass, self._mass(here, sizes[which.ravel() == number], leaves))
        return np.array([-(counts @ mass)])

    def _mass(self, first: IntArray, sizes: Counts, leaves: list[Codes]) -> Reals:
        """What classes of the same levels put on combinations of leaves, as binary logarithms."""
        n_classes = len(first)
        codes: list[IntArray] = []
        mass = np.log2(sizes / self.n_records)
        for column, original in zip(self.columns, leaves, strict=True):
            level = column.attribute.hierarchy.levels[int(column.levels[first[0]])]
            codes.append(np.concatenate((column.labels[first], level.codes[original])))
            mass -= np.log2(column.n_leaves[first])
        labels, _, sizes_of_all = class_labels(codes, [int(c.max()) + 1 for c in codes])
        by_label = np.full(len(sizes_of_all), -np.inf)
        by_label[labels[:n_classes]] = mass
        return by_label[labels[n_classes:]]


def coarsening_bits(column: ReleasedColumn, n_suppressed: int) -> float:
    """Bits that the labels of a column hide, in stages over the levels present.

    All records go from their values to the lowest level present; those on a higher one go on to the
    next, counted among themselves, and at last the suppressed ones to a common label. Where all labels
    are on one level, that is what the metric counts for a node.

    Raises
    ------
    InputError
        More records have a label than the original has records with values under it.
    """
    hierarchy = column.attribute.hierarchy
    counts, level, bits = leaf_counts(column.attribute), 0, 0.0
    for upper in column.levels_present:
        counts, hidden = _raised(counts, _above(hierarchy, level, upper))
        bits, level = bits + hidden, upper
        counts = counts - column.counts(level)
        if (counts < 0).any():
            label = hierarchy.levels[level].labels[int(np.argmin(counts))]
            raise InputError(
                f"More released records have '{label}' in '{column.attribute.name}' than original ones have "
                "values that it stands for.",
                hint="Is this the table that was released from the original, and are the hierarchies the "
                "ones it was made by?",
                column=column.attribute.name,
            )
    if n_suppressed:
        bits += _raised(counts, np.zeros(len(counts), dtype=np.int64))[1]
    return bits


def _raised(counts: Counts, parents: IntArray) -> tuple[Counts, float]:
    """Counts of the labels above, and the bits that going there hides."""
    sums = np.bincount(parents, weights=counts).astype(np.int64)
    occurring = counts > 0
    here, above = counts[occurring], sums[parents[occurring]]
    return sums, float((here * np.log2(above / here)).sum())


def _above(hierarchy: Hierarchy, level: int, upper: int) -> IntArray:
    """Index of the label on an upper level for each label of a level."""
    below, above = hierarchy.levels[level], hierarchy.levels[upper]
    parents = np.zeros(len(below.labels), dtype=np.int64)
    parents[below.codes] = above.codes
    return parents


def _attribute(column: Column, hierarchy: Hierarchy | None) -> Attribute:
    whole = (hierarchy or Hierarchy.identity(column.labels)).covering(column)
    leaf_of_label = np.array([whole.index[label] for label in column.labels], dtype=np.int32)
    return Attribute(column, whole, leaf_of_label[column.codes], 0, whole.height)


def _released(attribute: Attribute, column: Column, kept: BoolArray) -> ReleasedColumn:
    """Look up the labels of kept records, each on the lowest level that has it."""
    places: dict[str, tuple[int, int]] = {}
    for number, level in enumerate(attribute.hierarchy.levels):
        for index, label in enumerate(level.labels):
            places.setdefault(label, (number, index))
    original = attribute.column.missing_label
    if column.missing_label is not None and original is not None:  # whatever text each file has for it
        places.setdefault(column.missing_label, places[original])
    codes = column.codes[kept]
    used = np.unique(codes).tolist()
    gaps = [column.labels[code] for code in used if column.labels[code] not in places]
    if gaps:
        hint = "Give the hierarchies the table was released by; numbers and dates must be written alike."
        if gaps == [STAR]:
            hint = "Only records of stars in all quasi-identifying columns are taken as suppressed."
        raise HierarchyGapError(
            f"The hierarchy of '{column.name}' has no label {', '.join(map(repr, gaps[:3]))}"
            f"{', ...' if len(gaps) > 3 else ''}, which the released table holds.",
            hint=hint,
            column=column.name,
            values=tuple(gaps),
        )
    found = np.zeros((len(column.labels), 2), dtype=np.int64)
    for code in used:
        found[code] = places[column.labels[code]]
    return ReleasedColumn(attribute, found[codes, 0], found[codes, 1])


def _distinct(columns: list[Codes]) -> tuple[list[Codes], Counts]:
    """Distinct rows and how often each occurs."""
    _, first, counts = class_labels(columns, [int(column.max()) + 1 for column in columns])
    return [column[first] for column in columns], counts
