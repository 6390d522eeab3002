"""The number of satisfying nodes for every value of one threshold, the others fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from engine.frequency import EquivalenceClasses
from engine.kernels.arrays import Counts, IntArray
from engine.monitor import SILENT, Monitor
from engine.privacy import PrivacyModel, Relation, Requirement
from engine.privacy.limit import allowed_losses, limits_persons
from engine.privacy.repetition import repeats
from engine.scoring.cells.snapshot import CellSnapshot
from engine.scoring.evaluate import evaluate
from engine.scoring.scored import ScoredNodes
from engine.words import _

CHUNK = 500_000  # cells evaluated at a time, to bound memory


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
    model = requirement.models[index]
    others = replace(requirement, models=requirement.models[:index] + requirement.models[index + 1 :])
    problem = profile.problem
    sums_classes = not limits_persons(problem, requirement) and not repeats(problem, requirement)
    if model.checks_table_wide or others.table_wide or not sums_classes:
        return _counted_one_by_one(profile, requirement, index, grid, monitor)
    allowed = requirement.allowed(profile.problem.n_records)
    return _counted(profile.cells(), model, others, allowed, grid, monitor)


def _counted_one_by_one(
    profile: ScoredNodes, requirement: Requirement, index: int, grid: Sequence[float], monitor: Monitor
) -> Counts:
    """Evaluate all nodes per threshold, since no order of classes gives the values of a table-wide model."""
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


def _bins(model: PrivacyModel, classes: EquivalenceClasses, grid: Sequence[float]) -> IntArray:
    """Return the bins of measured values in the grid.

    Classes in bin b fail from threshold b on (at least), or up to b - 1 (at most).
    """
    side: Literal["left", "right"] = "right" if model.relation is Relation.AT_LEAST else "left"
    return np.searchsorted(grid, model.critical(classes), side=side)


def _counted(
    cells: CellSnapshot,
    model: PrivacyModel,
    others: Requirement,
    allowed: int,
    grid: Sequence[float],
    monitor: Monitor,
) -> Counts:
    """Count some nodes at a time."""
    totals = np.zeros(len(grid), dtype=np.int64)
    met_kinds, bins_of_kinds = others.fulfilled(cells.classes), _bins(model, cells.classes, grid)
    for nodes, of_nodes, starts in cells.blocks(CHUNK):
        monitor.step(nodes.start, len(cells.nodes), _("Computing curves"))
        met, bins = cells.by_cell(met_kinds, of_nodes), cells.by_cell(bins_of_kinds, of_nodes)
        records = cells.records[of_nodes]
        rows = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(records)))
        width = len(grid) + 1
        keys = (rows * width + bins)[met]
        sums = np.bincount(keys, weights=records[met], minlength=len(starts) * width)
        table = sums.reshape(-1, width).astype(np.int64)
        if model.relation is Relation.AT_LEAST:
            failing = np.cumsum(table, axis=1)[:, :-1]
        else:
            failing = np.cumsum(table[:, ::-1], axis=1)[:, ::-1][:, 1:]
        always = np.add.reduceat(np.where(met, 0, records), starts)
        totals += (failing + always[:, None] <= allowed).sum(axis=0)
    return totals


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
