"""Exhaustive search: scores every node, so that the best one is the optimum."""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import dataclass
from typing import ClassVar

from engine.errors import InputError
from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.scoring import LatticeProfile, fetch_kernels, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.limits import LARGEST_LATTICE
from engine.scoring.scored import Profile
from engine.search.base import SearchAlgorithm, search_algorithms
from engine.search.search import LimitReachedError, Search, SearchTask
from engine.search.trace import Rule
from engine.words import N_, _, lazy

COUNTED = Rule("counted", N_("its classes were counted, like those of all nodes"), is_check=True)


class _Limits:
    """A monitor that passes progress on until a limit of the search is reached."""

    def __init__(self, task: SearchTask, monitor: Monitor) -> None:
        self._task = task
        self._monitor = monitor
        self._start = time.monotonic()

    def step(self, done: int, total: int, text: str = "") -> None:
        """Pass progress on."""
        self._monitor.step(done, total, text)
        out_of_steps = self._task.steps and done >= self._task.steps
        out_of_time = self._task.seconds and done and time.monotonic() - self._start >= self._task.seconds
        if (out_of_steps or out_of_time or (done and self._task.is_stopped)) and done < total:
            raise LimitReachedError


@search_algorithms.register("exhaustive")
@dataclass(frozen=True, slots=True)
class Exhaustive(SearchAlgorithm):
    """Score the complete lattice and return the best satisfying node."""

    title: ClassVar[str] = lazy("Exhaustive")
    summary: ClassVar[str] = lazy("Scores every node and finds the optimum of any metric.")
    promise: ClassVar[str] = "optimal"
    settles_all: ClassVar[bool] = True

    def explore(self, search: Search) -> None:
        """If a limit is reached, the best node so far is the result."""
        task = search.task
        check_size(search.lattice.n_nodes)
        profile = task.profile
        if profile is None or not profile.is_complete:
            profile = _scored(task, search.monitor)
            search.rollups = profile.n_scored  # a given profile was scored before
        evaluation = evaluate(profile, task.requirement, task.objective).watched_by(search.monitor)
        search.adopted = evaluation
        scored = evaluation.scored
        search.trace.extend(search.lattice.levels[scored], evaluation.satisfies[scored], COUNTED)
        search.is_settled = profile.is_complete
        if profile.is_complete:
            search.satisfying = evaluation.satisfies


def _scored(task: SearchTask, monitor: Monitor) -> Profile:
    profile = LatticeProfile(task.problem, task.requirement)
    with contextlib.suppress(LimitReachedError):
        if not task.steps:
            fetch_kernels(profile, monitor, task.seconds or math.inf)
        limits = _Limits(task, monitor)
        score_lattice(task.problem, limits, profile, node_by_node=task.steps > 0)
    return profile


def check_size(n_nodes: int) -> None:
    """Refuse a lattice that is too large to score completely."""
    if n_nodes > LARGEST_LATTICE:
        raise InputError(
            _("The lattice has {n_nodes} nodes; at most {LARGEST_LATTICE} can be scored completely.").format(
                n_nodes=as_exact_count(n_nodes), LARGEST_LATTICE=as_exact_count(LARGEST_LATTICE)
            ),
            hint=_(
                "Allow fewer levels per column or make fewer columns quasi-identifying. "
                "Or let `anonymizer anonymize` search the lattice with algorithm = "
                '"best_first" and steps or seconds in [search].'
            ),
            n_nodes=n_nodes,
        )
