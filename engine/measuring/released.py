"""A released table against its original: every cell found in its hierarchy, as metrics need it."""

from __future__ import annotations

from collections.abc import Mapping

from engine.frequency import Problem
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import BoolArray
from engine.measuring.given import GivenTable
from engine.measuring.released_column import original_attribute, released_column
from engine.table import Table
from engine.utility.recoded import RecodedRecords


class ReleasedTable(RecodedRecords):
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

    def __init__(self, raw: Table, given: GivenTable, hierarchies: Mapping[str, Hierarchy]) -> None:
        self.kept: BoolArray = ~given.is_suppressed
        columns = [
            released_column(
                original_attribute(raw.column(name), hierarchies.get(name)),
                given.table.column(name),
                self.kept,
            )
            for name in given.quasi_identifying
        ]
        problem = Problem(raw.n_records, tuple(column.attribute for column in columns), ())
        super().__init__(problem, columns, int(self.kept.sum()))
