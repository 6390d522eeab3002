"""Tuples of the population with those of the records, so that people per class are counted too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from engine.frequency import PopulationMembers
from engine.frequency.measured import PopulationCounts
from engine.frequency.persons import persons_of_classes
from engine.kernels.arrays import Counts, IntArray, Keys
from engine.kernels.grouping import class_keys
from engine.lattice import Node
from engine.scoring.walk.packing import FrequencySet, Layout, PackedSet, class_of_tuples, joined


@dataclass(frozen=True, eq=False)
class PopulationTuples:
    """Tuples of the records with those of the population, which has no sensitive values."""

    records: FrequencySet
    people: FrequencySet

    @property
    def layout(self) -> Layout:
        """Layout of the records."""
        return self.records.layout

    @property
    def node(self) -> Node:
        """Levels of records and people."""
        return self.records.node

    @property
    def counts(self) -> Counts:
        """Records per tuple, not people."""
        return self.records.counts

    def raised(self, attribute: int, level: int) -> PopulationTuples:
        return PopulationTuples(self.records.raised(attribute, level), self.people.raised(attribute, level))

    def thinned(self, step: int) -> PopulationTuples:
        return PopulationTuples(self.records.thinned(step), self.people.thinned(step))

    def class_starts(self) -> IntArray:
        """Return the first tuple of every class with a record."""
        return self.records.class_starts()

    def field(self, attribute: int, level: int) -> Keys:
        """Return path codes of the records."""
        return self.records.field(attribute, level)

    def sensitive(self, attribute: int) -> Keys:
        return self.records.sensitive(attribute)

    def persons(self) -> Keys:
        """Return the persons of the records."""
        return self.records.persons()

    def chosen(self, tuples: IntArray) -> PopulationTuples:
        """Return some tuples of the records."""
        return PopulationTuples(self.records.chosen(tuples), self.people)

    def members(self, starts: IntArray) -> PopulationCounts:
        """Return the counts of the population in each class of records, given their first tuples."""
        return PopulationCounts(
            lambda: self._of_classes(starts, self._people_of_classes),
            lambda: self._of_classes(starts, self._rows_of_classes),
        )

    def members_and_others(self, starts: IntArray) -> PopulationCounts:
        """Return the counts of the population in some classes of records, and then of all other people."""
        people, firsts = self.people, self.people.class_starts()
        own, theirs = self._keys(starts, firsts)
        is_other = ~np.isin(theirs, own)[class_of_tuples(people, firsts)]
        rows = people.counts[is_other]

        def others() -> int:
            if not people.layout.person_width:
                return int(rows.sum())
            labels = np.zeros(len(rows), dtype=np.int64)
            return int(persons_of_classes(labels, people.persons()[is_other], rows, 1)[0])

        known = self.members(starts)
        return PopulationCounts(
            lambda: np.append(known.people(), others()), lambda: np.append(known.rows(), rows.sum())
        )

    def people_by_class(self, starts: IntArray) -> tuple[Counts, IntArray, Counts]:
        """Return the rows of people of all classes, also of those without a record.

        Parameters
        ----------
        starts : ndarray of int64, shape (n_classes,)
            The first tuple of every class of records.

        Returns
        -------
        ndarray of int64, shape (n_classes,)
            Rows of people per class of records.
        ndarray of int64, shape (n_others,)
            The first tuple of people in every class without a record.
        ndarray of int64, shape (n_others,)
            Rows of people in these.
        """
        firsts = self.people.class_starts()
        own, theirs = self._keys(starts, firsts)
        others = ~np.isin(theirs, own, assume_unique=True)
        return self.members(starts).rows(), firsts[others], self._rows_of_classes(firsts)[others]

    def _of_classes(self, starts: IntArray, count: Callable[[IntArray], Counts]) -> Counts:
        """Return a count of the population for each class of records; 0 if no one is in the class."""
        firsts = self.people.class_starts()
        own, theirs = self._keys(starts, firsts)
        counts = count(firsts)
        places = np.minimum(np.searchsorted(theirs, own), len(theirs) - 1)
        return np.where(theirs[places] == own, counts[places], 0)

    def _keys(self, starts: IntArray, firsts: IntArray) -> tuple[Keys, Keys]:
        """Return one number per class of records and of people, equal for the same class."""
        people, order = self.people, self.layout.order
        if isinstance(self.records, PackedSet) and isinstance(people, PackedSet):
            own = self.records.keys[starts] >> self.layout.sensitive_bits
            theirs = people.keys[firsts] >> people.layout.sensitive_bits
        else:
            spans = [1 << self.layout.widths[q] for q in order]
            rows = [np.concatenate((self.field(q, 0)[starts], people.field(q, 0)[firsts])) for q in order]
            keys = class_keys(rows, spans)
            own, theirs = keys[: len(starts)], keys[len(starts) :]
        return own, theirs

    def _rows_of_classes(self, firsts: IntArray) -> Counts:
        return np.add.reduceat(self.people.counts, firsts)

    def _people_of_classes(self, firsts: IntArray) -> Counts:
        people = self.people
        if not people.layout.person_width:
            return self._rows_of_classes(firsts)
        labels = class_of_tuples(people, firsts)
        return persons_of_classes(labels, people.persons(), people.counts, len(firsts))


def people_tuples(people: PopulationMembers, layout: Layout) -> FrequencySet:
    """Return the tuples of the population, in the layout of the records."""
    assert people.leaves is not None, "only asked for where they are known"
    persons = people.persons
    own = replace(
        layout,
        sensitive_widths=(),
        count_bits=people.n_members.bit_length(),
        person_width=0 if persons is None else (persons.n_codes - 1).bit_length(),
    )
    columns = (layout.paths[q][people.leaves[q]] for q in layout.order)
    return joined(own, columns if persons is None else chain(columns, [persons.codes]), None)
