"""Satisfying nodes for every value of one threshold, and the optimum under every pair of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.limit import allowed_losses
from engine.scoring.evaluate import Evaluation, evaluate
from engine.scoring.scored import ScoredNodes
from engine.utility.objective import Objective
from engine.words import _

NOWHERE = -1  # in place of a node number if no node satisfies


@dataclass(frozen=True, eq=False)
class Sweep:
    """One row per requirement, one column per suppression limit.

    Attributes
    ----------
    limits : tuple of float
        The suppression limits, as fractions.
    numbers : ndarray of int64, shape (n_requirements, n_limits)
        The optimum by its number in the swept nodes; `NOWHERE` if none satisfies.
    values : ndarray of float64, same shape
        Its natural value of the metric; nan if there is none.
    suppressed : ndarray of int64, same shape
        The records it suppresses; 0 if there is none.
    satisfying : ndarray of int64, same shape
        Number of satisfying nodes.
    """

    limits: tuple[float, ...]
    numbers: IntArray
    values: FloatArray
    suppressed: Counts
    satisfying: Counts

    def changes(self) -> IntArray:
        """Rows whose optimum at the first limit differs from that of the row before."""
        return np.flatnonzero(np.diff(self.numbers[:, 0])) + 1


def sweep(
    profile: ScoredNodes,
    requirements: Sequence[Requirement],
    limits: Sequence[float],
    key: str,
    objective: Objective | FloatArray | None = None,
    monitor: Monitor = SILENT,
) -> Sweep:
    """Find the optimum of some requirements, each under several suppression limits.

    The limit changes neither what a node suppresses nor its loss, only whether it satisfies; so every
    requirement is evaluated once, under the largest limit.

    Parameters
    ----------
    profile : ScoredNodes
        Scored nodes, the only ones that are compared.
    requirements : sequence of Requirement
        Requirements, whose own suppression limits are not read.
    limits : sequence of float
        Fractions in [0, 1].
    key : str
        The metric to minimize.
    objective : Objective or ndarray of float64 of shape (n_qi,), optional
        Settings of the metric and weights, or weights alone.
    monitor : Monitor
        Called after every requirement.
    """
    shape = len(requirements), len(limits)
    numbers = np.full(shape, NOWHERE, dtype=np.int64)
    values = np.full(shape, np.nan)
    suppressed, satisfying = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    total = max(len(requirements) * len(limits), 1)
    for row, requirement in enumerate(requirements):
        monitor.step(row * len(limits), total, _("Computing the sweep"))
        largest = replace(requirement, suppression_limit=max(limits, default=0.0))
        evaluation = evaluate(profile, largest, objective).watched_by(monitor)
        allowed = _allowed(requirement, limits, profile.problem)
        numbers[row], satisfying[row] = _optima(evaluation, allowed, key, monitor, row * len(limits), total)
        found = np.flatnonzero(numbers[row] != NOWHERE)
        nodes, places = np.unique(numbers[row][found], return_inverse=True)
        values[row, found] = evaluation.metric_at(key, nodes)[places] if len(nodes) else np.nan
        suppressed[row, found] = evaluation.suppressed_at(numbers[row][found])
    monitor.step(total, total, _("Computing the sweep"))
    return Sweep(tuple(limits), numbers, values, suppressed, satisfying)


def _allowed(requirement: Requirement, limits: Sequence[float], problem: Problem) -> list[int]:
    return [allowed_losses(problem, replace(requirement, suppression_limit=limit)) for limit in limits]


def _optima(
    evaluation: Evaluation, allowed: Sequence[int], key: str, monitor: Monitor, done: int, total: int
) -> tuple[IntArray, Counts]:
    """Return the optimum and the number of satisfying nodes for every allowed number of losses."""
    nodes = np.flatnonzero(evaluation.satisfies)
    losses = evaluation.losses(nodes)
    numbers, counts = np.empty(len(allowed), dtype=np.int64), np.empty(len(allowed), dtype=np.int64)
    known: dict[int, int | None] = {}  # by the number of nodes that satisfy with at most these losses
    for place, n_allowed in enumerate(allowed):
        monitor.step(done + place, total, _("Computing the sweep"))
        within = nodes[losses <= n_allowed]
        if len(within) not in known:  # sets of nodes grow with the limit, so that their sizes identify them
            known[len(within)] = evaluation.best_among(key, within)
        best = known[len(within)]
        numbers[place], counts[place] = NOWHERE if best is None else best, len(within)
    return numbers, counts


def threshold_curve(
    profile: ScoredNodes,
    requirement: Requirement,
    index: int,
    grid: Sequence[float],
    monitor: Monitor = SILENT,
) -> Counts:
    """Count the satisfying nodes for every threshold of one model.

    Parameters
    ----------
    profile : ScoredNodes
        Scored nodes, the only ones that are counted.
    requirement : Requirement
        Its other models and its limit are unchanged.
    index : int
        The model whose threshold varies.
    grid : sequence of float
        Thresholds in increasing order.

    Returns
    -------
    ndarray of int64, shape (len(grid),)
    """
    model, counts = requirement.models[index], np.zeros(len(grid), dtype=np.int64)
    fixed = evaluate(profile, requirement).watched_by(monitor)
    for place, value in enumerate(grid):
        monitor.step(place, len(grid), _("Computing curves"))
        turned = requirement.with_limit(index, type(model.limit)(value))
        if model.is_table_wide:  # the threshold does not change which classes are kept
            counts[place] = np.count_nonzero(turned.holds(fixed.figures, fixed.is_within))
        else:
            counts[place] = evaluate(profile, turned).watched_by(monitor).n_satisfying
    return counts


def suppression_curve(profile: ScoredNodes, requirement: Requirement, grid: Sequence[float]) -> Counts:
    """Count the satisfying nodes for every suppression limit, with fixed models; shape (len(grid),)."""
    evaluation = evaluate(profile, requirement)
    problem = profile.problem
    allowed = [allowed_losses(problem, replace(requirement, suppression_limit=limit)) for limit in grid]
    scored = np.flatnonzero(evaluation.scored)
    within = np.zeros_like(evaluation.scored)
    within[scored[evaluation.losses(scored) <= max(allowed)]] = True
    satisfying = np.flatnonzero(requirement.holds(evaluation.figures, within))
    return np.searchsorted(np.sort(evaluation.losses(satisfying)), allowed, side="right")
