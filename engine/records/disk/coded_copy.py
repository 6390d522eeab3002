"""A private copy of the records of files: a small integer per cell, mapped into memory.

The copy is personal data; see `engine.records.stored`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.errors import TableError
from engine.kernels.arrays import Codes, Counts
from engine.monitor import Monitor
from engine.records.chunks import numbers
from engine.records.stored import Spill
from engine.words import _

MOST_VALUES = 5_000_000  # different values of a column that are listed
_BLOCK = 1 << 20  # records per step
_BYTES_OF_VALUE = 300  # about what a listed value takes while a table is read
_WIDTHS = (np.uint8, np.uint16, np.int32)

Cells = NDArray[np.integer[Any]]


def most_values(memory: int) -> int:
    """Return how many different values of one column are listed within a limit of memory, in bytes."""
    return max(min(MOST_VALUES, memory // (4 * _BYTES_OF_VALUE)), 1_000)


class CodedCopy:
    """Codes of the cells of a table by column, written in one pass over the records.

    Parameters
    ----------
    most : int
        Different values of a column that are listed; the cells of a column with more are not kept.
    spill : Spill
        Its own.
    n_records : int
        Of cells that are only recoded here.
    """

    def __init__(self, n_columns: int, most: int, spill: Spill, n_records: int = 0) -> None:
        self.spill = spill
        with spill.writing():
            self.columns = [ColumnCopy(spill, most) for _unused in range(n_columns)]
        self.n_records = n_records

    def add(self, blocks: Sequence[Any]) -> None:
        """Add the cells of further records, one Arrow array per column.

        Raises
        ------
        TableError
            The folder for temporary files is full.
        """
        if not len(blocks[0]):
            return
        with self.spill.writing():
            for column, block in zip(self.columns, blocks, strict=True):
                column.add(block)
        self.n_records += len(blocks[0])

    def close(self) -> None:
        """Remove the copy at once."""
        for column in self.columns:
            with suppress(TableError):  # a full disk refuses what is left in a buffer
                column.close()
        self.spill.close()

    def recoded(self, cells: Cells | None, recode: Codes, n_labels: int, monitor: Monitor) -> Cells:
        """Return mapped cells with other codes.

        Parameters
        ----------
        cells : mapped ndarray, or None
            None for cells that were not kept, which all become 0.
        recode : ndarray of int32
            New code of each code; the last one is of code -1, too.
        n_labels : int
            One more than the largest new code.
        """
        path, width = self.spill.path(), width_of(n_labels)
        with self.spill.writing(), path.open("wb") as file:
            for start in range(0, self.n_records, _BLOCK):
                monitor.step(start, self.n_records, _("Ordering values"))
                end = min(start + _BLOCK, self.n_records)
                codes = np.zeros(end - start, width) if cells is None else recode[cells[start:end]]
                self.spill.write(file, codes.astype(width, copy=False).tobytes())
        self.spill.let_go()
        return self.spill.mapped(path, width, self.n_records)

    def cells(self, column: int) -> Cells | None:
        """Return the mapped cells of a column in order; None for a column with too many values."""
        own = self.columns[column]
        own.close()
        return None if own.is_cut else self.spill.mapped(own.path, own.width, self.n_records)


def width_of(n_labels: int) -> type[np.integer[Any]]:
    """Return the smallest type of integers for codes from 0 to `n_labels` - 1."""
    return next(width for width in _WIDTHS if n_labels - 1 <= np.iinfo(width).max)


class ColumnCopy:
    """The cells of one column: 0 for a cell without a value, else 1 + the place of its value.

    Attributes
    ----------
    counts : ndarray of int64
        Records per code.
    is_cut : bool
        Whether there are too many different values; then only cells without a value are distinguished.
    """

    def __init__(self, spill: Spill, most: int) -> None:
        self._spill, self.path, self.most = spill, spill.path(), most
        self.width: type[np.integer[Any]] = np.uint8
        self.is_cut = False
        self.counts: Counts = np.zeros(1, dtype=np.int64)
        self._file: BinaryIO | None = self.path.open("wb")
        self._places: dict[Any, int] = {}
        self._values: list[Any] = []

    def add(self, block: Any) -> None:
        """Add an Arrow array of cells."""
        import pyarrow as pa

        if self.is_cut:
            n_empty = block.null_count
            self.counts += [n_empty, len(block) - n_empty]
            return
        coded = block if pa.types.is_dictionary(block.type) else block.dictionary_encode()
        places = self._placed(coded.dictionary)
        if len(self._places) > self.most:
            self._cut(block)
            return
        indices = coded.indices
        recode = np.append(places, np.int32(0)).astype(np.int32)  # the last one is for a missing cell
        codes = recode[numbers(indices.fill_null(len(places)) if indices.null_count else indices)]
        occurs = np.bincount(codes, minlength=len(self._places) + 1)
        occurs[: len(self.counts)] += self.counts
        self.counts = occurs.astype(np.int64, copy=False)
        width = width_of(len(self._places) + 1)
        if width is not self.width:
            self._widen(width)
        assert self._file is not None, "closed when all records are added"
        self._spill.write(self._file, codes.astype(width, copy=False).tobytes())

    def values(self) -> Any:
        """Return the different values in the order in which they first occur, as a chunked Arrow array."""
        import pyarrow as pa

        return pa.chunked_array(self._values) if self._values else pa.chunked_array([[]], pa.string())

    def close(self) -> None:
        """Close the file.

        Raises
        ------
        TableError
            The disk is full.
        """
        file, self._file = self._file, None
        if file is not None:
            with self._spill.writing():
                file.close()

    def _placed(self, values: Any) -> Codes:
        """Return 1 + the place of each value of a block; a value that is new gets the next place."""
        known, n_known = self._places, len(self._places)
        places = np.array(
            [known.setdefault(value, len(known)) for value in _hashable(values)], dtype=np.int32
        ).reshape(-1)
        if len(known) > n_known:
            is_new = np.zeros(len(known) - n_known, dtype=np.int64)
            beyond = np.flatnonzero(places >= n_known)
            is_new[places[beyond][::-1] - n_known] = beyond[::-1]
            self._values.append(values.take(is_new))
        return places + np.int32(1)

    def _cut(self, block: Any) -> None:
        self.is_cut = True
        n_before, n_empty = int(self.counts.sum()), int(self.counts[0])
        n_empty += block.null_count
        self.counts = np.array([n_empty, n_before + len(block) - n_empty], dtype=np.int64)
        self._places, self._values = {}, []
        self.close()
        self.path.unlink()

    def _widen(self, width: type[np.integer[Any]]) -> None:
        self.close()
        wider = self.path.with_suffix(".wider")
        with self.path.open("rb") as old, wider.open("wb") as new:
            n_bytes = _BLOCK * np.dtype(self.width).itemsize
            for piece in iter(partial(old.read, n_bytes), b""):
                self._spill.write(new, np.frombuffer(piece, self.width).astype(width).tobytes())
        wider.replace(self.path)
        self.width, self._file = width, self.path.open("ab")


def _hashable(values: Any) -> list[Any]:
    """Return an object for each value, equal only for equal bits, so that nan is one value."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_float64(kind):
        found: list[Any] = numbers(values).view(np.int64).tolist()
        return found
    if pa.types.is_temporal(kind):
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        return list(values.view(width).to_pylist())
    return list(values.to_pylist())
