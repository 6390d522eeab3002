"""The profile of every node, readable while it is being computed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.errors import InvariantError
from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, Counts
from engine.lattice import Lattice
from engine.privacy import Requirement
from engine.scoring.cells import CellSnapshot, CellStore
from engine.scoring.node_cells import NodeScorer
from engine.scoring.scored import ScoredNodes, measures_for
from engine.scoring.tuples import FrequencySet, base_tuples
from engine.scoring.walk import walk
from engine.scoring.weights import LabelWeights


class LatticeProfile(ScoredNodes):
    """Scores of all nodes without any threshold, filled node by node.

    Parameters
    ----------
    problem : Problem
    requirement : Requirement, optional
        Only read for measures it needs beyond distinct values and each column's usual distance.
    label_sums : bool
        Whether metrics that read labels (loss, generalized information loss) can be evaluated;
        without them scoring is a third faster.

    Attributes
    ----------
    scored : ndarray of bool, shape (n_nodes,)
        Set last for each node: where it is true, all else is final.
    """

    lattice: Lattice

    def __init__(
        self, problem: Problem, requirement: Requirement | None = None, *, label_sums: bool = True
    ) -> None:
        n_nodes = problem.lattice.n_nodes
        self._label_sums = label_sums
        self.problem = problem
        self.lattice = problem.lattice
        self.scored: BoolArray = np.zeros(n_nodes, dtype=np.bool_)
        self.n_classes: Counts = np.zeros(n_nodes, dtype=np.int64)
        self.k: Counts = np.zeros(n_nodes, dtype=np.int64)
        self.largest: Counts = np.zeros(n_nodes, dtype=np.int64)
        self.squares: Counts = np.zeros(n_nodes, dtype=np.int64)
        self.measures = measures_for(problem, requirement)
        self._base: FrequencySet | None = None
        self._scorer: NodeScorer | None = None
        self._store: CellStore | None = None
        self._walk: Iterator[tuple[int, FrequencySet]] | None = None

    @property
    def n_scored(self) -> int:
        """Nodes scored so far."""
        return self._store.n_scored if self._store else 0

    @property
    def is_complete(self) -> bool:
        """Whether every node is scored."""
        return self.n_scored == self.lattice.n_nodes

    @property
    def base(self) -> FrequencySet:
        """The base tuples, reduced from the records on first use."""
        if self._base is None:
            self._base = base_tuples(self.problem)
        return self._base

    @property
    def leaf_weights(self) -> tuple[LabelWeights, ...]:
        """See `ScoredNodes.leaf_weights`."""
        return self._prepared()[0].leaf_weights

    @property
    def span_weights(self) -> tuple[LabelWeights | None, ...]:
        """See `ScoredNodes.span_weights`."""
        return self._prepared()[0].span_weights

    def cells(self) -> CellSnapshot:
        """See `ScoredNodes.cells`."""
        return self._prepared()[1].snapshot(self.problem)

    def frequency_sets(self, wanted: BoolArray) -> Iterator[tuple[int, FrequencySet]]:
        """See `ScoredNodes.frequency_sets`; walks the lattice once."""
        return (found for found in walk(self.problem, self.base) if wanted[found[0]])

    def pending(self) -> Iterator[tuple[int, FrequencySet]]:
        """Nodes still to be scored; the iterator goes on where an earlier one stopped."""
        self._prepared()
        if self._walk is None:
            self._walk = walk(self.problem, self.base)
        return self._walk

    def record(self, node: int, tuples: FrequencySet) -> None:
        """Score one node from its frequency set.

        Raises
        ------
        InvariantError
            If the node is scored twice or its classes do not hold every record.
        """
        if self.scored[node]:
            raise InvariantError(f"node {node} was scored twice")
        scorer, store = self._prepared()
        found = scorer.score(tuple(self.lattice.levels[node].tolist()), tuples)
        self.n_classes[node] = found.n_classes
        self.k[node] = found.k
        self.largest[node] = found.largest
        self.squares[node] = found.squares
        # Last, since an evaluation in another thread reads all of a node once its cells are there.
        store.append(node, found.cells)
        self.scored[node] = True

    def check_complete(self) -> None:
        """Raise `InvariantError` unless every node is scored."""
        if not self.is_complete or not self.scored.all():
            raise InvariantError(f"{self.lattice.n_nodes - self.n_scored} nodes were left out")

    def _prepared(self) -> tuple[NodeScorer, CellStore]:
        if self._scorer is None or self._store is None:
            self._scorer = NodeScorer(
                self.problem, self.base.layout, self.measures, label_sums=self._label_sums
            )
            self._store = CellStore(self._scorer.dtypes, self.lattice.n_nodes)
        return self._scorer, self._store
