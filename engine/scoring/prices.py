"""Prices of levels: what a column costs at each level, in the metric, while the other columns are free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf, prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray, FloatArray, IntArray
from engine.lattice import Lattice, Node
from engine.scoring.evaluate import Evaluation
from engine.scoring.optimum import TIE

MOST = 1 << 62  # nodes that are counted
Levels: TypeAlias = NDArray[np.int16]  # of nodes, shape (n_nodes, n_qi)


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
    n_scored : tuple of ndarray of int64, each of shape (n_levels,)
        The number of scored nodes with this level and the insisted levels of the other columns.
    reference : float
        The least value of all nodes that satisfy, whatever is insisted on; inf if none does.
    n_optima : int
        The number of nodes that have it, up to rounding.
    chosen : Chosen or None
        None if no node that satisfies has all insisted levels.
    """

    least: tuple[FloatArray, ...]
    n_nodes: tuple[IntArray, ...]
    n_scored: tuple[IntArray, ...]
    reference: float
    n_optima: int
    chosen: Chosen | None

    def of(self, column: int) -> FloatArray:
        """Return the prices of a column's levels; inf where no node satisfies, never below 0."""
        found = self.least[column]
        return found - self.reference if self.reference < inf else found

    def _has_least(self, other: Prices) -> bool:
        """Return whether no node of other prices has a lower value than the best of these."""
        least = min(self.reference, other.reference)
        return self.reference <= least + abs(least) * TIE

    def beside(self, other: Prices) -> Prices:
        """Return the prices over the nodes of both; no node may be in both."""
        known = [chosen for chosen in (self.chosen, other.chosen) if chosen is not None]
        return Prices(
            tuple(map(np.minimum, self.least, other.least)),
            tuple(map(np.add, self.n_nodes, other.n_nodes)),
            tuple(map(np.add, self.n_scored, other.n_scored)),
            min(self.reference, other.reference),
            sum(part.n_optima for part in (self, other) if part._has_least(other if part is self else self)),
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
    insisted = insisted or {}
    nodes = np.flatnonzero(evaluation.satisfies)
    values = evaluation.metric_of_satisfying(metric)[nodes]
    values = np.where(np.isnan(values), inf, values)  # a node without a value is the worst that satisfies
    levels = evaluation.lattice.levels[nodes]
    least, n_nodes = [], []
    for column, (n, is_meant) in enumerate(zip(n_levels, _meant(levels, insisted), strict=True)):
        own = levels[is_meant, column]
        best = np.full(n, inf)
        np.minimum.at(best, own, values[is_meant])
        least.append(best)
        n_nodes.append(np.bincount(own, minlength=n))
    if insisted:
        chosen = evaluation.best_among(metric, nodes[_has_all(levels, insisted)])
    else:
        chosen = evaluation.optimum(metric)  # known already
    least_of_all = float(values.min(initial=inf))
    return Prices(
        tuple(least),
        tuple(n_nodes),
        _n_scored(evaluation, n_levels, insisted),
        least_of_all,
        int(np.count_nonzero(values <= least_of_all + abs(least_of_all) * TIE)) if least_of_all < inf else 0,
        None if chosen is None else _chosen(evaluation, metric, chosen),
    )


def best_node(
    evaluation: Evaluation, metric: str, column: int, level: int, insisted: Mapping[int, int]
) -> Node | None:
    """Return the node whose value is the least of a level, by the rule of the optimum."""
    nodes = np.flatnonzero(evaluation.satisfies)
    wanted = {**insisted, column: level}
    found = evaluation.best_among(metric, nodes[_has_all(evaluation.lattice.levels[nodes], wanted)])
    return None if found is None else evaluation.lattice.node(found)


def _meant(levels: Levels, insisted: Mapping[int, int]) -> Iterator[BoolArray]:
    """Yield per column which nodes have the insisted levels of all other columns."""
    differs = {column: levels[:, column] != level for column, level in insisted.items()}
    n_differing = sum(differs.values(), np.zeros(len(levels), dtype=np.int64))
    for column in range(levels.shape[1]):
        yield n_differing == differs[column] if column in differs else n_differing == 0


def _has_all(levels: Levels, insisted: Mapping[int, int]) -> BoolArray:
    """Return which nodes have all insisted levels."""
    has = np.ones(len(levels), dtype=np.bool_)
    for column, level in insisted.items():
        has &= levels[:, column] == level
    return has


def _n_scored(
    evaluation: Evaluation, n_levels: Sequence[int], insisted: Mapping[int, int]
) -> tuple[IntArray, ...]:
    """Count the scored nodes of each level, of a complete lattice by its shape."""
    lattice = evaluation.lattice
    if isinstance(lattice, Lattice) and evaluation.n_scored == lattice.n_nodes:
        return level_totals(lattice, n_levels, insisted)
    levels = lattice.levels[evaluation.scored]
    return tuple(
        np.bincount(levels[is_meant, column], minlength=n)
        for column, (n, is_meant) in enumerate(zip(n_levels, _meant(levels, insisted), strict=True))
    )


def level_totals(
    lattice: Lattice, n_levels: Sequence[int], insisted: Mapping[int, int]
) -> tuple[IntArray, ...]:
    """Count all nodes of each level with the insisted levels of the other columns, scored or not."""
    bounds = list(zip(lattice.minimum, lattice.maximum, strict=True))
    n_free = [
        (int(low <= insisted[q] <= high) if q in insisted else high - low + 1)
        for q, (low, high) in enumerate(bounds)
    ]
    totals = []
    for column, (n, (low, high)) in enumerate(zip(n_levels, bounds, strict=True)):
        total = np.zeros(n, dtype=np.int64)
        total[low : high + 1] = min(prod(n_free[:column] + n_free[column + 1 :]), MOST)
        totals.append(total)
    return tuple(totals)


def prices_over(parts: Iterable[Prices]) -> Prices:
    """Return the prices of a lattice from those of its parts, of which there is at least one."""
    return reduce(Prices.beside, parts)


def _chosen(evaluation: Evaluation, metric: str, number: int) -> Chosen:
    at = np.array([number])
    value = float(evaluation.metric_at(metric, at)[0])
    suppressed = int(evaluation.suppressed_at(at)[0])
    return Chosen(evaluation.lattice.node(number), inf if np.isnan(value) else value, suppressed)
