"""The two columns whose levels explain most of what satisfies, and the facets of a lattice by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.lattice import Lattice

if TYPE_CHECKING:
    from engine.frequency import Problem

LEAST_NODES, LEAST_COLUMNS = 200, 3  # of lattices that are split
MOST_DOWN, MOST_RIGHT = 8, 5  # levels
KEPT = 0.8  # of the largest share: down to it, the present pair stays
_TIE = 1e-9


@dataclass(frozen=True)
class Split:
    """Facets of a lattice: one for each level of one column with each level of another.

    Attributes
    ----------
    down, right : int
        Numbers of the columns; the first has at least as many levels in the lattice.
    """

    lattice: Lattice
    down: int
    right: int

    def names(self, problem: Problem) -> tuple[str, str]:
        """Return the names of the two columns."""
        return problem.names[self.down], problem.names[self.right]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of levels of both columns."""
        return self.lattice.shape[self.down], self.lattice.shape[self.right]

    @cached_property
    def nodes(self) -> IntArray:
        """Node numbers, shape (n_down, n_right, n_nodes of a facet), in one order of the other levels."""
        return np.asarray(self._by_facet(np.arange(self.lattice.n_nodes)), dtype=np.int64)

    def facet_of(self, node: int) -> tuple[int, int]:
        """Return the places of a node's two levels."""
        levels, lowest = self.lattice.node(node), self.lattice.minimum
        return levels[self.down] - lowest[self.down], levels[self.right] - lowest[self.right]

    def levels_of(self, facet: tuple[int, int]) -> tuple[int, int]:
        """Return the two levels of a facet."""
        lowest = self.lattice.minimum
        return lowest[self.down] + facet[0], lowest[self.right] + facet[1]

    def n_satisfying(self, satisfies: BoolArray) -> Counts:
        """Count the satisfying nodes of every facet, shape (n_down, n_right)."""
        return np.asarray(np.count_nonzero(self._by_facet(satisfies), axis=2))

    def best(self, satisfies: BoolArray, values: FloatArray) -> FloatArray:
        """Return the least value of a satisfying node per facet, shape (n_down, n_right); inf for none."""
        shown = np.where(satisfies & ~np.isnan(values), values, inf)
        return np.asarray(self._by_facet(shown).min(axis=2))

    def explained(self, values: NDArray[np.generic]) -> float:
        """Return the share of the variance of values that is between facets; 0 without any variance."""
        facets = self._by_facet(values).astype(np.float64)
        mean = facets.mean()
        total = float(((facets - mean) ** 2).sum())
        between = facets.shape[2] * float(((facets.mean(axis=2) - mean) ** 2).sum())
        return between / total if total > _TIE * max(1.0, abs(mean)) else 0.0

    def _by_facet(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        levels, (first, second) = self.lattice.shape, sorted((self.down, self.right))
        others = prod(levels[:first]), prod(levels[first + 1 : second]), prod(levels[second + 1 :])
        # The other columns together, as an array has at most 64 axes.
        cube = values.reshape(others[0], levels[first], others[1], levels[second], others[2])
        axes = (1, 3) if self.down == first else (3, 1)
        return np.moveaxis(cube, axes, (0, 1)).reshape(*self.shape, -1)


def splits_of(lattice: Lattice) -> list[Split]:
    """Return the possible splits in table order; none of a small lattice."""
    shape = lattice.shape
    if lattice.n_nodes < LEAST_NODES or len(shape) < LEAST_COLUMNS:
        return []
    pairs = combinations((q for q, n_levels in enumerate(shape) if n_levels > 1), 2)
    ordered = ((a, b) if shape[a] >= shape[b] else (b, a) for a, b in pairs)
    return [Split(lattice, a, b) for a, b in ordered if shape[a] <= MOST_DOWN and shape[b] <= MOST_RIGHT]


def told_apart(satisfies: BoolArray, *others: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return what facets explain: what satisfies, or if all or no nodes do, the first others that vary."""
    for values in (satisfies, *others):
        known = np.where(np.isnan(values), np.nanmax(values, initial=0.0), values)
        if float(np.ptp(known.astype(np.float64))) > 0:
            return np.asarray(known)
    return satisfies


def shares_of(lattice: Lattice, values: NDArray[np.generic]) -> list[tuple[Split, float]]:
    """Return every possible split with the share of the variance of values that it explains.

    Parameters
    ----------
    values : ndarray, shape (n_nodes,)
        See `told_apart`.
    """
    return [(split, split.explained(values)) for split in splits_of(lattice)]


def best_split(shares: Sequence[tuple[Split, float]], present: Split | None = None) -> Split | None:
    """Return the split that explains most; the present one while it explains nearly as much."""
    most = max((share for _split, share in shares), default=0.0)
    if any(split == present and share >= KEPT * most for split, share in shares):
        return present
    return next((split for split, share in shares if share >= most - _TIE), None)
