"""Parts of a problem: nodes of a subset of its attributes."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.errors import InputError
from engine.kernels.arrays import BoolArray, IntArray
from engine.lattice import Lattice, Node
from engine.numbers import as_exact_count
from engine.search.trace import ABSENT
from engine.words import _

LARGEST_PARTS = 5_000_000  # nodes of all parts together; the trace has an entry for each


class Part:
    """The lattice of a subset of the attributes.

    Parameters
    ----------
    whole : Lattice
    attributes : tuple of int
        Attribute numbers in ascending order.

    Attributes
    ----------
    lattice : Lattice
        Lattice of these attributes alone.
    """

    def __init__(self, whole: Lattice, attributes: tuple[int, ...]) -> None:
        self.attributes = attributes
        self.lattice = Lattice(
            tuple(whole.minimum[q] for q in attributes), tuple(whole.maximum[q] for q in attributes)
        )
        self._n_qi = len(whole.shape)

    @cached_property
    def lowest(self) -> Node:
        """The lowest node of the part; see `node`."""
        return self.node(0)

    def node(self, number: int) -> Node:
        """Return a node of the part as one of all attributes, `ABSENT` if omitted."""
        return self.placed(number, (ABSENT,) * self._n_qi)

    def placed(self, number: int, others: Node) -> Node:
        """Return a node of the part as one of all attributes, with another node's levels if omitted."""
        levels = list(others)
        for q, level in zip(self.attributes, self.lattice.node(number), strict=True):
            levels[q] = level
        return tuple(levels)

    def nodes(self, numbers: IntArray) -> NDArray[np.int16]:
        """Several nodes as by `node`, shape (len(numbers), n_qi)."""
        levels = np.full((len(numbers), self._n_qi), ABSENT, dtype=np.int16)
        levels[:, self.attributes] = self.lattice.levels[numbers]
        return levels

    def candidates(self, holding: Mapping[tuple[int, ...], BoolArray]) -> BoolArray:
        """Return the nodes that fail in no part of one attribute less: join and prune in one step.

        Parameters
        ----------
        holding : mapping of attributes to ndarray of bool
            Which nodes satisfy in every part of one attribute less, in the shape of its lattice.

        Returns
        -------
        ndarray of bool, shape of the part's lattice
        """
        found: BoolArray = np.ones(self.lattice.shape, dtype=np.bool_)
        if len(self.attributes) > 1:
            for place in range(len(self.attributes)):
                less = self.attributes[:place] + self.attributes[place + 1 :]
                found &= np.expand_dims(holding[less], place)
        return found


def check_parts(lattice: Lattice) -> None:
    """Refuse a problem whose parts have too many nodes together."""
    n_nodes = prod(size + 1 for size in lattice.shape) - 1
    if n_nodes > LARGEST_PARTS:
        raise InputError(
            _(
                "Incognito checks the nodes of all subsets of the quasi-identifying "
                "columns, {n_nodes} here; the limit is {LARGEST_PARTS}."
            ).format(n_nodes=as_exact_count(n_nodes), LARGEST_PARTS=as_exact_count(LARGEST_PARTS)),
            hint=_(
                'Choose algorithm = "flash" or "ola", which check only nodes of all '
                "columns. Or allow fewer levels, or make fewer columns quasi-identifying."
            ),
            n_nodes=n_nodes,
        )
