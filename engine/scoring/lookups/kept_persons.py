"""Kept and suppressed persons of each node, if they are not sums over cells.

A person in several classes counts once, unlike in sums over classes, and repeated suppression depends on more
than single classes, so nodes are rolled up again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.frequency.persons import PeopleBySize
from engine.kernels.arrays import BoolArray, Counts, FloatArray
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.table_wide import kept_table
from engine.scoring.lookups.evaluated_sets import EvaluatedSet, measured_nodes
from engine.words import _

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


class NodePersons(NamedTuple):
    """The persons of one node.

    Attributes
    ----------
    kept : PeopleBySize
        Persons with a kept record.
    affected : int
        Persons with a suppressed record.
    sizes, n_classes : ndarray of int64, shape (n_sizes,)
        Distinct sizes of kept classes in increasing order, and the number of classes of each.
    has_all_members : bool
        Whether the whole population, if it is known one by one, is in kept classes.
    """

    kept: PeopleBySize
    affected: int
    sizes: Counts
    n_classes: Counts
    has_all_members: bool


class KeptPersons:
    """The persons of nodes under a requirement, each node rolled up when first needed.

    Parameters
    ----------
    profile : ScoredNodes
    requirement : Requirement
    monitor : Monitor
        Called for every node; if it cancels, finished ones stay.
    """

    def __init__(self, profile: ScoredNodes, requirement: Requirement, monitor: Monitor = SILENT) -> None:
        self._profile, self._requirement, self._monitor = profile, requirement, monitor
        self._known: dict[int, NodePersons] = {}

    def affected(self, wanted: BoolArray) -> Counts:
        """Return the persons with a suppressed record, shape (n_nodes,); 0 for nodes outside `wanted`."""
        return self._figures(wanted, lambda node: node.affected)

    def kept(self, wanted: BoolArray) -> Counts:
        """Return the persons with a kept record, shape (n_nodes,); 0 for nodes outside `wanted`."""
        return self._figures(wanted, lambda node: node.kept.n_people)

    def below(self, size: float, wanted: BoolArray) -> Counts:
        """Return the persons in a kept class below a size, shape (n_nodes,); 0 for nodes outside `wanted`."""
        return self._figures(wanted, lambda node: node.kept.n_below(size))

    def average_risk(self, wanted: BoolArray) -> FloatArray:
        """Nan for nodes outside `wanted`."""
        found = np.full(len(wanted), np.nan)
        for number, node in self._nodes(wanted):
            found[number] = node.kept.average_risk
        return found

    def has_all_members(self, wanted: BoolArray) -> BoolArray:
        """True for nodes outside `wanted`."""
        found = np.ones(len(wanted), dtype=np.bool_)
        for number, node in self._nodes(wanted):
            found[number] = node.has_all_members
        return found

    def node(self, number: int) -> NodePersons:
        """Return the persons of one node."""
        if number not in self._known:
            wanted = np.zeros(self._profile.lattice.n_nodes, dtype=np.bool_)
            wanted[number] = True
            self._nodes(wanted)
        return self._known[number]

    def _figures(self, wanted: BoolArray, figure: Callable[[NodePersons], int]) -> Counts:
        found = np.zeros(len(wanted), dtype=np.int64)
        for number, node in self._nodes(wanted):
            found[number] = figure(node)
        return found

    def _nodes(self, wanted: BoolArray) -> list[tuple[int, NodePersons]]:
        numbers = np.flatnonzero(wanted).tolist()
        new = np.zeros_like(wanted)
        new[[number for number in numbers if number not in self._known]] = True
        n_new = int(new.sum())
        found = measured_nodes(self._profile, self._requirement, new, "persons", _persons_of, remembers=True)
        for done, (number, node) in enumerate(found):
            self._monitor.step(done, n_new, _("Counting persons"))
            self._known[number] = node
        return [(number, self._known[number]) for number in numbers]


def _persons_of(found: EvaluatedSet) -> NodePersons:
    persons = found.classes.persons
    sizes, n_classes = np.unique(found.classes.sizes[found.kept], return_counts=True)
    is_whole = kept_table(found.problem, found.classes, found.kept).has_all_members
    by_size = found.classes.by_size(found.kept)
    affected = int(found.records[~found.kept].sum()) if persons is None else persons.n_in(~found.kept)
    return NodePersons(by_size, affected, sizes, n_classes, bool(is_whole[0]))
