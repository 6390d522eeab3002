"""The profile of every node, readable while it is being computed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.errors import InvariantError
from engine.frequency import Problem
from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray, Counts, IntArray, Reals
from engine.privacy import Requirement
from engine.scoring.cells import Array, CellSnapshot, CellStore, join_alike
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
        Only read for distances it needs beyond each attribute's default.
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
    l : dict of str to ndarray of int64
        Per sensitive column the fewest distinct values in a class.
    t : dict of (str, str) to ndarray of float64
        Per sensitive column and distance the largest distance of a class from the table.
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
        self.distances = tuple(dict.fromkeys(_distances(problem, requirement)))
        self.l: dict[str, IntArray] = {a.name: np.zeros(n_nodes, dtype=np.int64) for a in problem.sensitive}
        self.t: dict[tuple[str, str], Reals] = {pair: np.zeros(n_nodes) for pair in self.distances}
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
        """Whether every distance the requirement compares is in the profile."""
        return set(_distances(self.problem, requirement)) <= set(self.distances)

    def cells(self) -> CellSnapshot:
        """The cells of what is scored now."""
        return self._prepared().snapshot()

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
        measures = self._measures(classes)
        joined = join_alike(sizes, list(measures.values()))
        cells: dict[str, Array] = {name: values[joined.first] for name, values in measures.items()}
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
        for column, smallest in self.l.items():
            smallest[node] = cells[f"l {column}"].min()
        for column, kind in self.distances:
            self.t[column, kind][node] = cells[f"t {column} {kind}"].max()
        # Last, since an evaluation in another thread reads all of a node once its cells are there.
        self._prepared().append(node, cells)
        self.scored[node] = True

    def check_complete(self) -> None:
        """Raise `InvariantError` unless every node is scored."""
        if not self.is_complete or not self.scored.all():
            raise InvariantError(f"{self.lattice.n_nodes - self.n_scored} nodes were left out")

    def _measures(self, classes: MeasuredClasses) -> dict[str, Array]:
        measures: dict[str, Array] = {f"l {name}": classes.distinct(name) for name in self.l}
        for column, kind in self.distances:
            measures[f"t {column} {kind}"] = classes.distance(column, kind)
        return measures

    def _prepared(self) -> CellStore:
        if self._store is None:
            self._leaves = leaf_weights(self.problem, self.base.layout)
            self._spans = span_weights(self.problem, self.base.layout)
            if self._label_sums:
                self._summed = [(f"leaves {w.attribute}", w) for w in self._leaves if w.varies]
                self._summed += [(f"spans {w.attribute}", w) for w in self._spans if w and w.varies]
            # Millions of cells: each column is as narrow as its largest value allows.
            count = _narrowest(self.problem.n_records)
            dtypes: dict[str, np.dtype[np.generic]] = {"size": count, "records": count}
            dtypes |= {f"l {a.name}": _narrowest(a.n_values) for a in self.problem.sensitive}
            dtypes |= {f"t {column} {kind}": np.dtype(np.float64) for column, kind in self.distances}
            for name, weights in self._summed:
                most = self.problem.n_records * self.problem.attributes[weights.attribute].hierarchy.n_leaves
                dtypes[name] = _narrowest(most) if name.startswith("leaves") else np.dtype(np.float64)
            self._store = CellStore(dtypes, self.lattice.n_nodes)
        return self._store


def _distances(problem: Problem, requirement: Requirement | None) -> Iterator[tuple[str, str]]:
    for attribute in problem.sensitive:
        yield attribute.name, attribute.default_distance
    for model in requirement.models if requirement else ():
        if kind := getattr(model, "distance", None):
            yield model.columns[0], kind


def _narrowest(largest: int) -> np.dtype[np.generic]:
    """The smallest of int16, int32 and int64 that holds counts up to `largest`."""
    return np.dtype(next(kind for kind in (np.int16, np.int32, np.int64) if largest <= np.iinfo(kind).max))
