"""Groups by the columns that attackers know, at all nodes, by compiled walks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.frequency import Problem
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray
from engine.kernels.compiled.known_suppression import KnownSets, Repeated, make_space, walk_repeated
from engine.monitor import SILENT, Monitor
from engine.scoring.cells.weights import DENSE_BITS
from engine.scoring.walk.attackers import (
    Remaining,
    SetsOfModel,
    columns_of,
    demands_of,
    fit,
    with_values,
)
from engine.scoring.walk.class_walk import ClassWalk, KeptClasses, WalkedNodes, WalkState
from engine.scoring.walk.packing import FrequencySet, Layout
from engine.scoring.walk.subtrees import Subtrees, per_level
from engine.scoring.walk.tuples import base_tuples

MOST_SIZES = 1 << 24  # of groups tabulated for all levels of their columns
MOST_CELLS = 1 << 22  # combinations of labels of a set whose sizes are tabulated
MOST_PAIRS = 1 << 25  # of sets, compared for all patterns of columns with one label


def suits(problem: Problem, layout: Layout, n_base: int, models: Sequence[SetsOfModel]) -> bool:
    """Return whether the walks can hold labels, keys and groups."""
    if max(layout.widths) > DENSE_BITS:
        return False
    labels = [len(a.hierarchy.levels[a.minimum].labels) for a in problem.attributes]
    return fit(problem, models, labels, n_base)


class GroupSizes(NamedTuple):
    """Sizes of the groups of sets at all levels of their columns.

    Attributes
    ----------
    sizes : ndarray of int32
        Records of every combination of labels, one combination of levels after the other.
    starts : ndarray of int64
        Per combination of levels the first of its sizes.
    firsts : ndarray of int64, shape (n_sets,)
        The first combination of levels of each set; -1 if its sizes are not tabulated.
    strides : ndarray of int64, shape (n_sets, n_slots)
        Distance between combinations of levels if one of the set's slots is raised.
    """

    sizes: NDArray[np.int32]
    starts: IntArray
    firsts: IntArray
    strides: IntArray


class WalkedSets:
    """The sets of some models at all nodes; class sizes of the models are not used until requested.

    If a model looks at sensitive values, these are a last attribute that is never raised.

    Parameters
    ----------
    base : FrequencySet
        Its base tuples.
    """

    def __init__(self, problem: Problem, base: FrequencySet, models: Sequence[SetsOfModel]) -> None:
        self._models, self._n_qi = models, len(problem.attributes)
        order = base.layout.order
        self.columns = columns_of(models)
        walked, combinations = problem, tuple[IntArray, ...]()
        if self.columns:
            walked, combinations = with_values(problem, self.columns)
            base, order = base_tuples(walked), (*order, len(order))
        met = np.ones(problem.n_records + 1, dtype=np.bool_)
        self.walked = WalkedNodes(walked, base, KeptClasses(met), order)
        subtrees = self.walked.subtrees
        order = (*subtrees.raised, *subtrees.fixed)
        self.slots = [order.index(q) for q in range(self._n_qi)]
        n_raised = len(subtrees.raised)
        sets = [
            (sorted(order.index(q) for q in known), number)
            for number, model in enumerate(models)
            for known in model.sets
        ]
        sets.sort(key=lambda entry: -len(entry[0]))
        self.sets = [entry[0] for entry in sets]
        self.models = np.array([entry[1] for entry in sets], dtype=np.int64)
        self.labels = _Labels.of(self.walked)
        self.values = demands_of(
            problem, models, self.columns, combinations, n_raised - 1, subtrees.widths[order[n_raised - 1]]
        )
        self.group_sizes = _group_sizes(self)
        self.relevant = self._relevant()

    def _relevant(self) -> NDArray[np.uint8]:
        """Find the sets that are looked at if only some columns have more than one label.

        Another set of the model with all these columns and more, or with the same, decides; of equal ones it
        is the last. Records that fail with a set do so with one that has more columns, except for shares of
        values. If there are many slots, the first ones only are patterns.
        """
        n_slots = len(self.slots) + self.looks_at_values
        while n_slots and (len(self.sets) ** 2) << n_slots > MOST_PAIRS:
            n_slots -= 1
        bits = np.array([sum(1 << slot for slot in own) for own in self.sets], dtype=np.int64)
        numbers = np.arange(len(bits))
        comparable = self.models[:, None] == self.models
        refines = np.array([model.share >= 1.0 for model in self._models])[self.models][:, None]
        found = np.ones((1 << n_slots, len(bits)), dtype=np.uint8)
        for pattern, relevant in enumerate(found):
            own = bits & (pattern | (-1 << n_slots))
            is_equal = own[:, None] == own
            is_part = (own[:, None] & ~own) == 0
            decides = (is_equal & (numbers[:, None] < numbers)) | (is_part & ~is_equal & refines)
            relevant[:] = ~(comparable & decides).any(axis=1)
        return found

    @property
    def looks_at_values(self) -> bool:
        """Return whether rows of the walk are values in classes."""
        return bool(self.columns)

    def failing_alone(self, ks: Sequence[int]) -> Counts:
        """Return the most records that one set of small columns has in too small groups, per node.

        At least these records are suppressed.
        """
        tabulated, lattice = self.group_sizes, self.walked.subtrees.problem.lattice
        order = (*self.walked.subtrees.raised, *self.walked.subtrees.fixed)
        levels, found = lattice.levels - np.array(lattice.minimum), np.zeros(lattice.n_nodes, dtype=np.int64)
        bounds = np.append(tabulated.starts, len(tabulated.sizes))
        for number in np.flatnonzero(tabulated.firsts >= 0).tolist():
            attributes, first = [order[slot] for slot in self.sets[number]], tabulated.firsts[number]
            own = bounds[first : first + prod(lattice.shape[q] for q in attributes) + 1]
            sizes, k = tabulated.sizes[own[0] : own[-1]], ks[self.models[number]]
            failing = np.add.reduceat(np.where(sizes < k, sizes, 0), own[:-1] - own[0], dtype=np.int64)
            places = levels[:, attributes] @ tabulated.strides[number, : len(attributes)]
            np.maximum(found, failing[places], out=found)
        return found

    def repeated(
        self, ks: Sequence[int], wanted: BoolArray, most: int, monitor: Monitor = SILENT
    ) -> tuple[Remaining, BoolArray]:
        """Repeat suppression at the wanted nodes until nothing fails, or more than `most` records do.

        Returns
        -------
        ndarray of bool, shape (n_nodes,)
            The nodes that suppress at most this number; of other wanted ones it is known how many they
            suppress at least.
        """
        problem = self.walked.subtrees.problem
        found, wanted = Remaining.empty(problem.lattice.n_nodes, len(problem.attributes)), wanted.copy()
        self.walked.visit(lambda _nodes: _RepeatedWalk(self, ks, wanted, most, found), monitor)
        return Remaining(found.counts, found.leaves[:, self.slots], found.spans[:, self.slots]), wanted


class _RepeatedWalk(ClassWalk):
    """Memory of one thread."""

    def __init__(
        self, sets: WalkedSets, ks: Sequence[int], wanted: BoolArray, most: int, remaining: Remaining
    ) -> None:
        super().__init__(sets.walked)
        subtrees, self._labels = self.subtrees, sets.labels
        problem, raised, fixed, labels = subtrees.problem, subtrees.raised, subtrees.fixed, sets.labels
        n_slots, n_fixed = len(raised) + len(fixed), len(fixed)
        attributes = [problem.attributes[q] for q in (*raised, *fixed)]
        self.known = KnownSets(
            self.plan.drops,
            self.plan.masks,
            labels.table(labels.firsts, raised),
            labels.table(labels.radices, raised),
            labels.table(labels.offsets, raised),
            labels.table(labels.totals, raised).astype(np.float64),
            labels.numbers,
            self.number_bits,
            np.zeros((n_fixed, self.n_base), dtype=np.int32),
            np.ones(n_fixed, dtype=np.int64),
            np.zeros(n_fixed, dtype=np.int64),
            np.zeros(n_fixed),
            per_level([[*own, *[0] * (n_slots - len(own))] for own in sets.sets]),
            np.array([len(own) for own in sets.sets], dtype=np.int64),
            sets.models,
            np.array(ks, dtype=np.int64)[sets.models],
            labels.leaves,
            labels.spans,
            np.array([a.numeric_width is not None for a in attributes], dtype=np.bool_),
            sets.values,
            sets.relevant,
        )
        self.space = make_space(
            self.n_base,
            len(raised),
            n_slots,
            len(sets.sets),
            of_values=sets.looks_at_values,
        )
        self._repeated = Repeated(wanted, most, *remaining, problem.n_records)

    def nodes_of(self, levels: tuple[int, ...]) -> IntArray:
        """Return the nodes of a subtree by number."""
        lattice = self.subtrees.problem.lattice
        numbers: IntArray = np.array([self.subtrees.number(levels)])
        for q in self.subtrees.raised:
            steps = np.arange(lattice.shape[q]) * lattice.strides[q]
            numbers = (numbers[:, None] + steps).ravel()
        return numbers

    def begin(self, levels: tuple[int, ...], first: IntArray) -> None:
        """Fill the labels of the fixed attributes."""
        subtrees, labels, known = self.subtrees, self._labels, self.known
        for f, (q, level) in enumerate(zip(subtrees.fixed, levels, strict=True)):
            paths = subtrees.base.fields[q][first] >> subtrees.dropped[q][level]
            known.fixed[f, : len(first)] = labels.numbers[labels.firsts[q][level] + paths]
            known.fixed_radices[f] = labels.radices[q][level]
            known.fixed_offsets[f] = labels.offsets[q][level]
            known.fixed_totals[f] = labels.totals[q][level]

    def visit(self, levels: tuple[int, ...]) -> None:
        """Walk over the subtree if any of its nodes is wanted."""
        if self._repeated.wanted[self.nodes_of(levels)].any():
            super().visit(levels)

    def go_on(self, state: WalkState) -> int:
        return int(walk_repeated(*state[:5], self.known, self.space, self._repeated))


class _Labels(NamedTuple):
    """Labels of every attribute and level, one level after the other.

    Attributes
    ----------
    numbers : ndarray of int32
        Number of the label by path code.
    firsts, offsets, radices, totals : tuple of dict of int to int
        Per attribute and level the first path code in `numbers`, the first label in `leaves` and `spans`, the
        number of labels, and the sum over all records of the leaves that their label covers.
    """

    numbers: Any
    firsts: tuple[dict[int, int], ...]
    offsets: tuple[dict[int, int], ...]
    radices: tuple[dict[int, int], ...]
    totals: tuple[dict[int, int], ...]
    leaves: FloatArray
    spans: FloatArray

    @classmethod
    def of(cls, walked: WalkedNodes) -> _Labels:
        subtrees, all_paths, sizes = walked.subtrees, walked.paths, walked.subtrees.base.sizes
        problem, numbers, leaves, spans = subtrees.problem, [], [], []
        firsts, offsets, radices, totals = (_by_level(problem) for _unused in range(4))
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
                labels = own[subtrees.base.fields[q] >> subtrees.dropped[q][level]]
                totals[q][level] = int(entry.n_leaves[labels] @ sizes)
                leaves.append(entry.n_leaves.astype(np.float64))
                known = attribute.numeric_width is not None
                spans.append(attribute.label_spans(level) if known else np.zeros(len(entry.labels)))
        return cls(
            np.concatenate(numbers),
            tuple(firsts),
            tuple(offsets),
            tuple(radices),
            tuple(totals),
            np.concatenate(leaves),
            np.concatenate(spans),
        )

    def table(self, values: tuple[dict[int, int], ...], attributes: Sequence[int]) -> Any:
        """Return values of some attributes as rows of levels."""
        return per_level([list(values[q].values()) for q in attributes])


def _by_level(problem: Problem) -> list[dict[int, int]]:
    return [{} for _unused in problem.attributes]


def _levels(problem: Problem, attribute: int) -> range:
    lattice = problem.lattice
    return range(lattice.minimum[attribute], lattice.maximum[attribute] + 1)


def _group_sizes(sets: WalkedSets) -> GroupSizes:
    """Tabulate the sizes of small sets for all levels of their columns, until there is no more room."""
    subtrees, labels, n_slots = sets.walked.subtrees, sets.labels, len(sets.slots)
    order, problem = (*subtrees.raised, *subtrees.fixed), subtrees.problem
    firsts = np.full(len(sets.sets), -1, dtype=np.int64)
    strides = np.zeros((len(firsts), len(order)), dtype=np.int64)
    starts: list[int] = [0]
    sizes: list[NDArray[np.int32]] = []
    for number, slots in enumerate(sets.sets):
        attributes = [order[slot] for slot in slots]
        radices = [list(labels.radices[q].values()) for q in attributes]
        n_cells = prod(own[0] for own in radices)
        if len(slots) == n_slots or n_cells > MOST_CELLS:
            continue
        if starts[-1] + prod(sum(own) for own in radices) > MOST_SIZES:
            continue
        cells, counts = _cells(subtrees, labels, attributes)
        firsts[number] = len(sizes)
        shape = [len(own) for own in radices]
        strides[number, : len(shape)] = [prod(shape[place + 1 :]) for place in range(len(shape))]
        raised = [[_raised(problem, q, level)[own] for level in _levels(problem, q)] for q, own in cells]
        for places in product(*(range(n) for n in shape)):
            code, span = np.zeros(len(counts), dtype=np.int64), 1
            for own, radix, place in zip(raised, radices, places, strict=True):
                code, span = code * radix[place] + own[place], span * radix[place]
            found = np.bincount(code, weights=counts, minlength=span).astype(np.int32)
            sizes.append(found)
            starts.append(starts[-1] + span)
    return GroupSizes(
        np.concatenate([np.zeros(0, dtype=np.int32), *sizes]),
        np.array(starts[:-1] or [0], dtype=np.int64),
        firsts,
        strides,
    )


def _cells(
    subtrees: Subtrees, labels: _Labels, attributes: Sequence[int]
) -> tuple[list[tuple[int, IntArray]], Counts]:
    """Return the combinations of lowest labels that occur, by attribute, and their records."""
    lattice = subtrees.problem.lattice
    code, radices = np.zeros(len(subtrees.base.sizes), dtype=np.int64), []
    for q in attributes:
        level = lattice.minimum[q]
        paths = subtrees.base.fields[q] >> subtrees.dropped[q][level]
        radices.append(labels.radices[q][level])
        code = code * radices[-1] + labels.numbers[labels.firsts[q][level] + paths]
    counts = np.bincount(code, weights=subtrees.base.sizes)
    occur = np.flatnonzero(counts)
    own = np.unravel_index(occur, radices)
    return list(zip(attributes, own, strict=True)), counts[occur]


def _raised(problem: Problem, attribute: int, level: int) -> IntArray:
    """Return the label of a level above every lowest label."""
    levels = problem.attributes[attribute].hierarchy.levels
    lowest, own = levels[problem.attributes[attribute].minimum], levels[level]
    found = np.zeros(len(lowest.labels), dtype=np.int64)
    found[lowest.codes] = own.codes
    return found
