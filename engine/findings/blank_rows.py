"""Rows without values, such as suppressed records of a release, and another table's distribution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.frequency import Persons, SensitiveAttribute
from engine.frequency.persons import sums
from engine.hierarchies import Hierarchy
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.records import Column, Kind, Table
from engine.records.column_selection import by_value
from engine.records.stored import let_go
from engine.records.values import detect_type, make_column, retype

_BLOCK = 1 << 20  # records per step


def without_blank_rows(table: Table) -> tuple[Table, IntArray | None, int]:
    """Return a table without its blank rows, the numbers of the others, and how many rows are blank.

    These have `*` in all columns; in a table with types a missing number or date is like `*`, if at least one
    other cell is `*`. Types of columns are detected again without them. A table in files with more records
    than are read into memory is returned unchanged, and without numbers, as is one without blank rows.
    """
    blank = blank_rows(table)
    n_blank = 0 if blank is None else int(np.count_nonzero(blank))
    if blank is None or not n_blank or n_blank == table.n_records:
        return table, None, 0
    if not table.holds(table.n_records - n_blank):
        return table, None, n_blank
    rows = np.flatnonzero(~blank)
    columns = [column.take(rows) for column in table.columns]
    return Table(tuple(own if table.is_typed else _typed_again(own) for own in columns)), rows, n_blank


def blank_rows(table: Table) -> BoolArray | None:
    """Return which rows are blank; None if none can be, since a column has no such cell."""
    if table.counts is not None or any(column.cells is None for column in table.columns):
        return None
    chosen: list[tuple[Column, BoolArray]] = []
    has_star = False
    for column in table.listed:
        own = np.array([label == SUPPRESSED for label in column.labels], dtype=np.bool_)
        has_star = has_star or bool(own.any())
        if table.is_typed and column.has_missing and column.data_type.kind is not Kind.TEXT:
            own[-1] = True
        if not own.any():
            return None
        chosen.append((column, own))
    if not has_star:
        return None
    blank = np.ones(table.n_records, dtype=np.bool_)
    for start in range(0, table.n_records, _BLOCK):
        part = slice(start, start + _BLOCK)
        stars = np.zeros(len(blank[part]), dtype=np.bool_)
        for column, own in chosen:
            codes = column.codes[part]
            blank[part] &= own[codes]
            if SUPPRESSED in column.labels:
                stars |= codes == column.labels.index(SUPPRESSED)
        blank[part] &= stars
        let_go(table.columns[:1])
    return blank


def _typed_again(column: Column) -> Column:
    labels = _values(column)
    if column.data_type.kind is not Kind.TEXT or not labels:
        return column
    return retype(column, detect_type(labels))


def compared_with(
    column: Column,
    hierarchy: Hierarchy | None,
    reference: Table,
    person: str = "",
) -> SensitiveAttribute:
    """Return a sensitive column whose classes are compared with the distribution of another table.

    Parameters
    ----------
    reference : Table
        It has a column of this name.
    person : str
        Column whose values are persons, which then weigh equally there too, if it has this column.

    Raises
    ------
    TableError
        The other table has no such column.
    """
    other = by_value(reference, [column.name]).column(column.name)
    texts = list(dict.fromkeys([*_values(column), *_values(other)]))
    missing = None
    if column.has_missing or other.has_missing:
        missing = column.labels[-1] if column.has_missing else other.labels[-1]
        texts.append(missing)
    place = {text: code for code, text in enumerate(texts)}
    known = [column, other]
    recodes = [np.array([place[label] for label in _values(own)], dtype=np.int32) for own in known]
    recodes = [np.append(recode, np.int32(len(texts) - 1)) for recode in recodes]
    both = [recodes[0][column.codes], recodes[1][np.arange(len(other.labels))]]
    kinds = {own.data_type.kind for own in known}
    values = texts[:-1] if missing is not None else texts
    data_type = column.data_type if len(kinds) == 1 else detect_type(values)
    made = make_column(column.name, texts, np.concatenate(both), data_type, missing)
    n_rows = len(column.codes)
    joined = made.with_codes(made.codes[:n_rows], column.records)
    weights = np.zeros(len(made.labels), dtype=np.int64)
    np.add.at(weights, made.codes[n_rows:], _weights(other, reference, person))
    return SensitiveAttribute(joined, hierarchy, weights)


def _values(column: Column) -> Sequence[str]:
    """Return the labels of a column without the missing one."""
    return column.labels[:-1] if column.has_missing else column.labels


def _weights(column: Column, reference: Table, person: str) -> Counts:
    """Return the records, or the weights of persons, of each value."""
    if not person or person not in reference.names or reference.home is not None:
        return column.counts
    persons = Persons.of(reference.column(person))
    return sums(column.codes.astype(np.int64), persons.weight_of_rows, len(column.labels))
