"""Statistics of each level over a column: groups that occur, smallest and largest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.hierarchies.hierarchy import Hierarchy
from engine.kernels.arrays import Codes
from engine.records import Column


@dataclass(frozen=True)
class LevelStatistics:
    """One level over the records of a column; groups without records are left out.

    Attributes
    ----------
    smallest, largest : int
        Records; the smallest is the k of this attribute alone.
    share_largest : float
        Share of records in the largest group, [0, 1].
    n_below : int
        Groups with fewer records than were asked for.
    n_records_below : int
        Records in those groups.
    share_below : float
        Their share of all records, [0, 1].
    """

    level: int
    n_groups: int
    smallest: int
    largest: int
    share_largest: float = 0.0
    n_below: int = 0
    n_records_below: int = 0
    share_below: float = 0.0


def level_codes(hierarchy: Hierarchy, column: Column) -> Codes:
    """Return the label of each value of the column on each level.

    Returns
    -------
    ndarray of int32, shape (n_levels, n_labels)
        Index into the labels of the level; -1 for a value the hierarchy lacks.
    """
    leaves = hierarchy.leaves_of(column)
    rows = [np.where(leaves >= 0, level.codes[leaves], -1) for level in hierarchy.levels]
    return np.array(rows, dtype=np.int32)


def level_statistics(
    hierarchy: Hierarchy, column: Column, k: int | None = None
) -> tuple[LevelStatistics, ...]:
    """Return the statistics of every level; values the hierarchy lacks stay themselves below the top.

    Parameters
    ----------
    k : int, optional
        Records that a group should have at least; without it no group is below.
    """
    leaves = hierarchy.leaves_of(column).copy()
    absent = np.flatnonzero(leaves < 0)
    leaves[absent] = hierarchy.n_leaves + np.arange(len(absent))  # where `extended` puts them
    whole = hierarchy.extended([column.labels[i] for i in absent.tolist()])
    n_records = max(int(column.counts.sum()), 1)
    statistics = []
    for level, entry in enumerate(whole.levels):
        records = np.bincount(entry.codes[leaves], weights=column.counts, minlength=len(entry.labels))
        records = records[records > 0]
        smallest, largest = (int(records.min()), int(records.max())) if len(records) else (0, 0)
        below = records[records < (k or 0)]
        n_below = int(below.sum())
        statistics.append(
            LevelStatistics(
                level,
                len(records),
                smallest,
                largest,
                largest / n_records,
                len(below),
                n_below,
                n_below / n_records,
            )
        )
    return tuple(statistics)
