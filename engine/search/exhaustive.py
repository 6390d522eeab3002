"""Exhaustive search: scores every node, so that the best one is the optimum."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.errors import InputError
from engine.frequency import Problem
from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.scoring import LatticeProfile, fetch_kernels, score_lattice
from engine.scoring.evaluate import Evaluation, evaluate
from engine.scoring.in_parts import BestOfParts, parts_within
from engine.scoring.limits import LARGEST_LATTICE
from engine.search.base import SearchAlgorithm, search_algorithms
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
        by_node = task.problem.repeated is not None or task.problem.people is not None
        self._passes = 2 if by_node else 1
        self._total = task.problem.lattice.n_nodes * self._passes
        self._done = 0
        self._start = time.monotonic()

    def compiling(self) -> Monitor:
        """Return the monitor of compiling, which has no share of the bar since its duration is unknown."""
        return _Pass(self, self._done, 0)

    def scoring(self, n_before: int, n_nodes: int) -> Monitor:
        """Return the monitor of scoring nodes after others, which ends it at a limit of the search."""
        return _Pass(self, n_before * self._passes, n_nodes, self._check_limits)

    def evaluating(self, n_before: int, n_nodes: int) -> Monitor:
        """Return the monitor of evaluating nodes after others."""
        return _Pass(self, n_before * self._passes + n_nodes, n_nodes * (self._passes - 1))

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
        task, lattice = search.task, search.lattice
        check_size(lattice.n_nodes)
        profile, bar = task.profile, _Bar(task, search.monitor)
        if profile is not None and profile.is_complete:
            evaluation = evaluate(profile, task.requirement, task.objective)
            search.adopted = evaluation.watched_by(bar.evaluating(0, lattice.n_nodes))
            _note(search, evaluation)
        else:
            _explore_in_parts(search, bar)
        search.is_settled = search.trace.n_checked == lattice.n_nodes
        if not search.is_settled:
            search.satisfying = None


def _explore_in_parts(search: Search, bar: _Bar) -> None:
    """Score one part of the lattice after the other, since the scores of all may not fit into memory."""
    task = search.task
    best = BestOfParts(task.problem, task.requirement, task.metric, task.objective)
    memory = 0 if task.steps else task.memory  # few steps score few nodes
    for part in parts_within(task.problem, task.requirement, memory):
        n_before, n_nodes = search.trace.n_checked, part.lattice.n_nodes
        profile = _scored(task, part, bar, n_before)
        search.rollups += profile.n_scored  # a given profile was scored before
        evaluation = evaluate(profile, task.requirement, task.objective)
        evaluation.watched_by(bar.evaluating(n_before, n_nodes))
        _note(search, evaluation)
        best.add(evaluation)
        if not profile.is_complete:
            break
        del profile, evaluation  # their memory is for the next part
    search.adopted = best.evaluation


def _note(search: Search, evaluation: Evaluation) -> None:
    """Note what the nodes of an evaluation are found to be, after those noted before."""
    if search.satisfying is None:
        search.satisfying = np.zeros(search.lattice.n_nodes, dtype=np.bool_)
    first = search.lattice.number(evaluation.lattice.node(0))
    search.satisfying[first : first + evaluation.lattice.n_nodes] = evaluation.satisfies
    scored = evaluation.scored
    search.trace.extend(evaluation.lattice.levels[scored], evaluation.satisfies[scored], COUNTED)


def _scored(task: SearchTask, part: Problem, bar: _Bar, n_before: int) -> LatticeProfile:
    profile = LatticeProfile(part, task.requirement)
    with contextlib.suppress(LimitReachedError):
        if not task.steps:
            fetch_kernels(profile, bar.compiling(), task.seconds or math.inf)
        score_lattice(part, bar.scoring(n_before, part.lattice.n_nodes), profile, node_by_node=task.steps > 0)
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
