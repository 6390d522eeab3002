"""Groups of records -> recoding: every group on the lowest levels that its records have in common."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.kernels.arrays import Counts, IntArray
from engine.kernels.covering import NO_GROUP
from engine.recoding.base import Recoding
from engine.recoding.distinct import DistinctRecords, common_levels, renumbered


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
