"""Input and release as two tables of the same shape, for their comparison."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.findings.by_record import RowsOfRecords, by_record, differs_by_record, released_by_record
from engine.findings.subject import Subject
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.kernels.grouping import records_by_code
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.records import Column, DataType, Role, Table
from engine.records.filtering import order_of
from engine.records.stored import refuse_cut
from engine.words import _

BY_CLASS, AS_INPUT = "class", "input"
NOT_RELEASED = "\u2013"  # text of cells in columns that the release omits
_BLOCK = 1 << 20  # records per step
_ROLES = (Role.QUASI_IDENTIFYING, Role.SENSITIVE, Role.INSENSITIVE, Role.IDENTIFYING, None)


class Change(IntEnum):
    """Difference between a released cell and its input value."""

    KEPT = 0
    ONE_STEP = 1
    FURTHER = 2
    HIDDEN = 3


@dataclass(frozen=True, eq=False)
class Sides:
    """Both tables by record of the input.

    Attributes
    ----------
    input, release : Table
        The same columns in the same order; omitted ones contain `NOT_RELEASED`.
    rows : RowsOfRecords or None
        Row of every record of a table in files, whose equal records are one row; None if each is a row.
    labels : ndarray of int64, shape (n_rows,)
        Equivalence class of every row.
    sizes, people : ndarray of int64, shape (n_classes,)
        Records and distinct persons of every class; the same if every record is a person.
    suppressed : ndarray of bool, shape (n_rows,)
    levels : ndarray of int16, shape (n_qi,) or (n_records, n_qi)
        Levels of the quasi-identifying columns, which come first.
    is_single : tuple of tuple of bool
        Per quasi-identifying column and level, whether the level has a single label.
    dropped : frozenset of str
        Columns that are not released.
    changed : tuple of bool
        Per column, whether it is not released, or a value of a kept record differs.
    """

    input: Table
    release: Table
    roles: tuple[Role | None, ...]
    rows: RowsOfRecords | None
    labels: IntArray
    sizes: Counts
    people: Counts
    suppressed: BoolArray
    levels: NDArray[np.int16]
    is_single: tuple[tuple[bool, ...], ...]
    dropped: frozenset[str]
    changed: tuple[bool, ...]

    @cached_property
    def both(self) -> Table:
        """Table of the input columns followed by the release columns, for text search."""
        return Table((*self.input.columns, *self.release.columns))

    def class_of(self, record: int) -> int:
        """Return the class of a record."""
        return int(self.labels[self._row_of(record)])

    def is_suppressed(self, record: int) -> bool:
        """Return whether a record is suppressed."""
        return bool(self.suppressed[self._row_of(record)])

    def size_of(self, record: int) -> int:
        """Return the number of records in the class of a record."""
        return int(self.sizes[self.class_of(record)])

    def people_of(self, record: int) -> int:
        """Return the number of distinct persons in the class of a record."""
        return int(self.people[self.class_of(record)])

    def _row_of(self, record: int) -> int:
        return record if self.rows is None else int(self.rows[record])

    def change(self, record: int, place: int) -> Change:
        """Return how a cell differs from the input."""
        was, now = self.input.columns[place].text(record), self.release.columns[place].text(record)
        if was == now:
            return Change.KEPT
        if now in (SUPPRESSED, NOT_RELEASED):
            return Change.HIDDEN
        if place >= len(self.is_single):
            return Change.FURTHER
        level = int(self.levels[place] if self.levels.ndim == 1 else self.levels[record, place])
        if self.is_single[place][min(level, len(self.is_single[place]) - 1)]:
            return Change.HIDDEN
        return Change.ONE_STEP if level <= 1 else Change.FURTHER


def sides_of(subject: Subject, monitor: Monitor = SILENT) -> Sides:
    """Return input and release of a subject, quasi-identifying columns first in lattice order."""
    project, release, qis = subject.project, subject.release, subject.quasi_identifying
    rows = None if subject.tuples is None else RowsOfRecords(subject.tuples)
    table = subject.input if rows is None else project.records
    others = [name for name in table.names if name not in qis]
    role_of = {name: project.role(name) for name in others}
    names = [*qis, *sorted(others, key=lambda name: _ROLES.index(role_of[name]))]
    released, dropped, changed = [], set(), []
    for done, name in enumerate(names):
        part = PartMonitor(monitor, done, len(names))
        part.step(0, 1, _("Comparing"))
        column = subject.released(name) if rows is None else released_by_record(subject, name, rows, part)
        if column is None:
            column = _omitted(name, table.n_rows)
            dropped.add(name)
        released.append(column)
        if name in dropped:
            changed.append(bool(subject.kept.any()))
        elif name in subject.input.names:
            own = subject.released(name)
            assert own is not None, "it is not dropped"
            changed.append(_differs(subject.input.column(name), own, subject.kept))
        else:
            changed.append(differs_by_record(subject, name, part))
    roles = [Role.QUASI_IDENTIFYING if name in qis else role_of[name] for name in names]
    if release.recoding is not None:
        levels = release.recoding.levels
    else:
        assert release.node is not None, "what is no recoding is a node"
        levels = np.array(release.node, dtype=np.int16)
    single = tuple(
        tuple(len(level.labels) == 1 for level in attribute.hierarchy.levels)
        for attribute in release.problem.attributes
    )
    return Sides(
        Table(tuple(table.column(name) for name in names)),
        Table(tuple(released)),
        tuple(roles),
        rows,
        release.labels,
        np.asarray(release.classes.records),
        np.asarray(release.classes.sizes),
        release.suppressed,
        levels,
        single,
        frozenset(dropped),
        tuple(changed),
    )


def _differs(was: Column, now: Column, kept: BoolArray) -> bool:
    """Return whether two columns have different texts in a kept record."""
    if was.codes is now.codes and was.labels == now.labels:
        return False
    number_of = {text: number for number, text in enumerate(dict.fromkeys((*was.labels, *now.labels)))}
    first, second = (
        np.array([number_of[text] for text in column.labels], dtype=np.int32) for column in (was, now)
    )
    return bool(np.any((first[was.codes] != second[now.codes]) & kept))


def order_of_sides(
    sides: Sides, grouping: str, sorted_by: tuple[str, str, bool] | None, monitor: Monitor = SILENT
) -> Codes | None:
    """Return the display order of the records; None for the order of the input.

    Parameters
    ----------
    grouping : str
        `BY_CLASS` keeps the records of a class together, larger classes first, suppressed ones last.
    sorted_by : tuple, optional
        Side ("input" or "release"), column, and whether to sort descending. Sorted classes stay together only
        within equal values.
    """
    order: Codes | None = None
    if grouping == BY_CLASS:
        order = _by_class(sides, monitor)
    if sorted_by is None:
        return order
    side, name, falls = sorted_by
    table: Table = getattr(sides, side)
    if order is None:
        return order_of(table, "", (name, falls), monitor)
    column, parts = table.column(name), []
    refuse_cut(column)
    for start in range(0, len(order), _BLOCK):
        monitor.step(start, len(order), _("Grouping records"))
        parts.append(column.codes[order[start : start + _BLOCK]])
    grouped = Table((Column(name, column.data_type, column.labels, np.concatenate(parts), *_rest(column)),))
    within = order_of(grouped, "", (name, falls), monitor)
    return order if within is None else order[within]


def records_of_class(sides: Sides, record: int, monitor: Monitor = SILENT) -> Codes:
    """Return the records in the class of a record; for a suppressed one, of its class before suppression."""
    chosen, n_records = sides.labels == sides.class_of(record), sides.input.n_rows
    parts = []
    for start in range(0, n_records, _BLOCK):
        monitor.step(start, n_records, _("Finding the class"))
        block = slice(start, min(start + _BLOCK, n_records))
        is_member = chosen[block] if sides.rows is None else chosen[sides.rows[block]]
        parts.append((start + np.flatnonzero(is_member)).astype(np.int32))
    return np.concatenate(parts)


def _by_class(sides: Sides, monitor: Monitor) -> Codes:
    """Return the order by class: stable counting sort, a second for ten million records."""
    monitor.step(0, 2, _("Grouping records"))
    n_classes = len(sides.sizes)
    is_lost = np.zeros(n_classes, dtype=np.bool_)
    is_lost[sides.labels[sides.suppressed]] = True
    ranked = np.lexsort((np.arange(n_classes), -sides.sizes, is_lost))
    place = np.empty(n_classes, dtype=np.int32)
    place[ranked] = np.arange(n_classes, dtype=np.int32)
    keys = place[sides.labels]
    nothing = np.full(n_classes, np.nan)
    by_number = Column("class", DataType(), ("",) * n_classes, keys, False, nothing)
    if sides.rows is not None:
        by_number = by_record(by_number, sides.rows, records_by_code(place, n_classes, sides.sizes))
    order = order_of(Table((by_number,)), "", ("class", False), monitor)
    assert order is not None
    return order


def _omitted(name: str, n_records: int) -> Column:
    codes: Codes = np.broadcast_to(np.int32(0), n_records)  # takes no memory
    return Column(name, DataType(), (NOT_RELEASED,), codes, False, np.full(1, np.nan))


def _rest(column: Column) -> tuple[bool, NDArray[np.float64]]:
    return column.has_missing, column.numbers
