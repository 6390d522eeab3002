"""Records dealt into temporary files by a number, so that each file fits into memory."""

from __future__ import annotations

import secrets
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Codes, IntArray
from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.records.stored import Spill, StoredColumn
from engine.words import N_, _

RECORDS_PER_FILE = 1 << 20  # about
_MOST_BITS = 9  # more files than a process may have open otherwise

Numbers = NDArray[np.uint64]


class Deal:
    """Records in files by the high bits of a number, in each file in the order in which they came.

    Files in their order, each sorted by the number, are all records sorted by it.

    Parameters
    ----------
    n_bytes : int
        About what a record takes.

    Raises
    ------
    TableError
        There is not enough room for them.
    """

    def __init__(self, spill: Spill, n_records: int, n_bytes: int) -> None:
        n_files = -(-n_records // RECORDS_PER_FILE)
        self._bits = min(max(n_files - 1, 0).bit_length(), _MOST_BITS)
        spill.require(n_records * n_bytes)
        self._spill = spill
        self._paths = [spill.path() for _unused in range(1 << self._bits)]
        self._files: dict[int, tuple[BinaryIO, Any]] = {}
        self._remove = weakref.finalize(self, _remove, self._paths, self._files)

    def add(self, numbers: Numbers, columns: Sequence[Any]) -> None:
        """Add records, given the number of each and its stored cells: arrays or lists of texts.

        Raises
        ------
        TableError
            The disk is full.
        """
        import pyarrow as pa

        arrays = [pa.array(numbers), *(as_arrow(column) for column in columns)]
        batch = pa.RecordBatch.from_arrays(arrays, [str(place) for place in range(len(arrays))])
        if not self._bits:
            self._write(0, batch)
            return
        places = (numbers >> np.uint64(64 - self._bits)).astype(np.int64)
        batch = batch.take(pa.array(np.argsort(places, kind="stable")))
        stops = np.cumsum(np.bincount(places, minlength=len(self._paths)))
        start = 0
        for place, stop in enumerate(stops.tolist()):
            if stop > start:
                self._write(place, batch.slice(start, stop - start))
            start = stop

    def _write(self, place: int, batch: Any) -> None:
        import pyarrow as pa

        with self._spill.writing():
            if place not in self._files:
                file = self._paths[place].open("xb")
                self._files[place] = (file, pa.ipc.new_stream(pa.PythonFile(file, "w"), batch.schema))
            self._files[place][1].write_batch(batch)

    def files(self) -> Iterator[tuple[Numbers, list[Any]]]:
        """Yield numbers and columns of each file, as Arrow columns; a file that was read is removed."""
        import pyarrow as pa

        with self._spill.writing():
            for file, writer in self._files.values():
                writer.close()
                self._spill.n_bytes += file.tell()
                file.close()
        for place in sorted(self._files):
            with self._paths[place].open("rb") as file:
                table = pa.ipc.open_stream(file).read_all()
            self._paths[place].unlink()
            numbers, *columns = table.columns
            yield numbers.to_numpy(), columns

    def close(self) -> None:
        """Remove the files that are left."""
        self._remove()


def _remove(paths: Sequence[Path], files: dict[int, tuple[BinaryIO, Any]]) -> None:
    for file, _unused in files.values():
        with suppress(OSError):  # a full disk refuses what is left in a buffer
            file.close()
    for path in paths:
        path.unlink(missing_ok=True)


def as_arrow(column: Any) -> Any:
    """Return codes, or a list of texts, as an Arrow array."""
    import pyarrow as pa

    return pa.array(column, pa.large_string()) if isinstance(column, list) else pa.array(column)


class Sorted:
    """Dealt records in the order of their numbers, read in pieces from the first on.

    Parameters
    ----------
    deal : Deal
        All records were added.
    """

    def __init__(self, deal: Deal) -> None:
        self._deal, self._files = deal, deal.files()
        self._first = self._stop = 0
        self._order: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._columns: list[Any] = []

    def read(self, start: int, stop: int) -> list[Any]:
        """Return codes, or texts, of some records; those of an earlier file are not available."""
        if start < self._first:
            raise ValueError("dealt records are read once, in their order")
        parts: list[list[Any]] = []
        while start < stop:
            while start >= self._stop:
                numbers, self._columns = next(self._files)
                self._order = np.argsort(numbers, kind="stable")
                self._first, self._stop = self._stop, self._stop + len(numbers)
            end = min(stop, self._stop)
            chosen = self._order[start - self._first : end - self._first]
            parts.append([_chosen(column, chosen) for column in self._columns])
            start = end
        if len(parts) == 1:
            return parts[0]
        return [_joined(own) for own in zip(*parts, strict=True)]


def _chosen(column: Any, chosen: NDArray[np.int64]) -> Any:
    import pyarrow as pa

    taken = column.take(pa.array(chosen))
    return taken.to_pylist() if pa.types.is_large_string(taken.type) else taken.to_numpy()


def _joined(parts: Sequence[Any]) -> Any:
    return [text for part in parts for text in part] if isinstance(parts[0], list) else np.concatenate(parts)


_BLOCK = 1 << 20  # records per step
_READING = N_("Reading {n} records")


def passed_texts(column: StoredColumn, monitor: Monitor) -> Iterator[list[str]]:
    """Yield the texts of all records, block by block, as they would be in memory."""
    n_records, done = column.n_rows, 0
    for (block,) in column.files.read_again([column], monitor):
        monitor.step(done, n_records, _(_READING).format(n=as_exact_count(n_records)))
        done += len(block.codes)
        yield texts_of(block.labels, block.codes)


def texts_of(labels: Sequence[str], codes: Codes) -> list[str]:
    """Return the text of each code."""
    texts: list[str] = np.array(labels or ("",), dtype=object)[codes].tolist()
    return texts


def hashed(texts: Sequence[str], key: str) -> Numbers:
    """Return a number per text that is the same for the same text and key."""
    import pandas as pd

    values = np.empty(len(texts), dtype=object)
    values[:] = texts
    found: Numbers = pd.util.hash_array(values, hash_key=key, categorize=False)
    return found


def new_key() -> str:
    """Return a key for which no one knows texts with the same number."""
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
    first : ndarray of int64
        From `first_occurrences`.
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
