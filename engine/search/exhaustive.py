"""Exhaustive search: every node is scored, so the optimum is the optimum."""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.errors import InputError
from engine.monitor import Monitor
from engine.scoring import Evaluation, LatticeProfile, fetch_kernels, score_lattice
from engine.scoring.limits import LARGEST_LATTICE
from engine.search.base import SearchAlgorithm, SearchResult, SearchTask, search_algorithms


class _LimitReachedError(Exception):
    """The limit of steps or seconds is reached."""


class _Limits:
    """A monitor that passes progress on until the search's own limits are reached."""

    def __init__(self, task: SearchTask, monitor: Monitor) -> None:
        self._task = task
        self._monitor = monitor
        self._start = time.monotonic()

    def step(self, done: int, total: int, text: str = "") -> None:
        """Pass progress on."""
        self._monitor.step(done, total, text)
        out_of_steps = self._task.steps and done >= self._task.steps
        out_of_time = self._task.seconds and done and time.monotonic() - self._start >= self._task.seconds
        if (out_of_steps or out_of_time) and done < total:
            raise _LimitReachedError


@search_algorithms.register("exhaustive")
@dataclass(frozen=True, slots=True)
class Exhaustive(SearchAlgorithm):
    """Score the whole lattice and take the best satisfying node."""

    title: ClassVar[str] = "Exhaustive"
    summary: ClassVar[str] = "Scores every node; finds the optimum by any metric."

    def run(self, task: SearchTask, monitor: Monitor) -> SearchResult:
        """See `SearchAlgorithm.run`; with a limit reached the best node so far is returned."""
        lattice = task.problem.lattice
        check_size(lattice.n_nodes)
        profile = LatticeProfile(task.problem, task.requirement)
        with contextlib.suppress(_LimitReachedError):
            if not task.steps:
                fetch_kernels(profile, monitor, task.seconds or math.inf)
            limits = _Limits(task, monitor)
            score_lattice(task.problem, limits, profile, node_by_node=task.steps > 0)
        evaluation = profile.evaluate(task.requirement, task.weights).watched_by(monitor)
        best = evaluation.optimum(task.metric)
        guarantee = "optimal" if profile.is_complete else "best_known"
        return SearchResult(
            node=None if best is None else lattice.node(best),
            guarantee="none" if best is None else guarantee,
            nodes_checked=profile.n_scored,
            nodes_total=lattice.n_nodes,
            evaluation=evaluation,
            bound=_proved_bound(evaluation, task.metric, best) if profile.is_complete else -np.inf,
            is_proved=profile.is_complete,
        )


def _proved_bound(evaluation: Evaluation, metric: str, best: int | None) -> float:
    value = np.inf if best is None else float(evaluation.metric(metric)[best])
    return np.inf if np.isnan(value) else value


def check_size(n_nodes: int) -> None:
    """Refuse a lattice that cannot be scored whole."""
    if n_nodes > LARGEST_LATTICE:
        raise InputError(
            f"The lattice has {n_nodes:,} nodes; up to {LARGEST_LATTICE:,} can be scored whole.",
            hint="Allow fewer levels per column, or make fewer columns quasi-identifying; or let `anonymizer "
            'anonymize` search it, with algorithm = "best_first" and steps or seconds in [search].',
            n_nodes=n_nodes,
        )
