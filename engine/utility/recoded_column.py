"""One column of recoded records: where each label stands in the hierarchy of its original."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.errors import InputError
from engine.frequency import Attribute
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import Counts, IntArray, Reals
from engine.utility.non_uniform_entropy import leaf_counts


@dataclass(frozen=True, eq=False)
class RecodedColumn:
    """One quasi-identifying column of the records that are not suppressed.

    Attributes
    ----------
    attribute : Attribute
        The original column with its hierarchy.
    levels : ndarray of int64, shape (n_kept,)
        Level of each record's label; of a file that was read, the lowest on which the label occurs.
    labels : ndarray of int64, shape (n_kept,)
        Index of the label among those of its level.
    """

    attribute: Attribute
    levels: IntArray
    labels: IntArray

    @cached_property
    def texts(self) -> IntArray:
        """Index of each record's label in `Hierarchy.texts`, shape (n_kept,)."""
        hierarchy = self.attribute.hierarchy
        place = {text: code for code, text in enumerate(hierarchy.texts)}
        values = [[place[label] for label in level.labels] for level in hierarchy.levels]
        return np.concatenate([np.array(v, dtype=np.int64) for v in values])[self._places]

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


def coarsening_bits(column: RecodedColumn, n_suppressed: int) -> float:
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
