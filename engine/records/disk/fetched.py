"""Records that come to this machine: all of a server as a private coded copy, or some into memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from engine.errors import InputError
from engine.filters import Leaf
from engine.filters.conditions import Expression, Joined, Not
from engine.kernels.arrays import BoolArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.records import Column, Table
from engine.records.filtering import labels_where, read_filter
from engine.records.remote import (
    RecordSource,
    RemoteColumn,
    Vocabulary,
    WritesItself,
    changed_remotely,
    source_of,
    vocabularies,
)
from engine.records.stored import refuse_cut
from engine.words import _

_BLOCK = 1 << 20  # records per step
_PATIENCE = 0.05  # seconds between two looks at the monitor
_fetched: WeakKeyDictionary[Table, Table] = WeakKeyDictionary()
_fetching = Lock()


def records_here(table: Table, monitor: Monitor = SILENT) -> Table:
    """Return a table whose codes can be read: the table itself, or one of records that are fetched for it.

    Raises
    ------
    TableError
        The records never come to this machine, or have changed since the values were listed.
    CancelledError
        Nothing of the fetched records remains.
    """
    if source_of(table) is None:
        return table
    # A thread that needs what another one is fetching waits for it.
    while not _fetching.acquire(timeout=_PATIENCE):
        monitor.step(0, 1, _("Fetching records"))
    try:
        known = _fetched.get(table)
        if known is None:
            known = _fetched[table] = _of_other(table) or _records(table, monitor)
        return known
    finally:
        _fetching.release()


def _of_other(table: Table) -> Table | None:
    """Return the columns from records that were fetched with further ones: of one state and order."""
    for other, known in list(_fetched.items()):
        here = {id(column): found for column, found in zip(other.columns, known.columns, strict=True)}
        if all(id(column) in here for column in table.columns):
            return Table(tuple(here[id(column)] for column in table.columns))
    return None


def _records(table: Table, monitor: Monitor) -> Table:
    columns, source = _parts(table)
    cells = source.coded(vocabularies(table), monitor)
    found = []
    for column in columns:
        own = cells[column.name]
        if not column.is_cut:
            counts = np.zeros(len(column.labels), dtype=np.int64)
            for start in range(0, len(own), _BLOCK):
                counts += np.bincount(own[start : start + _BLOCK], minlength=len(counts))
            if not np.array_equal(counts, column.label_counts):
                raise changed_remotely()
        found.append(column.with_codes(own))  # type: ignore[arg-type]  # smaller integers
    return Table(tuple(found))


def drawn(n_records: int, most: int, source: np.random.Generator) -> IntArray:
    """Return the numbers of at most `most` records, drawn at random, in ascending order."""
    if n_records <= most:
        return np.arange(n_records)
    return np.sort(source.choice(n_records, size=most, replace=False))


def some_records(
    table: Table,
    most: int,
    seed: int = 0,
    of: tuple[str, BoolArray] | None = None,
    monitor: Monitor = SILENT,
) -> Table:
    """Return some records of a table in memory; their columns have all labels of the table.

    Parameters
    ----------
    most : int
        Number drawn at random, approximate for a cluster; all records, if there are no more.
    seed : int
        Of the draw. Of the same table, the same records are drawn again.
    of : tuple of str and ndarray of bool, optional
        Instead, all records with certain labels in a column: its name, and which of its labels.

    Raises
    ------
    TableError
        The source cannot be asked, or has changed.
    """
    source = source_of(table)
    if isinstance(source, WritesItself):
        vocabulary = vocabularies(table)
        if of is None:
            share = min(most / table.n_records, 1.0)
            cells = source.some_coded(vocabulary, monitor, share=share, seed=seed)
            if share == 1 and any(len(own) != table.n_records for own in cells.values()):
                raise changed_remotely()
        else:
            where = {of[0]: vocabulary[of[0]].texts_of(of[1])}
            cells = source.some_coded(vocabulary, monitor, where=where)
        codes = [cells[name].astype(np.int32) for name in table.names]
        order = np.lexsort(codes)  # they come in any
        codes = [own[order] for own in codes]
    else:
        here = records_here(table, monitor)
        if of is None:
            chosen = drawn(table.n_records, most, np.random.default_rng(seed))
        else:
            chosen = np.flatnonzero(of[1][here.column(of[0]).codes])
        codes = [column.codes[chosen].astype(np.int32) for column in here.columns]
    return Table(tuple(column.with_codes(own) for column, own in zip(table.columns, codes, strict=True)))


PAGE = 500  # records
Page = list[tuple[str, ...]]


def page_of(table: Table, number: int, monitor: Monitor = SILENT) -> Page:
    """Return the records of a page, counted from 0, in the order of their source.

    Raises
    ------
    TableError
        The source cannot be asked, or has changed.
    """
    columns, source = _parts(table)
    rows = source.page(number * PAGE, PAGE, table.names, monitor=monitor)
    found = _in_memory(columns, rows)
    texts = [[own.labels[code] for code in own.codes.tolist()] for own in found]
    return list(zip(*texts, strict=True))


def n_shown(table: Table) -> int:
    """Return how many records of a table can be looked at: all, or the first ones on a cluster."""
    source = source_of(table)
    most = 0 if source is None else source.most_shown
    return min(table.n_records, most) if most else table.n_records


def is_shown_at_once(table: Table) -> bool:
    """Return whether the records that can be looked at come at once, from a cluster, and not page by page."""
    source = source_of(table)
    return source is not None and source.most_shown > 0


def shown_records(table: Table, text: str = "", monitor: Monitor = SILENT) -> Table:
    """Return the first records that pass a filter in memory: at most a page, or what a cluster shows.

    Parameters
    ----------
    text : str
        See `engine.records.filtering.records_where`; conditions may only be joined by "and". Empty for all.

    Raises
    ------
    InputError
        The filter cannot be read, or joins conditions otherwise; also as `page_of`.
    """
    columns, source = _parts(table)
    expression = read_filter(table, text).expression
    met: dict[str, BoolArray] = {}
    for leaf in [] if expression is None else _joined(expression):
        refuse_cut(table.column(leaf.name))
        own = labels_where(table.column(leaf.name), leaf)
        met[leaf.name] = met[leaf.name] & own if leaf.name in met else own
    chosen = [
        (column, column.vocabulary.texts_of(met[column.name])) for column in columns if column.name in met
    ]
    rows: Sequence[tuple[str | None, ...]] = []
    if all(texts for _unused, texts in chosen):
        where = {column.name: texts for column, texts in chosen if len(texts) < len(column.vocabulary)}
        rows = source.page(0, source.most_shown or PAGE, table.names, where, monitor)
    found = _in_memory(columns, rows)
    return Table(tuple(column.take(np.arange(len(rows))) for column in found))


def _parts(table: Table) -> tuple[list[RemoteColumn], RecordSource]:
    columns = [column for column in table.columns if isinstance(column, RemoteColumn)]
    return columns, columns[0].source


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


def _in_memory(columns: Sequence[RemoteColumn], rows: Sequence[tuple[str | None, ...]]) -> list[Column]:
    """Return some records, given the texts of their source; the columns have all labels of the table."""
    found = []
    for column, texts in zip(columns, zip(*rows, strict=True) if rows else [()] * len(columns), strict=True):
        vocabulary, labels, numbers = column.vocabulary, column.labels, column.numbers
        if column.is_cut:
            empty = column.missing_label or ""
            texts = tuple(empty if text is None else text for text in texts)
            labels = (*sorted({*texts} - {empty}), empty)
            vocabulary = Vocabulary(labels, np.arange(len(labels), dtype=np.int32))
            numbers = np.full(len(labels), np.nan)
        codes = vocabulary.of(texts)
        found.append(Column(column.name, column.data_type, labels, codes, column.has_missing, numbers))
    return found
