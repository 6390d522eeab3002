"""The persons that records belong to, if a person may have several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.kernels.distances import LARGEST_EXACT
from engine.kernels.grouping import records_by_code, run_starts
from engine.records import Column

# Keys are numbered by an array of all where these are not many times the rows, nor many.
DENSE, FEW_KEYS = 8, 1 << 10
KEY_BITS = 63
SINGLE = 0  # code of all persons with one record


def is_repeated(column: Column) -> bool:
    """Return whether values may be persons with several records: some repeat, and there are two at least."""
    known = column.counts[:-1] if column.has_missing else column.counts
    return int(np.count_nonzero(known)) > 1 and int(known.max(initial=0)) > 1


@dataclass(frozen=True, eq=False)
class Persons:
    """The person and the weight of every row.

    A record weighs 1 / (records of its person in the whole input), so that every person weighs the same in
    the table. Weights are whole numbers of a common unit: their sums are exact and independent of the order.
    Tuples then contain the person too, and the sizes of classes are persons. A value that counts a person of
    several classes once is not a sum over cells.

    Attributes
    ----------
    column : str
        The column whose values are persons; missing is one of them.
    codes : ndarray of int32, shape (n_rows,)
        `SINGLE` for rows of persons without another record in the whole input; a number from 1 on for each
        of the other persons.
    weights : ndarray of int64, shape (largest code + 1,)
        Weight of a record by code, in `unit`.
    records_of : ndarray of int64, shape (largest code + 1,)
        Records in the whole input of one person, by code.
    unit : int
        Weight of one person.
    records : ndarray of int64, shape (n_rows,), or None
        Records of every row; None for one each.
    """

    column: str
    codes: Codes
    weights: Counts
    records_of: Counts
    unit: int
    records: Counts | None = None

    @classmethod
    def of(cls, column: Column) -> Persons:
        """Return the persons named by a column; values are compared as texts, and missing is one of them."""
        counts = column.counts
        repeated = np.flatnonzero(counts > 1)
        codes = np.zeros(len(counts), dtype=np.int32)
        codes[repeated] = np.arange(1, len(repeated) + 1)
        records_of = np.concatenate(([1], counts[repeated])).astype(np.int64)
        unit = _unit(records_of, int(np.count_nonzero(counts)))
        weights = np.array([(2 * unit + n) // (2 * n) for n in records_of.tolist()], dtype=np.int64)
        return cls(column.name, codes[column.codes], weights, records_of, unit, column.records)

    @property
    def numbers(self) -> Codes:
        """Return a number per row, equal for rows of one person only, shape (n_rows,)."""
        single = self.codes == SINGLE
        return np.where(single, self.n_codes + np.cumsum(single, dtype=np.int32), self.codes).astype(np.int32)

    @property
    def n_codes(self) -> int:
        """One more than the largest code."""
        return len(self.weights)

    @cached_property
    def n_persons(self) -> int:
        """Number of different persons with one of the records."""
        records = np.bincount(self.codes, minlength=1)
        return int(records[SINGLE]) + int(np.count_nonzero(records[1:]))

    @cached_property
    def are_repeated(self) -> bool:
        """Return whether a person has several records in the whole input."""
        return bool(self.codes.any())

    @property
    def weight_of_rows(self) -> Counts:
        """Weight of every row, shape (n_rows,)."""
        weights = self.weights[self.codes]
        return weights if self.records is None else weights * self.records

    def some(self, rows: IntArray) -> Persons:
        """Return the persons of chosen rows; weights refer to the whole input."""
        records = None if self.records is None else self.records[rows]
        return replace(self, codes=self.codes[rows], records=records)

    def most_records(self, n_persons: int) -> int:
        """Return the most records that a number of persons can have in the whole input."""
        n_single = int(np.count_nonzero(self.codes == SINGLE))
        largest = np.sort(self.records_of[1:])[::-1][:n_persons]
        n_records = len(self.codes) if self.records is None else int(self.records.sum())
        return min(int(largest.sum()) + min(n_persons - len(largest), n_single), n_records)


def _unit(records_of: Counts, n_persons: int) -> int:
    """Return a unit that is divisible by as many numbers of records as fit 63 bits.

    If the least common multiple of all is too large, it covers the most frequent numbers; the weights of the
    others are rounded to a relative 1e-12 in tables of up to 100,000 persons, less precisely in larger ones.
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


