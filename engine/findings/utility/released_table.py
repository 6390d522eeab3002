"""Released table with every cell found in the hierarchy of its original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine.errors import HierarchyGapError
from engine.findings.given_table import STAR, GivenTable
from engine.frequency import Attribute, Problem
from engine.hierarchies import Hierarchy
from engine.hierarchies.remainders import with_remainders
from engine.kernels.arrays import BoolArray, Counts
from engine.kernels.grouping import records_by_code
from engine.monitor import SILENT, Monitor
from engine.records import Column, Table
from engine.utility.recoded import RecodedRecords
from engine.utility.recoded_column import RecodedColumn
from engine.words import _, ngettext


def original_attribute(column: Column, hierarchy: Hierarchy | None) -> Attribute:
    """Return an original column with its hierarchy; without one its values can only be unchanged."""
    whole = (hierarchy or Hierarchy.identity(column.labels)).covering(column)
    leaf_of_label = np.array([whole.index[label] for label in column.labels], dtype=np.int32)
    return Attribute(column, whole, leaf_of_label[column.codes], 0, whole.height)


def released_column(attribute: Attribute, column: Column, kept: BoolArray) -> RecodedColumn:
    """Find the labels of kept records, each on the lowest level on which it covers enough records.

    A label may occur on several levels, and cover more on a higher one, such as the missing value. Single
    cells may be `*` although the hierarchy ends in several labels: a level above it hides them, as in
    releases whose levels differ by record.

    Parameters
    ----------
    attribute : Attribute
        Original column with its hierarchy.
    column : Column
        Released column.
    kept : ndarray of bool, shape (n_given,)
        Which released records to find.

    Raises
    ------
    HierarchyGapError
        A label is on no level; names up to three of them.
    """
    codes = column.codes[kept]
    records = None if column.records is None else column.records[kept]
    used = np.unique(codes).tolist()
    if STAR in {column.labels[code] for code in used}:
        attribute = _with_star(attribute)
    texts = (column.labels[code] for code in used)
    attribute = replace(attribute, hierarchy=with_remainders(attribute.hierarchy, texts))
    places: dict[str, list[tuple[int, int]]] = {}
    for number, level in enumerate(attribute.hierarchy.levels):
        is_step = number <= attribute.hierarchy.height
        for index, label in enumerate(level.labels if is_step else level.labels[:1]):
            places.setdefault(label, []).append((number, index))
    original = attribute.column.missing_label
    if column.missing_label is not None and original is not None:  # whatever their texts
        places.setdefault(column.missing_label, places[original])
    gaps = [column.labels[code] for code in used if column.labels[code] not in places]
    if gaps:
        hint = _(
            "Give the hierarchies with which the table was released; numbers and dates must have "
            "the same form."
        )
        if gaps == [STAR]:
            hint = _("Only records with * in all quasi-identifying columns count as suppressed.")
        shown = ", ".join(map(repr, gaps[:3]))
        raise HierarchyGapError(
            ngettext(
                "The hierarchy of '{name}' lacks the label {labels}, which the released table contains.",
                "The hierarchy of '{name}' lacks {n} labels that the released table contains, such as "
                "{labels}.",
                len(gaps),
            ).format(name=column.name, n=len(gaps), labels=shown),
            hint=hint,
            column=column.name,
            values=tuple(gaps),
        )
    found = np.zeros((len(column.labels), 2), dtype=np.int64)
    counts, n_released = attribute.leaf_counts, records_by_code(codes, len(column.labels), records)
    for code in used:
        found[code] = _lowest_that_holds(
            attribute, places[column.labels[code]], counts, int(n_released[code])
        )
    return RecodedColumn.of(attribute, found[codes, 0], found[codes, 1], records)


def _lowest_that_holds(
    attribute: Attribute, places: list[tuple[int, int]], counts: Counts, n_records: int
) -> tuple[int, int]:
    """Return the first position of a label that covers `n_records` records, or else the first."""
    if len(places) == 1:
        return places[0]
    levels = attribute.hierarchy.levels
    holding = (
        (level, index) for level, index in places if counts[levels[level].codes == index].sum() >= n_records
    )
    return next(holding, places[0])


def _with_star(attribute: Attribute) -> Attribute:
    """Return the attribute with an added level of `*`, if it has no `*` and no single highest label."""
    hierarchy = attribute.hierarchy
    if any(STAR in level.labels for level in hierarchy.levels):
        return attribute
    whole = hierarchy.rooted()
    return replace(attribute, hierarchy=whole, maximum=whole.height)


class ReleasedTable(RecodedRecords):
    """Release of an original table; implements `engine.utility.Candidates` as a single node.

    Records of only `*`, and records missing in the release, are suppressed.

    Parameters
    ----------
    given : GivenTable
        Release with its quasi-identifying columns.
    hierarchies : mapping of str to Hierarchy
        Hierarchies by column; a column without one can only be unchanged.
    monitor : Monitor, optional
        Asked before every column.

    Raises
    ------
    HierarchyGapError
        An original value, or a released cell, is not in the hierarchy of its column.
    """

    def __init__(
        self,
        raw: Table,
        given: GivenTable,
        hierarchies: Mapping[str, Hierarchy],
        monitor: Monitor = SILENT,
    ) -> None:
        self.kept: BoolArray = ~given.is_suppressed
        columns, names = [], given.quasi_identifying
        for done, name in enumerate(names):
            monitor.step(done, len(names), _("Counting the cells of {name}").format(name=name))
            attribute = original_attribute(raw.column(name), hierarchies.get(name))
            columns.append(released_column(attribute, given.table.column(name), self.kept))
        problem = Problem(raw.n_records, tuple(column.attribute for column in columns), ())
        kept = self.kept if given.table.counts is None else given.table.counts[self.kept]
        super().__init__(problem, columns, int(kept.sum()))
