"""The kept classes of every node, as table-wide models see them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from engine.cached import cached_property
from engine.frequency import Measure, Problem
from engine.frequency.classes import MEMBERS, POPULATION
from engine.frequency.measured import MeasuredClasses
from engine.frequency.persons import ClassPersons, PeopleBySize
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.population.estimate import estimate
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.repetition import repeats
from engine.privacy.table_wide import kept_table
from engine.scoring.cells.snapshot import CellSnapshot
from engine.scoring.lookups.evaluated_sets import EvaluatedSet, measured_nodes
from engine.scoring.lookups.look_up import Lookup, look_up
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
    classes : MeasuredClasses
        Classes whose persons have several records.
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


MOST_KEPT = 8  # requirements whose estimates are cached


class LatticeFigures:
    """The kept classes of scored nodes; implements `engine.privacy.base.TableWideFigures`.

    Arrays have one entry per node of the lattice, by number; 0 if a node is not scored or not wanted.

    Parameters
    ----------
    cells : CellSnapshot
        The scored nodes.
    lookup : Lookup
        Look-up of the same nodes under the same requirement.
    scored : ndarray of bool, shape (n_nodes,)
    monitor : Monitor
        Called for estimates, which are slow; if it cancels, finished ones stay.
    """

    def __init__(
        self,
        profile: ScoredNodes,
        cells: CellSnapshot,
        requirement: Requirement,
        lookup: Lookup,
        scored: BoolArray,
        monitor: Monitor = SILENT,
    ) -> None:
        self._profile, self._lookup = profile, lookup
        self.cells = cells  # the scored nodes when the requirement was applied
        self._requirement, self._scored = requirement.by_class, scored
        self._monitor = monitor
        self._below: dict[int, Counts] = {}
        self._nodes: IntArray | None = None  # the nodes asked for last, and their values
        self._part: Lookup = lookup
        self._looking = threading.RLock()

    @property
    def people(self) -> float | None:
        people = self._profile.problem.people
        return None if people is None else people.size

    @property
    def has_kept(self) -> BoolArray:
        return self._lookup.kept_classes > 0

    @cached_property
    def persons(self) -> KeptPersons | None:
        """The persons of the nodes, if sums over cells do not give them: persons have several records, or
        suppression is repeated.
        """
        problem = self._profile.problem
        if problem.repeated is None and not repeats(problem, self._requirement):
            return None
        return KeptPersons(self._profile, self._requirement, self._monitor)

    def kept_people(self, wanted: BoolArray) -> Counts:
        if self.persons is not None:
            return self.persons.kept(wanted & self._scored)
        with self._looking:
            nodes, part = self._at(wanted)
            return self._by_node(nodes, self._profile.problem.n_records - part.suppressed)

    def people_below(self, size: float, wanted: BoolArray) -> Counts:
        """Records that would be suppressed in addition if classes needed this size."""
        if self.persons is not None:
            return self.persons.below(size, wanted & self._scored)
        least = int(min(size, self._profile.problem.n_records + 1))
        with self._looking:
            nodes, part = self._at(wanted)
            if least not in self._below:
                models = (*self._requirement.models, KAnonymity(max(least, 1)))
                stricter = look_up(self._profile, self.cells, replace(self._requirement, models=models))
                self._below[least] = self._by_node(nodes, stricter.at(nodes).suppressed - part.suppressed)
            return self._below[least]

    def average_risk(self, wanted: BoolArray) -> FloatArray:
        """Mean risk, where the risks of a class's records add up to 1."""
        if self.persons is not None:
            return self.persons.average_risk(wanted & self._scored)
        with self._looking:
            nodes, part = self._at(wanted)
            records = self.kept_people(wanted)
            classes = self._by_node(nodes, part.kept_classes)
        return np.asarray(np.divide(classes, records, out=np.full(len(records), np.nan), where=records > 0))

    def _at(self, wanted: BoolArray) -> tuple[IntArray, Lookup]:
        """Return the wanted scored nodes and their values, which cost less than those of all nodes."""
        nodes = np.flatnonzero(wanted & self._scored)
        if self._nodes is None or not np.array_equal(nodes, self._nodes):
            self._nodes, self._part = nodes, self._lookup.at(nodes)
            self._below.clear()
        return nodes, self._part

    def _by_node(self, nodes: IntArray, values: Counts) -> Counts:
        """Return values of nodes by number; 0 for other nodes."""
        found = np.zeros(len(self._scored), dtype=np.int64)
        found[nodes] = values
        return found

    @property
    def has_all_members(self) -> BoolArray:
        cells, people = self.cells, self._profile.problem.people
        if people is not None and people.n_members and self.persons is not None:
            return self.persons.has_all_members(self._scored)
        has_all = np.ones(self._profile.lattice.n_nodes, dtype=np.bool_)
        if people is not None and people.n_members and len(cells.nodes):
            counted = Measure(POPULATION if people.persons is None else MEMBERS, "")
            kept = cells.by_cell(self._requirement.fulfilled(cells.classes))
            in_class = cells.by_cell(cells.classes.measured(counted)).astype(np.int64)
            in_cell = in_class * (cells.records // cells.records_per_class)
            members = np.add.reduceat(np.where(kept, in_cell, 0), cells.starts)
            has_all[cells.nodes] = members == people.n_members
        return has_all

    def population_uniques(self, estimator: str, nodes: IntArray) -> FloatArray:
        """Nodes must be scored. Estimates are cached."""
        problem, lattice = self._profile.problem, self._profile.lattice
        assert problem.people is not None, "asked of a known population only"
        # independent of threshold and limit, by number of the node in the complete lattice
        key = replace(self._requirement, suppression_limit=0.0), estimator
        known: dict[int, float] = self._profile.of_problem.get("uniques", key, dict, MOST_KEPT)
        numbers = [problem.lattice.number(lattice.node(node)) for node in nodes.tolist()]
        new = [place for place, number in enumerate(numbers) if number not in known]
        for done, (place, sizes, counts) in enumerate(self._histograms(nodes, new)):
            self._monitor.step(done, len(new), _("Estimating population uniques"))
            n_people = None
            if self.persons is not None:
                n_people = self.persons.node(int(nodes[place])).kept.n_people
            found = estimate(estimator, sizes, counts, problem.people.size, n_people).uniques
            known[numbers[place]] = np.inf if found is None else found
        return np.array([known[number] for number in numbers], dtype=np.float64)

    def _histograms(self, nodes: IntArray, places: list[int]) -> Iterator[tuple[int, Counts, Counts]]:
        """Return distinct sizes of kept classes, and the number of classes of each, of some nodes."""
        if self.persons is not None:
            for place in places:
                node = self.persons.node(int(nodes[place]))
                yield place, node.sizes, node.n_classes
            return
        cells = self.cells
        positions = np.zeros(self._profile.lattice.n_nodes, dtype=np.int64)
        positions[cells.nodes] = np.arange(len(cells.nodes))
        bounds = np.append(cells.starts, cells.n_cells)
        kept = self._requirement.fulfilled(cells.classes)
        for place in places:
            position = positions[nodes[place]]
            of_node = slice(bounds[position], bounds[position + 1])
            kinds = np.arange(of_node.start, of_node.stop) if cells.kinds is None else cells.kinds[of_node]
            met = kept[kinds]
            sizes, groups = np.unique(cells.classes.sizes[kinds[met]], return_inverse=True)
            records = np.bincount(groups, weights=cells.records[of_node][met], minlength=len(sizes))
            distinct = sizes.astype(np.int64)
            yield place, distinct, records.astype(np.int64) // distinct
