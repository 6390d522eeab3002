"""Sums of label weights over all records by level: the loss of a node before suppression."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray
from engine.scoring.cells.snapshot import Array
from engine.scoring.cells.weights import LabelWeights

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
