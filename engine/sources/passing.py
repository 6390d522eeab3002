"""Columns with more values than are listed: their texts are read from their place in the files, in order."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import IntArray
from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.sources.dealing import Deal, Numbers
from engine.table.stored import StoredColumn
from engine.table.table import Column
from engine.words import N_, _

_BLOCK = 1 << 20  # records per step
_READING = N_("Reading {n} records")


def passed_texts(column: StoredColumn, monitor: Monitor) -> Iterator[list[str]]:
    """Yield the texts of all records, block by block, as they would be in memory."""
    n_records, done = column.n_rows, 0
    for (block,) in column.files.read_again([column], monitor):
        monitor.step(done, n_records, _(_READING).format(n=as_exact_count(n_records)))
        done += len(block.codes)
        yield texts_of(block)


def texts_of(block: Column) -> list[str]:
    """Return the text of each record of a column in memory."""
    texts: list[str] = np.array(block.labels or ("",), dtype=object)[block.codes].tolist()
    return texts


def hashed(texts: Sequence[str], key: str) -> Numbers:
    """Return a number per text that is the same for the same text and key."""
    import pandas as pd

    values = np.empty(len(texts), dtype=object)
    values[:] = texts
    found: Numbers = pd.util.hash_array(values, hash_key=key, categorize=False)
    return found


def new_key() -> str:
    """Return a key of which nobody knows texts with the same number."""
    return secrets.token_hex(8)


def first_occurrences(column: StoredColumn, monitor: Monitor) -> IntArray:
    """Return the first record with the text of each record, mapped from a private file."""
    n_records, spill, key = column.n_rows, column.files.spill, new_key()
    deal = Deal(spill, n_records, 16)
    try:
        start = 0
        for texts in passed_texts(column, monitor):
            deal.add(hashed(texts, key), [np.arange(start, start + len(texts))])
            start += len(texts)
        path = spill.path()
        with spill.writing():
            found = np.memmap(path, dtype=np.int64, mode="w+", shape=(n_records,))
        spill.n_bytes += found.nbytes
        for numbers, (records,) in deal.files():
            own = records.to_numpy()
            _values, first, places = np.unique(numbers, return_index=True, return_inverse=True)
            found[own] = own[first][places]  # within a file records are in their order
        with spill.writing():
            found.flush()
    finally:
        deal.close()
    return spill.mapped(path, np.int64, n_records)


def places_of(column: StoredColumn, first: IntArray, monitor: Monitor) -> Iterator[NDArray[Any]]:
    """Yield, block by block, the place of each record's text among the texts in order of first occurrence.

    Parameters
    ----------
    column : StoredColumn
    first : ndarray of int64
        From `first_occurrences`.
    monitor : Monitor
    """
    n_records, spill = len(first), column.files.spill
    path = spill.path()
    with spill.writing():
        ranks = np.memmap(path, dtype=np.int64, mode="w+", shape=(n_records,))
    spill.n_bytes += ranks.nbytes
    n_ranked = 0
    for start in range(0, n_records, _BLOCK):
        monitor.step(start, n_records, _(_READING).format(n=as_exact_count(n_records)))
        own = first[start : start + _BLOCK]
        is_first = own == np.arange(start, start + len(own))
        ranks[start : start + len(own)] = n_ranked + np.cumsum(is_first) - 1
        n_ranked += int(np.count_nonzero(is_first))
        yield np.asarray(ranks[own])
    del ranks
    path.unlink(missing_ok=True)
