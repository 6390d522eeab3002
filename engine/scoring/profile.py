"""The profile of every node, readable while it is being computed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.errors import InvariantError
from engine.frequency import Measure, Problem
from engine.frequency.classes import DISTINCT
from engine.frequency.measures import MEASURES
from engine.kernels.arrays import BoolArray, Counts, Reals
from engine.privacy import Requirement
from engine.scoring.cells import Array, CellSnapshot, CellStore, Key, join_alike
from engine.scoring.evaluation import Evaluation
from engine.scoring.tuples import FrequencySet, base_tuples, measured_classes
from engine.scoring.walk import walk
from engine.scoring.weights import LabelWeights, leaf_weights, span_weights


class LatticeProfile:
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
    n_classes, k, largest : ndarray of int64, shape (n_nodes,)
        Number of classes, smallest and largest size, over all classes.
    squares : ndarray of int64, shape (n_nodes,)
        Sum of squared class sizes.
    measures : tuple of Measure
        What is measured of the sensitive values of every class.
    """

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
        self.measures = tuple(dict.fromkeys((*_usual_measures(problem), *_measures(problem, requirement))))
        self._base: FrequencySet | None = None
        self._leaves: tuple[LabelWeights, ...] = ()
        self._spans: tuple[LabelWeights | None, ...] = ()
        self._summed: list[tuple[str, LabelWeights]] = []
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
        """Leaves covered by each label, per attribute."""
        return self._leaves

    @property
    def span_weights(self) -> tuple[LabelWeights | None, ...]:
        """Numeric width of each label, per attribute."""
        return self._spans

    def covers(self, requirement: Requirement) -> bool:
        """Whether every measure the requirement compares is in the profile."""
        return set(_measures(self.problem, requirement)) <= set(self.measures)

    def worst(self, measure: Measure) -> Array:
        """The least favourable value of a measure over all classes per node; 0 where not scored."""
        cells = self.cells()
        result = np.zeros(self.lattice.n_nodes, dtype=cells.classes.measured(measure).dtype)
        if len(cells.nodes):
            values = cells.by_cell(cells.classes.measured(measure))
            worst = np.minimum if MEASURES[measure.name].lowest_is_worst else np.maximum
            result[cells.nodes] = worst.reduceat(values, cells.starts)
        return result

    def cells(self) -> CellSnapshot:
        """The cells of what is scored now."""
        return self._prepared().snapshot(self.problem)

    def evaluate(self, requirement: Requirement, weights: Reals | None = None) -> Evaluation:
        """Judge all scored nodes by a requirement; nothing is scored anew."""
        return Evaluation(self, requirement, weights)

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
        starts, classes = measured_classes(self.problem, tuples)
        sizes = classes.sizes
        measures = {measure: classes.measured(measure) for measure in self.measures}
        joined = join_alike(sizes, list(measures.values()))
        cells: dict[Key, Array] = {name: values[joined.first] for name, values in measures.items()}
        cells["size"] = joined.sizes
        cells["records"] = records = joined.classes * joined.sizes
        if self.scored[node] or int(records.sum()) != self.problem.n_records:
            raise InvariantError(f"node {node} was scored twice or lost records")
        levels = self.lattice.levels[node].tolist()
        for name, weights in self._summed:
            level = levels[weights.attribute]
            table = weights.tables[level]
            if table is not None:
                field = tuples.field(weights.attribute, level)
                labels = field if len(starts) == len(field) else field[starts]
                cells[name] = joined.sums(table[labels]) * joined.sizes
        self.n_classes[node] = len(sizes)
        self.k[node] = joined.sizes.min()
        self.largest[node] = joined.sizes.max()
        self.squares[node] = joined.sizes @ records
        # Last, since an evaluation in another thread reads all of a node once its cells are there.
        self._prepared().append(node, cells)
        self.scored[node] = True

    def check_complete(self) -> None:
        """Raise `InvariantError` unless every node is scored."""
        if not self.is_complete or not self.scored.all():
            raise InvariantError(f"{self.lattice.n_nodes - self.n_scored} nodes were left out")

    def _prepared(self) -> CellStore:
        if self._store is None:
            self._leaves = leaf_weights(self.problem, self.base.layout)
            self._spans = span_weights(self.problem, self.base.layout)
            if self._label_sums:
                self._summed = [(f"leaves {w.attribute}", w) for w in self._leaves if w.varies]
                self._summed += [(f"spans {w.attribute}", w) for w in self._spans if w and w.varies]
            # Millions of cells: each column is as narrow as its largest value allows.
            count = _narrowest(self.problem.n_records)
            dtypes: dict[Key, np.dtype[np.generic]] = {"size": count, "records": count}
            for measure in self.measures:
                counted = measure.name == DISTINCT
                n_values = self.problem.sensitive_attribute(measure.column).n_values
                dtypes[measure] = _narrowest(n_values) if counted else np.dtype(np.float64)
            for name, weights in self._summed:
                most = self.problem.n_records * self.problem.attributes[weights.attribute].hierarchy.n_leaves
                dtypes[name] = _narrowest(most) if name.startswith("leaves") else np.dtype(np.float64)
            self._store = CellStore(dtypes, self.lattice.n_nodes)
        return self._store


def _usual_measures(problem: Problem) -> Iterator[Measure]:
    for attribute in problem.sensitive:
        yield Measure(DISTINCT, attribute.name)
        yield Measure(attribute.default_distance, attribute.name)


def _measures(problem: Problem, requirement: Requirement | None) -> Iterator[Measure]:
    for model in requirement.models if requirement else ():
        usual = problem.sensitive_attribute(model.columns[0]).default_distance if model.columns else ""
        yield from model.measures(usual)


def _narrowest(largest: int) -> np.dtype[np.generic]:
    """The smallest of int16, int32 and int64 that holds counts up to `largest`."""
    return np.dtype(next(kind for kind in (np.int16, np.int32, np.int64) if largest <= np.iinfo(kind).max))
