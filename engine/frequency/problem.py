"""The compiled problem: codes, hierarchies and lattice, independent of any requirement."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.cached import cached_property
from engine.errors import InputError, nearest
from engine.frequency.classes import WEIGHT
from engine.frequency.counted import Noun, who
from engine.frequency.earlier import EarlierReleases
from engine.frequency.persons import Persons, sums
from engine.frequency.population import PopulationMembers
from engine.hierarchies import Hierarchy
from engine.kernels.arrays import Codes, Counts, FloatArray, IntArray
from engine.kernels.distances import Pairs, Reference, Tree
from engine.kernels.grouping import class_labels, records_by_code
from engine.lattice import Lattice, Node
from engine.notebook import Brief
from engine.records import Column, Kind
from engine.records.values import decimal_mark, measure, number_type, thousands_mark
from engine.words import N_, _

EXACT = 1 << 53  # sums of floats below are exact
MOST_DECIMALS = 9  # of weights whose sums are exact


@dataclass(frozen=True, eq=False)
class Attribute(Brief):
    """A quasi-identifying column with its hierarchy.

    Attributes
    ----------
    hierarchy : Hierarchy
        Hierarchy of every value of the column, the missing one included.
    leaves : ndarray of int32, shape (n_rows,)
        Leaf of the hierarchy per row.
    minimum, maximum : int
        Levels allowed, inclusive.
    missing : str or None
        The label for missing if it occurs in the population and perhaps not in the records.
    released_as : str
        What a class releases instead of its label, such as "mean"; empty for the label.
    """

    column: Column
    hierarchy: Hierarchy
    leaves: Codes
    minimum: int
    maximum: int
    missing: str | None = None
    released_as: str = ""

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.column.name

    @cached_property
    def leaf_counts(self) -> Counts:
        """Records per leaf, shape (n_leaves,)."""
        return records_by_code(self.leaves, self.hierarchy.n_leaves, self.column.records)

    def label_counts(self, level: int) -> Counts:
        """Return the records per label of a level, shape (n_labels,)."""
        entry = self.hierarchy.levels[level]
        return records_by_code(entry.codes, len(entry.labels), self.leaf_counts)

    @cached_property
    def leaf_numbers(self) -> FloatArray | None:
        """The value of each leaf of a numeric column (nan if it is not a number), else None."""
        if not self.column.data_type.is_numeric:
            return None
        own = self.column.data_type
        number = number_type(Kind.DECIMAL, decimal_mark(own), thousands_mark(own))
        numbers, _unused = measure(self.hierarchy.values, number)
        missing = self.column.missing_label or self.missing
        if missing is not None:  # a value such as -9 that means missing is not a number
            numbers[self.hierarchy.index[missing]] = np.nan
        return numbers

    @cached_property
    def numeric_width(self) -> float | None:
        """Difference of the largest and smallest number of a numeric column; None for other types.

        If a column has one number and missing, the width is 1, so that a label that covers both differs from
        either.
        """
        numbers = self.leaf_numbers
        if numbers is None:
            return None
        known = numbers[~np.isnan(numbers)]
        if not len(known):
            return 0.0
        return float(known.max() - known.min()) or float(len(known) < len(numbers))

    def label_spans(self, level: int) -> FloatArray:
        """Return the width of the leaves below each label of a level, shape (n_labels,).

        The largest minus the smallest number; 0 without numbers, and all of `numeric_width` if a label covers
        numbers and missing.
        """
        entry = self.hierarchy.levels[level]
        numbers, width = self.leaf_numbers, self.numeric_width
        assert numbers is not None, "only numeric columns have spans"
        assert width is not None, "as wide as their numbers"
        known = ~np.isnan(numbers)
        low = np.full(len(entry.labels), np.inf)
        high = np.full(len(entry.labels), -np.inf)
        np.minimum.at(low, entry.codes[known], numbers[known])
        np.maximum.at(high, entry.codes[known], numbers[known])
        spans = np.where(high >= low, high - low, 0.0)
        covers_missing = np.bincount(entry.codes[~known], minlength=len(spans)) > 0
        return np.where(covers_missing & (high >= low), width, spans)


@dataclass(frozen=True, eq=False)
class SensitiveAttribute(Brief):
    """A sensitive column; its codes follow the order of its data type.

    Attributes
    ----------
    hierarchy : Hierarchy or None
        Hierarchy for the hierarchical distance; otherwise it need not cover the column.
    weights : ndarray of int64, shape (n_values,), or None
        Total weight of a value's records in the whole table, if persons have several; see `Persons`.
    """

    column: Column
    hierarchy: Hierarchy | None = None
    weights: Counts | None = None

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.column.name

    @property
    def codes(self) -> Codes:
        """Value per row."""
        return self.column.codes

    @property
    def n_values(self) -> int:
        """Distinct values; missing counts as one."""
        return len(self.column.labels)

    @property
    def table_counts(self) -> Counts:
        """Records of the whole table per value."""
        return self.column.counts

    @cached_property
    def reference(self) -> Reference:
        """The whole table's distribution, as distances compare with it."""
        return Reference(self.table_weights)

    @property
    def table_weights(self) -> Counts:
        """Weight of the whole table's records of a value: their number if each is a person."""
        return self.table_counts if self.weights is None else self.weights

    @cached_property
    def tree(self) -> Tree:
        """The hierarchy over the values, for the hierarchical distance.

        Raises
        ------
        InputError
            Without a hierarchy, or if it lacks values of the column.
        """
        if self.why_not_hierarchical:
            raise InputError(self.why_not_hierarchical, column=self.name)
        assert self.hierarchy is not None
        hierarchy = self.hierarchy.covering(self.column)
        leaves = [hierarchy.index[label] for label in self.column.labels]
        # below the root: a single top label is the root itself, several labels share one above them
        below = hierarchy.levels[:-1] if hierarchy.top_label is not None else hierarchy.levels
        groups = np.array([level.codes[leaves] for level in below], dtype=np.int64)
        return Tree(groups.reshape(len(below), self.n_values), self.table_weights)

    @property
    def why_not_hierarchical(self) -> str:
        """Reason why the hierarchical distance is refused; empty if there is a usable hierarchy."""
        if self.hierarchy is None:
            return _("'{name}' has no hierarchy. Give it one, or use another distance.").format(
                name=self.name
            )
        gaps = self.hierarchy.gaps(self.column)
        if gaps:
            return _(
                "The hierarchy of '{name}' lacks {n} of its values, such as '{gap}'. Add "
                "them, or use another distance."
            ).format(name=self.name, n=len(gaps), gap=gaps[0])
        return ""

    @property
    def why_not_ordered(self) -> str:
        """Reason why the ordered distance is refused; empty if it is meaningful."""
        if self.column.data_type.kind is Kind.TEXT:
            return _("'{name}' is text, which has no order. Use the equal distance.").format(name=self.name)
        if self.column.has_missing:
            return _(
                "'{name}' has missing values, which have no place in an order. Use the equal distance."
            ).format(name=self.name)
        return ""

    @property
    def default_distance(self) -> str:
        """Ordered for numbers, dates, booleans and ordered categories, otherwise equal."""
        return "equal" if self.why_not_ordered else "ordered"

    @property
    def distances(self) -> tuple[str, ...]:
        """The distances that are meaningful for the column."""
        return tuple(
            kind for kind in (N_("equal"), N_("ordered"), N_("hierarchical")) if not self.why_not(kind)
        )

    def why_not(self, distance: str) -> str:
        """Return why a distance is refused; empty if it is meaningful."""
        reasons = {"ordered": self.why_not_ordered, "hierarchical": self.why_not_hierarchical}
        return reasons.get(distance, "")


