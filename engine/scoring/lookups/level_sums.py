"""Sums of label weights over all records by level: the loss of a node before suppression."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.scoring.cells.snapshot import Array
from engine.scoring.cells.weights import LabelWeights
from engine.scoring.lookups.bounded import BoundedRecords

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes


class ByLevel(NamedTuple):
    """Weights of one attribute's labels, each with one entry per level.

    Attributes
    ----------
    name : str
        Name as in `engine.scoring.cells.snapshot.LabelSums.of`.
    is_constant : bool
        Whether labels weigh the same at every level, so that cells store nothing.
    varies : ndarray of bool
        Whether labels of the level have different weights, so that cells store their sums.
    constant : ndarray
        The weight that all labels of the level share; 0 if it varies.
    totals : ndarray
        Sum over all records.
    """

    name: str
    is_constant: bool
    varies: BoolArray
    constant: Array
    totals: Array


class LevelSums:
    """Label weights of a problem by level; attributes are computed when first needed."""

    def __init__(self, profile: ScoredNodes) -> None:
        problem = profile.problem
        self._n_records = problem.n_records
        self._attributes = problem.attributes
        self._layout = profile.base.layout
        self._leaf_weights = profile.leaf_weights
        self._span_weights = profile.span_weights

    @cached_property
    def leaves(self) -> tuple[ByLevel, ...]:
        """Return the leaves covered, int64, per attribute."""
        return tuple(self._by_level("leaves", weights, np.int64) for weights in self._leaf_weights)

    @cached_property
    def spans(self) -> tuple[ByLevel | None, ...]:
        """Return the numeric widths, float64, per attribute; None for attributes that are not numbers."""
        return tuple(
            None if weights is None else self._by_level("spans", weights, np.float64)
            for weights in self._span_weights
        )

    def _by_level(self, kind: str, weights: LabelWeights, dtype: type[np.generic]) -> ByLevel:
        attribute = self._attributes[weights.attribute]
        paths, dropped = self._layout.paths[weights.attribute], self._layout.dropped[weights.attribute]
        records = attribute.leaf_counts
        constant = np.array([0 if value is None else value for value in weights.constant], dtype=dtype)
        totals = [
            value * self._n_records if table is None else records @ table[paths >> drop]
            for value, table, drop in zip(constant, weights.tables, dropped, strict=True)
        ]
        varies = np.array([table is not None for table in weights.tables])
        name = f"{kind} {weights.attribute}"
        return ByLevel(name, not varies.any(), varies, constant, np.array(totals, dtype=dtype))


class NothingSuppressed:
    """Values of nodes with every class kept; implements `engine.scoring.lookups.look_up.Lookup`.

    Parameters
    ----------
    nodes : ndarray of int64, or None
        Scored nodes; None for all.
    """

    def __init__(self, profile: ScoredNodes, levels: LevelSums, nodes: IntArray | None = None) -> None:
        self._profile, self._levels = profile, levels
        self._nodes = slice(None) if nodes is None else nodes

    def bounded(self, most: int) -> BoundedRecords:
        return BoundedRecords.exact(self.suppressed)

    @cached_property
    def suppressed(self) -> Counts:
        return np.zeros_like(self.kept_classes)

    @property
    def kept_classes(self) -> Counts:
        return self._profile.n_classes[self._nodes]

    @property
    def kept_squares(self) -> Counts:
        return self._profile.squares[self._nodes]

    @property
    def kept_sizes(self) -> Counts:
        cells, found = self._profile.cells(), np.zeros_like(self._profile.n_classes)
        if len(cells.nodes):
            n_classes = (cells.records // cells.records_per_class).astype(np.int64)
            found[cells.nodes] = np.add.reduceat(n_classes * cells.sizes, cells.starts)
        return found[self._nodes]

    @property
    def kept_k(self) -> Counts:
        return self._profile.k[self._nodes]

    def kept_leaves(self, attribute: int) -> Counts:
        return self._levels.leaves[attribute].totals[self._profile.lattice.levels[self._nodes, attribute]]

    def kept_spans(self, attribute: int) -> FloatArray:
        by_level = self._levels.spans[attribute]
        assert by_level is not None, "only numeric attributes have spans"
        return by_level.totals[self._profile.lattice.levels[self._nodes, attribute]]

    def at(self, nodes: IntArray) -> NothingSuppressed:
        return NothingSuppressed(self._profile, self._levels, nodes)
