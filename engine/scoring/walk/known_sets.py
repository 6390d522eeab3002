"""Groups by the columns that attackers know, at all nodes, by compiled walks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray, Keys
from engine.kernels.compiled.known_sets import (
    N_COUNTS,
    FirstCells,
    KnownSets,
    Repeated,
    fails_at_first,
    make_space,
    walk_first,
    walk_repeated,
)
from engine.kernels.compiled.traversal import NEEDS_CELLS
from engine.scoring.cells.weights import DENSE_BITS
from engine.scoring.walk.attackers import SetsOfModel, fit
from engine.scoring.walk.class_walk import ClassWalk, KeptClasses, WalkedNodes, WalkState
from engine.scoring.walk.packing import FrequencySet, Layout
from engine.scoring.walk.subtrees import Subtrees, per_level

SIZE_BITS, KEY_BITS = 10, 60  # of sizes distinguished before repetition, and of those of all models
CELL_ROOM = 1 << 18


def suits(problem: Problem, layout: Layout, n_base: int, models: Sequence[SetsOfModel]) -> bool:
    """Return whether the walks can hold labels, keys and groups."""
    if max(layout.widths) > DENSE_BITS or not 0 < len(models) <= KEY_BITS // 2:
        return False
    labels = [len(a.hierarchy.levels[a.minimum].labels) for a in problem.attributes]
    return fit(models, labels, n_base)


class FirstPass(NamedTuple):
    """Smallest groups of the classes of every node; see `FirstCells`."""

    keys: IntArray
    records: Any
    starts: IntArray
    lengths: IntArray
    bits: int

    def failing(self, ks: Sequence[int]) -> Counts:
        """Return the records that fail at first, per node; fewer if a size is no longer distinguished."""
        cap = (1 << self.bits) - 1
        found: Counts = np.zeros(len(self.starts), dtype=np.int64)
        least = np.minimum(np.array(ks, dtype=np.int64), cap)
        fails_at_first(self.keys, self.records, self.starts, self.lengths, least, self.bits, found)
        return found


def first_pass(problem: Problem, base: FrequencySet, models: Sequence[SetsOfModel]) -> FirstPass:
    """Find the smallest groups of the classes of every node; class sizes of the models play no part."""
    n_nodes, walks = problem.lattice.n_nodes, []
    starts, lengths = (np.zeros(n_nodes, dtype=np.int64) for _unused in range(2))
    owner = np.zeros(n_nodes, dtype=np.int64)
    bits = min(SIZE_BITS, KEY_BITS // len(models))

    def walk(nodes: WalkedNodes) -> ClassWalk:
        walks.append(_FirstWalk(nodes, models, bits, starts, lengths))
        return walks[-1]

    WalkedNodes(problem, base, _everything(problem)).visit(walk)
    firsts = np.cumsum([0, *(own.n_cells for own in walks)])
    for number, own in enumerate(walks):
        owner[own.visited()] = number
    keys = np.concatenate([own.cells.keys[: own.n_cells] for own in walks])
    records = np.concatenate([own.cells.records[: own.n_cells] for own in walks])
    return FirstPass(keys, records, starts + firsts[owner], lengths, bits)


class Remaining(NamedTuple):
    """What remains at nodes after repeated suppression.

    Attributes
    ----------
    counts : ndarray of int64, shape (n_nodes, N_COUNTS)
        Suppressed records, kept classes, squares, sizes, k, and rounds.
    leaves, spans : ndarray of float64, shape (n_nodes, n_qi)
    """

    counts: Counts
    leaves: FloatArray
    spans: FloatArray


def repeated(
    problem: Problem, base: FrequencySet, models: Sequence[SetsOfModel], wanted: BoolArray
) -> Remaining:
    """Repeat suppression at the wanted nodes until nothing fails."""
    n_nodes, n_qi = problem.lattice.n_nodes, len(problem.attributes)
    found = Remaining(
        np.zeros((n_nodes, N_COUNTS), dtype=np.int64), np.zeros((n_nodes, n_qi)), np.zeros((n_nodes, n_qi))
    )
    walks: list[_SetWalk] = []

    def walk(nodes: WalkedNodes) -> ClassWalk:
        walks.append(_RepeatedWalk(nodes, models, Repeated(wanted, *found)))
        return walks[-1]

    WalkedNodes(problem, base, _everything(problem)).visit(walk)
    slots = walks[0].slots
    return Remaining(found.counts, found.leaves[:, slots], found.spans[:, slots])


def _everything(problem: Problem) -> KeptClasses:
    return KeptClasses(np.ones(problem.n_records + 1, dtype=np.bool_))


class _SetWalk(ClassWalk):
    """Memory of one thread, for `n_held` sets at a time."""

    def __init__(self, walked: WalkedNodes, models: Sequence[SetsOfModel], n_held: int) -> None:
        super().__init__(walked)
        subtrees = self.subtrees
        problem, raised, fixed = subtrees.problem, subtrees.raised, subtrees.fixed
        order = (*raised, *fixed)
        self.slots = [order.index(q) for q in range(len(order))]
        n_raised = len(raised)
        sets = [
            (max((slot for slot in slots if slot < n_raised), default=-1), slots, number, model.k)
            for number, model in enumerate(models)
            for slots in (sorted(order.index(q) for q in known) for known in model.sets)
        ]
        sets.sort(key=lambda entry: entry[0])
        tops = [entry[0] for entry in sets]
        self._labels = _Labels.of(subtrees, walked.paths)
        labels = self._labels
        self.known = KnownSets(
            self.plan.drops,
            per_level([[subtrees.n_labels(q, level) - 1 for level in _levels(problem, q)] for q in raised]),
            per_level([[labels.firsts[q][level] for level in _levels(problem, q)] for q in raised]),
            per_level([[labels.radices[q][level] for level in _levels(problem, q)] for q in raised]),
            per_level([[labels.offsets[q][level] for level in _levels(problem, q)] for q in raised]),
            labels.numbers,
            self.number_bits,
            np.zeros((len(fixed), self.n_base), dtype=np.int32),
            np.ones(len(fixed), dtype=np.int64),
            np.zeros(len(fixed), dtype=np.int64),
            per_level([[*slots, *[0] * (len(order) - len(slots))] for _top, slots, _model, _k in sets]),
            np.array([len(slots) for _top, slots, _model, _k in sets], dtype=np.int64),
            np.array([model for _top, _slots, model, _k in sets], dtype=np.int64),
            np.array([k for _top, _slots, _model, k in sets], dtype=np.int64),
            np.searchsorted(tops, np.arange(n_raised + 1)).astype(np.int64),
            labels.leaves,
            labels.spans,
        )
        self.space = make_space(self.n_base, n_raised, len(order), n_held or len(sets))

    def begin(self, levels: tuple[int, ...], first: IntArray) -> None:
        """Fill the labels of the fixed attributes."""
        subtrees, labels = self.subtrees, self._labels
        for f, (q, level) in enumerate(zip(subtrees.fixed, levels, strict=True)):
            paths = subtrees.base.fields[q][first] >> subtrees.dropped[q][level]
            self.known.fixed[f, : len(first)] = labels.numbers[labels.firsts[q][level] + paths]
            self.known.fixed_radices[f] = labels.radices[q][level]
            self.known.fixed_offsets[f] = labels.offsets[q][level]


class _FirstWalk(_SetWalk):
    def __init__(
        self,
        walked: WalkedNodes,
        models: Sequence[SetsOfModel],
        bits: int,
        starts: IntArray,
        lengths: IntArray,
    ) -> None:
        super().__init__(walked, models, 1)
        self._numbers: list[IntArray] = []
        self._n_places = len(self.subtrees.raised) + 1
        self.cells = FirstCells(
            np.zeros((len(models), self._n_places, 0), dtype=np.int32),
            (1 << bits) - 1,
            bits,
            np.empty(CELL_ROOM, dtype=np.int64),
            np.empty(CELL_ROOM, dtype=np.int32),
            starts,
            lengths,
            np.zeros(1, dtype=np.int64),
        )

    @property
    def n_cells(self) -> int:
        """Number of cells of this thread."""
        return int(self.cells.state[0])

    def visited(self) -> IntArray:
        """Return the nodes of this thread, by number."""
        return np.concatenate([np.zeros(0, dtype=np.int64), *self._numbers])

    def begin(self, levels: tuple[int, ...], first: IntArray) -> None:
        super().begin(levels, first)
        lattice = self.subtrees.problem.lattice
        numbers = np.array([self.subtrees.number(levels)])
        for q in self.subtrees.raised:
            steps = np.arange(lattice.shape[q]) * lattice.strides[q]
            numbers = (numbers[:, None] + steps).ravel()
        self._numbers.append(numbers)

    def go_on(self, state: WalkState) -> int:
        while True:
            found = int(walk_first(*state[:5], self.known, self.space, self.cells))
            if found != NEEDS_CELLS:
                return found
            self._make_room(len(state.arena.keys), int(state.stack.lengths[state.stack.state[0]]))

    def _make_room(self, n_rows: int, n_more: int) -> None:
        cells, least = self.cells, self.cells.least
        if least.shape[2] < n_rows:
            least = np.zeros((*least.shape[:2], n_rows), dtype=np.int32)
            least[:, :, : cells.least.shape[2]] = cells.least
        keys, records = cells.keys, cells.records
        if self.n_cells + n_more > len(keys):
            room = 2 * len(keys) + n_more
            keys, records = np.resize(keys, room), np.resize(records, room)
        self.cells = cells._replace(least=least, keys=keys, records=records)


class _RepeatedWalk(_SetWalk):
    def __init__(self, walked: WalkedNodes, models: Sequence[SetsOfModel], repeated: Repeated) -> None:
        super().__init__(walked, models, 0)
        self._repeated = repeated

    def go_on(self, state: WalkState) -> int:
        return int(walk_repeated(*state[:5], self.known, self.space, self._repeated))


class _Labels(NamedTuple):
    """Labels of every attribute and level, one level after the other.

    Attributes
    ----------
    numbers : ndarray of int32
        Number of the label by path code.
    firsts, offsets, radices : tuple of dict of int to int
        Per attribute and level the first path code in `numbers`, the first label in `leaves` and `spans`, and
        the number of labels.
    leaves, spans : ndarray of float64
    """

    numbers: Any
    firsts: tuple[dict[int, int], ...]
    offsets: tuple[dict[int, int], ...]
    radices: tuple[dict[int, int], ...]
    leaves: FloatArray
    spans: FloatArray

    @classmethod
    def of(cls, subtrees: Subtrees, all_paths: Sequence[Keys]) -> _Labels:
        problem, numbers, leaves, spans = subtrees.problem, [], [], []
        firsts, offsets, radices = _by_level(problem), _by_level(problem), _by_level(problem)
        n_numbers = n_labels = 0
        for q, attribute in enumerate(problem.attributes):
            for level in _levels(problem, q):
                entry = attribute.hierarchy.levels[level]
                own = np.zeros(subtrees.n_labels(q, level), dtype=np.int32)
                paths = all_paths[q] >> subtrees.dropped[q][level]
                own[paths] = entry.codes
                firsts[q][level], offsets[q][level] = n_numbers, n_labels
                radices[q][level] = len(entry.labels)
                n_numbers, n_labels = n_numbers + len(own), n_labels + len(entry.labels)
                numbers.append(own)
                leaves.append(entry.n_leaves.astype(np.float64))
                known = attribute.numeric_width is not None
                spans.append(attribute.label_spans(level) if known else np.zeros(len(entry.labels)))
        return cls(
            np.concatenate(numbers),
            tuple(firsts),
            tuple(offsets),
            tuple(radices),
            np.concatenate(leaves),
            np.concatenate(spans),
        )


def _by_level(problem: Problem) -> list[dict[int, int]]:
    return [{} for _unused in problem.attributes]


def _levels(problem: Problem, attribute: int) -> range:
    lattice = problem.lattice
    return range(lattice.minimum[attribute], lattice.maximum[attribute] + 1)
