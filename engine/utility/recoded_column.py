"""One column of recoded records: the place of each label in the hierarchy of its original."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.errors import InputError
from engine.frequency import Attribute
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import Codes, Counts, FloatArray, IntArray
from engine.kernels.grouping import records_by_code
from engine.words import _


@dataclass(frozen=True, eq=False)
class RecodedColumn:
    """One quasi-identifying column of the records that are not suppressed.

    Attributes
    ----------
    attribute : Attribute
        The original column with its hierarchy.
    places : ndarray of int32, shape (n_kept,)
        Place of each record's label if the labels of all levels are listed in order, the lowest level first;
        for a file, on the lowest level on which the label occurs.
    records : ndarray of int64, shape (n_kept,), or None
        Records of every kept row; None for one each.
    """

    attribute: Attribute
    places: Codes
    records: Counts | None = None

    @classmethod
    def of(
        cls,
        attribute: Attribute,
        levels: NDArray[np.integer],
        labels: Codes,
        records: Counts | None = None,
    ) -> RecodedColumn:
        """Return a column from each row's level and the index of its label on that level."""
        return cls(attribute, _starts(attribute.hierarchy).astype(np.int32)[levels] + labels, records)

    @cached_property
    def by_place(self) -> Counts:
        """Records per place, zeros included."""
        n_places = sum(len(level.labels) for level in self.attribute.hierarchy.levels)
        return records_by_code(self.places, n_places, self.records)

    @cached_property
    def levels(self) -> IntArray:
        """Level per place."""
        levels = self.attribute.hierarchy.levels
        return np.repeat(np.arange(len(levels)), [len(level.labels) for level in levels])

    @cached_property
    def labels(self) -> IntArray:
        """Index of a label on its level, per place."""
        return np.arange(len(self.levels)) - _starts(self.attribute.hierarchy)[self.levels]

    @cached_property
    def texts(self) -> IntArray:
        """Index of a label in `Hierarchy.texts`, per place."""
        hierarchy = self.attribute.hierarchy
        number = {text: code for code, text in enumerate(hierarchy.texts)}
        return np.array([number[label] for level in hierarchy.levels for label in level.labels])

    @cached_property
    def n_leaves(self) -> Counts:
        """Leaves that a label covers, per place."""
        return np.concatenate([level.n_leaves for level in self.attribute.hierarchy.levels])

    @cached_property
    def spans(self) -> FloatArray:
        """Numeric width of a label, per place."""
        n_levels = len(self.attribute.hierarchy.levels)
        return np.concatenate([self.attribute.label_spans(level) for level in range(n_levels)])

    @property
    def on_steps(self) -> RecodedColumn:
        """The column with the group itself in place of what is left of it."""
        hierarchy = self.attribute.hierarchy
        if not hierarchy.beside:
            return self
        groups, starts = np.arange(len(self.levels), dtype=np.int32), _starts(hierarchy)
        for level, step in enumerate(hierarchy.beside, start=hierarchy.height + 1):
            leaf = int(np.argmin(hierarchy.levels[level].codes))
            groups[starts[level]] = starts[step] + hierarchy.levels[step].codes[leaf]
        return RecodedColumn(self.attribute, groups[self.places], self.records)

    @property
    def levels_present(self) -> tuple[int, ...]:
        """Levels that occur in the column, the lowest first."""
        return tuple(np.unique(self.levels[self.by_place > 0]).tolist())

    def counts(self, level: int) -> Counts:
        """Return the records per label of a level, excluding those with labels of other levels."""
        return np.asarray(self.by_place[self.levels == level])


def _starts(hierarchy: Hierarchy) -> IntArray:
    """The place of the first label of each level."""
    n_labels = [len(level.labels) for level in hierarchy.levels]
    return np.cumsum(n_labels) - np.array(n_labels, dtype=np.int64)


def coarsening_bits(column: RecodedColumn, n_suppressed: int) -> float:
    """Return the bits that the labels of a column hide, in stages over the levels that occur.

    All records go from their values to the lowest level present; those on a higher one go on to the next,
    counted among themselves, and finally the suppressed ones to a common label. If all labels are on one
    level, this is the value that the metric counts for a node. What is left of a group counts as the group.

    Raises
    ------
    InputError
        More records have a label than original records have values below it.
    """
    column, hierarchy = column.on_steps, column.attribute.hierarchy
    counts, level, bits = column.attribute.leaf_counts, 0, 0.0
    for upper in column.levels_present:
        counts, hidden = _raised(counts, _above(hierarchy, level, upper))
        bits, level = bits + hidden, upper
        counts = counts - column.counts(level)
        if (counts < 0).any():
            label = hierarchy.levels[level].labels[int(np.argmin(counts))]
            raise InputError(
                _(
                    "More released records have '{label}' in '{name}' than original "
                    "records have values below it."
                ).format(label=label, name=column.attribute.name),
                hint=_("Check that the table was released from this original and with these hierarchies."),
                column=column.attribute.name,
            )
    if n_suppressed:
        bits += _raised(counts, np.zeros(len(counts), dtype=np.int64))[1]
    return bits


def _raised(counts: Counts, parents: IntArray) -> tuple[Counts, float]:
    """Return the counts of the labels one level up, and the bits that this step hides."""
    sums = np.bincount(parents, weights=counts).astype(np.int64)
    occurring = counts > 0
    here, above = counts[occurring], sums[parents[occurring]]
    return sums, float((here * np.log2(above / here)).sum())


def _above(hierarchy: Hierarchy, level: int, upper: int) -> IntArray:
    """Return the index of the label on an upper level for each label of a level."""
    below, above = hierarchy.levels[level], hierarchy.levels[upper]
    parents = np.zeros(len(below.labels), dtype=np.int64)
    parents[below.codes] = above.codes
    return parents
