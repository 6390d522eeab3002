"""Look-ups node by node, each rolled up and evaluated, if cells do not determine the kept records."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.cached import cached_property
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.scoring.cells.snapshot import Array
from engine.scoring.cells.weights import LabelWeights
from engine.scoring.lookups.bounded import BoundedRecords
from engine.scoring.lookups.evaluated_sets import EvaluatedSet, measured_nodes
from engine.words import _

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


N_COUNTS = 5


class NodeSums(NamedTuple):
    """Values of one node; see `engine.scoring.lookups.look_up.Lookup`.

    Attributes
    ----------
    counts : tuple of int
        Suppressed records, kept classes, squares, sizes and k.
    leaves, spans : ndarray of float64, shape (n_qi,)
    """

    counts: tuple[int, int, int, int, int]
    leaves: FloatArray
    spans: FloatArray


class NodeLookup:
    """A `Lookup` of scored nodes under a requirement that suppresses whole persons.

    Every node is rolled up once for all values, when the first is requested. This takes some hundred times as
    long as sums over cells, a minute for a large lattice. Values computed before a monitor cancels are kept
    in memory.

    Parameters
    ----------
    profile : ScoredNodes
    requirement : Requirement
    nodes : ndarray of int64
        Scored nodes, by number.

    Attributes
    ----------
    monitor : Monitor
        Called for every node.
    """

    def __init__(self, profile: ScoredNodes, requirement: Requirement, nodes: IntArray) -> None:
        self._source = profile, requirement, nodes
        self.monitor: Monitor = SILENT

    @cached_property
    def _figures(self) -> tuple[Counts, FloatArray, FloatArray]:
        """Return counts, leaves and spans of every node of the lattice."""
        profile, requirement, nodes = self._source
        n_qi = len(profile.problem.attributes)
        counts = np.zeros((profile.lattice.n_nodes, N_COUNTS), dtype=np.int64)
        leaves, spans = (np.zeros((len(counts), n_qi)) for _unused in range(2))
        wanted = np.zeros(len(counts), dtype=np.bool_)
        wanted[nodes] = True
        done = itertools.count()

        def measure(found: EvaluatedSet) -> NodeSums:
            self.monitor.step(next(done), len(nodes), _("Suppressing whole persons"))
            return _sums(profile, found)

        for number, found in measured_nodes(profile, requirement, wanted, "sums", measure, remembers=True):
            counts[number] = found.counts
            leaves[number], spans[number] = found.leaves, found.spans
        return counts, leaves, spans

    def at(self, nodes: IntArray) -> NodeLookup:
        part = NodeLookup(*self._source)
        counts, leaves, spans = self._figures
        part._figures = counts[nodes], leaves[nodes], spans[nodes]
        return part

    def bounded(self, most: int) -> BoundedRecords:
        """Return the exact records of all nodes, each of which is rolled up for all values."""
        return BoundedRecords.exact(self.suppressed)

    @property
    def suppressed(self) -> Counts:
        return self._figures[0][:, 0]

    @property
    def kept_classes(self) -> Counts:
        return self._figures[0][:, 1]

    @property
    def kept_squares(self) -> Counts:
        return self._figures[0][:, 2]

    @property
    def kept_sizes(self) -> Counts:
        return self._figures[0][:, 3]

    @property
    def kept_k(self) -> Counts:
        return self._figures[0][:, 4]

    def kept_leaves(self, attribute: int) -> Counts:
        """Exact, since sums of integers stay below 2**53."""
        return self._figures[1][:, attribute].astype(np.int64)

    def kept_spans(self, attribute: int) -> FloatArray:
        return self._figures[2][:, attribute]


def _sums(profile: ScoredNodes, found: EvaluatedSet) -> NodeSums:
    kept, records, sizes = found.kept, found.records, found.classes.sizes
    own = records[kept]
    counts = (
        int(records[~kept].sum()),
        len(own),
        int(own @ own),
        int(sizes[kept].sum()),
        int(sizes[kept].min(initial=profile.problem.n_records)) if len(own) else 0,
    )
    leaves = [_weights(weights, found)[kept] @ own for weights in profile.leaf_weights]
    spans = [
        0.0 if weights is None else _weights(weights, found)[kept] @ own for weights in profile.span_weights
    ]
    return NodeSums(counts, np.array(leaves), np.array(spans))


def _weights(weights: LabelWeights, found: EvaluatedSet) -> Array:
    """Return the weight of every class's label."""
    level = found.node[weights.attribute]
    constant, table = weights.constant[level], weights.tables[level]
    if table is None:
        assert constant is not None, "a level without a table has one weight"
        return np.full(len(found.kept), float(constant))
    return table[found.tuples.field(weights.attribute, level)[found.starts]]
