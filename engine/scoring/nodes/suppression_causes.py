"""Causes of suppression at a node: the attributes that split classes, and rare values.

All values are counted on the classes of the node; nothing is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.cached import cached_property
from engine.frequency.persons import SINGLE
from engine.kernels.arrays import Codes, Counts, IntArray, Keys
from engine.kernels.grouping import class_labels
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.limit import Losses, losses_of
from engine.privacy.repetition import suppresses_whole
from engine.scoring.nodes.class_table import ClassTable
from engine.scoring.scored import Profile, ScoredNodes
from engine.scoring.walk.node_tuples import raised_to
from engine.scoring.walk.packing import class_of_tuples
from engine.scoring.walk.tuples import EvaluatedClasses, evaluated_classes
from engine.words import _

MOST_VALUES = 50  # shown per attribute
_LEFT_OUT = -1  # a level at which all values of an attribute are equal


@dataclass(frozen=True)
class AttributeCause:
    """Changes of the suppressed records if one attribute alone is generalized further.

    Attributes
    ----------
    attribute : int
        Number of the quasi-identifying column.
    level : int
        Level of the node.
    kept_by_step, lost_by_step : int or None
        Suppressed records that would be kept one level higher, and kept ones that would be suppressed there,
        as models other than those of class size may require; None at the highest allowed level.
    kept_if_hidden, lost_if_hidden : int
        The same if the attribute were omitted, whether or not its hierarchy has such a level.
    """

    attribute: int
    name: str
    level: int
    kept_by_step: int | None
    lost_by_step: int | None
    kept_if_hidden: int
    lost_if_hidden: int


@dataclass(frozen=True)
class RareValue:
    """A value, by its label at the node, whose records are suppressed more often than others.

    Attributes
    ----------
    name : str
        Number of the attribute.
    code : int
        Position of the label on its level.
    records : int
        Number of records with the value.
    suppressed : int
        Number of these that are suppressed.
    """

    attribute: int
    name: str
    label: str
    code: int
    records: int
    suppressed: int

    @property
    def share(self) -> float:
        """Fraction of its records that are suppressed."""
        return self.suppressed / self.records


@dataclass(frozen=True, eq=False)
class SuppressionCauses:
    """The causes of the suppressed records of a node.

    Attributes
    ----------
    suppressed : int
        Number of suppressed records.
    losses : Losses
        What the suppression limit counts of them.
    by_attribute : tuple of AttributeCause
        Attributes by the suppressed records they cause, most first; empty if nothing is suppressed.
    rare_values : tuple of RareValue
        Values with a larger share of suppressed records than the table has, at most `MOST_VALUES` per
        attribute; first those with most records beyond that share.
    """

    node: Node
    n_records: int
    suppressed: int
    losses: Losses
    by_attribute: tuple[AttributeCause, ...]
    rare_values: tuple[RareValue, ...]

    @property
    def too_many(self) -> int:
        """Suppressed records, or people who lose one, beyond the limit; 0 if they are within it."""
        return max(self.losses.count - self.losses.allowed, 0)


class NodeSuppression(ClassTable):
    """The classes of one node, and what another level of an attribute or other thresholds would keep."""

    @cached_property
    def losses(self) -> Losses:
        """Losses that the suppression limit counts."""
        return losses_of(self.problem, self.requirement, self.classes, self.fulfilled)

    def losses_under(self, requirement: Requirement) -> Losses:
        """Return what the suppression limit counts of the suppressed records under another requirement."""
        tuples = raised_to(self._tuples, self.node)  # in order again, whatever is suppressed here
        found = evaluated_classes(self.problem, tuples, requirement)
        return losses_of(self.problem, requirement, found.classes, found.kept)

    @cached_property
    def suppressed(self) -> int:
        """Records of the classes that fail the requirement."""
        return int(self.n_records[~self.fulfilled].sum())

    def alike_but(self, attribute: int) -> IntArray:
        """Return numbers of the classes, equal if all attributes but one are, shape (n_classes,)."""
        fields = [self._fields(p) for p in range(len(self.node)) if p != attribute]
        if not fields:
            return np.zeros(self.n_classes, dtype=np.int64)
        return class_labels(fields, [int(field.max()) + 1 for field in fields])[0]

    def changed(self, attribute: int, level: int) -> tuple[int, int]:
        """Return the records that another level of one attribute would keep, and would suppress.

        Parameters
        ----------
        level : int
            At least the node's level; negative to omit the attribute.

        Returns
        -------
        kept, lost : int
            Records suppressed here and kept there, and the reverse.
        """
        node = (*self.node[:attribute], level, *self.node[attribute + 1 :])
        there = evaluated_classes(self.problem, raised_to(self._tuples, node), self.requirement)
        n_there = len(there.starts)
        fields = [
            np.concatenate((there.tuples.field(p, g)[there.starts], self._tuples.field(p, g)[self._starts]))
            for p, g in enumerate(node)
            if g != _LEFT_OUT
        ]
        places = np.zeros(n_there + len(self._starts), dtype=np.int64)
        if fields:
            places = class_labels(fields, [int(field.max()) + 1 for field in fields])[0]
        if suppresses_whole(self.problem, self.requirement):
            return self._changed_by_person(there, places[:n_there], places[n_there:])
        by_place = np.zeros(int(places.max()) + 1, dtype=np.bool_)
        by_place[places[:n_there]] = there.kept
        then = by_place[places[n_there:]]
        return int(self.n_records[~self.fulfilled & then].sum()), int(
            self.n_records[self.fulfilled & ~then].sum()
        )

    def _changed_by_person(self, there: EvaluatedClasses, theirs: IntArray, own: IntArray) -> tuple[int, int]:
        """Count records as `changed` does; `theirs` and `own` are positions of the classes there and here.

        Persons with several records keep or lose all of them, in any class; other records follow their class.
        """
        codes, rows = there.tuples.persons(), class_of_tuples(there.tuples, there.starts)
        kept = there.kept[rows]
        by_person = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.bool_)
        by_person[codes[kept]] = True
        by_place = np.zeros(int(max(theirs.max(), own.max())) + 1, dtype=np.bool_)
        by_place[theirs[rows[kept & (codes == SINGLE)]]] = True
        codes, rows = self._tuples.persons(), class_of_tuples(self._tuples, self._starts)
        now, then = self.fulfilled[rows], np.where(codes == SINGLE, by_place[own[rows]], by_person[codes])
        counts = self._tuples.counts
        return int(counts[~now & then].sum()), int(counts[now & ~then].sum())

    def rare_values(self, attribute: int) -> list[RareValue]:
        """Return values of an attribute with unusually many suppressed records; see `SuppressionCauses`."""
        entry = self.problem.attributes[attribute]
        texts = entry.hierarchy.levels[self.node[attribute]].labels
        labels, sizes = self.codes(attribute), self.n_records
        records = _sums(labels, sizes, len(texts))
        suppressed = _sums(labels, np.where(self.fulfilled, 0, sizes), len(texts))
        beyond = suppressed * self.problem.n_records - records * self.suppressed
        order = np.lexsort((np.arange(len(texts)), -beyond))[:MOST_VALUES]
        return [
            RareValue(attribute, entry.name, texts[code], code, int(records[code]), int(suppressed[code]))
            for code in order.tolist()
            if beyond[code] > 0
        ]

    def _fields(self, attribute: int) -> Keys:
        return self._tuples.field(attribute, self.node[attribute])[self._starts]


def suppression_causes(
    profile: Profile | ScoredNodes, node: Node, requirement: Requirement, monitor: Monitor = SILENT
) -> SuppressionCauses:
    """Return the attributes and values that cause the suppressed records of a node.

    Parameters
    ----------
    profile : Profile or ScoredNodes
        Profile; only its base tuples are read, and the node need not be scored.

    Raises
    ------
    InputError
        If the node is not in the lattice.
    """
    monitor.step(0, 1, _("Counting suppressed records"))
    here = NodeSuppression.of(profile, node, requirement)
    problem = here.problem
    causes: list[AttributeCause] = []
    values: list[RareValue] = []
    for q, (attribute, level) in enumerate(zip(problem.attributes, node, strict=True)):
        monitor.step(q, len(node), _("Counting suppressed records"))
        if not here.suppressed:
            break
        step = here.changed(q, level + 1) if level < problem.lattice.maximum[q] else (None, None)
        hidden = here.changed(q, _LEFT_OUT)
        causes.append(AttributeCause(q, attribute.name, level, step[0], step[1], hidden[0], hidden[1]))
        values += here.rare_values(q)
    causes.sort(key=lambda cause: (-cause.kept_if_hidden, -(cause.kept_by_step or 0), cause.attribute))
    n_records = problem.n_records
    values.sort(key=lambda v: (v.records * here.suppressed - v.suppressed * n_records, v.attribute, v.code))
    return SuppressionCauses(node, n_records, here.suppressed, here.losses, tuple(causes), tuple(values))


def _sums(labels: Codes, weights: Counts, n_labels: int) -> Counts:
    # exact, since sums of integers stay below 2**53
    return np.bincount(labels, weights=weights, minlength=n_labels).astype(np.int64)
