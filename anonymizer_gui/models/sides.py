"""Input and release as two tables of the same shape, for their comparison."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from engine.assessment import Subject
from engine.cached import cached_property
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.monitor import SILENT, Monitor
from engine.table import Column, DataType, Role, Table
from engine.table.ordering import order_of
from engine.words import _

BY_CLASS, AS_INPUT = "class", "input"
NOT_RELEASED = "\u2013"  # text of cells in columns that the release omits
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
    roles : tuple of Role or None
    labels : ndarray of int64, shape (n_records,)
        Equivalence class of every record.
    sizes, people : ndarray of int64, shape (n_classes,)
        Records and distinct persons of every class; the same if every record is a person.
    suppressed : ndarray of bool, shape (n_records,)
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

    def size_of(self, record: int) -> int:
        """Return the number of records in the class of a record."""
        return int(self.sizes[self.labels[record]])

    def people_of(self, record: int) -> int:
        """Return the number of distinct persons in the class of a record."""
        return int(self.people[self.labels[record]])

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
    project, release = subject.project, subject.release
    qis = subject.quasi_identifying
    others = [name for name in subject.input.names if name not in qis]
    role_of = {name: project.role(name) for name in others}
    names = [*qis, *sorted(others, key=lambda name: _ROLES.index(role_of[name]))]
    released, dropped, changed = [], set(), []
    for done, name in enumerate(names):
        monitor.step(done, len(names), _("Comparing"))
        column = subject.released(name)
        if column is None:
            column = _omitted(name, subject.n_records)
            dropped.add(name)
        released.append(column)
        changed.append(_differs(subject.input.column(name), column, ~release.suppressed))
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
        Table(tuple(subject.input.column(name) for name in names)),
        Table(tuple(released)),
        tuple(roles),
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
    sides : Sides
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
    column = table.column(name)
    grouped = Table((Column(name, column.data_type, column.labels, column.codes[order], *_rest(column)),))
    within = order_of(grouped, "", (name, falls), monitor)
    return order if within is None else order[within]


def records_of_class(sides: Sides, record: int, monitor: Monitor = SILENT) -> Codes:
    """Return the records in the class of a record; for a suppressed one, of its class before suppression."""
    monitor.step(0, 1, _("Finding the class"))
    return np.flatnonzero(sides.labels == sides.labels[record]).astype(np.int32)


def _by_class(sides: Sides, monitor: Monitor) -> Codes:
    """Return the order by class: stable counting sort, a second for ten million records."""
    monitor.step(0, 2, _("Grouping"))
    n_classes = len(sides.sizes)
    is_lost = np.zeros(n_classes, dtype=np.bool_)
    is_lost[sides.labels[sides.suppressed]] = True
    ranked = np.lexsort((np.arange(n_classes), -sides.sizes, is_lost))
    place = np.empty(n_classes, dtype=np.int32)
    place[ranked] = np.arange(n_classes, dtype=np.int32)
    keys = place[sides.labels]
    nothing = np.full(n_classes, np.nan)
    by_number = Column("class", DataType(), ("",) * n_classes, keys, False, nothing)
    order = order_of(Table((by_number,)), "", ("class", False), monitor)
    assert order is not None
    return order


def _omitted(name: str, n_records: int) -> Column:
    codes = np.zeros(n_records, dtype=np.int32)
    return Column(name, DataType(), (NOT_RELEASED,), codes, False, np.full(1, np.nan))


def _rest(column: Column) -> tuple[bool, NDArray[np.float64]]:
    return column.has_missing, column.numbers