def persons_of_classes(
    labels: IntArray, codes: NDArray[np.integer[Any]], counts: Counts | None, n_classes: int
) -> Counts:
    """Count the different persons of every class.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_rows,)
        Class of every row.
    codes : ndarray of int, shape (n_rows,)
        Code of the person of every row; see `Persons`.
    counts : ndarray of int64, shape (n_rows,), or None
        Records of every row; None for one each.

    Returns
    -------
    ndarray of int64, shape (n_classes,)
    """
    first = first_of_persons(labels, codes, counts)
    return sums(labels[first], _heads(codes[first], None if counts is None else counts[first]), n_classes)


def people_of_classes(
    labels: IntArray, persons: Persons | None, n_classes: int, records: Counts | None = None
) -> Counts:
    """Count the people of every class of rows, shape (n_classes,).

    Parameters
    ----------
    labels : ndarray of int64, shape (n_rows,)
        Class of every row.
    persons : Persons or None
        Persons of the rows; None if each record is a person.
    records : ndarray of int64, shape (n_rows,), optional
        Records of every row, if there are no persons; one each by default.
    """
    if persons is None:
        return records_by_code(labels, n_classes, records)
    return persons_of_classes(labels, persons.codes, persons.records, n_classes)


def first_of_persons(labels: IntArray, codes: NDArray[np.integer[Any]], counts: Counts | None) -> IntArray:
    """Return rows that count every person of a class once; all rows of persons with one record."""
    repeated = np.flatnonzero(codes)
    keys = labels[repeated] * (int(codes.max(initial=0)) + 1) + codes[repeated]
    if len(keys) and bool((keys[1:] >= keys[:-1]).all()):
        first = run_starts(keys)
    else:
        first = _first_of_keys(keys)
    return np.concatenate((np.flatnonzero(codes == SINGLE), repeated[first]))


def _first_of_keys(keys: IntArray) -> IntArray:
    """Return the first place of every distinct key, in the order of keys, none of which is negative."""
    if not len(keys):
        return np.zeros(0, dtype=np.int64)
    ordered, order = _in_order(keys)
    return np.asarray(order[run_starts(ordered)])


def _numbered(keys: IntArray, n_keys: int) -> tuple[int, IntArray]:
    """Return the number of distinct keys below `n_keys`, and the rank of each, for at least one."""
    if n_keys <= max(DENSE * len(keys), FEW_KEYS):
        occurs = np.zeros(n_keys, dtype=np.int64)
        occurs[keys] = 1
        found = np.cumsum(occurs)
        return int(found[-1]), found[keys] - 1
    ordered, order = _in_order(keys)
    starts, ranks = run_starts(ordered), np.empty(len(keys), dtype=np.int64)
    ranks[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(keys)))
    return len(starts), ranks


def _in_order(keys: IntArray) -> tuple[IntArray, IntArray]:
    """Return keys in order, and the place of each, equal ones by place."""
    width = len(keys).bit_length()
    if int(keys.max()).bit_length() + width > KEY_BITS:
        order = np.argsort(keys, kind="stable")
        return keys[order], order
    packed = (keys << width) | np.arange(len(keys))
    packed.sort()  # twice as fast as finding the order of the keys
    return packed >> width, packed & ((1 << width) - 1)