@dataclass(frozen=True, eq=False)
class WeightAttribute(SensitiveAttribute):
    """The weights of records, carried through scoring like the values of a sensitive column."""

    @property
    def name(self) -> str:
        """The name under which classes measure weights, whatever the column is called."""
        return WEIGHT

    @cached_property
    def units(self) -> tuple[IntArray, int] | None:
        """Weights per value as whole multiples of a unit, and units per 1; None if they have many decimals.

        Sums of multiples are exact and rounded once.
        """
        numbers = self.column.numbers
        for scale in (10**decimals for decimals in range(MOST_DECIMALS + 1)):
            whole = np.rint(numbers * scale)
            if float(whole @ self.column.counts) >= EXACT:
                break
            if np.array_equal(whole / scale, numbers):
                return whole.astype(np.int64), scale
        return None

    def people(self, pairs: Pairs) -> FloatArray:
        """Return the sum of the weights of every class, shape (n_classes,)."""
        if self.units is None:
            weights = self.column.numbers[pairs.values] * pairs.counts
            return np.asarray(np.add.reduceat(weights, pairs.starts))
        whole, scale = self.units
        return np.asarray(np.add.reduceat(whole[pairs.values] * pairs.counts, pairs.starts) / scale)


@dataclass(frozen=True, eq=False)
class Problem(Brief):
    """The part of a project needed for scoring: columns, hierarchies and their lattice.

    Attributes
    ----------
    others_as_qi : bool
        Whether each sensitive column is measured among records that are also equal in the other sensitive
        columns, for attackers who may know these.
    people : PopulationMembers or None
        The population that the records were sampled from, if it is known.
    target : SensitiveAttribute or None
        The column that recipients want to predict, whatever its role; read by the classification metric.
    persons : Persons or None
        Persons of the records; None if no one is said to have several.
    weight : WeightAttribute or None
        Weights of the records of a survey; None without them, or if persons have several records.
    earlier : EarlierReleases or None
        The earlier releases that further ones are measured beside; None without a ledger.
    """

    n_records: int
    attributes: tuple[Attribute, ...]
    sensitive: tuple[SensitiveAttribute, ...]
    others_as_qi: bool = False
    target: SensitiveAttribute | None = None
    people: PopulationMembers | None = None
    persons: Persons | None = None
    weight: WeightAttribute | None = None
    earlier: EarlierReleases | None = None

    @property
    def counts(self) -> Counts | None:
        """Records of every row, if the rows are distinct tuples; None if each row is a record."""
        return self.attributes[0].column.records

    @property
    def carried(self) -> tuple[SensitiveAttribute, ...]:
        """Columns whose values are counted in every class: sensitive ones, then the weights."""
        return self.sensitive if self.weight is None else (*self.sensitive, self.weight)

    @property
    def repeated(self) -> Persons | None:
        """The persons, if one of them has several records; None if every record is a person."""
        return self.persons if self.persons is not None and self.persons.are_repeated else None

    @property
    def declared_node(self) -> Node | None:
        """The node if bounds of levels allow no other; None also if no column has a level to choose."""
        has_levels = any(attribute.hierarchy.height for attribute in self.attributes)
        return self.lattice.minimum if has_levels and self.lattice.n_nodes == 1 else None

    @property
    def counts_persons(self) -> bool:
        """Return whether a person, of the records or the population, may be in several classes."""
        return self.repeated is not None or (self.people is not None and self.people.persons is not None)

    @property
    def counted(self) -> Noun:
        """The noun for what sizes and risks count."""
        return who(counts_people=self.repeated is not None)

    @property
    def n_people(self) -> int:
        """Number of different persons of the records."""
        return self.n_records if self.repeated is None else self.repeated.n_persons

    @property
    def measures_parts(self) -> bool:
        """Return whether sensitive columns are measured in parts of classes."""
        return self.others_as_qi and len(self.sensitive) > 1

    @property
    def knows_people(self) -> bool:
        """Return whether the population is known person by person."""
        return self.people is not None and self.people.leaves is not None

    @property
    def has_contents(self) -> bool:
        """Return whether classes of one size may differ in sensitive values or people of the population."""
        return bool(self.carried) or self.knows_people

    @property
    def can_be_compiled(self) -> bool:
        """Return whether kernels can score it: every record, and row of the population, is a person.

        They do not measure some columns in parts of classes and weights in whole ones.
        """
        return not self.counts_persons and not (self.measures_parts and self.weight is not None)

    @property
    def sampling_fraction(self) -> float | None:
        """The share of the population that has a record; None if no population is known."""
        return None if self.people is None else self.people.fraction(self.n_people)

    @cached_property
    def lattice(self) -> Lattice:
        """All nodes within the allowed levels."""
        return Lattice(tuple(a.minimum for a in self.attributes), tuple(a.maximum for a in self.attributes))

    def codes_at(self, node: Node) -> tuple[list[Codes], list[int]]:
        """Return a code per record for the labels of a node, and the number of codes, by quasi-identifier."""
        levels = [a.hierarchy.levels[number] for a, number in zip(self.attributes, node, strict=True)]
        codes = [level.codes[a.leaves] for a, level in zip(self.attributes, levels, strict=True)]
        return codes, [len(level.labels) for level in levels]

    def information_losses(self, node: Node) -> FloatArray:
        """Return log(leaves covered) / log(all leaves) of every row, both multiplied over attributes."""
        bits, whole = np.zeros(len(self.attributes[0].leaves)), 0.0
        for attribute, number in zip(self.attributes, node, strict=True):
            level = attribute.hierarchy.levels[number]
            bits += np.log2(level.n_leaves)[level.codes][attribute.leaves]
            whole += float(np.log2(attribute.hierarchy.n_leaves))
        return bits / whole if whole else bits

    @cached_property
    def joint_counts(self) -> Counts:
        """Records of every combination of original values that occurs, in any order."""
        leaves = [attribute.leaves for attribute in self.attributes]
        labels, first, _rows = class_labels(leaves, [a.hierarchy.n_leaves for a in self.attributes])
        return records_by_code(labels, len(first), self.counts)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the quasi-identifying columns, in recipe order."""
        return tuple(attribute.name for attribute in self.attributes)

    def sensitive_attribute(self, name: str) -> SensitiveAttribute:
        """Return a sensitive attribute by name; `InputError` if there is none."""
        for attribute in self.sensitive:
            if attribute.name == name:
                return attribute
        raise InputError(
            _("'{name}' is not a sensitive column.").format(name=name),
            hint=nearest(name, [a.name for a in self.sensitive]) or _("Give it the sensitive role first."),
            column=name,
        )


def narrowed(problem: Problem, node: Node) -> Problem:
    """Return the problem whose lattice has only this node; `InputError` if it is not in the lattice."""
    problem.lattice.number(node)
    attributes = tuple(
        replace(attribute, minimum=level, maximum=level)
        for attribute, level in zip(problem.attributes, node, strict=True)
    )
    return replace(problem, attributes=attributes)


def of_rows(problem: Problem, rows: IntArray, persons: Persons | None) -> Problem:
    """Return the problem of some records, with the same hierarchies and the same population.

    Parameters
    ----------
    problem : Problem
        Every row is a record.
    rows : ndarray of int64, shape (n_chosen,)
        They may repeat.
    persons : Persons or None
        Of these rows.
    """
    attributes = tuple(
        replace(own, column=own.column.take(rows), leaves=own.leaves[rows]) for own in problem.attributes
    )
    target, weight = problem.target, problem.weight
    return replace(
        problem,
        n_records=len(rows),
        attributes=attributes,
        sensitive=tuple(_of_rows(own, rows, persons) for own in problem.sensitive),
        target=None if target is None else _of_rows(target, rows, None),
        persons=persons,
        weight=None if weight is None else replace(weight, column=weight.column.take(rows), weights=None),
        earlier=None,  # whose rows are of all records
    )


def _of_rows(attribute: SensitiveAttribute, rows: IntArray, persons: Persons | None) -> SensitiveAttribute:
    column, weights = attribute.column.take(rows), None
    if attribute.weights is not None and persons is not None:
        weights = sums(column.codes.astype(np.int64), persons.weight_of_rows, len(column.labels))
    return replace(attribute, column=column, weights=weights)
