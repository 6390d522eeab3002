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
from engine.scoring.acceleration import kernels
from engine.scoring.cells.snapshot import CellSnapshot
from engine.scoring.evaluate import evaluate
from engine.scoring.lookups.compiled import MOST_RECORDS
from engine.scoring.lookups.look_up import plain_cells_of
from engine.scoring.scored import ScoredNodes
from engine.words import _

CHUNK = 500_000  # cells evaluated at a time in numpy, to bound memory
ROWS = 1024  # nodes evaluated at a time by kernels, so that a job can be cancelled


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
    cells = profile.cells()
    evaluation_kernels = kernels()
    if evaluation_kernels is None or profile.problem.n_records > MOST_RECORDS or not len(cells.nodes):
        return _counted(cells, model, others, allowed, grid, monitor)
    bins = np.where(others.fulfilled(cells.classes), _bins(model, cells.classes, grid), -1)
    plain = plain_cells_of(profile, cells)
    counts = np.zeros(len(grid), dtype=np.int64)
    by_bin = np.empty(len(grid) + 2, dtype=np.int64)
    at_least = model.relation is Relation.AT_LEAST
    arrays = (plain.kinds, plain.records, bins.astype(np.int32), at_least, allowed, by_bin, counts)
    for first in range(0, len(cells.nodes), ROWS):
        monitor.step(first, len(cells.nodes), _("Computing curves"))
        evaluation_kernels.threshold_counts(plain.bounds[first : first + ROWS + 1], *arrays)
    return counts


def _counted_one_by_one(
    profile: ScoredNodes, requirement: Requirement, index: int, grid: Sequence[float], monitor: Monitor
) -> Counts:
    """Evaluate all nodes per threshold, since no order of classes gives the values of a table-wide model."""
    model, counts = requirement.models[index], np.zeros(len(grid), dtype=np.int64)
    fixed = evaluate(profile, requirement).watched_by(monitor)
    if requirement.has_attackers:
        fixed.prepare_turns(monitor)  # or suppression would be repeated for every threshold
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
    """Count in numpy, some nodes at a time."""
    totals = np.zeros(len(grid), dtype=np.int64)
    for done, part in _chunks(cells):
        monitor.step(done, len(cells.nodes), _("Computing curves"))
        met = part.by_cell(others.fulfilled(part.classes))
        records = part.records
        rows = np.repeat(np.arange(len(part.nodes)), np.diff(np.append(part.starts, len(records))))
        bins = part.by_cell(_bins(model, part.classes, grid))
        width = len(grid) + 1
        keys = (rows * width + bins)[met]
        sums = np.bincount(keys, weights=records[met], minlength=len(part.nodes) * width)
        table = sums.reshape(-1, width).astype(np.int64)
        if model.relation is Relation.AT_LEAST:
            failing = np.cumsum(table, axis=1)[:, :-1]
        else:
            failing = np.cumsum(table[:, ::-1], axis=1)[:, ::-1][:, 1:]
        always = np.add.reduceat(np.where(met, 0, records), part.starts)
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


def _chunks(cells: CellSnapshot) -> list[tuple[int, CellSnapshot]]:
    """Cut a snapshot into runs of complete nodes, each with about `CHUNK` cells."""
    bounds = np.append(cells.starts, cells.n_cells)
    parts = []
    first = 0
    while first < len(cells.nodes):
        last = int(np.searchsorted(bounds, bounds[first] + CHUNK, side="right")) - 1
        last = min(max(last, first + 1), len(cells.nodes))
        parts.append((first, cells.part(first, last)))
        first = last
    return parts
