"""Prices of levels: what a column costs at each level, in the metric, while the other columns are free."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf

import numpy as np

from engine.kernels.arrays import FloatArray, IntArray
from engine.lattice import Node
from engine.scoring.evaluate import Evaluation
from engine.scoring.optimum import TIE


@dataclass(frozen=True)
class Chosen:
    """The optimum among the nodes that satisfy and have all insisted levels.

    Attributes
    ----------
    value : float
        Its value of the metric; inf if it has none.
    """

    node: Node
    value: float
    suppressed: int

    def is_before(self, other: Chosen) -> bool:
        """Return whether this one is the optimum of the two, by the rule of `best_of`."""
        if abs(self.value - other.value) > abs(min(self.value, other.value)) * TIE:
            return self.value < other.value
        return self._order < other._order

    @property
    def _order(self) -> tuple[int, int, Node]:
        return self.suppressed, sum(self.node), self.node


@dataclass(frozen=True)
class Prices:
    """The best value of a metric for every level of every column, among nodes that satisfy.

    Attributes
    ----------
    least : tuple of ndarray of float64, each of shape (n_levels,)
        The least value of a node with this level, and with the insisted levels of the *other* columns; inf
        where no node satisfies. One array per column, one entry per level.
    n_nodes : tuple of ndarray of int64, each of shape (n_levels,)
        The number of these nodes.
    reference : float
        The least value of all nodes that satisfy, whatever is insisted on; inf if none does.
    chosen : Chosen or None
        None if no node that satisfies has all insisted levels.
    """

    least: tuple[FloatArray, ...]
    n_nodes: tuple[IntArray, ...]
    reference: float
    chosen: Chosen | None

    def of(self, column: int) -> FloatArray:
        """Return the prices of a column's levels; inf where no node satisfies, never below 0."""
        found = self.least[column]
        return found - self.reference if self.reference < inf else found

    def beside(self, other: Prices) -> Prices:
        """Return the prices over the nodes of both; no node may be in both."""
        known = [chosen for chosen in (self.chosen, other.chosen) if chosen is not None]
        return Prices(
            tuple(map(np.minimum, self.least, other.least)),
            tuple(map(np.add, self.n_nodes, other.n_nodes)),
            min(self.reference, other.reference),
            reduce(lambda one, two: two if two.is_before(one) else one, known) if known else None,
        )


def prices_of(
    evaluation: Evaluation, metric: str, n_levels: Sequence[int], insisted: Mapping[int, int] | None = None
) -> Prices:
    """Return the prices of all levels under the requirement of an evaluation.

    Parameters
    ----------
    n_levels : sequence of int
        Number of levels per column, those outside the lattice included.
    insisted : mapping of int to int, optional
        The level of each column on which one is insisted.
    """
    nodes = np.flatnonzero(evaluation.satisfies)
    values = evaluation.metric_of_satisfying(metric)[nodes]
    values = np.where(np.isnan(values), inf, values)  # a node without a value is the worst that satisfies
    levels = evaluation.lattice.levels[nodes]
    wanted = np.full(levels.shape[1], -1)
    for column, level in (insisted or {}).items():
        wanted[column] = level
    differs = (wanted >= 0) & (levels != wanted)
    n_differing = differs.sum(axis=1)
    least, n_nodes = [], []
    for column, n in enumerate(n_levels):
        is_meant = n_differing == differs[:, column]
        own = levels[is_meant, column]
        best = np.full(n, inf)
        np.minimum.at(best, own, values[is_meant])
        least.append(best)
        n_nodes.append(np.bincount(own, minlength=n))
    chosen = evaluation.best_among(metric, nodes[n_differing == 0])
    return Prices(
        tuple(least),
        tuple(n_nodes),
        float(values.min(initial=inf)),
        None if chosen is None else _chosen(evaluation, metric, chosen),
    )


def prices_over(parts: Iterable[Prices]) -> Prices:
    """Return the prices of a lattice from those of its parts, of which there is at least one."""
    return reduce(Prices.beside, parts)


def _chosen(evaluation: Evaluation, metric: str, number: int) -> Chosen:
    at = np.array([number])
    value = float(evaluation.metric_at(metric, at)[0])
    suppressed = int(evaluation.suppressed_at(at)[0])
    return Chosen(evaluation.lattice.node(number), inf if np.isnan(value) else value, suppressed)
