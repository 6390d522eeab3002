"""Pages of a table whose records stay in a server or cluster, as the texts that a table here would show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from engine.errors import InputError
from engine.filters import Leaf
from engine.filters.conditions import Expression, Joined, Not
from engine.kernels.arrays import BoolArray
from engine.monitor import SILENT, Monitor
from engine.sources.base import RecordSource
from engine.table import Column, Table
from engine.table.filtering import labels_where, read_filter
from engine.table.remote import RemoteColumn, Vocabulary, changed_remotely, labels_of, texts_of
from engine.table.stored import refuse_cut
from engine.words import _

PAGE = 500  # records
Page = list[tuple[str, ...]]


def page_of(table: Table, number: int, monitor: Monitor = SILENT) -> Page:
    """Return the records of a page, counted from 0, in the order of their source.

    Raises
    ------
    TableError
        The source cannot be asked, or has changed.
    CancelledError
    """
    columns, source = _parts(table)
    return _labelled(columns, source.page(number * PAGE, PAGE, table.names, monitor=monitor))


def n_shown(table: Table) -> int:
    """Return how many records of a table can be looked at: all, or the first ones on a cluster."""
    source = _parts(table)[1] if table.is_remote else None
    most = 0 if source is None else source.most_shown
    return min(table.n_records, most) if most else table.n_records


def is_shown_at_once(table: Table) -> bool:
    """Return whether the records that can be looked at come at once, from a cluster, and not page by page."""
    return table.is_remote and _parts(table)[1].most_shown > 0


def shown_records(table: Table, text: str = "", monitor: Monitor = SILENT) -> Table:
    """Return the first records that pass a filter in memory: a page at most, or as many as a cluster shows.

    Parameters
    ----------
    table : Table
    text : str
        See `engine.table.filtering.records_where`; conditions may only be joined by "and". Empty for all.
    monitor : Monitor

    Raises
    ------
    InputError
        The filter cannot be read, or joins conditions otherwise; also as `page_of`.
    CancelledError
    """
    columns, source = _parts(table)
    expression = read_filter(table, text).expression
    met: dict[str, BoolArray] = {}
    for leaf in [] if expression is None else _joined(expression):
        refuse_cut(table.column(leaf.name))
        own = labels_where(table.column(leaf.name), leaf)
        met[leaf.name] = met[leaf.name] & own if leaf.name in met else own
    where: dict[str, Sequence[str | None]] = {}
    for column in columns:
        if column.name in met:
            where[column.name] = texts_of(column.vocabulary, met[column.name])
    rows: Sequence[tuple[str | None, ...]] = []
    if all(where.values()):
        where = {
            name: own for name, own in where.items() if len(own) < len(_column(columns, name).vocabulary)
        }
        rows = source.page(0, source.most_shown or PAGE, table.names, where, monitor)
    cells = zip(*rows, strict=True) if rows else [()] * len(columns)
    return Table(tuple(_in_memory(column, texts) for column, texts in zip(columns, cells, strict=True)))


def _parts(table: Table) -> tuple[list[RemoteColumn], RecordSource]:
    columns = [column for column in table.columns if isinstance(column, RemoteColumn)]
    return columns, cast(RecordSource, columns[0].source)


def _column(columns: Sequence[RemoteColumn], name: str) -> RemoteColumn:
    return next(column for column in columns if column.name == name)


def _joined(expression: Expression) -> Iterator[Leaf]:
    """Yield the conditions that all have to be met."""
    if isinstance(expression, Joined) and expression.word == "and":
        for part in expression.parts:
            yield from _joined(part)
    elif isinstance(expression, Joined | Not):
        raise InputError(
            _("Records in a database or on a cluster can only be filtered by conditions joined with and."),
            hint=_("Use in (…) for several values of a column, and != or not in for all others."),
        )
    else:
        yield expression


def _labelled(columns: Sequence[RemoteColumn], rows: Sequence[tuple[str | None, ...]]) -> Page:
    if not rows:
        return []
    try:
        parts = [
            [_label(column, text) for text in texts]
            for column, texts in zip(columns, zip(*rows, strict=True), strict=True)
        ]
    except KeyError:
        raise changed_remotely() from None
    return list(zip(*parts, strict=True))


def _in_memory(column: RemoteColumn, texts: Sequence[str | None]) -> Column:
    """Return some records of a column, with the labels that occur."""
    vocabulary: Vocabulary = column.vocabulary
    labels, numbers = column.labels, column.numbers
    if column.is_cut:
        labels = tuple(sorted({text for text in texts if text is not None}))
        vocabulary = {text: place for place, text in enumerate(labels)} | {None: len(labels)}
        if column.missing_label is not None:
            labels = (*labels, column.missing_label)
        numbers = np.full(len(labels), np.nan)
    codes = labels_of(vocabulary, texts)
    found = Column(column.name, column.data_type, labels, codes, column.has_missing, numbers)
    return found.take(np.arange(len(codes)))


def _label(column: RemoteColumn, text: str | None) -> str:
    if column.is_cut:
        return (column.missing_label or "") if text is None else text
    return column.labels[column.vocabulary[text]]
