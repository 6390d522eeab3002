"""Recoded records with their originals as utility metrics read them; levels may vary by record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from engine.cached import cached_property
from engine.frequency import Persons, Problem
from engine.frequency.persons import people_of_classes
from engine.kernels.arrays import Codes, Counts, FloatArray, IntArray
from engine.kernels.grouping import class_labels, records_by_code
from engine.utility.objective import Objective
from engine.utility.recoded_column import RecodedColumn, coarsening_bits

ONE_BY_ONE = 64  # more classes of the same levels are matched by sorting


class RecodedRecords:
    """One recoding of the records of a problem; implements `Candidates` as a single node.

    Parameters
    ----------
    columns : sequence of RecodedColumn
        Columns of the records that are not suppressed.
    n_kept : int
        Number of these records.
    required_k : int, optional
        The class size that metrics divide by, if one is required.
    target : ndarray of int, shape (n_kept,), optional
        Their values of `problem.target`.
    objective : Objective or ndarray of float64 of shape (n_qi,), optional
        Settings and weights, or weights alone.
    persons : Persons, optional
        Persons of the kept records, if persons have several.
    """

    def __init__(
        self,
        problem: Problem,
        columns: Sequence[RecodedColumn],
        n_kept: int,
        *,
        required_k: int | None = None,
        target: Codes | None = None,
        objective: Objective | FloatArray | None = None,
        persons: Persons | None = None,
    ) -> None:
        self.problem = problem
        self.columns = tuple(columns)
        self.n_kept = n_kept
        self.n_suppressed = problem.n_records - n_kept
        self.suppressed: Counts = np.array([self.n_suppressed])
        self.required_k = required_k
        self._target = target
        self._persons = persons
        self._objective = Objective.of(objective)

    def metric(self, key: str) -> FloatArray:
        """Natural value of a metric, shape (1,)."""
        return self._objective.natural(key, self)

    @property
    def n_records(self) -> int:
        """Records of the original."""
        return self.problem.n_records

    @cached_property
    def levels(self) -> FloatArray:
        """Mean level over kept records, shape (1, n_qi)."""
        columns = [column.on_steps for column in self.columns]
        sums = [int(column.by_place @ column.levels) for column in columns]
        return np.array([[total / max(self.n_kept, 1) for total in sums]])

    @cached_property
    def _labels(self) -> tuple[IntArray, IntArray, Counts]:
        """Return the class of every kept record by its labels, a record of every class, and the sizes."""
        if not self.n_kept:
            nothing = np.zeros(0, dtype=np.int64)
            return nothing, nothing, nothing
        codes = [column.texts.astype(np.int32)[column.places] for column in self.columns]
        labels, first, _rows = class_labels(codes, [int(column.texts.max()) + 1 for column in self.columns])
        return labels, first, records_by_code(labels, len(first), self._records)

    @property
    def _records(self) -> Counts | None:
        return self.columns[0].records

    @property
    def _classes(self) -> tuple[IntArray, Counts]:
        return self._labels[1:]

    @property
    def class_sizes(self) -> Counts:
        """Records per kept class."""
        return self._classes[1]

    @property
    def kept_classes(self) -> Counts:
        """Number of classes of kept records."""
        return np.array([len(self.class_sizes)])

    @cached_property
    def _people(self) -> Counts:
        """Different persons per kept class; records if each is a person."""
        if not self.n_kept:
            return np.zeros(0, dtype=np.int64)
        return people_of_classes(self._labels[0], self._persons, len(self.class_sizes), self._records)

    @property
    def kept_k(self) -> Counts:
        """Size of the smallest kept class."""
        return np.array([self._people.min(initial=self.n_records) if self.n_kept else 0])

    @property
    def kept_sizes(self) -> Counts:
        """Sum of the sizes of kept classes."""
        return np.array([int(self._people.sum())])

    @property
    def kept_squares(self) -> Counts:
        """Sum of the squared numbers of records of kept classes."""
        return np.array([int(self.class_sizes @ self.class_sizes)])

    def kept_leaves(self, attribute: int) -> Counts:
        """Return the sum over kept records of the leaves that their label covers."""
        column = self.columns[attribute]
        return np.array([column.by_place @ column.n_leaves])

    def suppressed_leaves(self, attribute: int) -> Counts:
        """Leaves of the original values, since suppressed records have no level."""
        return self.suppressed

    def kept_spans(self, attribute: int) -> FloatArray:
        """Return the sum over kept records of the numeric width of their label."""
        column = self.columns[attribute]
        return np.array([column.by_place @ column.spans])

    def lost_bits(self, attribute: int) -> FloatArray:
        return np.array([coarsening_bits(self.columns[attribute], self.n_suppressed)])

    def suppressed_bits(self, attribute: int) -> FloatArray:
        """Return the last stage of `coarsening_bits`."""
        return self.lost_bits(attribute) - coarsening_bits(self.columns[attribute], 0)

    @property
    def kept_misses(self) -> Counts:
        """Kept records without the most frequent target value of their class."""
        assert self._target is not None, "asked only where there is a target"
        if not self.n_kept:
            return np.array([0])
        classes = self._labels[0]
        pairs, first, _rows = class_labels(
            [classes, self._target], [int(classes.max()) + 1, int(self._target.max()) + 1]
        )
        sizes = records_by_code(pairs, len(first), self._records)
        most = np.zeros(len(self.class_sizes), dtype=np.int64)
        np.maximum.at(most, classes[first], sizes)
        return np.array([self.n_kept - int(most.sum())])

    @property
    def kept_combinations(self) -> FloatArray:
        """Sum over kept records of the combinations of leaves that their labels cover."""
        covered = np.ones(len(self.columns[0].places))
        with np.errstate(over="ignore"):
            for column in self.columns:
                covered *= column.n_leaves[column.places]
        return np.array([covered.sum() if self._records is None else covered @ self._records])

    def kept_bits(self, factors: FloatArray) -> FloatArray:
        columns = zip(self.columns, factors, strict=True)
        return np.array([sum(factor * (own.by_place @ np.log2(own.n_leaves)) for own, factor in columns)])

    def kept_risk(self, most: float, *, of_population: bool) -> FloatArray:
        known = self._members if of_population else None
        people = self._people if known is None else known
        risks = self.class_sizes / np.maximum(people, 1)
        return np.array([risks[people <= most].sum()])

    @cached_property
    def _members(self) -> Counts | None:
        """People of the population per kept class; None if they are not known one by one."""
        members = self.problem.people
        if members is None or members.leaves is None:
            return None
        first = self._classes[0]
        found = np.zeros(len(first), dtype=np.int64)
        for here, vector in self._by_levels():
            codes: list[IntArray] = []
            spans: list[int] = []
            for column, leaves, level in zip(self.columns, members.leaves, vector, strict=True):
                entry = column.attribute.hierarchy.levels[level]
                own = column.labels[column.places[first[here]]]
                codes.append(np.concatenate((own, entry.codes[leaves])))
                spans.append(len(entry.labels))
            labels, _, sizes = class_labels(codes, spans)
            people = people_of_classes(labels[len(here) :], members.persons, len(sizes))
            found[here] = people[labels[: len(here)]]
        return found

    def _by_levels(self) -> Iterator[tuple[IntArray, list[int]]]:
        """Yield the kept classes of the same levels, and these levels."""
        first = self._classes[0]
        vectors = np.column_stack([column.levels[column.places[first]] for column in self.columns])
        distinct, which = np.unique(vectors, axis=0, return_inverse=True)
        order = np.argsort(which.ravel(), kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(which.ravel()[order])) + 1)
        return zip(parts, distinct.tolist(), strict=True) if len(first) else iter(())

    @property
    def spread_bits(self) -> FloatArray:
        """Cross entropy of the release with the original, summed over records, bits.

        inf if no released label covers an original record.
        """
        attributes = self.problem.attributes
        leaves, counts = _distinct([attribute.leaves for attribute in attributes], self.problem.counts)
        everywhere = sum(np.log2(a.hierarchy.n_leaves) for a in attributes)
        share = self.n_suppressed / self.n_records
        mass = np.full(len(counts), np.log2(share) - everywhere if share else -np.inf)
        first, sizes = self._classes
        shares = np.log2(sizes / self.n_records)
        for column in self.columns:
            shares -= np.log2(column.n_leaves[column.places[first]])
        generalized = _Generalized(self.columns, leaves)
        for here, _levels in self._by_levels():
            if len(here) > ONE_BY_ONE:
                mass = np.logaddexp2(mass, self._mass(first[here], shares[here], generalized))
                continue
            for number in here.tolist():
                covered = generalized.under(int(first[number]))
                mass[covered] = np.logaddexp2(mass[covered], shares[number])
        return np.array([-(counts @ mass)])

    def _mass(self, first: IntArray, shares: FloatArray, generalized: _Generalized) -> FloatArray:
        """Return the log2 mass of classes of the same levels on combinations of leaves."""
        codes: list[IntArray] = []
        for q, column in enumerate(self.columns):
            places = column.places[first]
            original = generalized.at(q, int(column.levels[places[0]]))
            codes.append(np.concatenate((column.labels[places], original)))
        labels, _, sizes_of_all = class_labels(codes, [int(c.max()) + 1 for c in codes])
        by_label = np.full(len(sizes_of_all), -np.inf)
        by_label[labels[: len(first)]] = shares
        return by_label[labels[len(first) :]]


class _Generalized:
    """Combinations of leaves on any levels, computed once per column and level.

    Parameters
    ----------
    leaves : list of ndarray of int, each of shape (n_combinations,)
    """

    def __init__(self, columns: tuple[RecodedColumn, ...], leaves: list[Codes]) -> None:
        self._columns, self._leaves = columns, leaves
        self._codes: dict[tuple[int, int], Codes] = {}

    def at(self, column: int, level: int) -> Codes:
        """Return the label of every combination in a column, shape (n_combinations,)."""
        if (column, level) not in self._codes:
            entry = self._columns[column].attribute.hierarchy.levels[level]
            self._codes[column, level] = entry.codes[self._leaves[column]]
        return self._codes[column, level]

    def under(self, record: int) -> IntArray:
        """Return the combinations that the labels of a kept record cover."""
        found: IntArray = np.arange(len(self._leaves[0]))
        for q, column in enumerate(self._columns):
            place = column.places[record]
            codes = self.at(q, int(column.levels[place]))
            found = found[codes[found] == column.labels[place]]
        return found


def _distinct(columns: list[Codes], records: Counts | None) -> tuple[list[Codes], Counts]:
    """Return the distinct rows, and the records of each."""
    labels, first, _rows = class_labels(columns, [int(column.max()) + 1 for column in columns])
    return [column[first] for column in columns], records_by_code(labels, len(first), records)
