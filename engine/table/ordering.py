"""Records of a table that pass a filter, in the order of a column, as one array of record numbers."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.monitor import SILENT, Monitor
from engine.table.filtering import read_filter, records_where
from engine.table.stored import refuse_cut
from engine.table.table import Column, Table
from engine.words import _

_BLOCK = 1 << 20  # records per step
_BITS = 16  # bits that NumPy sorts by counting, ten times faster than by comparing


def order_of(
    table: Table,
    filter_text: str = "",
    sorted_by: tuple[str, bool] | None = None,
    monitor: Monitor = SILENT,
) -> Codes | None:
    """Return the numbers of the records that pass a filter, in order.

    Parameters
    ----------
    table : Table
    filter_text : str
        A filter as for `records_where`; with an empty text every record passes.
    sorted_by : tuple of str and bool, optional
        A column, and whether it is sorted in descending order. Values are ordered by the type of the column;
        missing values come last either way, and records of equal value keep the table's order.

    Returns
    -------
    ndarray of int32, shape (n_shown,), or None
        None means every record in the table's own order, which needs no memory.

    Raises
    ------
    InputError
        The filter cannot be read, or does not fit the table.
    TableError
        The column to sort by does not exist.
    """
    chosen: Codes | None = None
    if read_filter(table, filter_text).expression is not None:
        monitor.step(0, 2, _("Filtering"))
        chosen = _numbers(records_where(table, filter_text))
    if sorted_by is None:
        return chosen
    name, falls = sorted_by
    column = table.column(name)
    refuse_cut(column)
    return _sorted(column, chosen, falls, monitor)


def _numbers(passes: BoolArray) -> Codes:
    """Return the numbers of the records that pass, as small integers, made block by block."""
    starts = range(0, len(passes), _BLOCK)
    parts = [(start + np.flatnonzero(passes[start : start + _BLOCK])).astype(np.int32) for start in starts]
    return np.concatenate([np.zeros(0, dtype=np.int32), *parts])


def _sorted(column: Column, chosen: Codes | None, falls: bool, monitor: Monitor) -> Codes:
    """Sort records by counting their codes, block by block, so that codes in files are not read at once."""
    n_labels = len(column.labels)
    place = np.arange(n_labels, dtype=np.int32)
    if falls:
        n_known = n_labels - column.has_missing
        place[:n_known] = place[:n_known][::-1].copy()
    n_shown = len(column.codes) if chosen is None else len(chosen)

    def block(start: int) -> tuple[Codes, Codes]:
        stop = min(start + _BLOCK, n_shown)
        records = np.arange(start, stop, dtype=np.int32) if chosen is None else chosen[start:stop]
        codes = column.codes[start:stop] if chosen is None else column.codes[records]
        return records, place[codes]

    counts = np.zeros(n_labels, dtype=np.int64)
    if chosen is None:
        counts[place] = column.counts
    else:
        for start in range(0, n_shown, _BLOCK):
            monitor.step(start, 3 * n_shown, _("Sorting"))
            counts += np.bincount(block(start)[1], minlength=n_labels)
    order = np.empty(n_shown, dtype=np.int32)
    following = np.cumsum(counts) - counts  # where the next record of each label belongs
    for start in range(0, n_shown, _BLOCK):
        monitor.step(n_shown + 2 * start, 3 * n_shown, _("Sorting"))
        records, codes = block(start)
        own = _stable(codes, n_labels)
        ranked = codes[own]
        starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1])))
        lengths = np.diff(np.append(starts, len(ranked)))
        labels = ranked[starts]
        order[np.repeat(following[labels] - starts, lengths) + np.arange(len(ranked))] = records[own]
        following[labels] += lengths
    monitor.step(1, 1, _("Sorting"))
    return order


def _stable(codes: Codes, n_labels: int) -> IntArray:
    """Return the stable order of codes: one digit of 16 bits after the other, the lower one first."""
    order = np.argsort((codes & 0xFFFF).astype(np.uint16), kind="stable")
    if n_labels > 1 << _BITS:
        order = order[np.argsort((codes >> _BITS).astype(np.uint16)[order], kind="stable")]
    return order
