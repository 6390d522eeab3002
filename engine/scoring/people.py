"""Tuples of the population beside those of the records, so that people per class are counted too."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.frequency import People
from engine.kernels.arrays import Counts, IntArray, Keys
from engine.kernels.grouping import class_keys
from engine.scoring.packing import FrequencySet, Layout, PackedSet, joined


@dataclass(frozen=True, eq=False)
class PeopledSet:
    """Tuples of the records, and beside them those of the population, which has no sensitive values."""

    records: FrequencySet
    people: FrequencySet

    @property
    def layout(self) -> Layout:
        """See `FrequencySet.layout`: that of the records."""
        return self.records.layout

    @property
    def counts(self) -> Counts:
        """See `FrequencySet.counts`: records, not people."""
        return self.records.counts

    def raised(self, attribute: int, level: int) -> PeopledSet:
        """See `FrequencySet.raised`."""
        return PeopledSet(self.records.raised(attribute, level), self.people.raised(attribute, level))

    def thinned(self, step: int) -> PeopledSet:
        """See `FrequencySet.thinned`."""
        return PeopledSet(self.records.thinned(step), self.people.thinned(step))

    def class_starts(self) -> IntArray:
        """See `FrequencySet.class_starts`: of classes with a record."""
        return self.records.class_starts()

    def field(self, attribute: int, level: int) -> Keys:
        """See `FrequencySet.field`: of the records."""
        return self.records.field(attribute, level)

    def sensitive(self, attribute: int) -> Keys:
        """See `FrequencySet.sensitive`."""
        return self.records.sensitive(attribute)

    def members(self, starts: IntArray) -> Counts:
        """People in each class of records, given their first tuples; shape (n_classes,)."""
        people, order = self.people, self.layout.order
        if isinstance(self.records, PackedSet) and isinstance(people, PackedSet):
            own, theirs = self.records.keys[starts] >> self.layout.sensitive_bits, people.keys
        else:
            spans = [1 << self.layout.widths[q] for q in order]
            rows = [np.concatenate((self.field(q, 0)[starts], people.field(q, 0))) for q in order]
            keys = class_keys(rows, spans)
            own, theirs = keys[: len(starts)], keys[len(starts) :]
        places = np.minimum(np.searchsorted(theirs, own), len(theirs) - 1)
        return np.where(theirs[places] == own, people.counts[places], 0)


def people_tuples(people: People, layout: Layout) -> FrequencySet:
    """The tuples of the population, laid out like those of the records."""
    assert people.leaves is not None, "only asked for where they are known"
    own = replace(layout, sensitive_widths=(), count_bits=people.n_members.bit_length())
    return joined(own, (layout.paths[q][people.leaves[q]] for q in layout.order), None)
