"""The tables that undo steps go back to: one of them whole, of the others what differs from it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple
from weakref import ref

from anonymizer_gui.session.column_change import ColumnChange

if TYPE_CHECKING:
    from engine.project import Project
    from engine.table import Table
    from engine.table.table import Column


class KeptProject(NamedTuple):
    """A project without its table, and which version of that belongs to it."""

    project: Project
    version: int
    original: ref[Project]  # to be the same object again while something holds it


class _Pair(NamedTuple):
    """Two versions of a column that have too little in common, both whole."""

    earlier: Column
    later: Column

    def before(self, _after: Column) -> Column:
        return self.earlier

    def after(self, _before: Column) -> Column:
        return self.later


class _Tables(NamedTuple):
    """Two tables of other columns or other records."""

    earlier: Table
    later: Table

    def before(self, _after: Table) -> Table:
        return self.earlier

    def after(self, _before: Table) -> Table:
        return self.later


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


class TableVersions:
    """One version after another, as the edits made them; those undone are forgotten with the next edit.

    Only the table of now is held whole. One that something else still holds, such as the release made
    of it, is given back as the same object.
    """

    def __init__(self) -> None:
        self._whole: Table | None = None
        self._at = 0
        self._known: list[ref[Table]] = []
        self._changes: list[_TableChange | _Tables] = []  # from each version to the next

    def clear(self) -> None:
        """Forget every version."""
        self._whole, self._at = None, 0
        self._known, self._changes = [], []

    def note(self, before: Project, after: Project) -> tuple[KeptProject, KeptProject]:
        """Keep both sides of an edit that is made now; what was undone before it is forgotten."""
        del self._known[self._at + 1 :], self._changes[self._at :]
        self._move_to(before.table)  # another one than of the last edit where the whole table was read since
        first = self._at
        self._move_to(after.table)
        return _kept(before, first), _kept(after, self._at)

    def project(self, kept: KeptProject) -> Project:
        """The project as it was, its table the one of now from here on."""
        step = 1 if kept.version > self._at else -1
        while self._at != kept.version:
            assert self._whole is not None, "a version was noted, so that one is whole"
            known = self._known[self._at + step]()
            if known is None:
                change = self._changes[self._at if step > 0 else self._at - 1]
                known = change.after(self._whole) if step > 0 else change.before(self._whole)
                self._known[self._at + step] = ref(known)
            self._whole, self._at = known, self._at + step
        assert self._whole is not None, "a version was noted, so that one is whole"
        original = kept.original()
        if original is not None and original.table is self._whole:
            return original
        return replace(kept.project, table=self._whole)

    def _move_to(self, table: Table) -> None:
        """Make a table the version of now, the next one if it is another."""
        if table is self._whole:
            return
        if self._whole is not None:
            self._changes.append(_change(self._whole, table))
            self._at += 1
        self._known.append(ref(table))
        self._whole = table


def _kept(project: Project, version: int) -> KeptProject:
    from engine.table import Table

    return KeptProject(replace(project, table=Table(())), version, ref(project))


def _change(before: Table, after: Table) -> _TableChange | _Tables:
    if before.names != after.names or before.n_records != after.n_records:
        return _Tables(before, after)
    pairs = enumerate(zip(before.columns, after.columns, strict=True))
    return _TableChange({at: _column_change(old, new) for at, (old, new) in pairs if old is not new})


def _column_change(before: Column, after: Column) -> ColumnChange | _Pair:
    change = ColumnChange.of(before, after)
    return change if change.n_exceptions * 4 < before.codes.size else _Pair(before, after)
