"""What remains of every node for all class sizes of one model, by compiled walks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.kernels.compiled.known_cores import N_SUMS, Cores, walk_cores
from engine.kernels.compiled.traversal import NEEDS_CELLS
from engine.monitor import SILENT, Monitor
from engine.scoring.walk.attackers import MOST_BYTES
from engine.scoring.walk.class_walk import WalkedNodes, WalkState
from engine.scoring.walk.known_sets import Remaining, SetWalk, WalkedSets

CELL_ROOM = 1 << 14
TOP = (1 << 10) - 1  # largest class size that is distinguished
MOST_RECORDS = 1 << 28  # so that groups with a fixed class size are apart
GROUP_BYTES = 24  # per set and row
MOST_CELL_BYTES = 96 << 20  # per thread; nodes beyond have no cells


class CoreCells(NamedTuple):
    """What remains of nodes, in the order of nodes and class sizes.

    Attributes
    ----------
    most : int
        Suppressed records up to which nodes are known.
    keys : ndarray of int64, shape (n_cells,)
        The node by number, and the class size from which a cell holds.
    ends : ndarray of int64, shape (n_nodes,)
        The class size from which more records are suppressed; -1 if there was no room for the node.
    remaining : Remaining
        One row per cell.
    """

    most: int
    keys: IntArray
    ends: IntArray
    remaining: Remaining

    def places(self, k: int) -> IntArray:
        """Return the cell of every node for a class size; of no meaning where it is not known."""
        wanted = np.arange(len(self.ends)) * (TOP + 2) + k
        return np.maximum(np.searchsorted(self.keys, wanted, side="right") - 1, 0)

    def is_known(self, k: int) -> BoolArray:
        """Return per node whether at most `most` records are suppressed, so that there is a cell."""
        return k < self.ends

    def suppresses_more(self, k: int) -> BoolArray:
        """Return per node whether more than `most` records are suppressed."""
        return (self.ends >= 0) & (k >= self.ends)


def suits(sets: WalkedSets) -> bool:
    """Return whether the walk can hold groups."""
    problem, n_base = sets.walked.subtrees.problem, len(sets.walked.subtrees.base.sizes)
    return (
        sets.are_tabulated
        and problem.n_records < MOST_RECORDS
        and GROUP_BYTES * len(sets.sets) * n_base < MOST_BYTES
    )


def core_cells(
    sets: WalkedSets,
    ks: Sequence[int],
    free: int,
    most: int,
    failing: Callable[[Sequence[int]], Counts],
    monitor: Monitor = SILENT,
) -> CoreCells:
    """Repeat suppression for all class sizes of one model, up to a number of suppressed records.

    Parameters
    ----------
    sets : WalkedSets
    ks : sequence of int
        Class size of each model; that of the free one plays no part.
    free : int
    most : int
    failing : callable
        Records that fail at first per node, given class sizes.
    monitor : Monitor, optional

    Raises
    ------
    CancelledError
        If the monitor cancels.
    """
    ks = [min(k, sets.walked.subtrees.problem.n_records + 1) for k in ks]
    at_least = failing([1 if number == free else k for number, k in enumerate(ks)])
    soon = failing([2 if number == free else k for number, k in enumerate(ks)])
    ends = np.where(at_least > most, 0, -1)
    walks: list[_CoreWalk] = []

    def walk(_nodes: WalkedNodes) -> _CoreWalk:
        walks.append(_CoreWalk(sets, ks, free, most, at_least <= most, soon > most, ends))
        return walks[-1]

    sets.walked.visit(walk, monitor=monitor)
    parts = [own.found() for own in walks]
    keys = np.concatenate([part[0] for part in parts])
    order = np.argsort(keys, kind="stable")
    sums, leaves, spans = (np.concatenate([part[i] for part in parts])[order] for i in range(1, 4))
    spans = spans[:, sets.slots] if spans.shape[1] else np.broadcast_to(0.0, (len(keys), len(sets.slots)))
    return CoreCells(most, keys[order], ends, Remaining(sums, leaves[:, sets.slots], spans))


class _CoreWalk(SetWalk):
    def __init__(
        self,
        sets: WalkedSets,
        ks: Sequence[int],
        free: int,
        most: int,
        wanted: BoolArray,
        is_hopeless: BoolArray,
        ends: IntArray,
    ) -> None:
        super().__init__(sets, ks, len(sets.sets), len(sets.group_sizes.sizes))
        problem, n_sets, n_slots = self.subtrees.problem, len(sets.sets), len(self.space.radices)
        n_spans = n_slots if self.known.has_spans.any() else 0
        sizes, heads, places, failing = np.zeros((4, n_sets * self.n_base), dtype=np.int32)
        self._wanted = wanted
        self.cells = Cores(
            (sets.models == free).astype(np.uint8),
            most,
            TOP,
            problem.n_records,
            is_hopeless,
            ends,
            np.zeros(CELL_ROOM, dtype=np.int64),
            np.zeros((CELL_ROOM, N_SUMS), dtype=np.int64),
            np.zeros((CELL_ROOM, n_slots)),
            np.zeros((CELL_ROOM, n_spans)),
            np.zeros(7, dtype=np.int64),
            np.zeros(n_slots),
            np.zeros(self.n_base, dtype=np.int32),
            self.space.labels.reshape(-1),
            self.space.sizes.reshape(-1),
            sizes,
            heads,
            places,
            failing,
            np.zeros(n_sets, dtype=np.int64),
            np.zeros(n_sets, dtype=np.int64),
        )

    def found(self) -> tuple[NDArray[Any], ...]:
        """Return keys, sums, leaves and spans of the cells."""
        cells = self.cells
        return tuple(own[: cells.state[0]] for own in (cells.keys, cells.sums, cells.leaves, cells.spans))

    def go_on(self, state: WalkState) -> int:
        while True:
            found = int(walk_cores(*state[:5], self.known, self.space, self.cells, self._wanted))
            if found != NEEDS_CELLS:
                return found
            cells = self.cells
            if sum(own.nbytes for own in (cells.sums, cells.leaves, cells.spans)) > MOST_CELL_BYTES:
                self._wanted = np.zeros_like(self._wanted)
                continue
            room = 2 * len(cells.keys) + int(state.stack.lengths[state.stack.state[0]])
            self.cells = cells._replace(
                keys=_enlarged(cells.keys, room),
                sums=_enlarged(cells.sums, room),
                leaves=_enlarged(cells.leaves, room),
                spans=_enlarged(cells.spans, room),
            )


def _enlarged(values: NDArray[Any], room: int) -> NDArray[Any]:
    found = np.zeros((room, *values.shape[1:]), dtype=values.dtype)
    found[: len(values)] = values
    return found
