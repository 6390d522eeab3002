"""The lattice of full-domain generalizations: nodes, their numbers, their neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from operator import le, mul, sub
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.errors import InputError
from engine.words import _

Node: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Lattice:
    """All level vectors between two bounds, numbered in mixed radix with the last attribute fastest.

    Attributes
    ----------
    minimum, maximum : tuple of int, length n_qi
        Lowest and highest level allowed per quasi-identifier, inclusive. Levels keep their
        numbers in a bounded lattice.

    References
    ----------
    .. [1] LeFevre, DeWitt, Ramakrishnan (2005). Incognito: Efficient Full-Domain K-Anonymity. SIGMOD.
    """

    minimum: Node
    maximum: Node

    def __post_init__(self) -> None:
        if len(self.minimum) != len(self.maximum) or any(
            not 0 <= low <= high for low, high in zip(self.minimum, self.maximum, strict=True)
        ):
            raise InputError(
                _("No node is between the levels {minimum} and {maximum}.").format(
                    minimum=self.minimum, maximum=self.maximum
                )
            )

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Number of allowed levels per attribute."""
        return tuple(high - low + 1 for low, high in zip(self.minimum, self.maximum, strict=True))

    @cached_property
    def n_nodes(self) -> int:
        """Number of nodes; a Python int, since large lattices exceed 64 bits."""
        return prod(self.shape)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """Distance in number between a node and its successor, per attribute."""
        return tuple(prod(self.shape[q + 1 :]) for q in range(len(self.shape)))

    @cached_property
    def levels(self) -> NDArray[np.int16]:
        """Level vectors of all nodes, shape (n_nodes, n_qi)."""
        # np.indices fails for more than 64 columns, since arrays have at most 64 dimensions
        levels = np.empty((self.n_nodes, len(self.shape)), dtype=np.int16)
        for q, (low, size, stride) in enumerate(zip(self.minimum, self.shape, self.strides, strict=True)):
            own = np.repeat(np.arange(low, low + size, dtype=np.int16), stride)
            levels[:, q] = np.tile(own, self.n_nodes // len(own))
        return levels

    @cached_property
    def sums(self) -> NDArray[np.int64]:
        """Sum of levels of all nodes, shape (n_nodes,)."""
        return np.asarray(self.levels.sum(axis=1, dtype=np.int64))

    def __contains__(self, node: object) -> bool:
        if not isinstance(node, tuple) or len(node) != len(self.shape):
            return False
        return all(map(le, self.minimum, node)) and all(map(le, node, self.maximum))

    def number(self, node: Sequence[int]) -> int:
        """Return the number of a node; raise `InputError` outside the lattice."""
        if tuple(node) not in self:
            raise InputError(
                _("Node {node} is not in the lattice.").format(node=tuple(node)),
                hint=_("Levels run from {minimum} to {maximum}.").format(
                    minimum=self.minimum, maximum=self.maximum
                ),
            )
        return self._number(node)

    def find(self, node: Sequence[int]) -> int | None:
        """Return the number of a node, or None outside the lattice."""
        return self._number(node) if tuple(node) in self else None

    def _number(self, node: Sequence[int]) -> int:
        return sum(map(mul, map(sub, node, self.minimum), self.strides))

    def ranks(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return numbers that order these nodes lexicographically: their own."""
        return numbers

    def node(self, number: int) -> Node:
        """Return the level vector of a node number."""
        if not 0 <= number < self.n_nodes:
            raise IndexError(number)
        return tuple(
            low + number // stride % size
            for low, stride, size in zip(self.minimum, self.strides, self.shape, strict=True)
        )

    def successors(self, node: Node) -> list[Node]:
        """Return the nodes one step more general, in attribute order."""
        return [
            (*node[:q], node[q] + 1, *node[q + 1 :]) for q in range(len(node)) if node[q] < self.maximum[q]
        ]

    def predecessors(self, node: Node) -> list[Node]:
        """Return the nodes one step less general, in attribute order."""
        return [
            (*node[:q], node[q] - 1, *node[q + 1 :]) for q in range(len(node)) if node[q] > self.minimum[q]
        ]

    def minimal(self, satisfying: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mark the satisfying nodes without a satisfying predecessor, shape (n_nodes,)."""
        # all nodes are one long integer: a shift by the stride passes a flag from each predecessor to its
        # node
        bits = _as_integer(satisfying)
        covered = 0
        for stride, has_predecessor in zip(self.strides, self._raised, strict=True):
            covered |= (bits << stride) & has_predecessor
        minimal = (bits & ~covered).to_bytes((self.n_nodes + 7) // 8, "little")
        unpacked = np.unpackbits(
            np.frombuffer(minimal, dtype=np.uint8), count=self.n_nodes, bitorder="little"
        )
        return unpacked.view(np.bool_)

    @cached_property
    def _raised(self) -> tuple[int, ...]:
        """Return per attribute the nodes above its lowest level, a bit for each node by number."""
        return tuple(_as_integer(self.levels[:, q] > low) for q, low in enumerate(self.minimum))


def _as_integer(flags: NDArray[np.bool_]) -> int:
    """Return flags as the bits of one integer, the first the lowest."""
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


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
