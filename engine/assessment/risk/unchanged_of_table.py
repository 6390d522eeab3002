"""What columns of a given table single out beside its quasi-identifiers, whoever made it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.assessment.given import GivenTable
from engine.errors import InputError
from engine.recoding.unchanged import GeneralizedColumn, UnchangedColumns, WrittenColumn, count_unchanged
from engine.table import Column
from engine.table.chosen import by_value


def given_unchanged(given: GivenTable, names: Sequence[str]) -> UnchangedColumns:
    """Count the records that columns of a table single out, alone, together and with its quasi-identifiers.

    Parameters
    ----------
    given : GivenTable
    names : sequence of str
        Columns that left unchanged; sensitive ones may be among them.

    Returns
    -------
    UnchangedColumns
        It determines nothing: the original values behind the labels are not known.

    Raises
    ------
    TableError
        If a column does not exist.
    InputError
        If one is named twice, or is quasi-identifying.
    """
    for place, name in enumerate(names):
        given.table.column(name)
        if name in given.quasi_identifying or name in names[:place]:
            also = "as quasi-identifying too" if name in given.quasi_identifying else "twice"
            raise InputError(
                f"The unchanged column '{name}' is named {also}.", hint="Name it once.", column=name
            )
    table = by_value(given.table, names)
    unchanged = {column.name: _written(column) for column in table.columns if column.name in names}
    written = [_written(table.column(name)) for name in given.quasi_identifying]
    return count_unchanged(
        [unchanged[name] for name in table.names if name in unchanged],
        [GeneralizedColumn(column, column.labels, column.codes) for column in written],
        table.n_records,
        persons=table.column(given.person).codes if given.person else None,
    )


def _written(column: Column) -> WrittenColumn:
    return WrittenColumn(column.name, column.labels, column.codes)
