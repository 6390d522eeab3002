"""The persons of a release: how many, who loses records, and what several records of one give away."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.frequency import Persons
from engine.frequency.persons import SINGLE, ClassPersons
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.numbers import as_exact_count
from engine.words import _

MOST_SUBSETS = 5_000_000  # sets of classes that are counted for one chained figure
_MOST_CANDIDATES, _MOST_COMPARED = 1 << 20, 1 << 23  # persons compared at once, and all that are counted


@dataclass(frozen=True, eq=False)
class ReleasePersons:
    """The persons of a release.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_records,)
        Class of every record.
    kept : ndarray of bool, shape (n_classes,)
    records, sizes : ndarray of int64, shape (n_classes,)
        Records and different persons of every class.
    """

    persons: Persons
    labels: IntArray
    kept: BoolArray
    records: Counts
    sizes: Counts

    @property
    def n_persons(self) -> int:
        """Persons of the input."""
        return self.persons.n_persons

    @cached_property
    def affected(self) -> int:
        """Persons with at least one suppressed record."""
        return self._classes.n_in(~self.kept)

    @cached_property
    def lost(self) -> int:
        """Persons all of whose records are suppressed."""
        return self.n_persons - self._classes.n_in(self.kept)

    @property
    def k_of_records(self) -> int | None:
        """Records of the smallest kept class, of any person; None if nothing is kept."""
        kept = self.records[self.kept]
        return int(kept.min()) if len(kept) else None

    def can_be_chained(self, m: int | None = None) -> bool:
        """Return whether `chained` has few enough sets of classes to count."""
        n_classes = self._per_person[self._per_person >= (m or 1)]
        return m in (None, 1) or bool(sum(comb(n, m) for n in n_classes.tolist()) <= MOST_SUBSETS)

    @property
    def why_not_chained(self) -> str:
        """Sentence on why the value of two known records is missing; empty if it exists."""
        if self.can_be_chained(2):
            return ""
        return _(
            "The fewest people who match two records of a person were not counted: there are more "
            "than {MOST_SUBSETS} pairs of classes. Use the value of all records as a guide, or "
            "drop the code of people."
        ).format(MOST_SUBSETS=as_exact_count(MOST_SUBSETS))

    def chained(self, m: int | None = None) -> int | None:
        """Return the smallest number of persons who match an attacker's knowledge of several records of one.

        For records that can be recognized as those of one person: the smallest number of persons with a
        record in each of some `m` kept classes of a person, or in each of all of them.

        Parameters
        ----------
        m : int, optional
            Classes the attacker knows, of persons who are in that many; by default all classes of each
            person.

        Returns
        -------
        int or None
            With m = 1 the k of the release. None if nothing is kept, or if there are more than
            `MOST_SUBSETS` sets of classes to count (see `can_be_chained`).
        """
        sizes = self.sizes[self.kept]
        if not len(sizes) or not self.can_be_chained(m):
            return None
        if m == 1:
            return int(sizes.min())
        if m is None:
            return min(filter(None, self._matching_all))
        per_person = self._per_person
        found = [*self._sizes_of_single, *self._fitting_whole((per_person > 1) & (per_person < m))]
        if m <= int(per_person.max(initial=0)):
            found.append(self._fitting_subsets(m))
        return int(min(filter(None, found)))

    @cached_property
    def chained_figures(self) -> dict[str, int | None]:
        """`chained` of two and of all records, by "2" and "all"."""
        return {"2": self.chained(2), "all": self.chained()}

    @property
    def matched_by_nobody(self) -> int | None:
        """Number of people with a kept record whose classes, all of them together, no other person has.

        None if these are too many to be compared with each other.
        """
        return self._matching_all.count(1) if 0 not in self._matching_all else None

    @cached_property
    def _matching_all(self) -> list[int]:
        """Numbers of people in all kept classes of a person; 0 for the sets that were not counted."""
        return [*self._sizes_of_single, *self._fitting_whole(self._per_person > 1)]

    @property
    def _sizes_of_single(self) -> list[int]:
        """Sizes of the kept classes with a person who is in no other, and so is known by that class."""
        alone = np.zeros(len(self.sizes), dtype=np.bool_)
        alone[self.labels[self.persons.codes == SINGLE]] = True
        alone[self._class[np.isin(self._person, np.flatnonzero(self._per_person == 1))]] = True
        sizes: list[int] = self.sizes[alone & self.kept].tolist()
        return sizes

    @cached_property
    def _classes(self) -> ClassPersons:
        return ClassPersons(self.labels, self.persons.codes)

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray]:
        """Return which kept classes each person with several records is in."""
        rows = np.flatnonzero((self.persons.codes != SINGLE) & self.kept[self.labels])
        span = len(self.sizes)
        keys = np.unique(self.persons.codes[rows].astype(np.int64) * span + self.labels[rows])
        return keys // span, keys % span

    @property
    def _person(self) -> IntArray:
        return self._pairs[0]

    @property
    def _class(self) -> IntArray:
        return self._pairs[1]

    @cached_property
    def _per_person(self) -> Counts:
        """Kept classes of all persons with several records, by code."""
        return np.bincount(self._person, minlength=self.persons.n_codes)

    def _fitting_whole(self, wanted: BoolArray) -> list[int]:
        """Return the number of persons in all classes of each distinct set of some persons.

        Of very many, those after the first that fits a single person are 0.
        """
        n_classes, span = self._per_person, len(self.sizes)
        starts = np.cumsum(n_classes) - n_classes
        sets = {
            self._class[starts[p] : starts[p] + n_classes[p]].tobytes(): p for p in np.flatnonzero(wanted)
        }
        people = np.array(sorted(sets.values(), key=lambda p: -n_classes[p]), dtype=np.int64)
        known = self._person * span + self._class  # sorted
        members = self._person[np.argsort(self._class, kind="stable")]
        n_members = np.bincount(self._class, minlength=span)
        smallest = (
            np.minimum.reduceat(n_members[self._class] * span + self._class, starts[n_classes > 0]) % span
        )
        smallest = smallest[(np.cumsum(n_classes > 0) - 1)[people]]
        found: list[int] = []
        # The members of the smallest class of a set are candidates; each further class leaves some of them.
        n_candidates = int(n_members[smallest].sum())
        n_parts = 1 + n_candidates // _MOST_CANDIDATES
        for own, least in zip(
            np.array_split(people, n_parts), np.array_split(smallest, n_parts), strict=True
        ):
            sizes = n_members[least]
            whose = np.repeat(np.arange(len(own)), sizes)
            firsts = np.cumsum(n_members)[least] - np.cumsum(sizes)
            fitting = members[np.arange(len(whose)) + firsts[whose]]
            for number in range(int(n_classes[own].max(initial=0))):
                further = self._class[starts[own] + np.minimum(number, n_classes[own] - 1)]
                keys = fitting * span + further[whose]
                fits = known[np.minimum(np.searchsorted(known, keys), len(known) - 1)] == keys
                whose, fitting = whose[fits], fitting[fits]
            found += np.bincount(whose, minlength=len(own)).tolist()
            if n_candidates > _MOST_COMPARED and 1 in found:
                break
        return found + [0] * (len(people) - len(found))

    def _fitting_subsets(self, m: int) -> int:
        """The fewest persons who are in the same `m` classes, over all sets of `m` classes of one person."""
        starts = np.cumsum(self._per_person) - self._per_person
        sets: list[NDArray[Any]] = []
        for n in np.unique(self._per_person[self._per_person >= m]).tolist():
            own = starts[self._per_person == n][:, None] + np.arange(n)
            chosen = np.array(list(combinations(range(n), m)))
            sets.append(self._class[own[:, chosen]].reshape(-1, m))
        _unused, counts = np.unique(np.concatenate(sets), axis=0, return_counts=True)
        return int(counts.min())
