"""The scored part of a lattice of any size: nodes are scored one by one, on request."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, Counts
from engine.lattice import LatticePart, Node
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.scoring.cells.node_cells import NodeScorer
from engine.scoring.cells.snapshot import CellSnapshot, CellStore
from engine.scoring.scored import ScoredNodes, WorkedOut, asked_measures, measures_for
from engine.scoring.walk.node_tuples import NodeTuples, raised_to
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.tuples import base_tuples

_FIGURES = ("n_classes", "k", "largest", "squares")


class ExploredProfile:
    """Scores of the nodes requested so far; no array has an entry per node of the lattice.

    Nodes may be scored by one thread and evaluated by others; any thread may call `score`.

    Parameters
    ----------
    requirement : Requirement, optional
        Requirement whose measures are scored in addition to distinct values and each column's default
        distance.
    monitor : Monitor
        Asked while the tuples are sorted.

    Attributes
    ----------
    tuples : NodeTuples
        Source of frequency sets, which counts how they are rolled up.
    """

    def __init__(
        self, problem: Problem, requirement: Requirement | None = None, monitor: Monitor = SILENT
    ) -> None:
        self.problem = problem
        self.measures = measures_for(problem, requirement)
        self.base = base_tuples(problem, monitor)
        self.scorer = NodeScorer(problem, self.base.layout, self.measures)
        self.tuples = NodeTuples(self.base, problem.lattice.minimum)
        self._store = CellStore(self.scorer.dtypes, 0)
        self._numbers: dict[Node, int] = {}
        self._levels = np.zeros((64, len(problem.attributes)), dtype=np.int16)
        self._figures = np.zeros((64, len(_FIGURES)), dtype=np.int64)
        self._writing = threading.Lock()
        self.of_problem = WorkedOut()  # shared by all parts

    @property
    def n_scored(self) -> int:
        """Nodes scored so far."""
        return self._store.n_scored

    @property
    def is_complete(self) -> bool:
        """Return whether every node of the lattice is scored."""
        return self.n_scored == self.problem.lattice.n_nodes

    @property
    def n_bytes(self) -> int:
        """Approximate memory of the scores."""
        return self._store.n_bytes + self._levels.nbytes + self._figures.nbytes + 200 * len(self._numbers)

    @property
    def bytes_per_cell(self) -> int:
        """Memory of one cell."""
        return sum(dtype.itemsize for dtype in self.scorer.dtypes.values())

    def __contains__(self, node: object) -> bool:
        return node in self._numbers

    def covers(self, requirement: Requirement) -> bool:
        """Return whether every measure that the requirement compares is scored."""
        return set(asked_measures(self.problem, requirement)) <= set(self.measures)

    def score(self, node: Node) -> int:
        """Score a node unless it is scored already; return its number, which never changes.

        Raises
        ------
        InputError
            If the node is not in the lattice.
        InvariantError
            If its classes do not have every record.
        """
        if (known := self._numbers.get(node)) is not None:
            return known
        self.problem.lattice.number(node)
        with self._writing:
            if (known := self._numbers.get(node)) is not None:
                return known
            found = self.scorer.score(node, self.tuples.at(node))
            number = self._store.n_scored
            if number == len(self._levels):
                # new arrays, so that parts of the old ones do not change
                self._levels = np.concatenate((self._levels, np.zeros_like(self._levels)))
                self._figures = np.concatenate((self._figures, np.zeros_like(self._figures)))
            self._levels[number] = node
            self._figures[number] = [getattr(found, name) for name in _FIGURES]
            # last, since other threads read a node completely once its cells are counted
            self._store.append(number, found.cells)
            self._numbers[node] = number
        return number

    def part(self, first: int = 0, last: int | None = None) -> ExploredNodes:
        """Return the nodes numbered from `first` up to but without `last` (all by default)."""
        cells = self._store.snapshot(self.problem, first, last)
        cells = replace(cells, nodes=cells.nodes - first)
        rows = slice(first, first + len(cells.nodes))
        nodes = LatticePart(self.problem.lattice, self._levels[rows], self._numbers, first)
        return ExploredNodes(self, cells, nodes, self._figures[rows])

    def scored_nodes(self) -> ExploredNodes:
        return self.part()


class ExploredNodes(ScoredNodes):
    """The nodes of an `ExploredProfile` at one moment, or some of them; made by `ExploredProfile.part`."""

    def __init__(
        self,
        profile: ExploredProfile,
        cells: CellSnapshot,
        nodes: LatticePart,
        figures: Counts,
    ) -> None:
        super().__init__(profile.of_problem)
        self.problem = profile.problem
        self.measures = profile.measures
        self.lattice = nodes
        self.n_classes, self.k, self.largest, self.squares = figures.T
        self._base = profile.base
        self._scorer = profile.scorer
        self._cells = cells

    @property
    def n_scored(self) -> int:
        return len(self._cells.nodes)

    @property
    def base(self) -> FrequencySet:
        return self._base

    @property
    def scorer(self) -> NodeScorer:
        return self._scorer

    def cells(self) -> CellSnapshot:
        return self._cells

    def frequency_sets(self, wanted: BoolArray, base: FrequencySet) -> Iterator[tuple[int, FrequencySet]]:
        for number in np.flatnonzero(wanted).tolist():
            yield number, raised_to(base, self.lattice.node(number))
