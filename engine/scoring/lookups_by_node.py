"""Look-ups node by node, each rolled up and judged: where what is kept does not follow from alike classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.kernels.arrays import Counts, IntArray, Reals
from engine.privacy import Requirement
from engine.scoring.cells import Array
from engine.scoring.judged_sets import JudgedSet, measured_nodes
from engine.scoring.weights import LabelWeights

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


N_COUNTS = 5


class NodeSums(NamedTuple):
    """Figures of one node; see `engine.scoring.lookups.Lookup`.

    Attributes
    ----------
    counts : tuple of int
        Suppressed records, kept classes, squares, sizes and k.
    leaves, spans : ndarray of float64, shape (n_qi,)
    """

    counts: tuple[int, int, int, int, int]
    leaves: Reals
    spans: Reals


class NodeLookup:
    """Figures of scored nodes under a requirement that suppresses whole persons; a `Lookup`.

    Every node is rolled up once for all figures. It takes some hundred times as long as sums over cells.

    Parameters
    ----------
    profile : ScoredNodes
    requirement : Requirement
    nodes : ndarray of int64
        Nodes known, by number.
    """

    def __init__(self, profile: ScoredNodes, requirement: Requirement, nodes: IntArray) -> None:
        n_qi = len(profile.problem.attributes)
        self._counts = np.zeros((profile.lattice.n_nodes, N_COUNTS), dtype=np.int64)
        self._leaves, self._spans = (np.zeros((len(self._counts), n_qi)) for _ in range(2))
        wanted = np.zeros(len(self._counts), dtype=np.bool_)
        wanted[nodes] = True

        def measure(found: JudgedSet) -> NodeSums:
            return _sums(profile, found)

        for number, found in measured_nodes(profile, requirement, wanted, "sums", measure, remembers=True):
            self._counts[number] = found.counts
            self._leaves[number], self._spans[number] = found.leaves, found.spans

    def at(self, nodes: IntArray) -> NodeLookup:
        """See `Lookup.at`."""
        part = NodeLookup.__new__(NodeLookup)
        part._counts = self._counts[nodes]
        part._leaves, part._spans = self._leaves[nodes], self._spans[nodes]
        return part

    @property
    def suppressed(self) -> Counts:
        """See `Lookup.suppressed`."""
        return self._counts[:, 0]

    @property
    def kept_classes(self) -> Counts:
        """See `Lookup.kept_classes`."""
        return self._counts[:, 1]

    @property
    def kept_squares(self) -> Counts:
        """See `Lookup.kept_squares`."""
        return self._counts[:, 2]

    @property
    def kept_sizes(self) -> Counts:
        """See `Lookup.kept_sizes`."""
        return self._counts[:, 3]

    @property
    def kept_k(self) -> Counts:
        """See `Lookup.kept_k`."""
        return self._counts[:, 4]

    def kept_leaves(self, attribute: int) -> Counts:
        """See `Lookup.kept_leaves`; sums of whole numbers are exact below 2**53."""
        return self._leaves[:, attribute].astype(np.int64)

    def kept_spans(self, attribute: int) -> Reals:
        """See `Lookup.kept_spans`."""
        return self._spans[:, attribute]


def _sums(profile: ScoredNodes, found: JudgedSet) -> NodeSums:
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


def _weights(weights: LabelWeights, found: JudgedSet) -> Array:
    """What the label of every class weighs."""
    level = found.node[weights.attribute]
    constant, table = weights.constant[level], weights.tables[level]
    if table is None:
        assert constant is not None, "a level without a table has one weight"
        return np.full(len(found.kept), float(constant))
    return table[found.tuples.field(weights.attribute, level)[found.starts]]
