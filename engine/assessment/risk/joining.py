"""Count of the records that fit each person in every column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.assessment.risk.link_columns import LinkColumn
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.kernels.grouping import class_keys, class_labels, run_starts
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.words import N_, _

NOBODY = -1  # as a class number
TEXT = N_("Linking the two tables")
_CHUNK = 200_000  # people between two looks at the monitor
_EVERY = 64  # groups between two looks at the monitor


@dataclass(frozen=True, eq=False)
class Matches:
    """Matches of each person; arrays have shape (n_people,).

    Attributes
    ----------
    n_records : ndarray of int64
    lowest, highest : ndarray of int64
        Lowest and highest class number of the matching records; `NOBODY` without a match.
    lowest_person, highest_person : ndarray of int64
        Lowest and highest person number of the matching records; `NOBODY` without a match.
    """

    n_records: Counts
    lowest: IntArray
    highest: IntArray
    lowest_person: IntArray
    highest_person: IntArray

    @property
    def are_of_one(self) -> BoolArray:
        """Return whether there are matches, all of one person."""
        return np.asarray((self.n_records > 0) & (self.lowest_person == self.highest_person))

    @classmethod
    def nothing(cls, n_people: int) -> Matches:
        """Return matches of no records."""
        nobody = np.full(n_people, NOBODY, dtype=np.int64)
        return cls(np.zeros(n_people, dtype=np.int64), nobody, nobody, nobody, nobody)

    @classmethod
    def joined(cls, parts: Sequence[Matches]) -> Matches:
        """Return the concatenated matches of several groups of people."""
        return cls(*map(np.concatenate, zip(*(part._arrays for part in parts), strict=True)))

    @classmethod
    def all_alike(cls, classes: IntArray, persons: IntArray, n_people: int) -> Matches:
        """Return matches of every person with all records, given their classes and persons."""
        if not len(classes):
            return cls.nothing(n_people)
        ends = len(classes), classes.min(), classes.max(), persons.min(), persons.max()
        return cls(*(np.full(n_people, end, dtype=np.int64) for end in ends))

    def where(self, own: BoolArray, others: Matches) -> Matches:
        """Return these matches for some people, and others for the rest."""
        pairs = zip(self._arrays, others._arrays, strict=True)
        return Matches(*(np.where(own, mine, theirs) for mine, theirs in pairs))

    def taken(self, rows: IntArray) -> Matches:
        """Return the matches of distinct people for every row."""
        return Matches(*(array[rows] for array in self._arrays))

    @property
    def _arrays(self) -> tuple[IntArray, ...]:
        return self.n_records, self.lowest, self.highest, self.lowest_person, self.highest_person


def joined_by_equality(
    columns: Sequence[LinkColumn],
    records: IntArray,
    classes: IntArray,
    persons: IntArray,
    n_people: int,
    monitor: Monitor = SILENT,
) -> Matches:
    """Match people if each of their values fits one label, and so one group of records.

    Parameters
    ----------
    columns : sequence of LinkColumn
        Each `is_one_to_one`; at least one.
    records : ndarray of int64, shape (n_chosen,)
        Records that may match; at least one.
    classes : ndarray of int64, shape (n_records,)
        Class of every record.
    persons : ndarray of int64, shape (n_records,)
        Person of every record.
    n_people : int
    monitor : Monitor
    """
    both = [np.concatenate((c.labels[records], c.only_label[c.people])) for c in columns]
    spans = [column.n_labels + 1 for column in columns]  # the last label is for people without a fitting one
    monitor.step(0, 2, _(TEXT))
    keys = class_keys(both, spans)
    own, theirs = keys[: len(records)], keys[len(records) :]
    order = np.argsort(own)
    n_chunks = -(-n_people // _CHUNK)
    monitor = PartMonitor(monitor, 1, 2)
    monitor.step(0, n_chunks, _(TEXT))
    own = own[order]
    starts = run_starts(own)
    groups = _runs(starts, classes[records][order], persons[records][order])
    distinct, found = own[starts], []
    for number, start in enumerate(range(0, n_people, _CHUNK)):
        monitor.step(number, n_chunks, _(TEXT))
        wanted = theirs[start : start + _CHUNK]
        places = np.minimum(np.searchsorted(distinct, wanted), len(distinct) - 1)
        found.append(groups.taken(places).where(distinct[places] == wanted, Matches.nothing(len(wanted))))
    return Matches.joined(found)


def _runs(starts: IntArray, classes: IntArray, persons: IntArray) -> Matches:
    """Return the matches of each run of records, given their classes and persons."""
    return Matches(
        np.diff(starts, append=len(classes)),
        np.minimum.reduceat(classes, starts),
        np.maximum.reduceat(classes, starts),
        np.minimum.reduceat(persons, starts),
        np.maximum.reduceat(persons, starts),
    )


def joined_by_cover(
    columns: Sequence[LinkColumn],
    records: IntArray,
    classes: IntArray,
    persons: IntArray,
    n_people: int,
    monitor: Monitor = SILENT,
) -> Matches:
    """Match people if a value may fit several labels, such as labels of different levels.

    Parameters as in `joined_by_equality`. Equal records are one group; column by column, the people whom a
    label fits remain candidates for the groups that have it.
    """
    monitor.step(0, 3, _(TEXT))
    labels = [column.labels[records] for column in columns]
    groups, first, sizes = class_labels(labels, [column.n_labels for column in columns])
    order = np.argsort(groups, kind="stable")
    of_groups = _runs(np.cumsum(sizes) - sizes, classes[records][order], persons[records][order])
    labels = [own[first] for own in labels]
    monitor.step(1, 3, _(TEXT))
    same, distinct, _unused = class_labels(
        [column.people for column in columns], [column.n_values for column in columns]
    )
    people = [column.people[distinct] for column in columns]
    join = _Joining(columns, labels, people, of_groups, PartMonitor(monitor, 2, 3))
    join.go(0, np.arange(len(first)), np.arange(len(distinct)))
    return join.found.taken(same)


class _Joining:
    """Join of groups of records with distinct people, column by column."""

    def __init__(
        self,
        columns: Sequence[LinkColumn],
        labels: Sequence[IntArray],
        people: Sequence[IntArray],
        groups: Matches,
        monitor: Monitor,
    ) -> None:
        self._columns, self._labels, self._people, self._groups = columns, labels, people, groups
        self._monitor, self._n_done, self._n_looked = monitor, 0, 0
        n_people = len(people[0])
        nobody = np.full(n_people, NOBODY, dtype=np.int64)
        self.found = Matches(np.zeros(n_people, dtype=np.int64), *(nobody.copy() for _unused in range(4)))

    def go(self, column: int, groups: IntArray, people: IntArray) -> None:
        """Match groups with the people who fit them in all earlier columns."""
        self._look()
        if column == len(self._columns):
            self._take(groups, people)
            return
        own = self._labels[column][groups]
        order = np.argsort(own, kind="stable")
        groups, own = groups[order], own[order]
        values = self._people[column][people]
        starts = run_starts(own)
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(own)], strict=True):
            fits = people[self._columns[column].covered(int(own[start]))[values]]
            if len(fits):
                self.go(column + 1, groups[start:end], fits)
            else:
                self._n_done += end - start

    def _take(self, groups: IntArray, people: IntArray) -> None:
        self._n_done += len(groups)
        found, of = self.found, self._groups
        is_new = found.n_records[people] == 0
        for known, own in ((found.lowest, of.lowest), (found.lowest_person, of.lowest_person)):
            lowest = own[groups].min()
            known[people] = np.where(is_new, lowest, np.minimum(known[people], lowest))
        for known, own in ((found.highest, of.highest), (found.highest_person, of.highest_person)):
            known[people] = np.maximum(known[people], own[groups].max())
        found.n_records[people] += of.n_records[groups].sum()

    def _look(self) -> None:
        self._n_looked += 1
        if self._n_looked % _EVERY == 1:
            self._monitor.step(self._n_done, len(self._groups.n_records), _(TEXT))
