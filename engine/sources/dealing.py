"""Records dealt into temporary files by a number of theirs, so that each file can be worked on in memory."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.table.spill import Spill

RECORDS_PER_FILE = 1 << 20  # about
_MOST_BITS = 9  # more files than a process may have open otherwise

Numbers = NDArray[np.uint64]


class Deal:
    """Records in files by the high bits of a number, in each file in the order in which they came.

    Files in their order, each sorted by the number, are all records sorted by it.

    Parameters
    ----------
    spill : Spill
    n_records : int
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
        """Add records, given the number of each and what is kept of it: arrays or lists of texts.

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
        """Return codes, or texts, of some records; those of an earlier file are gone."""
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
