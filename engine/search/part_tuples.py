"""Frequency sets of subsets of the attributes, for the three variants of Incognito.

The variants differ in the source of the roots of a part's candidates. Nodes above a root are rolled up from a
node below it. Frequency sets come from the distinct base tuples, never from the records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from engine.lattice import Node
from engine.scoring.walk.node_tuples import NodeTuples, bytes_of, raised_to
from engine.scoring.walk.packing import FrequencySet
from engine.search.parts import Part
from engine.search.search import Search
from engine.words import _

MOST_CUBE_BYTES = 256 << 20  # zero-generalization sets in memory; others are rolled up when needed


class PartTuples:
    """Frequency sets of one part, each rolled up from the smallest available one below it.

    Parameters
    ----------
    search : Search
        The search that counts the work.
    start : FrequencySet
        The frequency set from which the lowest ones are rolled up.
    lowest : tuple of int
        The node of `start`, in the part's attributes.
    is_base : bool
        Whether `start` are the base tuples, which have all attributes, so that each roll-up is a scan.
    """

    def __init__(self, search: Search, start: FrequencySet, lowest: Node, *, is_base: bool) -> None:
        self._search = search
        self._lowest = lowest
        self._is_base = is_base
        self._tuples = NodeTuples(start, lowest)

    def at(self, node: Node) -> FrequencySet:
        """Return the frequency set of a node, `ABSENT` for omitted attributes."""
        if node == self._lowest and not self._is_base:
            return self._tuples.base
        return self._tuples.at(node)

    def close(self) -> None:
        """Add the work to the counts of the search."""
        search, tuples = self._search, self._tuples
        search.scans += tuples.n_scans if self._is_base else 0
        search.rollups += tuples.n_rollups + (0 if self._is_base else tuples.n_scans)
        search.generalization_steps += tuples.n_steps


class Basic:
    """Variant that counts every root from the base tuples.

    Parameters
    ----------
    search : Search
    base : FrequencySet
        The base tuples.
    """

    def __init__(self, search: Search, base: FrequencySet) -> None:
        self._search = search
        self._base = base

    def open(self, part: Part, roots: Sequence[Node]) -> PartTuples:
        """Prepare a part whose candidates have these roots."""
        return PartTuples(self._search, self._base, part.lowest, is_base=True)

    def open_whole(self, roots: Sequence[Node]) -> None:
        """Prepare the part of all attributes, whose nodes the search itself counts."""


class SuperRoots(Basic):
    """Variant that counts the node below all roots of a part once and rolls up."""

    def open(self, part: Part, roots: Sequence[Node]) -> PartTuples:
        if len(roots) < 2:
            return super().open(part, roots)
        meet = _below_all(roots)
        self._search.scans += 1
        self._search.generalization_steps += sum(meet) - sum(part.lowest)
        return PartTuples(self._search, raised_to(self._base, meet), meet, is_base=False)

    def open_whole(self, roots: Sequence[Node]) -> None:
        """Rolls up the nodes that the search counted."""
        if len(roots) > 1 and (meet := _below_all(roots)) != self._search.lattice.minimum:
            self._search.profile.tuples.at(meet)


class Cube(Basic):
    """Variant that first rolls up the lowest nodes of all parts, each from a part of one attribute more."""

    def __init__(self, search: Search, base: FrequencySet) -> None:
        super().__init__(search, base)
        lattice = search.lattice
        everything = tuple(range(len(lattice.shape)))
        self._kept: dict[tuple[int, ...], FrequencySet] = {everything: base}
        self._n_bytes = 0
        search.scans += 1  # of the base tuples themselves
        for attributes in _smaller(everything):
            search.report(_("Counting parts of the columns"))
            if self._n_bytes < MOST_CUBE_BYTES:
                found = self._rolled_up(Part(lattice, attributes))
                self._kept[attributes] = found
                self._n_bytes += bytes_of(found)

    def open(self, part: Part, roots: Sequence[Node]) -> PartTuples:
        start = self._kept.pop(part.attributes, None)  # each part is opened once
        if start is None:
            start = self._rolled_up(part)
        return PartTuples(self._search, start, part.lowest, is_base=False)

    def _rolled_up(self, part: Part) -> FrequencySet:
        """Return the lowest frequency set of a part, rolled up from the smallest set with its attributes."""
        own = set(part.attributes)
        above = (found for attributes, found in self._kept.items() if own < set(attributes))
        self._search.rollups += 1
        return raised_to(min(above, key=lambda found: len(found.counts)), part.lowest)


def _below_all(nodes: Sequence[Node]) -> Node:
    """Return the highest node that is not above any of some nodes."""
    return tuple(int(level) for level in np.min(np.array(nodes), axis=0))


def _smaller(attributes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Return all proper subsets, the larger ones first."""
    for size in range(len(attributes) - 1, 0, -1):
        yield from combinations(attributes, size)
