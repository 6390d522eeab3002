"""Exhaustive search: scores every node, so that the best one is the optimum."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from engine.errors import InputError
from engine.frequency import Problem
from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.privacy import Requirement
from engine.scoring import LatticeProfile, fetch_kernels, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.explored import ExploredProfile
from engine.scoring.limits import LARGEST_LATTICE, profile_for
from engine.search.base import SearchAlgorithm, search_algorithms
from engine.search.best_first import best_first
from engine.search.search import LimitReachedError, Search, SearchTask
from engine.search.trace import Rule
from engine.words import N_, _, lazy

COUNTED = Rule("counted", N_("its classes were counted, like those of all nodes"), is_check=True)


class _Bar:
    """One bar over compiling, scoring, and evaluating, whose total never changes and which never goes back.

    Evaluating has a share of the bar only if persons or a population are counted node by node; otherwise it
    takes no time worth showing.
    """

    def __init__(self, task: SearchTask, monitor: Monitor) -> None:
        self._task, self._monitor = task, monitor
        self._n_nodes = task.problem.lattice.n_nodes
        by_node = task.problem.repeated is not None or task.problem.people is not None
        self._total = self._n_nodes * (2 if by_node else 1)
        self._done = 0
        self._start = time.monotonic()

    def compiling(self) -> Monitor:
        """Return the monitor of compiling, which has no share of the bar since its duration is unknown."""
        return _Pass(self, 0, 0)

    def scoring(self) -> Monitor:
        """Return the monitor of scoring, which ends it at a limit of the search."""
        return _Pass(self, 0, self._n_nodes, self._check_limits)

    def evaluating(self) -> Monitor:
        """Return the monitor of evaluating."""
        return _Pass(self, self._n_nodes, self._total - self._n_nodes)

    def show(self, done: int, text: str) -> None:
        """Show how much of the bar is done."""
        self._done = max(self._done, done)
        self._monitor.step(self._done, self._total, text)

    def _check_limits(self, done: int, total: int) -> None:
        task = self._task
        out_of_steps = task.steps and done >= task.steps
        out_of_time = task.seconds and done and time.monotonic() - self._start >= task.seconds
        if (out_of_steps or out_of_time or (done and task.is_stopped)) and done < total:
            raise LimitReachedError


class _Pass:
    """A monitor of one pass, which has `width` steps of the bar from `first` on."""

    def __init__(
        self, bar: _Bar, first: int, width: int, check: Callable[[int, int], None] | None = None
    ) -> None:
        self._bar, self._first, self._width, self._check = bar, first, width, check

    def step(self, done: int, total: int, text: str = "") -> None:
        """Show progress on the bar."""
        self._bar.show(self._first + self._width * done // max(total, 1), text)
        if self._check is not None:
            self._check(done, total)


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
        profile, bar = task.profile, _Bar(task, search.monitor)
        if profile is None or not profile.is_complete:
            profile = _fitting(task)
            if profile is None:
                search.notes.append(
                    _("The scores of all nodes do not fit in memory, so the lattice was explored best first.")
                )
                best_first(search)
                return
            _score(profile, task, bar)
            search.rollups = profile.n_scored  # a given profile was scored before
        evaluation = evaluate(profile, task.requirement, task.objective).watched_by(bar.evaluating())
        search.adopted = evaluation
        scored = evaluation.scored
        search.trace.extend(search.lattice.levels[scored], evaluation.satisfies[scored], COUNTED)
        search.is_settled = profile.is_complete
        if profile.is_complete:
            search.satisfying = evaluation.satisfies


def _fitting(task: SearchTask) -> LatticeProfile | None:
    """Return an empty profile of all nodes; None if their scores would take too much memory."""
    if not task.memory:
        return LatticeProfile(task.problem, task.requirement)
    profile = profile_for(task.problem, task.requirement, task.memory, lenience=1)
    return None if isinstance(profile, ExploredProfile) else profile


def _score(profile: LatticeProfile, task: SearchTask, bar: _Bar) -> None:
    with contextlib.suppress(LimitReachedError):
        if not task.steps:
            fetch_kernels(profile, bar.compiling(), task.seconds or math.inf)
        score_lattice(task.problem, bar.scoring(), profile, node_by_node=task.steps > 0)


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


def complete_profile(problem: Problem, requirement: Requirement, memory: int) -> LatticeProfile:
    """Return an empty profile of all nodes of a lattice.

    Raises
    ------
    InputError
        The lattice has too many nodes, or their scores would take more than `memory` bytes.
    """
    check_size(problem.lattice.n_nodes)
    profile = profile_for(problem, requirement, memory, lenience=1)
    if isinstance(profile, ExploredProfile):
        raise InputError(
            _("The scores of all {n_nodes} nodes would take more than {n} MB of memory.").format(
                n_nodes=as_exact_count(problem.lattice.n_nodes), n=as_exact_count(memory // 1_000_000)
            ),
            hint=_(
                "Allow fewer levels per column, make fewer columns quasi-identifying, "
                "or raise memory in [data]."
            ),
        )
    return profile
