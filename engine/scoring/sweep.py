"""Satisfying nodes and the optimum for every value of a threshold or suppression limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.kernels.arrays import Counts, FloatArray
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.limit import allowed_losses
from engine.scoring.evaluate import evaluate
from engine.scoring.scored import ScoredNodes
from engine.utility.objective import Objective
from engine.words import _

NOWHERE = -1  # in place of a node number if no node satisfies


def sweep(
    profile: ScoredNodes,
    requirements: Sequence[Requirement],
    limits: Sequence[float],
    key: str,
    objective: Objective | FloatArray | None = None,
    monitor: Monitor = SILENT,
) -> list[tuple[int, float]]:
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
        Called for every requirement and limit.

    Returns
    -------
    list of tuple of int and float
        The optimum by its number in the swept nodes and its natural value of the metric, under each limit
        of the first requirement, then of the next; `NOWHERE` and nan if no node satisfies.
    """
    found: list[tuple[int, float]] = []
    total = max(len(requirements) * len(limits), 1)
    for requirement in requirements:
        monitor.step(len(found), total, _("Computing the sweep"))
        largest = replace(requirement, suppression_limit=max(limits, default=0.0))
        evaluation = evaluate(profile, largest, objective).watched_by(monitor)
        nodes = np.flatnonzero(evaluation.satisfies)
        losses = evaluation.losses(nodes)
        known: dict[
            int, tuple[int, float]
        ] = {}  # by the number of nodes that satisfy with at most these losses
        for n_allowed in _allowed(profile, requirement, limits):
            monitor.step(len(found), total, _("Computing the sweep"))
            within = nodes[losses <= n_allowed]
            if (
                len(within) not in known
            ):  # sets of nodes grow with the limit, so that their sizes identify them
                best = evaluation.best_among(key, within)
                value = np.nan if best is None else evaluation.metric_at(key, np.array([best]))[0]
                known[len(within)] = NOWHERE if best is None else best, float(value)
            found.append(known[len(within)])
    monitor.step(total, total, _("Computing the sweep"))
    return found


def _allowed(profile: ScoredNodes, requirement: Requirement, limits: Sequence[float]) -> list[int]:
    return [
        allowed_losses(profile.problem, replace(requirement, suppression_limit=limit)) for limit in limits
    ]


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
    evaluation = evaluate(profile, replace(requirement, suppression_limit=max(grid)))
    losses = evaluation.losses(np.flatnonzero(evaluation.satisfies))
    return np.searchsorted(np.sort(losses), _allowed(profile, requirement, grid), side="right")
