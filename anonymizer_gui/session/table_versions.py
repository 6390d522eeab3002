"""Table versions for undo steps: the current table is complete, other columns of others are in files."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary, finalize, ref

import numpy as np

if TYPE_CHECKING:
    from engine.project import Project
    from engine.records import Table
    from engine.records.table import Column


class ProjectVersion(NamedTuple):
    """A project without its table, and the version of the table it belongs to."""

    project: Project
    version: int
    original: ref[Project]  # to return the same object while it exists


class StoredColumn:
    """A column whose codes are in a file; labels stay in memory. It is the same object while that exists."""

    def __init__(self, column: Column, path: Path, folder: _Folder) -> None:
        self._column = ref(column)
        self._without_codes = replace(column, codes=column.codes[:0].copy())
        self._path, self._n_rows = path, column.codes.size
        self._folder = folder  # deleted with its last reference

    def column(self) -> Column:
        """Return the complete column; only the parts in use are read from disk."""
        column = self._column()
        if column is None:
            column = self._without_codes
            if self._n_rows:
                # Copy-on-write gives an ordinary array type, as the compiled kernels require.
                codes = np.memmap(self._path, dtype=np.int32, mode="c", shape=(self._n_rows,))
                column = replace(column, codes=np.asarray(codes))
            self._column = ref(column)
        return column


class _Version:
    """One version of the table, with its columns or what they are read from."""

    def __init__(self, table: Table, stored: WeakKeyDictionary[Column, StoredColumn]) -> None:
        self.known = ref(table)
        self._without_columns = replace(table, columns=())
        self._stored = stored
        self.columns: list[Column | StoredColumn] = [stored.get(column, column) for column in table.columns]

    def table(self) -> Table:
        """Return the complete table."""
        table = self.known()
        if table is None:
            table = replace(self._without_columns, columns=tuple(map(self._column, self.columns)))
            self.known = ref(table)
        return table

    def _column(self, held: Column | StoredColumn) -> Column:
        if not isinstance(held, StoredColumn):
            return held
        column = held.column()
        self._stored[column] = held
        return column


class TableVersions:
    """Sequence of table versions made by edits; undone versions are removed with the next edit.

    Once the loose columns are stored, only those of the current table are in memory. A version still in use
    elsewhere, such as by its release, is returned as the same object.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Remove all versions."""
        self._current: Table | None = None
        self._at = 0
        self._versions: list[_Version] = []
        self._stored: WeakKeyDictionary[Column, StoredColumn] = WeakKeyDictionary()
        self._folder: _Folder | None = None
        self._numbers = count()

    @property
    def loose(self) -> tuple[Column, ...]:
        """Columns in memory that only other versions than the current one have."""
        current = set(() if self._current is None else self._current.columns)
        held = dict.fromkeys(column for version in self._versions for column in version.columns)
        return tuple(
            column
            for column in held
            if not (isinstance(column, StoredColumn) or column in current or column.home is not None)
        )

    def store(self, column: Column) -> StoredColumn:
        """Write a loose column to disk; run it in a task.

        Raises
        ------
        OSError
            There is no space.
        """
        if self._folder is None:
            self._folder = _Folder()
        path = self._folder.path / str(next(self._numbers))
        column.codes.astype(np.int32, copy=False).tofile(path)
        return StoredColumn(column, path, self._folder)

    def replace(self, column: Column, stored: StoredColumn) -> None:
        """Hold a column by its file in all versions."""
        self._stored[column] = stored
        for version in self._versions:
            version.columns = [stored if held is column else held for held in version.columns]

    def note(self, before: Project, after: Project) -> tuple[ProjectVersion, ProjectVersion]:
        """Add an edit with the project before and after it; remove undone versions."""
        del self._versions[self._at + 1 :]
        self._move_to(before.table)  # differs from the last edit's table if the complete table was read since
        first = self._at
        self._move_to(after.table)
        return _version_of(before, first), _version_of(after, self._at)

    def version_of(self, project: Project) -> ProjectVersion | None:
        """Return the stored form of a project, or None if its table is not one of the versions."""
        for number, version in enumerate(self._versions):
            if version.known() is project.table:
                return _version_of(project, number)
        return None

    def project(self, stored: ProjectVersion) -> Project:
        """Return a stored project and make its table the current one."""
        self._current, self._at = self._versions[stored.version].table(), stored.version
        return self.look(stored)

    def look(self, stored: ProjectVersion) -> Project:
        """Return a stored project without changing the current table."""
        original, table = stored.original(), self._versions[stored.version].table()
        if original is not None and original.table is table:
            return original
        return replace(stored.project, table=table)

    def _move_to(self, table: Table) -> None:
        """Make a table the current version, or the next one if it is new."""
        if table is self._current:
            return
        self._versions.append(_Version(table, self._stored))
        self._current, self._at = table, len(self._versions) - 1


def _version_of(project: Project, version: int) -> ProjectVersion:
    from engine.records import Table

    return ProjectVersion(replace(project, table=Table(())), version, ref(project))


class _Folder:
    """Temporary folder, deleted with its last reference, at exit, or at the next start."""

    def __init__(self) -> None:
        from engine.scratch import scratch_folder

        stack = ExitStack()
        self.path = stack.enter_context(scratch_folder("undo"))
        self._end = finalize(self, stack.close)
