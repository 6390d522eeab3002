"""The tables that undo steps go back to: one of them whole, of the others what differs from it."""

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
    from engine.kernels.arrays import Codes, IntArray, Reals
    from engine.project import Project
    from engine.table import Table
    from engine.table.table import Column
    from engine.table.types import DataType


class KeptProject(NamedTuple):
    """A project without its table, and which version of that belongs to it."""

    project: Project
    version: int
    original: ref[Project]  # to be the same object again while something holds it


class _Pair(NamedTuple):
    """Two versions of a column that have too little in common, the codes of both in files."""

    earlier: StoredColumn
    later: StoredColumn

    def before(self, _after: Column) -> Column:
        return self.earlier.column()

    def after(self, _before: Column) -> Column:
        return self.later.column()


class _Stored(NamedTuple):
    """Two tables of other columns or other records, the codes of both in files."""

    earlier: StoredTable
    later: StoredTable

    def before(self, _after: Table) -> Table:
        return self.earlier.table()

    def after(self, _before: Table) -> Table:
        return self.later.table()


class _TableChange(NamedTuple):
    """What differs between two tables of the same columns and records, by place."""

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
    """Two tables as they are, until `packed` has found what differs between them."""

    def __init__(self, earlier: Table, later: Table) -> None:
        self._earlier, self._later = earlier, later

    def before(self, _after: Table) -> Table:
        return self._earlier

    def after(self, _before: Table) -> Table:
        return self._later

    def packed(self, stored: StoredTables, monitor: Monitor = SILENT) -> Step:
        """Return the same step as what differs; for a thread of its own, since it looks at every record.

        Raises
        ------
        CancelledError
        OSError
            There is no room for the files of tables that have too little in common.
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
    """One version after another, as the edits made them; those undone are forgotten with the next edit.

    Only the table of now is held whole, once the steps are packed. One that something else still holds,
    such as the release made of it, is given back as the same object.
    """

    def __init__(self) -> None:
        self._whole: Table | None = None
        self._at = 0
        self._known: list[ref[Table]] = []
        self._steps: list[Step] = []  # from each version to the next
        self.stored = StoredTables()

    def clear(self) -> None:
        """Forget every version."""
        self._whole, self._at = None, 0
        self._known, self._steps = [], []
        self.stored = StoredTables()

    @property
    def loose(self) -> tuple[LooseStep, ...]:
        """The steps that hold both their tables whole."""
        return tuple(step for step in self._steps if isinstance(step, LooseStep))

    def replace(self, loose: LooseStep, packed: Step) -> None:
        """Take the packed form of a step, if that is still one."""
        self._steps = [packed if step is loose else step for step in self._steps]

    def note(self, before: Project, after: Project) -> tuple[KeptProject, KeptProject]:
        """Keep both sides of an edit that is made now; what was undone before it is forgotten."""
        del self._known[self._at + 1 :], self._steps[self._at :]
        self._move_to(before.table)  # another one than of the last edit where the whole table was read since
        first = self._at
        self._move_to(after.table)
        return _kept(before, first), _kept(after, self._at)

    def kept(self, project: Project) -> KeptProject | None:
        """What is to be remembered of a project whose table is one of the versions; None if it is none."""
        for version, known in enumerate(self._known):
            if known() is project.table:
                return _kept(project, version)
        return None

    def project(self, kept: KeptProject) -> Project:
        """The project as it was, its table the one of now from here on."""
        self._whole, self._at = self._table(kept.version), kept.version
        return _with_table(kept, self._whole)

    def look(self, kept: KeptProject) -> Project:
        """The project as it was; the table of now stays what it is."""
        return _with_table(kept, self._table(kept.version))

    def _table(self, version: int) -> Table:
        table, at = self._whole, self._at
        assert table is not None, "a version was noted, so that one is whole"
        while at != version:
            forth = version > at
            step = self._steps[at if forth else at - 1]
            at += 1 if forth else -1
            known = self._known[at]()
            if known is None:
                known = step.after(table) if forth else step.before(table)
                self._known[at] = ref(known)
            table = known
        return table

    def _move_to(self, table: Table) -> None:
        """Make a table the version of now, the next one if it is another."""
        if table is self._whole:
            return
        if self._whole is not None:
            self._steps.append(LooseStep(self._whole, table))
            self._at += 1
        self._known.append(ref(table))
        self._whole = table


def _with_table(kept: KeptProject, table: Table) -> Project:
    original = kept.original()
    if original is not None and original.table is table:
        return original
    return replace(kept.project, table=table)


def _kept(project: Project, version: int) -> KeptProject:
    from engine.table import Table

    return KeptProject(replace(project, table=Table(())), version, ref(project))


def _column_change(before: Column, after: Column, stored: StoredTables) -> ColumnChange | _Pair:
    change = ColumnChange.of(before, after)
    if change.n_exceptions * 4 < before.codes.size:
        return change
    return _Pair(stored.store_column(before), stored.store_column(after))


class _Face(NamedTuple):
    """A column without its records."""

    name: str
    data_type: DataType
    labels: tuple[str, ...]
    has_missing: bool
    numbers: Reals


class _Way(NamedTuple):
    """From codes to codes: by label, then the records it is not true of."""

    codes: Codes
    records: IntArray
    there: Codes

    def go(self, codes: Codes) -> Codes:
        found: Codes = self.codes[codes]
        found[self.records] = self.there
        return found


@dataclass(frozen=True)
class ColumnChange:
    """Two versions of a column with the same records, each to be had from the other.

    What it takes grows with the labels, and with the records whose label is another than that of most
    who share theirs on the other side; not with the records.
    """

    _before: _Face
    _after: _Face
    _forth: _Way
    _back: _Way

    @classmethod
    def of(cls, before: Column, after: Column) -> ColumnChange:
        """Compare two versions."""
        return cls(_face(before), _face(after), _way(before, after), _way(after, before))

    @property
    def n_exceptions(self) -> int:
        """Records that are kept one by one, of both ways."""
        return int(self._forth.records.size + self._back.records.size)

    def after(self, before: Column) -> Column:
        """The later version from the earlier one."""
        return _column(self._after, self._forth.go(before.codes))

    def before(self, after: Column) -> Column:
        """The earlier version from the later one."""
        return _column(self._before, self._back.go(after.codes))


def _face(column: Column) -> _Face:
    return _Face(column.name, column.data_type, column.labels, column.has_missing, column.numbers)


def _column(face: _Face, codes: Codes) -> Column:
    from engine.table.table import Column

    return Column(face.name, face.data_type, face.labels, codes, face.has_missing, face.numbers)


def _way(source: Column, target: Column) -> _Way:
    codes = np.zeros(len(source.labels), dtype=np.int32)
    codes[source.codes] = target.codes  # of some record each, for labels that got another text
    number_of = {label: number for number, label in enumerate(target.labels)}
    for number, label in enumerate(source.labels):
        if (same := number_of.get(label)) is not None:
            codes[number] = same
    records = np.flatnonzero(codes[source.codes] != target.codes)
    return _Way(codes, records, target.codes[records])


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
