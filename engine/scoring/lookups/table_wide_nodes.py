"""The kept classes of every node, as table-wide models see them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.cached import cached_property
from engine.frequency import Measure
from engine.frequency.classes import MEMBERS, POPULATION
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.population.estimate import estimate
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.repetition import repeats
from engine.scoring.cells.snapshot import CellSnapshot
from engine.scoring.lookups.kept_persons import KeptPersons
from engine.scoring.lookups.look_up import Lookup, look_up
from engine.words import _

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes

MOST_KEPT = 8  # requirements whose estimates are cached


class LatticeFigures:
    """The kept classes of scored nodes; implements `engine.privacy.base.TableWideFigures`.

    Arrays have one entry per node of the lattice, by number; 0 if a node is not scored or not wanted.

    Parameters
    ----------
    profile : ScoredNodes
    cells : CellSnapshot
        The scored nodes.
    requirement : Requirement
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
        self._profile, self._cells, self._lookup = profile, cells, lookup
        self._requirement, self._scored = requirement.by_class, scored
        self._monitor = monitor
        self._below: dict[int, Counts] = {}
        self._nodes: IntArray | None = None  # the nodes asked for last, and their values
        self._part: Lookup = lookup
        self._looking = threading.RLock()

    @property
    def cells(self) -> CellSnapshot:
        """The scored nodes when the requirement was applied."""
        return self._cells

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
                stricter = look_up(self._profile, self._cells, replace(self._requirement, models=models))
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
        cells, people = self._cells, self._profile.problem.people
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
        cells = self._cells
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
