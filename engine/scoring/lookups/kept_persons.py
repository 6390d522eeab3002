"""Kept and suppressed persons of each node, if they are not sums over cells.

A person in several classes counts once, unlike in sums over classes, and repeated suppression depends on more
than single classes, so nodes are rolled up again. Without repetition the classes do not depend on the
requirement: they are cached, and other thresholds are applied to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from engine.frequency import Measure, Problem
from engine.frequency.classes import MEMBERS
from engine.frequency.measured import MeasuredClasses
from engine.frequency.persons import ClassPersons, PeopleBySize
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.repetition import repeats
from engine.privacy.table_wide import kept_table
from engine.scoring.lookups.evaluated_sets import EvaluatedSet, measured_nodes
from engine.scoring.scored import asked_measures
from engine.words import _

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes

MOST_ROWS = 8_000_000  # persons in classes that are cached, over all nodes; 8 bytes each

T = TypeVar("T")


class NodeClasses:
    """The measured classes of a node with their persons, narrow in memory.

    It implements `engine.frequency.EquivalenceClasses` for the measures that were asked for.

    Parameters
    ----------
    problem : Problem
    classes : MeasuredClasses
        Classes whose persons have several records.
    measures : iterable of Measure
    """

    def __init__(self, problem: Problem, classes: MeasuredClasses, measures: Iterable[Measure]) -> None:
        assert classes.persons is not None, "persons have several records"
        self._problem = problem
        self.records, self.sizes = classes.records, classes.sizes
        self.persons: ClassPersons = classes.persons.narrow(len(classes.records))
        self._measured = {measure: classes.measured(measure) for measure in measures}

    @property
    def n_rows(self) -> int:
        """Number of entries of the persons."""
        return len(self.persons.labels)

    def has(self, measures: Iterable[Measure]) -> bool:
        """Return whether all of some measures are known."""
        return all(measure in self._measured for measure in measures)

    def by_size(self, chosen: BoolArray) -> PeopleBySize:
        """Return the people of some classes by the smallest of these that they are in."""
        return self.persons.by_size(self.sizes, chosen)

    def measured(self, measure: Measure) -> IntArray | FloatArray:
        return self._measured[measure]

    def default_distance(self, column: str) -> str:
        return self._problem.sensitive_attribute(column).default_distance

    @property
    def sampling_fraction(self) -> float | None:
        return self._problem.sampling_fraction


class KnownClasses:
    """The classes of some nodes of a problem, up to a number of rows."""

    def __init__(self) -> None:
        self._known: dict[Node, NodeClasses] = {}
        self._n_rows = 0

    def find(self, node: Node, measures: Iterable[Measure]) -> NodeClasses | None:
        """Return the classes of a node; None if they or one of the measures are unknown."""
        found = self._known.get(node)
        return found if found is not None and found.has(measures) else None

    def add(self, node: Node, classes: NodeClasses) -> None:
        """Keep the classes of a node if there is room."""
        known = self._known.get(node)
        n_rows = self._n_rows + classes.n_rows - (known.n_rows if known is not None else 0)
        if n_rows <= MOST_ROWS:
            self._known[node], self._n_rows = classes, n_rows


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
        self._affected: dict[int, int] = {}
        self._measures = tuple(asked_measures(profile.problem, requirement))
        self._classes: KnownClasses | None = None
        if profile.problem.repeated is not None and not repeats(profile.problem, requirement):
            self._classes = profile.of_problem.get("classes", "persons", KnownClasses)

    def affected(self, wanted: BoolArray) -> Counts:
        """Return the persons with a suppressed record, shape (n_nodes,); 0 for nodes outside `wanted`."""
        found = np.zeros(len(wanted), dtype=np.int64)
        for number, n_affected in self._values(wanted, self._affected, "affected", _affected_by):
            found[number] = n_affected
        return found

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
        return self._values(wanted, self._known, "persons", _persons_of)

    def _values(
        self,
        wanted: BoolArray,
        known: dict[int, T],
        name: str,
        measure: Callable[[Problem, NodeClasses | MeasuredClasses, BoolArray], T],
    ) -> list[tuple[int, T]]:
        problem, requirement = self._profile.problem, self._requirement
        numbers = np.flatnonzero(wanted).tolist()
        missing = [number for number in numbers if number not in known]
        new = np.zeros_like(wanted)
        for number in missing:
            classes = self._find(number)
            if classes is None:
                new[number] = True
                continue
            self._monitor.step(len(known), len(known) + len(missing), _("Counting persons"))
            known[number] = measure(problem, classes, requirement.fulfilled(classes))

        def measure_set(found: EvaluatedSet) -> T:
            return measure(problem, self._keep(found), found.kept)

        found = measured_nodes(self._profile, requirement, new, name, measure_set, remembers=True)
        for done, (number, node) in enumerate(found):
            self._monitor.step(done, int(new.sum()), _("Counting persons"))
            known[number] = node
        return [(number, known[number]) for number in numbers]

    def _find(self, number: int) -> NodeClasses | None:
        if self._classes is None:
            return None
        return self._classes.find(self._profile.lattice.node(number), self._measures)

    def _keep(self, found: EvaluatedSet) -> NodeClasses | MeasuredClasses:
        """Return the classes of a node, cached if they do not depend on the requirement."""
        if self._classes is None:
            return found.classes
        measures = self._measures
        if found.problem.people is not None and found.problem.people.n_members:
            measures = (*measures, Measure(MEMBERS, ""))
        classes = NodeClasses(found.problem, found.classes, measures)
        self._classes.add(found.node, classes)
        return classes


def _persons_of(problem: Problem, classes: NodeClasses | MeasuredClasses, kept: BoolArray) -> NodePersons:
    sizes, n_classes = np.unique(classes.sizes[kept], return_counts=True)
    is_whole = kept_table(problem, classes, kept).has_all_members
    n_affected = _affected_by(problem, classes, kept)
    return NodePersons(classes.by_size(kept), n_affected, sizes, n_classes, bool(is_whole[0]))


def _affected_by(problem: Problem, classes: NodeClasses | MeasuredClasses, kept: BoolArray) -> int:
    """Return the persons with a record in a class that is not kept."""
    if classes.persons is None:
        return int(classes.records[~kept].sum())
    return classes.persons.n_in(~kept)
