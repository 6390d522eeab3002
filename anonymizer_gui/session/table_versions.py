"""Table versions for undo steps: one complete table, and the differences to the others."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary, finalize, ref

import numpy as np

from engine.monitor import SILENT, Monitor

if TYPE_CHECKING:
    from engine.kernels.arrays import Codes, FloatArray, IntArray
    from engine.project import Project
    from engine.table import Table
    from engine.table.table import Column
    from engine.table.types import DataType


class ProjectVersion(NamedTuple):
    """A project without its table, and the version of the table it belongs to."""

    project: Project
    version: int
    original: ref[Project]  # to return the same object while it exists


class _Pair(NamedTuple):
    """Two versions of a column with too little in common, both code arrays in files."""

    earlier: StoredColumn
    later: StoredColumn

    def before(self, _after: Column) -> Column:
        return self.earlier.column()

    def after(self, _before: Column) -> Column:
        return self.later.column()


class _Stored(NamedTuple):
    """Two tables with different columns or records, all code arrays in files."""

    earlier: StoredTable
    later: StoredTable

    def before(self, _after: Table) -> Table:
        return self.earlier.table()

    def after(self, _before: Table) -> Table:
        return self.later.table()


class _TableChange(NamedTuple):
    """Differences between two tables with the same columns and records, by column position."""

    columns: dict[int, ColumnChange | _Pair]

    def before(self, after: Table) -> Table:
        return self._with(
            after, {at: change.before(after.columns[at]) for at, change in self.columns.items()}
        )

    def after(self, before: Table) -> Table:
        return self._with(
            before, {at: change.after(before.columns[at]) for at, change in self.columns.items()}
        )

    def _with(self, table: Table, columns: dict[int, Column]) -> Table:
        return replace(
            table, columns=tuple(columns.get(at, column) for at, column in enumerate(table.columns))
        )


class LooseStep:
    """Two complete tables, until `packed` has computed their differences."""

    def __init__(self, earlier: Table, later: Table) -> None:
        self._earlier, self._later = earlier, later

    @property
    def is_stored(self) -> bool:
        """Whether a table stays in files: then it hardly takes memory, and is not packed."""
        return self._earlier.is_stored or self._later.is_stored

    def before(self, _after: Table) -> Table:
        return self._earlier

    def after(self, _before: Table) -> Table:
        return self._later

    def packed(self, stored: StoredTables, monitor: Monitor = SILENT) -> Step:
        """Return the step as differences; run it in a task, because it reads every record.

        Raises
        ------
        CancelledError
        OSError
            There is no space for the files of tables with too little in common.
        """
        before, after = self._earlier, self._later
        if before.names != after.names or before.n_records != after.n_records:
            return _Stored(stored.store(before, monitor), stored.store(after, monitor))
        changes = {}
        for at, (old, new) in enumerate(zip(before.columns, after.columns, strict=True)):
            monitor.step(at, len(before.columns))
            if old is not new:
                changes[at] = _column_change(old, new, stored)
        return _TableChange(changes)


Step = _TableChange | _Stored | LooseStep


class TableVersions:
    """Sequence of table versions made by edits; undone versions are removed with the next edit.

    Once the steps are packed, only the current table is complete. A version still in use elsewhere, such as
    by its release, is returned as the same object.
    """

    def __init__(self) -> None:
        self._current: Table | None = None
        self._at = 0
        self._known: list[ref[Table]] = []
        self._steps: list[Step] = []  # from each version to the next
        self.stored = StoredTables()

    def clear(self) -> None:
        """Remove all versions."""
        self._current, self._at = None, 0
        self._known, self._steps = [], []
        self.stored = StoredTables()

    @property
    def loose(self) -> tuple[LooseStep, ...]:
        """Steps that still hold two complete tables in memory."""
        return tuple(step for step in self._steps if isinstance(step, LooseStep) and not step.is_stored)

    def replace(self, loose: LooseStep, packed: Step) -> None:
        """Replace a step by its packed form, if it still exists."""
        self._steps = [packed if step is loose else step for step in self._steps]

    def note(self, before: Project, after: Project) -> tuple[ProjectVersion, ProjectVersion]:
        """Add an edit with the project before and after it; remove undone versions."""
        del self._known[self._at + 1 :], self._steps[self._at :]
        self._move_to(before.table)  # differs from the last edit's table if the complete table was read since
        first = self._at
        self._move_to(after.table)
        return _version_of(before, first), _version_of(after, self._at)

    def version_of(self, project: Project) -> ProjectVersion | None:
        """Return the stored form of a project, or None if its table is not one of the versions."""
        for version, known in enumerate(self._known):
            if known() is project.table:
                return _version_of(project, version)
        return None

    def project(self, stored: ProjectVersion) -> Project:
        """Return a stored project and make its table the current one."""
        self._current, self._at = self._table(stored.version), stored.version
        return _with_table(stored, self._current)

    def look(self, stored: ProjectVersion) -> Project:
        """Return a stored project without changing the current table."""
        return _with_table(stored, self._table(stored.version))

    def _table(self, version: int) -> Table:
        table, at = self._current, self._at
        assert table is not None, "a version was noted, so that one is complete"
        while at != version:
            is_later = version > at
            step = self._steps[at if is_later else at - 1]
            at += 1 if is_later else -1
            known = self._known[at]()
            if known is None:
                known = step.after(table) if is_later else step.before(table)
                self._known[at] = ref(known)
            table = known
        return table

    def _move_to(self, table: Table) -> None:
        """Make a table the current version, or the next one if it is new."""
        if table is self._current:
            return
        if self._current is not None:
            self._steps.append(LooseStep(self._current, table))
            self._at += 1
        self._known.append(ref(table))
        self._current = table


def _with_table(stored: ProjectVersion, table: Table) -> Project:
    original = stored.original()
    if original is not None and original.table is table:
        return original
    return replace(stored.project, table=table)


def _version_of(project: Project, version: int) -> ProjectVersion:
    from engine.table import Table

    return ProjectVersion(replace(project, table=Table(())), version, ref(project))


def _column_change(before: Column, after: Column, stored: StoredTables) -> ColumnChange | _Pair:
    change = ColumnChange.of(before, after)
    if change.n_exceptions * 4 < before.codes.size:
        return change
    return _Pair(stored.store_column(before), stored.store_column(after))


class _ColumnInfo(NamedTuple):
    """A column without its codes."""

    name: str
    data_type: DataType
    labels: tuple[str, ...]
    has_missing: bool
    numbers: FloatArray


class _CodeMap(NamedTuple):
    """Map from codes to codes: by label, then individual exceptions by record."""

    codes: Codes
    records: IntArray
    there: Codes

    def go(self, codes: Codes) -> Codes:
        found: Codes = self.codes[codes]
        found[self.records] = self.there
        return found


@dataclass(frozen=True)
class ColumnChange:
    """Two versions of a column with the same records, each computable from the other.

    Its size grows with the number of labels, and with the records whose label differs from that of most
    records with the same label on the other side; not with the number of records.
    """

    _before: _ColumnInfo
    _after: _ColumnInfo
    _forward: _CodeMap
    _backward: _CodeMap

    @classmethod
    def of(cls, before: Column, after: Column) -> ColumnChange:
        """Return the difference between two versions."""
        return cls(_info(before), _info(after), _code_map(before, after), _code_map(after, before))

    @property
    def n_exceptions(self) -> int:
        """Number of records stored individually, in both directions."""
        return int(self._forward.records.size + self._backward.records.size)

    def after(self, before: Column) -> Column:
        """Return the later version from the earlier one."""
        return _column(self._after, self._forward.go(before.codes))

    def before(self, after: Column) -> Column:
        """Return the earlier version from the later one."""
        return _column(self._before, self._backward.go(after.codes))


def _info(column: Column) -> _ColumnInfo:
    return _ColumnInfo(column.name, column.data_type, column.labels, column.has_missing, column.numbers)


def _column(info: _ColumnInfo, codes: Codes) -> Column:
    from engine.table.table import Column

    return Column(info.name, info.data_type, info.labels, codes, info.has_missing, info.numbers)


def _code_map(source: Column, target: Column) -> _CodeMap:
    codes = np.zeros(len(source.labels), dtype=np.int32)
    codes[source.codes] = target.codes  # of any record each, for labels that were renamed
    number_of = {label: number for number, label in enumerate(target.labels)}
    for number, label in enumerate(source.labels):
        if (same := number_of.get(label)) is not None:
            codes[number] = same
    records = np.flatnonzero(codes[source.codes] != target.codes)
    return _CodeMap(codes, records, target.codes[records])


class _Folder:
    """Temporary folder, deleted with its last reference, at exit, or at the next start."""

    def __init__(self) -> None:
        from engine.scratch import scratch_folder

        stack = ExitStack()
        self.path = stack.enter_context(scratch_folder("undo"))
        self._end = finalize(self, stack.close)


class StoredColumn(NamedTuple):
    """A column without its codes, and the file with them."""

    without_codes: Column
    path: Path
    n_records: int
    folder: _Folder  # deleted with its last reference

    def column(self) -> Column:
        """Return the complete column."""
        if not self.n_records:
            return self.without_codes
        # Copy-on-write gives an ordinary array type, as the compiled kernels require.
        codes = np.memmap(self.path, dtype=np.int32, mode="c", shape=(self.n_records,))
        return replace(self.without_codes, codes=np.asarray(codes))


class StoredTable(NamedTuple):
    """Stored table that opens immediately; only parts in use are read from disk."""

    columns: tuple[StoredColumn, ...]

    def table(self) -> Table:
        from engine.table import Table

        return Table(tuple(column.column() for column in self.columns))


class StoredTables:
    """Writes tables to disk, one at a time; a column shared by several tables is written once.

    The files contain codes only; labels stay in memory.
    """

    def __init__(self) -> None:
        self._folder: _Folder | None = None
        self._numbers = count()
        self._known: WeakKeyDictionary[Column, StoredColumn] = WeakKeyDictionary()

    def store(self, table: Table, monitor: Monitor = SILENT) -> StoredTable:
        """Write a table, without columns that are already stored.

        Raises
        ------
        CancelledError
        OSError
            There is no space.
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
            There is no space.
        """
        known = self._known.get(column)
        if known is None:
            if self._folder is None:
                self._folder = _Folder()
            path = self._folder.path / str(next(self._numbers))
            column.codes.astype(np.int32, copy=False).tofile(path)
            without_codes = replace(column, codes=column.codes[:0].copy())
            known = self._known[column] = StoredColumn(without_codes, path, column.codes.size, self._folder)
        return known
