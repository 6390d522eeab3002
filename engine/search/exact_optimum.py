"""The optimum among nodes known to satisfy, proven by as few values as possible."""

from __future__ import annotations

import numpy as np

from engine.kernels.arrays import FloatArray, IntArray
from engine.privacy import Requirement
from engine.privacy.limit import allowed_losses
from engine.scoring.evaluate import evaluate
from engine.scoring.optimum import ABSOLUTE_ROUNDING, RELATIVE_ROUNDING, TIE
from engine.search.bounds import NOTHING_KNOWN, Bounds
from engine.search.search import Search
from engine.search.tags import Grid
from engine.search.trace import Rule
from engine.words import N_, _

MAYBE_BETTER = Rule(
    "maybe_better", N_("it satisfies and may have less loss than the best so far"), is_check=True
)

LEVELS_AT_A_TIME = 10_000
FIRST_BATCH, LARGEST_BATCH = 16, 256  # nodes whose values are computed at a time


def choose(search: Search) -> None:
    """Check every satisfying node that could be the optimum; the best checked node then is.

    If nothing may be suppressed and the metric never decreases from a node to its successor, the optimum is a
    minimal node: another one of equal value has a higher sum of levels. All minimal nodes are checked
    already, since only their own classes show that they satisfy. Otherwise a node is excluded only if a lower
    bound of its value exceeds the best value known.

    Parameters
    ----------
    search : Search
        The search, with `satisfying` known.

    Raises
    ------
    LimitReachedError, CancelledError
        As `Search.check`.
    """
    assert search.satisfying is not None, "settled before"
    task = search.task
    metric = task.objective.member(task.metric)
    if not metric.monotonic or allowed_losses(search.problem, task.requirement):
        _Candidates(search).compare()
    search.is_settled = True


class _Candidates:
    """Satisfying nodes with a lower bound of each value."""

    def __init__(self, search: Search) -> None:
        assert search.satisfying is not None, "settled before"
        task = search.task
        self._search = search
        self._numbers: IntArray = np.flatnonzero(search.satisfying)
        self._bounds = Bounds(task.problem, task.requirement, task.metric, task.objective)
        self._grid = Grid(search.lattice)
        self._floors: FloatArray = np.full(search.lattice.n_nodes, NOTHING_KNOWN)
        if not self._bounds.is_by_classes:
            self._bound_by_levels()
        self._boxed = self._floors.reshape(self._grid.shape)
        self._n_raised = 0  # checked nodes whose classes have raised the bounds of more general ones

    def compare(self) -> None:
        """Check nodes in order of their bounds until no remaining bound can be better."""
        search, size = self._search, FIRST_BATCH
        known = [node for node, found in search.checked.items() if found.satisfies]
        least = float(np.min(search.values(known), initial=np.inf))
        left = np.setdiff1d(self._numbers, [search.lattice.number(node) for node in known])
        while len(left):
            self._raise_floors()
            floors = _rounded_down(self._floors[left])
            left = left[np.argsort(floors, kind="stable")]
            n_left = int(np.count_nonzero(floors <= least + abs(least) * TIE))
            search.n_spared += len(left) - n_left
            left = left[:n_left]
            batch, left = left[:size], left[size:]
            nodes = [search.lattice.node(number) for number in batch.tolist()]
            for node in nodes:
                search.check(node, MAYBE_BETTER)
            least = min(least, float(np.min(search.values(nodes), initial=np.inf)))
            size = min(2 * size, LARGEST_BATCH)

    def _bound_by_levels(self) -> None:
        lattice = self._search.lattice
        for first in range(0, len(self._numbers), LEVELS_AT_A_TIME):
            self._search.report(_("Comparing nodes"))
            numbers = self._numbers[first : first + LEVELS_AT_A_TIME]
            nodes = [tuple(levels) for levels in lattice.levels[numbers].tolist()]
            self._floors[numbers] = self._bounds.of_levels(nodes)

    def _raise_floors(self) -> None:
        """Raise the bounds of nodes by the classes of less general ones."""
        if not self._bounds.is_by_classes:
            return
        search = self._search
        nodes = list(search.checked)[self._n_raised :]
        self._n_raised += len(nodes)
        scored = search.evaluation.profile
        numbers = np.array([scored.lattice.number(node) for node in nodes], dtype=np.int64)
        if self._bounds.is_exact:
            unsuppressed = evaluate(scored, Requirement(), search.task.objective)
            floors = unsuppressed.metric_at(search.task.metric, numbers)
        else:
            floors = self._bounds.of_scored(scored)[numbers]
        # a missing value bounds nothing
        for node, floor in zip(nodes, np.nan_to_num(floors, nan=NOTHING_KNOWN).tolist(), strict=True):
            box = self._boxed[self._grid.above(node)]
            np.maximum(box, floor, out=box)


def _rounded_down(floors: FloatArray) -> FloatArray:
    slack = np.abs(floors) * RELATIVE_ROUNDING + ABSOLUTE_ROUNDING
    return np.where(np.isfinite(floors), floors - slack, floors)
