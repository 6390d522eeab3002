"""Records that are alike in all that counts, taken together; groups of them, and what they have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.frequency.measured import ClassRows, MeasuredClasses, classes_of_rows
from engine.kernels.arrays import Codes, Counts, IntArray
from engine.kernels.covering import NO_GROUP
from engine.kernels.grouping import class_labels, first_rows
from engine.lattice import Node
from engine.privacy import Requirement
from engine.recoding.base import Recoding, leaf_codes


class DistinctRecords:
    """The distinct combinations of original and sensitive values and of person, in lexicographic order.

    Parameters
    ----------
    may_hide : bool
        Whether records that differ on the highest levels allowed may be made alike by hiding cells.

    Attributes
    ----------
    row_of : ndarray of int64, shape (n_records,)
        Row of every record.
    leaves : ndarray of int32, shape (n_rows, n_qi)
    sensitive : list of ndarray of int32, each of shape (n_rows,)
        Value per sensitive column, and the weight of a survey.
    persons : ndarray of int32, shape (n_rows,), or None
        Code of the person of every row, where persons have several records; see `engine.frequency.Persons`.
    counts : ndarray of int64, shape (n_rows,)
        Records of every row.
    """

    def __init__(self, problem: Problem, *, may_hide: bool = False) -> None:
        self.problem, self.may_hide = problem, may_hide
        leaves = leaf_codes(problem)
        columns = [*leaves.T, *(attribute.codes for attribute in problem.carried)]
        spans = [a.hierarchy.n_leaves for a in problem.attributes] + [a.n_values for a in problem.carried]
        if problem.repeated is not None:
            columns.append(problem.repeated.codes)
            spans.append(problem.repeated.n_codes)
        self.row_of, first, self.counts = class_labels(columns, spans)
        self.leaves: Codes = leaves[first]
        self.persons = None if problem.repeated is None else problem.repeated.codes[first]
        self.sensitive: list[Codes] = [attribute.codes[first] for attribute in problem.carried]

    @property
    def n_rows(self) -> int:
        """Number of distinct combinations."""
        return len(self.counts)

    def are_sizes_enough(self, requirement: Requirement) -> bool:
        """Return whether the number of its records decides whether a group meets a requirement."""
        return requirement.is_by_size and self.persons is None

    def at(self, node: Node) -> tuple[IntArray, int]:
        """Class of every row on the levels of a node, and how many classes there are."""
        levels = [a.hierarchy.levels[g] for a, g in zip(self.problem.attributes, node, strict=True)]
        columns = [level.codes[leaves] for level, leaves in zip(levels, self.leaves.T, strict=True)]
        labels, _, sizes = class_labels(columns, [len(level.labels) for level in levels])
        return labels, len(sizes)

    def top_classes(self) -> tuple[IntArray, int]:
        """Return the class of every row with all columns on their highest allowed level, and their number.

        Rows of different classes cannot be made alike without hiding cells; one class if that is allowed.
        """
        if self.may_hide:
            return np.zeros(self.n_rows, dtype=np.int64), 1
        return self.at(self.problem.lattice.maximum)

    def classes(
        self, labels: IntArray, rows: IntArray | None = None, counts: Counts | None = None
    ) -> MeasuredClasses:
        """Groups of rows as privacy models see them, whatever is released of them.

        Parameters
        ----------
        labels : ndarray of int64, shape (n_chosen,)
            Group of each chosen row; every number up to the largest occurs.
        rows : ndarray of int64, shape (n_chosen,), optional
            The chosen rows; all by default.
        counts : ndarray of int64, shape (n_chosen,), optional
            Records of each, where not all of a row are in its group.
        """
        every = slice(None) if rows is None else rows
        records = self.counts[every] if counts is None else counts
        codes = [values[every] for values in self.sensitive]
        persons = None if self.persons is None else self.persons[every]
        sizes = np.bincount(labels, weights=records).astype(np.int64)
        return classes_of_rows(self.problem, ClassRows(labels, lambda j: codes[j], records, persons), sizes)


def common_levels(problem: Problem, leaves: Codes, labels: IntArray, n_groups: int) -> NDArray[np.int16]:
    """The lowest allowed levels on which all members of a group have the same labels.

    Parameters
    ----------
    leaves : ndarray of int32, shape (n_members, n_qi)
    labels : ndarray of int64, shape (n_members,)
        Group of each member; no group is empty.

    Returns
    -------
    ndarray of int16, shape (n_groups, n_qi)
        The root of the hierarchy if no allowed level suffices.
    """
    first = first_rows(labels, n_groups)
    common = np.empty((n_groups, len(problem.attributes)), dtype=np.int16)
    for q, attribute in enumerate(problem.attributes):
        levels = attribute.hierarchy.levels
        found = np.full(n_groups, attribute.hierarchy.height, dtype=np.int16)
        undecided = np.ones(n_groups, dtype=np.bool_)
        for number in range(attribute.minimum, attribute.maximum + 1):
            if not undecided.any():
                break
            codes = levels[number].codes[leaves[:, q]]
            differs = np.zeros(n_groups, dtype=np.bool_)
            differs[labels[codes != codes[first][labels]]] = True
            found[undecided & ~differs] = number
            undecided &= differs
        common[:, q] = found
    return common


def renumbered(labels: IntArray) -> tuple[IntArray, int]:
    """The same groups numbered without gaps, in the same order, and how many there are."""
    numbers, found = np.unique(labels, return_inverse=True)
    return found, len(numbers)


@dataclass(frozen=True, eq=False)
class Shares:
    """Number of records of each row in each group.

    Attributes
    ----------
    rows, groups, counts : ndarray of int64, shape (n_entries,)
    """

    rows: IntArray
    groups: IntArray
    counts: Counts

    def joined_by(self, rows: IntArray, groups: IntArray, counts: Counts) -> Shares:
        """These and others."""
        return Shares(
            np.concatenate((self.rows, rows)),
            np.concatenate((self.groups, groups)),
            np.concatenate((self.counts, counts)),
        )


def grouped_recoding(records: DistinctRecords, groups: IntArray) -> Recoding:
    """Make a recoding of groups that have all records of a row.

    Parameters
    ----------
    groups : ndarray of int64, shape (n_rows,)
        Group of every row, or -1 for those that are suppressed.
    """
    return _recoding(records, groups[records.row_of])


def shared_recoding(records: DistinctRecords, found: Shares) -> Recoding:
    """Make a recoding of groups that share rows; their order says which records of a row are in which.

    Records in no group are suppressed.
    """
    order = np.argsort(found.rows, kind="stable")
    rows = np.repeat(found.rows[order], found.counts[order])
    groups = np.repeat(found.groups[order], found.counts[order])
    of_record = np.full(len(records.row_of), NO_GROUP, dtype=np.int64)
    by_row = np.argsort(records.row_of, kind="stable")
    starts = np.cumsum(records.counts) - records.counts
    n_before = np.arange(len(rows)) - np.searchsorted(rows, rows)
    of_record[by_row[starts[rows] + n_before]] = groups
    return _recoding(records, of_record)


def _recoding(records: DistinctRecords, groups: IntArray) -> Recoding:
    problem = records.problem
    levels = np.tile(np.array(problem.lattice.maximum, dtype=np.int16), (len(groups), 1))
    kept = np.flatnonzero(groups != NO_GROUP)
    if len(kept):
        own, n_groups = renumbered(groups[kept])
        leaves = records.leaves[records.row_of[kept]]
        levels[kept] = common_levels(problem, leaves, own, n_groups)[own]
    return Recoding(levels, groups == NO_GROUP)
