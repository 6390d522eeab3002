"""The equivalence classes of one node: labels, measures, records, and why they are suppressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Self

import numpy as np

from engine.cached import cached_property
from engine.frequency import Measure, Problem
from engine.frequency.classes import DISTINCT, LARGEST_SHARE
from engine.frequency.measured import MeasuredClasses
from engine.frequency.persons import SINGLE
from engine.hierarchies.natural_order import natural_key
from engine.kernels.arrays import BoolArray, Codes, Counts, FloatArray, IntArray
from engine.lattice import Node
from engine.privacy import PrivacyModel, Relation, Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.repetition import repeats, suppresses_whole
from engine.privacy.suppressed_group import SuppressedGroup
from engine.privacy.t_closeness import TCloseness
from engine.scoring.lookups.suppressed_groups import group_of
from engine.scoring.nodes.payout import attack_profits, class_payouts
from engine.scoring.scored import Profile, ScoredNodes
from engine.scoring.walk.node_tuples import raised_to
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.tuples import evaluated_classes, measured_classes
from engine.utility.payout import Payout

NOT_MISSED, AFTER_OTHERS = -1, -2  # the latter is suppressed because others are


class ClassChoice(Enum):
    """The class of a node to show, given a sensitive column."""

    FURTHEST = "furthest from the table"
    SMALLEST = "smallest"
    LEAST_DIVERSE = "fewest distinct values"
    MOST_ALIKE = "most records with one value"
    FURTHEST_SUPPRESSED = "suppressed, furthest from meeting the model"


class Kind(Enum):
    """Type of the values in a column of the table of classes."""

    SIZE = "records"
    STATUS = "number of the model failed first, NOT_MISSED or AFTER_OTHERS"
    LABEL = "code of the label"
    COUNT = "distinct values"
    REAL = "measured value"
    PROFIT = "expected gain of an attack on a record, less its cost"
    PAYOUT = "what the records of the class pay the publisher"


@dataclass(frozen=True)
class ClassColumn:
    """A column of the table of classes.

    Attributes
    ----------
    name : str
        The quasi-identifying or the sensitive column; empty for other columns.
    symbol : str
        Letter of the measure.
    place : int
        Number of the quasi-identifying column, or of the model in the requirement; -1 for other columns.
    """

    kind: Kind
    name: str = ""
    symbol: str = ""
    place: int = -1


@dataclass(frozen=True, eq=False)
class ClassDistribution:
    """The values of one sensitive column in a class and in the whole table.

    If the other sensitive columns may be known too, those of the worst part of the class.

    Attributes
    ----------
    number : int
        Number of the class.
    column, kind : str
        Sensitive column and distance.
    n_records : int
        Size of the class, or of its part.
    table_counts, class_counts : ndarray of int64, shape (n_values,)
        Numbers of records; their weights if persons have several.
    distance : float
        Distance of the class from the table.
    """

    number: int
    column: str
    kind: str
    labels: tuple[str, ...]
    n_records: int
    table_counts: Counts
    class_counts: Counts
    distance: float
    is_kept: bool


@dataclass(frozen=True, eq=False)
class ClassTable:
    """The classes of one node; numbers of classes are positions in its arrays.

    Attributes
    ----------
    fulfilled : ndarray of bool, shape (n_classes,)
        Whether the class is kept.
    rounds : int
        Repetitions that suppressed something; 0 if suppression is not repeated.
    payout : Payout or None
        Sums of money that classes are weighed by.
    If whole persons are suppressed, the kept and the suppressed part of a class are two classes.
    """

    problem: Problem
    node: Node
    requirement: Requirement
    classes: MeasuredClasses
    fulfilled: BoolArray
    _tuples: FrequencySet
    _starts: IntArray
    rounds: int = 0
    payout: Payout | None = None

    @classmethod
    def of(
        cls,
        profile: Profile | ScoredNodes,
        node: Node,
        requirement: Requirement,
        payout: Payout | None = None,
    ) -> Self:
        """Compute the classes of a node from the base tuples, without scoring."""
        problem = profile.problem
        problem.lattice.number(node)
        tuples = raised_to(profile.base, node)
        found = evaluated_classes(problem, tuples, requirement)
        tuples, starts, classes, fulfilled, rounds = found
        return cls(problem, node, requirement, classes, fulfilled, tuples, starts, rounds, payout)

    @cached_property
    def group(self) -> SuppressedGroup | None:
        """Suppressed records as one class; None if none is suppressed."""
        own = self._tuples, self._starts, self.fulfilled
        return group_of(self.problem, self.requirement, self.node, *own)

    @property
    def sizes(self) -> Counts:
        """Different persons per class, shape (n_classes,); records if each is a person."""
        return self.classes.sizes

    @property
    def n_records(self) -> Counts:
        """Number of records per class, shape (n_classes,)."""
        return self.classes.records

    @property
    def n_classes(self) -> int:
        """Number of classes, including suppressed ones."""
        return len(self.sizes)

    @cached_property
    def missed_first(self) -> IntArray:
        """Number of the model of the requirement that each class fails first, or `NOT_MISSED`.

        `AFTER_OTHERS` if a class fails none among all records, but its people lose records of other
        classes, or it fails one after others were suppressed.
        """
        missed = np.where(self.fulfilled, NOT_MISSED, AFTER_OTHERS)
        for number in range(len(self.requirement.models)):
            missed[self.missing_model(number) & (missed < 0)] = number
        return missed

    def measured(self, number: int) -> IntArray | FloatArray:
        """Return the measure of a model per class, of attackers among all records, shape (n_classes,)."""
        model: PrivacyModel = self.requirement.models[number]
        if model.is_of_attackers:
            return model.measure(self.whole)[self._whole_of]
        return model.measure(self.classes)

    def missing_model(self, number: int) -> BoolArray:
        """Return which classes fail a model among all records, shape (n_classes,)."""
        model: PrivacyModel = self.requirement.models[number]
        if model.is_table_wide:
            return np.zeros(self.n_classes, dtype=np.bool_)
        return ~model.fulfilled(self.whole)[self._whole_of]

    @cached_property
    def whole(self) -> MeasuredClasses:
        """The classes of all records, before any is suppressed."""
        if not repeats(self.problem, self.requirement):
            return self.classes
        return measured_classes(self.problem, self._tuples, self._tuples.class_starts())[1]

    @cached_property
    def _whole_of(self) -> IntArray:
        """The position in `whole` of every class, shape (n_classes,)."""
        if not self._is_split:
            return np.arange(self.n_classes)
        return np.searchsorted(self._tuples.class_starts(), self._starts, side="right") - 1

    @property
    def _is_split(self) -> bool:
        return suppresses_whole(self.problem, self.requirement)

    # -- who is in a class ---------------------------------------------------------------------

    def codes(self, attribute: int) -> Codes:
        """Return the label codes of a quasi-identifying column per class, at the level of the node."""
        if attribute not in self._codes:
            layout, level = self._tuples.layout, self.node[attribute]
            own = self._tuples.field(attribute, level)[self._starts]
            fields = layout.paths[attribute] >> layout.dropped[attribute][level]
            fields, leaves = np.unique(fields, return_index=True)
            labels = self.problem.attributes[attribute].hierarchy.levels[level].codes[leaves]
            self._codes[attribute] = labels[np.searchsorted(fields, own)]
        return self._codes[attribute]

    def labels(self, number: int) -> tuple[str, ...]:
        """Return the label of every quasi-identifying column of a class."""
        return tuple(self.label(number, q) for q in range(len(self.node)))

    def label(self, number: int, attribute: int) -> str:
        """Return the label of one quasi-identifying column of a class."""
        level = self.problem.attributes[attribute].hierarchy.levels[self.node[attribute]]
        label: str = level.labels[self.codes(attribute)[number]]
        return label

    def records(self, number: int) -> IntArray:
        """Return the rows of a class, in the order of the problem: records, or distinct tuples."""
        inside = np.ones(len(self.problem.attributes[0].leaves), dtype=np.bool_)
        for q, (attribute, level) in enumerate(zip(self.problem.attributes, self.node, strict=True)):
            # leaves are compared first, since there are far fewer leaves than records
            wanted = attribute.hierarchy.levels[level].codes == self.codes(q)[number]
            inside &= wanted[attribute.leaves]
        if self._is_split:
            inside &= self._of_part(number)
        return np.flatnonzero(inside)

    def _of_part(self, number: int) -> BoolArray:
        """Return the records whose persons are kept, or suppressed, for a class split by persons."""
        persons, of_classes = self.problem.repeated, self.classes.persons
        assert persons is not None, "only persons split classes"
        assert of_classes is not None, "and classes tell theirs then"
        is_lost = np.zeros(persons.n_codes, dtype=np.bool_)
        is_lost[of_classes.codes[~self.fulfilled[of_classes.labels]]] = True
        is_lost[SINGLE] = False  # persons without other records belong to one class only
        lost: BoolArray = is_lost[persons.codes]
        if self.fulfilled[number]:
            return ~lost
        own = of_classes.codes[of_classes.labels == number]
        return lost | (persons.codes == SINGLE) if (own == SINGLE).any() else lost

    # -- as a table ----------------------------------------------------------------------------

    @cached_property
    def columns(self) -> tuple[ClassColumn, ...]:
        """Columns: size, status, labels, distinct values and distance, then the other models."""
        found = [ClassColumn(Kind.SIZE), ClassColumn(Kind.STATUS)]
        found += [ClassColumn(Kind.LABEL, a.name, place=q) for q, a in enumerate(self.problem.attributes)]
        for attribute in self.problem.sensitive:
            found.append(ClassColumn(Kind.COUNT, attribute.name, DistinctLDiversity.symbol))
            found.append(ClassColumn(Kind.REAL, attribute.name, TCloseness.symbol))
        for number, model in enumerate(self.requirement.models):
            if not model.is_table_wide and not isinstance(
                model, KAnonymity | DistinctLDiversity | TCloseness
            ):
                found.append(ClassColumn(Kind.REAL, ", ".join(model.columns), model.symbol, number))
        if self.payout is not None:
            found += [ClassColumn(Kind.PROFIT), ClassColumn(Kind.PAYOUT)]
        return tuple(found)

    def values(self, column: ClassColumn) -> IntArray | FloatArray | Codes:
        """Return the values of a column, shape (n_classes,)."""
        match column.kind:
            case Kind.SIZE:
                return self.sizes
            case Kind.STATUS:
                return self.missed_first
            case Kind.LABEL:
                return self.codes(column.place)
            case Kind.COUNT:
                return self.distinct(column.name)
            case Kind.PROFIT:
                assert self.payout is not None, "only money has profit"
                return attack_profits(self.payout, self.classes)
            case Kind.PAYOUT:
                assert self.payout is not None, "only money is paid"
                return class_payouts(self.payout, self.classes)
        if column.place >= 0:
            return self.requirement.models[column.place].measure(self.classes)
        return self.distances(column.name)

    def order(
        self, column: ClassColumn, *, descending: bool = False, of: BoolArray | None = None
    ) -> IntArray:
        """Return the numbers of the classes sorted by a column: labels in natural order, ties by number.

        Parameters
        ----------
        of : ndarray of bool, shape (n_classes,), optional
            Classes to sort; all by default.
        """
        chosen = np.arange(self.n_classes) if of is None else np.flatnonzero(of)
        values = self.values(column)[chosen]
        if column.kind is Kind.LABEL:
            values = self._label_ranks(column.place)[values]
        return chosen[np.argsort(-values if descending else values, kind="stable")]

    def distinct(self, column: str) -> IntArray:
        """Return the distinct values of a sensitive column per class."""
        return np.asarray(self.classes.measured(Measure(DISTINCT, column)))

    def distances(self, column: str) -> FloatArray:
        """Return the distance of a sensitive column from the whole table per class."""
        return np.asarray(self.classes.measured(self._distance(column)))

    # -- which class to look at ----------------------------------------------------------------

    def missing(self, model: int, n: int) -> IntArray:
        """Return up to `n` classes that a model suppresses, furthest from meeting it first.

        Of classes equally far, those with more records come first.
        """
        found = np.flatnonzero(self.missed_first == model)
        if not len(found):
            return found
        member: PrivacyModel = self.requirement.models[model]
        measured = self.measured(model)[found]
        if member.relation is not Relation.AT_LEAST:
            measured = -measured
        return found[np.lexsort((found, -self.sizes[found], measured))[:n]]

    def pick(self, pick: ClassChoice, column: str = "") -> int | None:
        """Return the class to show: a kept one, or any if none is kept; None if there is no such class.

        Of equally bad classes, the one with most records, then the first.
        """
        among = self.fulfilled if self.fulfilled.any() else np.ones(self.n_classes, dtype=np.bool_)
        if pick is ClassChoice.FURTHEST_SUPPRESSED:
            among = ~self.fulfilled
        numbers = np.flatnonzero(among)
        if not len(numbers):
            return None
        if pick is ClassChoice.SMALLEST:
            return int(numbers[np.argmin(self.sizes[numbers])])
        measured = np.asarray(self.classes.measured(self._measure(pick, column)))[numbers]
        badness = measured if pick is ClassChoice.LEAST_DIVERSE else -measured
        worst = numbers[badness == badness.min()]
        return int(worst[np.argmax(self.sizes[worst])])

    def distribution(
        self, column: str, number: int, pick: ClassChoice = ClassChoice.FURTHEST
    ) -> ClassDistribution:
        """Return the values of a sensitive column in a class; `pick` selects the worst part to show."""
        attribute = self.problem.sensitive_attribute(column)
        measure, parts = self._measure(pick, column), self.classes.parts(column)
        of_class = parts.of_class(number)
        part = of_class.start
        if len(of_class) > 1:
            measured = self.classes.measured_parts(measure)[of_class.start : of_class.stop]
            part += int(np.argmin(measured) if pick is ClassChoice.LEAST_DIVERSE else np.argmax(measured))
        pairs = parts.pairs
        counts = np.zeros(attribute.n_values, dtype=np.int64)
        last = pairs.starts[part + 1] if part + 1 < len(pairs.starts) else len(pairs.values)
        inside = slice(int(pairs.starts[part]), int(last))
        counts[pairs.values[inside]] = pairs.counts[inside]
        return ClassDistribution(
            number,
            column,
            self._distance(column).name,
            attribute.column.labels,
            int(counts.sum() if self.problem.repeated is None else self.n_records[number]),
            attribute.table_weights,
            counts,
            float(self.distances(column)[number]),
            bool(self.fulfilled[number]),
        )

    # ------------------------------------------------------------------------------------------

    @cached_property
    def _codes(self) -> dict[int, Codes]:
        return {}

    def _label_ranks(self, attribute: int) -> IntArray:
        level = self.problem.attributes[attribute].hierarchy.levels[self.node[attribute]]
        labels: Sequence[str] = level.labels
        order = sorted(range(len(labels)), key=lambda code: natural_key(labels[code]))
        ranks = np.empty(len(labels), dtype=np.int64)
        ranks[order] = np.arange(len(labels))
        return ranks

    def _distance(self, column: str) -> Measure:
        kind = self.requirement.distance(column)
        return Measure(kind or self.problem.sensitive_attribute(column).default_distance, column)

    def _measure(self, pick: ClassChoice, column: str) -> Measure:
        if pick is ClassChoice.LEAST_DIVERSE:
            return Measure(DISTINCT, column)
        return Measure(LARGEST_SHARE, column) if pick is ClassChoice.MOST_ALIKE else self._distance(column)
