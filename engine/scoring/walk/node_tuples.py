"""Frequency sets of single nodes in any order, each rolled up from the smallest available one."""

from __future__ import annotations

from collections import OrderedDict

from engine.kernels.grouping import merge
from engine.lattice import Node
from engine.scoring.walk.packing import FrequencySet, PackedSet, WideSet
from engine.scoring.walk.population_tuples import PopulationTuples

MOST_SETS = 48
MOST_BYTES = 128 << 20  # classes of all frequency sets in memory


def raised_to(tuples: FrequencySet, node: Node) -> FrequencySet:
    """Generalize all attributes at once; one sort instead of one per level.

    Parameters
    ----------
    tuples : FrequencySet
        Frequency set of a node that is in no attribute above `node`.
    node : tuple of int
        An attribute with a negative level is omitted: tuples that differ only in it become equal.
    """
    if isinstance(tuples, PopulationTuples):
        return PopulationTuples(raised_to(tuples.records, node), raised_to(tuples.people, node))
    layout = tuples.layout
    masks = [layout.masks[q][level] if level >= 0 else 0 for q, level in enumerate(node)]
    if isinstance(tuples, PackedSet):
        keep = (1 << layout.sensitive_bits) - 1
        for mask, shift in zip(masks, layout.shifts, strict=True):
            keep |= mask << shift
        return PackedSet(
            layout, node, *merge(tuples.keys & keep, tuples.counts, layout.key_bits, layout.count_bits)
        )
    assert isinstance(tuples, WideSet), "there are three kinds of frequency sets"
    columns = list(tuples.columns)
    for position, q in enumerate(layout.order):
        columns[position] = columns[position] & masks[q]
    return WideSet.joined(layout, node, tuple(columns), tuples.counts)


class NodeTuples:
    """Rolls up any node; recent frequency sets are used for the nodes above them.

    Attributes
    ----------
    n_scans, n_rollups : int
        Number of frequency sets counted from the base tuples, and rolled up from other nodes.
    n_steps : int
        Levels raised for them, summed over attributes.
    """

    def __init__(self, base: FrequencySet, lowest: Node = ()) -> None:
        self.base = base
        self.n_scans = self.n_rollups = self.n_steps = 0
        self._lowest = lowest
        self._recent: OrderedDict[Node, FrequencySet] = OrderedDict()
        self._n_bytes = 0

    def at(self, node: Node) -> FrequencySet:
        """Return the frequency set of a node."""
        if node in self._recent:
            self._recent.move_to_end(node)
            return self._recent[node]
        start, below = self.base, self._lowest
        for other, tuples in self._recent.items():
            is_below = all(low <= level for low, level in zip(other, node, strict=True))
            # the latest of several equally small sets, since it is probably the nearest
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
    """Return the approximate memory of a frequency set."""
    if isinstance(tuples, PopulationTuples):
        return bytes_of(tuples.records) + bytes_of(tuples.people)
    columns = len(tuples.columns) if isinstance(tuples, WideSet) else 2  # keys and totals; counts
    return 8 * (columns + 1) * len(tuples.counts)
