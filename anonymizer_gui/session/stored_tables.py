"""Tables that undo may go back to, their codes in private files instead of in memory."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary, finalize

import numpy as np

from engine.monitor import SILENT, Monitor

if TYPE_CHECKING:
    from engine.table import Table
    from engine.table.table import Column


class _Folder:
    """A scratch folder as long as somebody holds it; it goes with the program, or the next start."""

    def __init__(self) -> None:
        from engine.scratch import scratch_folder

        stack = ExitStack()
        self.path = stack.enter_context(scratch_folder("undo"))
        self._end = finalize(self, stack.close)


class StoredColumn(NamedTuple):
    """A column without its records, and the file of these."""

    face: Column
    path: Path
    n_records: int
    folder: _Folder  # which goes with the last who holds it

    def column(self) -> Column:
        """The column, whole again."""
        if not self.n_records:
            return self.face
        # Copied on writing: the same kind of array as any other, for the compiled kernels too.
        codes = np.memmap(self.path, dtype=np.int32, mode="c", shape=(self.n_records,))
        return replace(self.face, codes=np.asarray(codes))


class StoredTable(NamedTuple):
    """A table that is had back at once; only what is looked at is read from the disk."""

    columns: tuple[StoredColumn, ...]

    def table(self) -> Table:
        from engine.table import Table

        return Table(tuple(column.column() for column in self.columns))


class StoredTables:
    """Writes tables aside, one at a time; a column that several of them share is written once.

    The files hold numbers alone; the texts these stand for stay in memory.
    """

    def __init__(self) -> None:
        self._folder: _Folder | None = None
        self._numbers = count()
        self._known: WeakKeyDictionary[Column, StoredColumn] = WeakKeyDictionary()

    def store(self, table: Table, monitor: Monitor = SILENT) -> StoredTable:
        """Write a table; columns that were written before are not again.

        Raises
        ------
        CancelledError
        OSError
            There is no room.
        """
        columns = []
        for done, column in enumerate(table.columns):
            monitor.step(done, len(table.columns))
            columns.append(self.store_column(column))
        return StoredTable(tuple(columns))

    def store_column(self, column: Column) -> StoredColumn:
        """Write a column.

        Raises
        ------
        OSError
            There is no room.
        """
        known = self._known.get(column)
        if known is None:
            if self._folder is None:
                self._folder = _Folder()
            path = self._folder.path / str(next(self._numbers))
            column.codes.astype(np.int32, copy=False).tofile(path)
            face = replace(column, codes=column.codes[:0].copy())
            known = self._known[column] = StoredColumn(face, path, column.codes.size, self._folder)
        return known
