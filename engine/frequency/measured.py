"""Equivalence classes measured from (class, sensitive value) pairs with counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.frequency.classes import INFORMATION, MEMBERS, POPULATION, WEIGHT, Measure
from engine.frequency.measures.base import MEASURES
from engine.frequency.persons import (
    ClassPersons,
    Holders,
    PeopleBySize,
    Persons,
    persons_of_classes,
    sums,
)
from engine.frequency.problem import EXACT, Problem, SensitiveAttribute
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.distances import Pairs
from engine.kernels.grouping import class_labels, run_starts
from engine.words import N_, _

# Pairs are counted in an array of all keys where these are not many times the rows, nor many.
DENSE, FEW_KEYS, MOST_KEYS = 4, 1 << 10, 1 << 22


@dataclass(frozen=True, eq=False)
class Parts:
    """The records in which a sensitive column is measured: those of a class, or of a part of it.

    Attributes
    ----------
    sizes : ndarray of int64, shape (n_parts,)
        Records of each; their weights if persons have several.
    pairs : Pairs
        Distinct (part, value) pairs with record counts, or weights.
    starts : ndarray of int64, shape (n_classes,), or None
        The first part of every class, as parts are sorted by class; None if every class is one part.
    holders : callable, optional
        Persons that hold the values of the pairs, if persons have several records.
    """

    sizes: Counts
    pairs: Pairs
    starts: IntArray | None = None
    holders: Callable[[], Holders] | None = None

    def of_class(self, number: int) -> range:
        """Return the parts of a class."""
        if self.starts is None:
            return range(number, number + 1)
        is_last = number + 1 == len(self.starts)
        return range(int(self.starts[number]), len(self.sizes) if is_last else int(self.starts[number + 1]))


class KnownClasses(NamedTuple):
    """Classes of the records that are equal in some of the quasi-identifying columns.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_classes,)
        Its class of these, for every class of all columns.
    """

    labels: IntArray
    classes: MeasuredClasses

    def spread(self, values: IntArray) -> IntArray:
        """Return a value of these classes for every class of all columns."""
        return np.asarray(values[self.labels])


NO_MEMBERS = N_("The number of people of the population in a class is unknown.")
NO_MEMBERS_HINT = N_("Give a population table, or choose the records of this table to release.")
NO_WEIGHTS = N_("The weights of the records are unknown.")
NO_WEIGHTS_HINT = N_("Name the column of survey weights.")
NO_LABELS = N_("The information loss of a class is known only if its records are on the levels of one node.")
NO_LABELS_HINT = N_("Release a node, or use a model that does not weigh information loss.")


class MeasuredClasses:
    """Classes of one node; measures are computed when first needed.

    Parameters
    ----------
    records : ndarray of int64, shape (n_classes,)
        Records per class.
    pairs : callable
        Given the number of a sensitive attribute, its distinct (class, value) pairs and their record counts,
        sorted by class, then value.
    parts : callable, optional
        Given the number of a sensitive attribute, the parts of classes in which it is measured; a class has
        the measure of its worst part. Without it classes are measured undivided.
    population : callable, optional
        People of the population in each class; unknown by default.
    members : callable, optional
        Rows of the population table in each class; `population` by default.
    information : callable, optional
        Information loss of a record of each class; unknown by default.
    sampling_fraction : float, optional
        See `EquivalenceClasses.sampling_fraction`.
    sizes : ndarray of int64, shape (n_classes,), optional
        Different persons per class, if they have several records; `records` by default.
    persons : ClassPersons, optional
        Persons of the records of each class, if persons have several.
    known : callable, optional
        Given names of quasi-identifying columns, the classes of an attacker who knows no others; by default
        classes do not distinguish their columns.
    names : tuple of str
        Names of the quasi-identifying columns, if `known` is given.

    Attributes
    ----------
    records, sizes : ndarray of int64, shape (n_classes,)
        Records, and different persons, per class.
    """

    def __init__(
        self,
        records: Counts,
        sensitive: Sequence[SensitiveAttribute],
        pairs: Callable[[int], Pairs],
        parts: Callable[[int], Parts] | None = None,
        population: Callable[[], Counts] | None = None,
        sampling_fraction: float | None = None,
        sizes: Counts | None = None,
        persons: ClassPersons | None = None,
        members: Callable[[], Counts] | None = None,
        known: Callable[[tuple[str, ...]], KnownClasses] | None = None,
        names: tuple[str, ...] = (),
        information: Callable[[], FloatArray] | None = None,
    ) -> None:
        self.names = names
        self._make_known = known
        self._known: dict[tuple[str, ...], KnownClasses] = {}
        self.records = records
        self.sizes = records if sizes is None else sizes
        self.persons = persons
        self.sampling_fraction = sampling_fraction
        self._counts_of_population = {POPULATION: population, MEMBERS: members or population}
        self._information = information
        self._sensitive = {attribute.name: (j, attribute) for j, attribute in enumerate(sensitive)}
        self._make_pairs = pairs
        self._make_parts = parts
        self._pairs: dict[str, Pairs] = {}
        self._parts: dict[str, Parts] = {}
        self._measured: dict[Measure, IntArray | FloatArray] = {}

    @property
    def knows_members(self) -> bool:
        """Return whether the people of the population are known one by one."""
        return self._counts_of_population[POPULATION] is not None

    @property
    def has_weights(self) -> bool:
        """Return whether the weights of the records of a survey are counted."""
        return WEIGHT in self._sensitive

    def by_size(self, chosen: BoolArray, among: Counts | None = None) -> PeopleBySize:
        """Return the people of some classes by the smallest of these that they are in.

        Parameters
        ----------
        chosen : ndarray of bool, shape (n_classes,)
        among : ndarray of int64, shape (n_classes,), optional
            Values used as class sizes, such as the people of the population.
        """
        if self.persons is None:
            return PeopleBySize.of_records(self.sizes[chosen], None if among is None else among[chosen])
        return self.persons.by_size(self.sizes if among is None else among, chosen)

    def in_smallest(self, chosen: BoolArray) -> Counts:
        """Return the people, or records, per class, each in the smallest chosen one that they are in."""
        if self.persons is None:
            return np.where(chosen, self.sizes, 0)
        return self.persons.in_smallest(self.sizes, chosen)

    def pairs(self, column: str) -> Pairs:
        """Return the distinct (class, value) pairs of a sensitive column with their record counts."""
        if column not in self._pairs:
            self._pairs[column] = self._make_pairs(self._sensitive[column][0])
        return self._pairs[column]

    def parts(self, column: str) -> Parts:
        """Return the parts of classes in which a sensitive column is measured."""
        if column not in self._parts:
            if self._make_parts is None or column == WEIGHT:  # weights count in the whole class
                self._parts[column] = Parts(self.records, self.pairs(column))
            else:
                self._parts[column] = self._make_parts(self._sensitive[column][0])
        return self._parts[column]

    def known_by(self, columns: tuple[str, ...]) -> KnownClasses | None:
        """Return the classes of an attacker who knows some columns; None if classes do not have them."""
        if self._make_known is None:
            return None
        if columns not in self._known:
            self._known[columns] = self._make_known(columns)
        return self._known[columns]

    def largest_share(self, column: str, values: tuple[str, ...] = ()) -> FloatArray:
        """Return the largest share that one of some values has in a class, shape (n_classes,).

        Parameters
        ----------
        column : str
            A sensitive column.
        values : tuple of str
            Values to look at, as texts; all if empty.
        """
        parts, attribute = self.parts(column), self._sensitive[column][1]
        counts, sizes = parts.pairs.counts, parts.sizes
        if parts.holders is not None:
            holders = parts.holders()
            counts, sizes = holders.of_value, holders.persons
        if values:
            labels = attribute.column.labels
            counted = np.array([label in values for label in labels], dtype=np.bool_)
            counts = np.where(counted[parts.pairs.values], counts, 0)
        shares = np.maximum.reduceat(counts, parts.pairs.starts) / sizes
        return np.asarray(shares if parts.starts is None else np.maximum.reduceat(shares, parts.starts))

    def measured(self, measure: Measure) -> IntArray | FloatArray:
        if measure.name == INFORMATION and measure not in self._measured:
            if self._information is None:
                raise InputError(_(NO_LABELS), hint=_(NO_LABELS_HINT))
            self._measured[measure] = self._information()
        if measure.name in self._counts_of_population and measure not in self._measured:
            count = self._counts_of_population[measure.name]
            if count is None:
                raise InputError(_(NO_MEMBERS), hint=_(NO_MEMBERS_HINT))
            self._measured[measure] = count()
        if measure.column == WEIGHT and measure.name in MEASURES and not self.has_weights:
            raise InputError(_(NO_WEIGHTS), hint=_(NO_WEIGHTS_HINT))
        if measure not in self._measured:
            parts, starts = self.measured_parts(measure), self.parts(measure.column).starts
            if starts is None:
                self._measured[measure] = parts
            else:
                worst = np.minimum if MEASURES[measure.name].lowest_is_worst else np.maximum
                self._measured[measure] = worst.reduceat(parts, starts)
        return self._measured[measure]

    def measured_parts(self, measure: Measure) -> IntArray | FloatArray:
        """Return a measure of a sensitive column per part, shape (n_parts,)."""
        parts, attribute = self.parts(measure.column), self._sensitive[measure.column][1]
        kind = MEASURES[measure.name]
        if parts.holders is not None and kind.of_people is not None:
            return kind.of_people(parts.pairs, parts.holders())
        return kind.function(parts.pairs, parts.sizes, attribute, measure.parameter)

    def default_distance(self, column: str) -> str:
        return self._sensitive[column][1].default_distance


@dataclass(frozen=True, eq=False)
class ClassRows:
    """Rows of equal records, with the class of each.

    Attributes
    ----------
    labels : ndarray of int64, shape (n_rows,)
        Class of every row; every number up to the largest occurs.
    values : callable
        Given the number of a sensitive attribute, its value per row.
    counts : ndarray of int64, shape (n_rows,), or None
        Records of every row; None for one each.
    persons : ndarray of int, shape (n_rows,), or None
        Code of the person of every row, if persons have several records; see `Persons`.
    fields : callable, optional
        Given the number of a quasi-identifying column, a number per row, equal for equal labels.
    apart : ndarray of bool, shape (n_rows,), or None
        Rows that attackers do not take for any of the others, since they are suppressed.
    information : callable, optional
        Information loss per row, the same in a class; unknown by default.
    """

    labels: IntArray
    values: Callable[[int], NDArray[np.integer[Any]]]
    counts: Counts | None = None
    persons: NDArray[np.integer[Any]] | None = None
    fields: Callable[[int], NDArray[np.integer[Any]]] | None = None
    apart: BoolArray | None = None
    information: Callable[[], FloatArray] | None = None

    def chosen(self, rows: IntArray, labels: IntArray) -> ClassRows:
        """Return some of the rows, with their classes renumbered."""
        fields, information = self.fields, self.information
        return ClassRows(
            labels,
            lambda j: self.values(j)[rows],
            None if self.counts is None else self.counts[rows],
            None if self.persons is None else self.persons[rows],
            None if fields is None else lambda q: fields(q)[rows],
            None if self.apart is None else self.apart[rows],
            None if information is None else lambda: information()[rows],
        )

    def information_of_classes(self, n_classes: int) -> Callable[[], FloatArray] | None:
        """Return what gives the information loss per class; None if it is unknown."""
        of_rows = self.information
        if of_rows is None:
            return None

        def of_classes() -> FloatArray:
            found = np.zeros(n_classes)
            found[self.labels] = of_rows()
            return found

        return of_classes


def known_classes(
    problem: Problem, rows: ClassRows, n_classes: int
) -> Callable[[tuple[str, ...]], KnownClasses] | None:
    """Return what gives the classes of attackers who know only some columns; None if rows lack fields."""
    fields = rows.fields
    if fields is None:
        return None

    def group(columns: tuple[str, ...]) -> KnownClasses:
        codes = [np.asarray(fields(problem.names.index(name))) for name in columns]
        if rows.apart is not None:
            codes.append(rows.apart.astype(np.int64))
        labels = np.zeros(len(rows.labels), dtype=np.int64)
        if codes and len(labels):
            labels = class_labels(codes, [int(own.max()) + 1 for own in codes])[0]
        of_class = np.zeros(n_classes, dtype=np.int64)
        of_class[rows.labels] = labels
        n_groups = int(labels.max(initial=-1)) + 1
        ones = np.ones(len(labels), dtype=np.int64)
        records = sums(labels, ones if rows.counts is None else rows.counts, n_groups)
        own = ClassRows(labels, rows.values, rows.counts, rows.persons)
        return KnownClasses(of_class, classes_of_rows(problem, own, records))

    return group


class PopulationCounts(NamedTuple):
    """Counts of the population table in some classes, each computed when needed.

    Attributes
    ----------
    people, rows : callable
        Different people and rows per class.
    """

    people: Callable[[], Counts]
    rows: Callable[[], Counts]


def classes_of_rows(
    problem: Problem, rows: ClassRows, records: Counts, population: PopulationCounts | None = None
) -> MeasuredClasses:
    """Return the classes of a problem's records as privacy models see them.

    Parameters
    ----------
    records : ndarray of int64, shape (n_classes,)
        Records of every class.
    population : PopulationCounts, optional
        The population of the same classes; unknown by default.
    """
    if problem.repeated is not None:
        return classes_of_persons(
            problem.repeated,
            problem.sensitive,
            rows,
            records,
            population,
            measures_parts=problem.measures_parts,
            sampling_fraction=problem.sampling_fraction,
            known=known_classes(problem, rows, len(records)),
            names=problem.names,
        )
    sensitive, labels, counts = problem.sensitive, rows.labels, rows.counts

    def parts(j: int) -> Parts:
        return parts_by_others(labels, sensitive, [rows.values(i) for i in range(len(sensitive))], counts, j)

    carried = problem.carried
    return MeasuredClasses(
        records,
        carried,
        lambda j: pairs_of(labels, rows.values(j), counts, carried[j].n_values),
        parts if problem.measures_parts else None,
        None if population is None else population.people,
        problem.sampling_fraction,
        members=None if population is None else population.rows,
        known=known_classes(problem, rows, len(records)),
        names=problem.names,
        information=rows.information_of_classes(len(records)),
    )


def classes_of_persons(
    persons: Persons,
    sensitive: Sequence[SensitiveAttribute],
    rows: ClassRows,
    records: Counts,
    population: PopulationCounts | None = None,
    *,
    measures_parts: bool = False,
    sampling_fraction: float | None = None,
    known: Callable[[tuple[str, ...]], KnownClasses] | None = None,
    names: tuple[str, ...] = (),
) -> MeasuredClasses:
    """Return classes whose sizes are persons, in which a record weighs its share of its person.

    Parameters
    ----------
    sensitive : sequence of SensitiveAttribute
        Sensitive attributes with the weights of these persons.
    rows : ClassRows
        Rows with persons.
    records : ndarray of int64, shape (n_classes,)
        Records of every class.
    population : PopulationCounts, optional
        The population of the same classes; unknown by default.
    measures_parts : bool
        Whether classes have the measures of their worst part that is equal in the other columns.
    sampling_fraction : float, optional
        See `EquivalenceClasses.sampling_fraction`.
    known, names
        As for `MeasuredClasses`.
    """
    codes, counts = rows.persons, rows.counts
    assert codes is not None, "rows tell their persons where these have several records"
    weights = persons.weights[codes] if counts is None else persons.weights[codes] * counts

    def parts(j: int) -> Parts:
        values = rows.values(j).astype(np.int64, copy=False)
        groups, starts = rows.labels, None
        if measures_parts:
            others = [rows.values(i) for i in range(len(sensitive)) if i != j]
            spans = [s.n_values for i, s in enumerate(sensitive) if i != j]
            groups, first, _unused = class_labels([groups, *others], [len(records), *spans])
            starts = run_starts(rows.labels[first])
        n_groups = len(records) if starts is None else int(groups.max()) + 1
        return Parts(
            sums(groups, weights, n_groups),
            pairs_of(groups, values, weights, sensitive[j].n_values),
            starts,
            lambda: Holders.of(groups, codes, values, counts),
        )

    return MeasuredClasses(
        records,
        sensitive,
        lambda j: pairs_of(rows.labels, rows.values(j), weights, sensitive[j].n_values),
        parts,
        None if population is None else population.people,
        sampling_fraction,
        persons_of_classes(rows.labels, codes, counts, len(records)),
        ClassPersons(rows.labels, codes, counts),
        None if population is None else population.rows,
        known,
        names,
        rows.information_of_classes(len(records)),
    )


def pairs_of(
    labels: IntArray, values: NDArray[np.integer[Any]], counts: Counts | None, n_values: int
) -> Pairs:
    """Count the distinct (class, value) pairs of rows.

    Parameters
    ----------
    labels, values : ndarray of int, shape (n_rows,)
        Class and sensitive value per row.
    counts : ndarray of int64, shape (n_rows,), or None
        Records per row, at least one; None for one each.
    n_values : int
        One more than the largest value.
    """
    keys = labels * n_values + values
    most = min(max(DENSE * len(keys), FEW_KEYS), MOST_KEYS)
    if len(keys) and int(keys.max()) < most and (counts is None or counts.sum() < EXACT):
        weights = np.bincount(keys, weights=counts)
        found = np.flatnonzero(weights)
        return pairs_from(found // n_values, found % n_values, weights[found].astype(np.int64))
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = run_starts(keys)
    if counts is None:
        sums = np.diff(np.append(starts, len(keys)))
    else:
        sums = np.add.reduceat(counts[order], starts)
    return pairs_from(keys[starts] // n_values, keys[starts] % n_values, sums)


def pairs_from(classes: IntArray, values: IntArray, counts: Counts) -> Pairs:
    """Return pairs that are distinct and sorted already, with every class among them."""
    return Pairs(values, counts, run_starts(classes))


def parts_by_others(
    labels: IntArray,
    sensitive: Sequence[SensitiveAttribute],
    codes: Sequence[NDArray[np.integer[Any]]],
    counts: Counts | None,
    number: int,
) -> Parts:
    """Split classes into the parts that are equal in the other sensitive columns.

    Used if the others may be known too: pyCANON's second method for several sensitive attributes.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_rows,)
        Class per row.
    codes : sequence of integer ndarray, each of shape (n_rows,)
        Value per row, per sensitive column.
    counts : ndarray of int64, shape (n_rows,), or None
        Records per row; None for one each.
    number : int
        The measured column.
    """
    others = [j for j in range(len(sensitive)) if j != number]
    columns = [labels, *(codes[j] for j in others)]
    spans = [int(labels.max()) + 1, *(sensitive[j].n_values for j in others)]
    parts, first, rows = class_labels(columns, spans)
    sizes = rows if counts is None else np.bincount(parts, weights=counts).astype(np.int64)
    pairs = pairs_of(parts, codes[number], counts, sensitive[number].n_values)
    return Parts(sizes.astype(np.int64, copy=False), pairs, run_starts(labels[first]))
