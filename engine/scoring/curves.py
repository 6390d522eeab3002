"""The number of satisfying nodes for every value of one threshold, the others fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.kernels.arrays import Counts
from engine.monitor import SILENT, Monitor
from engine.privacy import Requirement
from engine.privacy.limit import allowed_losses
from engine.scoring.evaluate import evaluate
from engine.scoring.scored import ScoredNodes
from engine.words import _


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
