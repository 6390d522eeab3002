"""Some nodes of a lattice, numbered in the order they were added; for lattices too large to list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.errors import InputError
from engine.lattice.lattice import Lattice, Node
from engine.words import _


class Nodes(Protocol):
    """Numbered nodes of one lattice: all of them (`Lattice`), or some (`LatticePart`)."""

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""

    @property
    def levels(self) -> NDArray[np.int16]:
        """Level vectors by number, shape (n_nodes, n_qi)."""

    @property
    def sums(self) -> NDArray[np.int64]:
        """Sum of levels by number, shape (n_nodes,)."""

    def number(self, node: Sequence[int]) -> int:
        """Return the number of a node; raise `InputError` if it has none."""

    def find(self, node: Sequence[int]) -> int | None:
        """Return the number of a node, or None."""

    def node(self, number: int) -> Node:
        """Return the level vector of a number."""

    def ranks(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return numbers that order these nodes lexicographically, shape of `numbers`."""

    def minimal(self, satisfying: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the satisfying nodes without a satisfying predecessor among these nodes, shape (n_nodes,)."""


@dataclass(frozen=True, eq=False)
class LatticePart:
    """A range of the nodes added so far; adding more does not change it.

    Attributes
    ----------
    whole : Lattice
        The lattice, which may have more nodes than 64 bits can number.
    levels : ndarray of int16, shape (n_nodes, n_qi)
    places : mapping of node to int
        Position of all nodes in the order they were added, those of this part and others.
    first : int
        Position of this part's first node.
    """

    whole: Lattice
    levels: NDArray[np.int16]
    places: Mapping[Node, int]
    first: int = 0

    @property
    def n_nodes(self) -> int:
        """Number of nodes in the part."""
        return len(self.levels)

    @cached_property
    def sums(self) -> NDArray[np.int64]:
        return np.asarray(self.levels.sum(axis=1, dtype=np.int64))

    def find(self, node: Sequence[int]) -> int | None:
        place = self.places.get(tuple(node))
        is_here = place is not None and self.first <= place < self.first + self.n_nodes
        return place - self.first if place is not None and is_here else None

    def number(self, node: Sequence[int]) -> int:
        number = self.find(node)
        if number is None:
            raise InputError(_("Node {node} is not scored.").format(node=tuple(node)))
        return number

    def node(self, number: int) -> Node:
        if not 0 <= number < self.n_nodes:
            raise IndexError(number)
        return tuple(self.levels[number].tolist())

    def ranks(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        ranks = np.empty(len(numbers), dtype=np.int64)
        ranks[np.lexsort(self.levels[numbers].T[::-1])] = np.arange(len(numbers))
        return ranks

    def minimal(self, satisfying: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Predecessors outside the part are unknown and do not count."""
        result = np.zeros(self.n_nodes, dtype=np.bool_)
        for number in np.flatnonzero(satisfying).tolist():
            below = (self.find(node) for node in self.whole.predecessors(self.node(number)))
            result[number] = not any(satisfying[other] for other in below if other is not None)
        return result