def _heads(codes: NDArray[np.integer[Any]], counts: Counts | None) -> Counts:
    """Return how many persons each row represents."""
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
    """Holders of the sensitive values of some groups of records.

    Attributes
    ----------
    persons : ndarray of int64, shape (n_groups,)
        Different persons per group.
    of_value : ndarray of int64, shape (n_pairs,)
        Persons who hold a value at least once, per distinct (group, value) pair in order.
    alone : ndarray of int64, shape (n_groups,)
        The most values that one person alone holds, per group.
    """

    persons: Counts
    of_value: Counts
    alone: Counts

    @classmethod
    def of(
        cls, labels: IntArray, codes: NDArray[np.integer[Any]], values: IntArray, counts: Counts | None
    ) -> Holders:
        """Return the holders of the values of rows.

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
        n_values_of_column = int(values.max()) + 1
        n_pairs, place = _numbered(labels * n_values_of_column + values, n_groups * n_values_of_column)
        first = first_of_persons(place, codes, counts)
        heads = _heads(codes[first], None if counts is None else counts[first])
        of_value = sums(place[first], heads, n_pairs)
        # rows with a value that no other person of the group holds
        own = first[of_value[place[first]] == 1]
        keys = labels[own] * (int(codes.max(initial=0)) + 1) + codes[own]
        distinct, n_values = np.unique(keys, return_counts=True)
        # persons with one record hold one value each, however many they are
        n_values[distinct % (int(codes.max(initial=0)) + 1) == SINGLE] = 1
        alone = np.zeros(n_groups, dtype=np.int64)
        np.maximum.at(alone, distinct // (int(codes.max(initial=0)) + 1), n_values)
        return cls(persons_of_classes(labels, codes, counts, n_groups), of_value, alone)


class PeopleBySize(NamedTuple):
    """People by the smallest class with one of their records, in which an attacker finds them most easily.

    Attributes
    ----------
    sizes : ndarray of int64, shape (n_sizes,)
        Distinct class sizes, in increasing order.
    people : ndarray of int64, shape (n_sizes,)
        Number of people per size.
    """

    sizes: Counts
    people: Counts

    @classmethod
    def of_records(cls, records: Counts, among: Counts | None = None) -> PeopleBySize:
        """Return classes whose records are persons each, by their sizes or the given ones."""
        if among is None:
            distinct, n_classes = np.unique(records, return_counts=True)
            return cls(distinct, distinct * n_classes)
        distinct, place = np.unique(among, return_inverse=True)
        return cls(distinct, sums(place, records, len(distinct)))

    @property
    def n_people(self) -> int:
        """Number of people."""
        return int(self.people.sum())

    def n_below(self, size: float) -> int:
        """Return the people in classes smaller than some size."""
        return int(self.people[self.sizes < size].sum())

    @property
    def average_risk(self) -> float:
        """Mean of 1 / size over the people, rounded once; nan without people."""
        if not self.n_people:
            return float("nan")
        parts = zip(self.people.tolist(), self.sizes.tolist(), strict=True)
        return float(sum((Fraction(n, size) for n, size in parts), Fraction(0)) / self.n_people)


@dataclass(frozen=True, eq=False)
class ClassPersons:
    """The persons of the records of each class.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_rows,)
        Class of every row.
    codes : ndarray of int, shape (n_rows,)
        Code of the person of every row; see `Persons`.
    counts : ndarray of int64, shape (n_rows,), or None
        Records of every row; None for one each.
    """

    labels: IntArray
    codes: NDArray[np.integer[Any]]
    counts: Counts | None = None

    def narrow(self, n_classes: int) -> ClassPersons:
        """Return the same with one row per person and class, or for all persons of a class with one record.

        Its labels and codes have 32 bits.
        """
        rows = first_of_persons(self.labels, self.codes, self.counts)
        labels, codes = self.labels[rows], self.codes[rows]
        heads = _heads(codes, None if self.counts is None else self.counts[rows])
        is_single = codes == SINGLE
        singles = sums(labels[is_single], heads[is_single], n_classes)
        with_singles = np.flatnonzero(singles)
        n_repeated = int(np.count_nonzero(~is_single))
        return ClassPersons(
            np.concatenate((with_singles, labels[~is_single])).astype(np.int32),
            np.concatenate((np.full(len(with_singles), SINGLE), codes[~is_single])).astype(np.int32),
            np.concatenate((singles[with_singles], np.ones(n_repeated, dtype=np.int64))).astype(np.int32),
        )

    def by_size(self, sizes: Counts, chosen: BoolArray) -> PeopleBySize:
        """Return the persons of chosen classes by the smallest of these that they are in.

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

    def in_smallest(self, sizes: Counts, chosen: BoolArray) -> Counts:
        """Return the persons of each class; each is in the smallest chosen one, the first of equal ones.

        Parameters
        ----------
        sizes : ndarray of int64, shape (n_classes,)
        chosen : ndarray of bool, shape (n_classes,)
        """
        rows = np.flatnonzero(chosen[self.labels])
        labels, codes = self.labels[rows], self.codes[rows]
        is_single = codes == SINGLE
        heads = _heads(codes[is_single], None if self.counts is None else self.counts[rows][is_single])
        found = sums(labels[is_single], heads, len(sizes))
        labels, codes = labels[~is_single], codes[~is_single]
        order = np.lexsort((labels, sizes[labels], codes))
        first = order[run_starts(codes[order])] if len(order) else order
        return np.asarray(found + np.bincount(labels[first], minlength=len(sizes)))

    def n_in(self, chosen: BoolArray) -> int:
        """Return the different persons with a record in one of some classes, shape (n_classes,)."""
        rows = np.flatnonzero(chosen[self.labels])
        codes = self.codes[rows]
        are_single = codes == SINGLE
        heads = _heads(codes[are_single], None if self.counts is None else self.counts[rows][are_single])
        is_there = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.bool_)
        is_there[codes] = True
        return int(heads.sum()) + int(np.count_nonzero(is_there[SINGLE + 1 :]))
