"""The persons that records are about, where one of them may have several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.kernels.distances import LARGEST_EXACT
from engine.table import Column

SINGLE = 0  # code of everybody who has one record


@dataclass(frozen=True, eq=False)
class Persons:
    """Whose record each record is, and what a record weighs.

    A record weighs 1 / (records of its person in the whole input), so that every person weighs the same
    in the table. Weights are whole numbers of a common unit: sums of them are exact, and the same in
    whatever order they are taken.

    Attributes
    ----------
    column : str
        The column whose values are persons, the missing one among them.
    codes : ndarray of int32, shape (n_records,)
        `SINGLE` for records of persons who have no other in the whole input; another number from 1 on
        for each of the other persons.
    weights : ndarray of int64, shape (largest code + 1,)
        Of one record, by code, in `unit`.
    records_of : ndarray of int64, shape (largest code + 1,)
        Records that one person of the code has in the whole input.
    unit : int
        What one person weighs.
    """

    column: str
    codes: Codes
    weights: Counts
    records_of: Counts
    unit: int

    @classmethod
    def of(cls, column: Column) -> Persons:
        """Those that a column names; its values are compared as texts, and missing is one of them."""
        counts = np.bincount(column.codes, minlength=len(column.labels))
        repeated = np.flatnonzero(counts > 1)
        codes = np.zeros(len(counts), dtype=np.int32)
        codes[repeated] = np.arange(1, len(repeated) + 1)
        records_of = np.concatenate(([1], counts[repeated])).astype(np.int64)
        unit = _unit(records_of, int(np.count_nonzero(counts)))
        weights = np.array([_rounded(unit, n) for n in records_of.tolist()], dtype=np.int64)
        return cls(column.name, codes[column.codes], weights, records_of, unit)

    @property
    def numbers(self) -> Codes:
        """A number per record, equal for those of one person only, shape (n_records,)."""
        single = self.codes == SINGLE
        return np.where(single, self.n_codes + np.cumsum(single, dtype=np.int32), self.codes).astype(np.int32)

    @property
    def n_codes(self) -> int:
        """One more than the largest code."""
        return len(self.weights)

    @cached_property
    def n_persons(self) -> int:
        """How many different persons have one of the records."""
        records = np.bincount(self.codes, minlength=1)
        return int(records[SINGLE]) + int(np.count_nonzero(records[1:]))

    @cached_property
    def are_repeated(self) -> bool:
        """Whether one of them has several records in the whole input."""
        return bool(self.codes.any())

    @property
    def weight_of_records(self) -> Counts:
        """What every record weighs, shape (n_records,)."""
        return self.weights[self.codes]

    def some(self, records: IntArray) -> Persons:
        """Those of chosen records; a record weighs what it weighs in the whole input."""
        return replace(self, codes=self.codes[records])

    def most_records(self, n_persons: int) -> int:
        """Records that some number of persons have at most, in the whole input."""
        n_single = int(np.count_nonzero(self.codes == SINGLE))
        largest = np.sort(self.records_of[1:])[::-1][:n_persons]
        return min(int(largest.sum()) + min(n_persons - len(largest), n_single), len(self.codes))


def _unit(records_of: Counts, n_persons: int) -> int:
    """A number of persons times it fits 63 bits, divisible by as many numbers of records as can be.

    Where the least common multiple of all is too large, the more frequent ones divide it, and what the
    others weigh is rounded to a relative 1e-12 in tables of up to 100,000 persons, less in others.
    """
    most = LARGEST_EXACT // n_persons
    kinds, frequencies = np.unique(records_of, return_counts=True)
    unit, is_exact = 1, True
    for n_records in kinds[np.argsort(-frequencies, kind="stable")].tolist():
        common = lcm(unit, n_records)
        unit, is_exact = (common, is_exact) if common <= most else (unit, False)
    while not is_exact and 2 * unit <= most:
        unit *= 2
    return unit


def _rounded(unit: int, n_records: int) -> int:
    return (2 * unit + n_records) // (2 * n_records)


def persons_of_classes(
    labels: IntArray, codes: NDArray[np.integer[Any]], counts: Counts | None, n_classes: int
) -> Counts:
    """Count the different persons of every class.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_rows,)
        Class of every row.
    codes : ndarray of int, shape (n_rows,)
        Of the person of every row; see `Persons`.
    counts : ndarray of int64, shape (n_rows,), or None
        Records of every row; None for one each.
    n_classes : int

    Returns
    -------
    ndarray of int64, shape (n_classes,)
    """
    first = first_of_persons(labels, codes, counts)
    return sums(labels[first], _heads(codes[first], None if counts is None else counts[first]), n_classes)


def people_of_classes(labels: IntArray, persons: Persons | None, n_classes: int) -> Counts:
    """Count the people of every class of records, shape (n_classes,).

    Parameters
    ----------
    labels : ndarray of int64, shape (n_records,)
        Class of every record.
    persons : Persons or None
        Whose the records are; None where each is a person of its own.
    n_classes : int
    """
    if persons is None:
        return np.bincount(labels, minlength=n_classes)
    return persons_of_classes(labels, persons.codes, None, n_classes)


def first_of_persons(labels: IntArray, codes: NDArray[np.integer[Any]], counts: Counts | None) -> IntArray:
    """Rows by which every person of a class is counted once; all rows of those who have one record."""
    repeated = np.flatnonzero(codes)
    keys = labels[repeated] * (int(codes.max(initial=0)) + 1) + codes[repeated]
    if len(keys) and bool((keys[1:] >= keys[:-1]).all()):
        begins = np.ones(len(keys), dtype=np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=begins[1:])
        first = np.flatnonzero(begins)
    else:
        first = np.unique(keys, return_index=True)[1]
    return np.concatenate((np.flatnonzero(codes == SINGLE), repeated[first]))


def _heads(codes: NDArray[np.integer[Any]], counts: Counts | None) -> Counts:
    """How many persons each row stands for."""
    if counts is None:
        return np.ones(len(codes), dtype=np.int64)
    return np.where(codes == SINGLE, counts, 1)


def sums(labels: IntArray, values: Counts, n_labels: int) -> Counts:
    """Sum whole numbers by label, exactly."""
    found = np.zeros(n_labels, dtype=np.int64)
    np.add.at(found, labels, values)
    return found


@dataclass(frozen=True, eq=False)
class Holders:
    """Who holds the sensitive values of some groups of records.

    Attributes
    ----------
    persons : ndarray of int64, shape (n_groups,)
        Different persons.
    of_value : ndarray of int64, shape (n_pairs,)
        Persons who hold a value at least once, for the distinct (group, value) pairs in their order.
    alone : ndarray of int64, shape (n_groups,)
        The most values that one person is the only one to hold.
    """

    persons: Counts
    of_value: Counts
    alone: Counts

    @classmethod
    def of(
        cls, labels: IntArray, codes: NDArray[np.integer[Any]], values: IntArray, counts: Counts | None
    ) -> Holders:
        """Count them in rows.

        Parameters
        ----------
        labels : ndarray of int64, shape (n_rows,)
            Group of every row; every number up to the largest occurs.
        codes, values : ndarray of int, shape (n_rows,)
            Person and sensitive value of every row.
        counts : ndarray of int64, shape (n_rows,), or None
            Records of every row; None for one each.
        """
        n_groups = int(labels.max()) + 1
        pairs, place = np.unique(labels * (int(values.max()) + 1) + values, return_inverse=True)
        first = first_of_persons(place, codes, counts)
        heads = _heads(codes[first], None if counts is None else counts[first])
        of_value = sums(place[first], heads, len(pairs))
        # Rows by which a value is held that nobody else of the group holds.
        own = first[of_value[place[first]] == 1]
        keys = labels[own] * (int(codes.max(initial=0)) + 1) + codes[own]
        distinct, n_values = np.unique(keys, return_counts=True)
        # Of those who have one record each holds one value, however many of them there are.
        n_values[distinct % (int(codes.max(initial=0)) + 1) == SINGLE] = 1
        alone = np.zeros(n_groups, dtype=np.int64)
        np.maximum.at(alone, distinct // (int(codes.max(initial=0)) + 1), n_values)
        return cls(persons_of_classes(labels, codes, counts, n_groups), of_value, alone)


class PeopleBySize(NamedTuple):
    """People by the smallest class that holds a record of theirs: who knows it finds them best there.

    Attributes
    ----------
    sizes : ndarray of int64, shape (n_sizes,)
        Distinct sizes of classes, in increasing order.
    people : ndarray of int64, shape (n_sizes,)
        How many have it.
    """

    sizes: Counts
    people: Counts

    @classmethod
    def of_records(cls, records: Counts, among: Counts | None = None) -> PeopleBySize:
        """Where every record is a person: by the records of the classes, or what is taken for their sizes."""
        if among is None:
            distinct, n_classes = np.unique(records, return_counts=True)
            return cls(distinct, distinct * n_classes)
        distinct, place = np.unique(among, return_inverse=True)
        return cls(distinct, sums(place, records, len(distinct)))

    @property
    def n_people(self) -> int:
        """All of them."""
        return int(self.people.sum())

    def n_below(self, size: float) -> int:
        """How many are in a class smaller than some size."""
        return int(self.people[self.sizes < size].sum())

    @property
    def average_risk(self) -> float:
        """Mean of 1 / size over the people, rounded once; nan where there are none."""
        if not self.n_people:
            return float("nan")
        parts = zip(self.people.tolist(), self.sizes.tolist(), strict=True)
        return float(sum((Fraction(n, size) for n, size in parts), Fraction(0)) / self.n_people)


@dataclass(frozen=True, eq=False)
class ClassPersons:
    """Whose records are in which class.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_rows,)
        Class of every row.
    codes : ndarray of int, shape (n_rows,)
        Of the person of every row; see `Persons`.
    counts : ndarray of int64, shape (n_rows,), or None
        Records of every row; None for one each.
    """

    labels: IntArray
    codes: NDArray[np.integer[Any]]
    counts: Counts | None = None

    def by_size(self, sizes: Counts, chosen: BoolArray) -> PeopleBySize:
        """Sort the persons of chosen classes by the smallest of these they are in.

        Parameters
        ----------
        sizes : ndarray of int64, shape (n_classes,)
        chosen : ndarray of bool, shape (n_classes,)
        """
        rows = np.flatnonzero(chosen[self.labels])
        codes, own = self.codes[rows], sizes[self.labels[rows]].astype(np.int64)
        is_single = codes == SINGLE
        smallest = np.full(int(self.codes.max(initial=0)) + 1, np.iinfo(np.int64).max)
        np.minimum.at(smallest, codes[~is_single], own[~is_single])
        smallest[SINGLE] = np.iinfo(np.int64).max
        repeated = smallest[smallest < np.iinfo(np.int64).max]
        heads = _heads(codes[is_single], None if self.counts is None else self.counts[rows][is_single])
        distinct, place = np.unique(np.concatenate((own[is_single], repeated)), return_inverse=True)
        ones = np.ones(len(repeated), dtype=np.int64)
        return PeopleBySize(distinct, sums(place, np.concatenate((heads, ones)), len(distinct)))

    def n_in(self, chosen: BoolArray) -> int:
        """How many different persons have a record in one of some classes, shape (n_classes,)."""
        rows = np.flatnonzero(chosen[self.labels])
        counts = None if self.counts is None else self.counts[rows]
        return int(persons_of_classes(np.zeros(len(rows), dtype=np.int64), self.codes[rows], counts, 1)[0])
