"""Frequency sets of single nodes in any order, each from the smallest one at hand below it."""

from __future__ import annotations

from collections import OrderedDict

from engine.kernels.grouping import merge
from engine.lattice import Node
from engine.scoring.walk.packing import FrequencySet, PackedSet, WideSet
from engine.scoring.walk.people import PeopledSet

MOST_SETS = 48
MOST_BYTES = 128 << 20  # of all sets kept


def raised_to(tuples: FrequencySet, node: Node) -> FrequencySet:
    """Generalize all attributes at once; a single sort, where level by level takes one each.

    Parameters
    ----------
    tuples : FrequencySet
        Of a node that is nowhere more general than `node`.
    node : tuple of int
        An attribute whose level is negative is left out: tuples that differ in it only become equal.
    """
    if isinstance(tuples, PeopledSet):
        return PeopledSet(raised_to(tuples.records, node), raised_to(tuples.people, node))
    layout = tuples.layout
    masks = [layout.masks[q][level] if level >= 0 else 0 for q, level in enumerate(node)]
    if isinstance(tuples, PackedSet):
        keep = (1 << layout.sensitive_bits) - 1
        for mask, shift in zip(masks, layout.shifts, strict=True):
            keep |= mask << shift
        return PackedSet(
            layout, *merge(tuples.keys & keep, tuples.counts, layout.key_bits, layout.count_bits)
        )
    assert isinstance(tuples, WideSet), "there are three kinds of frequency sets"
    columns = list(tuples.columns)
    for position, q in enumerate(layout.order):
        columns[position] = columns[position] & masks[q]
    return WideSet.joined(layout, tuple(columns), tuples.counts)


class NodeTuples:
    """Rolls up any node; what was rolled up lately serves the nodes above it.

    Attributes
    ----------
    n_scans, n_rollups : int
        Frequency sets derived from the base tuples, and from those of other nodes.
    n_steps : int
        Levels raised for them, attribute by attribute.
    """

    def __init__(self, base: FrequencySet, lowest: Node = ()) -> None:
        self.base = base
        self.n_scans = self.n_rollups = self.n_steps = 0
        self._lowest = lowest
        self._recent: OrderedDict[Node, FrequencySet] = OrderedDict()
        self._n_bytes = 0

    def at(self, node: Node) -> FrequencySet:
        """Frequency set of a node."""
        if node in self._recent:
            self._recent.move_to_end(node)
            return self._recent[node]
        start, below = self.base, self._lowest
        for other, tuples in self._recent.items():
            is_below = all(low <= level for low, level in zip(other, node, strict=True))
            # Of several as small the latest: it is apt to lie nearest.
            if is_below and len(tuples.counts) <= len(start.counts):
                start, below = tuples, other
        if start is self.base:
            self.n_scans += 1
        else:
            self.n_rollups += 1
        self.n_steps += sum(node) - sum(below)
        found = raised_to(start, node)
        self._keep(node, found)
        return found

    def _keep(self, node: Node, tuples: FrequencySet) -> None:
        self._recent[node] = tuples
        self._n_bytes += bytes_of(tuples)
        while len(self._recent) > MOST_SETS or (self._n_bytes > MOST_BYTES and len(self._recent) > 1):
            _, oldest = self._recent.popitem(last=False)
            self._n_bytes -= bytes_of(oldest)


def bytes_of(tuples: FrequencySet) -> int:
    """Memory a frequency set takes, about."""
    if isinstance(tuples, PeopledSet):
        return bytes_of(tuples.records) + bytes_of(tuples.people)
    columns = len(tuples.columns) if isinstance(tuples, WideSet) else 2  # keys, totals; counts beside them
    return 8 * (columns + 1) * len(tuples.counts)
