"""Counted tables: the distinct tuples of some columns, with the records of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.kernels.grouping import class_labels, records_by_code
from engine.table.table import Table


def counted_table(table: Table, names: Sequence[str]) -> Table:
    """Return a table with one row per distinct tuple of some columns.

    Parameters
    ----------
    table : Table
        Of records, or counted itself.
    names : sequence of str
        At least one column.

    Returns
    -------
    Table
        The named columns, in the order of the table; rows are in lexicographic order of their codes. Types,
        labels and counts of values are those of the table.
    """
    chosen = [column for column in table.columns if column.name in set(names)]
    labels, first, _rows = class_labels([c.codes for c in chosen], [len(c.labels) for c in chosen])
    records = records_by_code(labels, len(first), table.counts)
    return Table(tuple(replace(column, codes=column.codes[first], records=records) for column in chosen))
