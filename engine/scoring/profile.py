"""The profile of every node, readable while it is computed, by numpy or by compiled kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np

from engine.cached import cached_property
from engine.errors import InvariantError
from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, Counts
from engine.lattice import Lattice, Node
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.scoring.acceleration import FULL_WALK, PLAIN_WALK
from engine.scoring.cells.node_cells import NodeScorer
from engine.scoring.cells.snapshot import CellSnapshot, CellStore
from engine.scoring.scored import ScoredNodes, asked_measures, measures_for, weighs_information
from engine.scoring.walk.packing import WORD_BITS, FrequencySet
from engine.scoring.walk.population_tuples import PopulationTuples
from engine.scoring.walk.tuples import base_tuples

if TYPE_CHECKING:
    from engine.scoring.walk.compiled import CompiledScoring


COUNT_BITS = 31  # largest count, and largest number of a class, in compiled kernels


class CompleteScores(Protocol):
    """Scores of all nodes that were not recorded one by one; see `LatticeProfile` for the arrays."""

    scored: BoolArray
    n_classes: Counts
    k: Counts
    largest: Counts
    squares: Counts

    @property
    def n_scored(self) -> int:
        """Nodes scored so far."""

    def cells(self) -> CellSnapshot:
        """The cells of the scored nodes."""


class LatticeProfile(ScoredNodes):
    """Scores of all nodes without any threshold, filled node by node.

    Parameters
    ----------
    requirement : Requirement, optional
        Requirement whose measures are scored in addition to distinct values and each column's default
        distance.
    label_sums : bool
        Whether metrics that read labels (loss, generalized information loss) can be computed; without them
        scoring takes a third less time.
    base : FrequencySet, optional
        The base tuples, if they are known.

    Attributes
    ----------
    scored : ndarray of bool, shape (n_nodes,)
        Set last for each node: if it is true, all other entries are final.

    Notes
    -----
    Nodes are recorded one by one by the numpy roll-up, which is the reference, or all of them are taken from
    compiled kernels; both give the same numbers.
    """

    lattice: Lattice

    def __init__(
        self,
        problem: Problem,
        requirement: Requirement | None = None,
        *,
        label_sums: bool = True,
        base: FrequencySet | None = None,
    ) -> None:
        super().__init__()
        n_nodes = problem.lattice.n_nodes
        self.has_label_sums = label_sums
        self.problem = problem
        self.lattice = problem.lattice
        self.scored: BoolArray = np.zeros(n_nodes, dtype=np.bool_)
        self.n_classes: Counts = np.zeros(n_nodes, dtype=np.int64)
        self.k: Counts = np.zeros(n_nodes, dtype=np.int64)
        self.largest: Counts = np.zeros(n_nodes, dtype=np.int64)
        self.squares: Counts = np.zeros(n_nodes, dtype=np.int64)
        self.measures = measures_for(problem, requirement)
        self._base = base
        self._scorer: NodeScorer | None = None
        self._store: CellStore | None = None
        self._walk: Iterator[tuple[int, FrequencySet]] | None = None
        self._preferred: Node | None = None
        self._successor: CompiledScoring | None = None  # scores that replace those recorded here
        self._compiled: CompleteScores | None = None

    @property
    def n_scored(self) -> int:
        """Nodes scored so far."""
        store = self._store  # read first: it is dropped once its successor is in place
        if self._compiled is not None:
            return self._compiled.n_scored
        return store.n_scored if store else 0

    @property
    def is_complete(self) -> bool:
        """Return whether every node is scored."""
        return self.n_scored == self.lattice.n_nodes

    @property
    def base(self) -> FrequencySet:
        """The base tuples, computed from the records on first use."""
        if self._base is None:
            self._base = base_tuples(self.problem)
        return self._base

    def cells(self) -> CellSnapshot:
        store = self._store  # read first: it is dropped once its successor is in place
        if self._compiled is not None:
            return self._compiled.cells()
        return (store or self._cells).snapshot(self.problem)

    def covers(self, requirement: Requirement) -> bool:
        """Compiled kernels store what any measure of sensitive values needs."""
        asked = asked_measures(self.problem, requirement)
        return (self.is_compiled and not weighs_information(asked)) or super().covers(requirement)

    @property
    def is_compiled(self) -> bool:
        """Return whether the current scores come from compiled kernels."""
        return self._compiled is not None

    @property
    def can_be_compiled(self) -> bool:
        """Return whether compiled kernels can hold the counts, the keys and the weights of labels.

        Their classes of equal contents may differ in labels, so they measure no information loss.
        """
        if weighs_information(self.measures):
            return False
        has_weights = not self.has_label_sums or all(w.dense is not None for w in self.scorer.weights)
        return has_weights and can_be_walked(self.problem, self.base)

    @cached_property
    def kernels(self) -> tuple[str, ...]:
        """The modules of compiled kernels that score it, if it can be compiled."""
        return FULL_WALK if self.problem.has_contents or self._has_reals else PLAIN_WALK

    @property
    def _has_reals(self) -> bool:
        """Return whether the sums of any weight are not integers."""
        if not self.has_label_sums:
            return False
        varying = (own for own in self.scorer.weights if own.varies)
        return not all(own.is_whole(self.problem.n_records) for own in varying)

    def score_compiled(self, monitor: Monitor = SILENT, n_workers: int = 0) -> None:
        """Score all nodes by compiled kernels, or continue to.

        Nodes recorded one by one before remain visible until all of them are scored again.

        Raises
        ------
        CancelledError, InvariantError
            As `CompiledScoring.run`.
        """
        from engine.scoring.walk.compiled import CompiledScoring

        if self.is_complete:
            return
        if self._successor is None:
            weights = self.scorer.weights if self.has_label_sums else ()
            self._successor = CompiledScoring(self.problem, self.base, weights, n_workers)
            if self._preferred is not None:
                self._successor.prefer(self._preferred)
        if self.n_scored == 0:
            self.take_over(self._successor)
        self._successor.run(monitor, at_least=self.n_scored)
        self.take_over(self._successor)

    def prefer(self, node: Node) -> None:
        """Score the neighbourhood of a node soon, if the order can still be chosen."""
        self._preferred = node
        if self._successor is not None:
            self._successor.prefer(node)

    def take_over(self, scoring: CompleteScores) -> None:
        """Replace the scores by others of the same nodes, including future ones.

        Scores recorded here are dropped; so the others must be complete unless there were none.
        """
        self.scored, self.n_classes, self.k = scoring.scored, scoring.n_classes, scoring.k
        self.largest, self.squares = scoring.largest, scoring.squares
        # last, since cells of nodes that the arrays do not have would be read as empty
        self._compiled = scoring
        self._store = self._walk = None

    def frequency_sets(self, wanted: BoolArray, base: FrequencySet) -> Iterator[tuple[int, FrequencySet]]:
        """Return frequency sets by one walk over the lattice."""
        return (found for found in walk(self.problem, base) if wanted[found[0]])

    def pending(self) -> Iterator[tuple[int, FrequencySet]]:
        """Return the nodes still to be scored; the iterator continues after those of an earlier one."""
        if self._walk is None:
            self._walk = walk(self.problem, self.base)
        return self._walk

    def record(self, node: int, tuples: FrequencySet) -> None:
        """Score one node from its frequency set.

        Raises
        ------
        InvariantError
            If the node is scored twice or its classes do not have every record.
        """
        if self.scored[node]:
            raise InvariantError(f"node {node} was scored twice")
        found = self.scorer.score(tuple(self.lattice.levels[node].tolist()), tuples)
        self.n_classes[node] = found.n_classes
        self.k[node] = found.k
        self.largest[node] = found.largest
        self.squares[node] = found.squares
        # last, since an evaluation in another thread reads a node completely once its cells are there
        self._cells.append(node, found.cells)
        self.scored[node] = True

    def check_complete(self) -> None:
        """Raise `InvariantError` unless every node is scored."""
        if not self.is_complete or not self.scored.all():
            raise InvariantError(f"{self.lattice.n_nodes - self.n_scored} nodes were left out")

    @property
    def scorer(self) -> NodeScorer:
        if self._scorer is None:
            layout = self.base.layout
            self._scorer = NodeScorer(self.problem, layout, self.measures, label_sums=self.has_label_sums)
        return self._scorer

    @property
    def _cells(self) -> CellStore:
        if self._store is None:
            self._store = CellStore(self.scorer.dtypes, self.lattice.n_nodes)
        return self._store


def can_be_walked(problem: Problem, base: FrequencySet) -> bool:
    """Return whether compiled kernels can hold the counts and the keys, given the base tuples."""
    layout, n_base = base.layout, len(base.counts)
    n_people = 0 if problem.people is None else problem.people.n_members
    if isinstance(base, PopulationTuples):
        n_base += len(base.people.counts)
    last_bits = layout.widths[layout.order[-1]]  # of the attribute that no subtree fixes
    return (
        problem.can_be_compiled
        and max(problem.n_records, n_people) < 1 << COUNT_BITS
        and n_base * (2 + sum(problem.lattice.maximum)) < 1 << COUNT_BITS
        and n_base.bit_length() + last_bits <= WORD_BITS
    )


def walk(problem: Problem, base: FrequencySet) -> Iterator[tuple[int, FrequencySet]]:
    """Yield the number and frequency set of every node, the lowest first.

    The parent of a node is the node with its last raised attribute one level lower. At most ``sum(heights) +
    1`` frequency sets are alive at a time.
    """
    lattice = problem.lattice
    order = base.layout.order

    def descend(position: int, number: int, tuples: FrequencySet) -> Iterator[tuple[int, FrequencySet]]:
        yield number, tuples
        for i in range(position, len(order)):
            attribute = order[i]
            current, current_number = tuples, number
            for level in range(lattice.minimum[attribute] + 1, lattice.maximum[attribute] + 1):
                current = current.raised(attribute, level)
                current_number += lattice.strides[attribute]
                yield from descend(i + 1, current_number, current)

    return descend(0, 0, base)
