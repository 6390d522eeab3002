"""What each level of a hierarchy leaves of one column: groups that occur, smallest and largest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.hierarchies.hierarchy import Hierarchy
from engine.kernels.arrays import Codes
from engine.table import Column


@dataclass(frozen=True)
class LevelStatistics:
    """One level over the records of a column; groups without records are left out.

    Attributes
    ----------
    level : int
    n_groups : int
    smallest, largest : int
        Records; the smallest is the k of this attribute alone.
    """

    level: int
    n_groups: int
    smallest: int
    largest: int


def level_codes(hierarchy: Hierarchy, column: Column) -> Codes:
    """Return the label of each value of the column on each level.

    Parameters
    ----------
    hierarchy : Hierarchy
    column : Column

    Returns
    -------
    ndarray of int32, shape (n_levels, n_labels)
        Index into the labels of the level; -1 for a value the hierarchy lacks.
    """
    leaves = np.fromiter((hierarchy.index.get(v, -1) for v in column.labels), np.int64, len(column.labels))
    rows = [np.where(leaves >= 0, level.codes[leaves], -1) for level in hierarchy.levels]
    return np.array(rows, dtype=np.int32)


def level_statistics(hierarchy: Hierarchy, column: Column) -> tuple[LevelStatistics, ...]:
    """Return the statistics of every level; values the hierarchy lacks stay themselves below the top.

    Parameters
    ----------
    hierarchy : Hierarchy
    column : Column
    """
    absent = [value for value in column.labels if value not in hierarchy.index]
    whole = hierarchy.extended(absent) if absent else hierarchy
    statistics = []
    for level, codes in enumerate(level_codes(whole, column)):
        records = np.bincount(codes, weights=column.counts, minlength=len(whole.levels[level].labels))
        records = records[records > 0]
        sizes = (int(records.min()), int(records.max())) if len(records) else (0, 0)
        statistics.append(LevelStatistics(level, len(records), *sizes))
    return tuple(statistics)
