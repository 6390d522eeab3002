"""Exhaustive search: scores every node, so that the best one is the optimum."""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.errors import InputError
from engine.monitor import Monitor, StretchMonitor
from engine.numbers import as_exact_count
from engine.scoring import LatticeProfile, fetching_kernels, score_lattice
from engine.scoring.evaluate import Evaluation, evaluate
from engine.scoring.in_parts import BestOfParts
from engine.scoring.limits import LARGEST_LATTICE, parts_within
from engine.search.base import SearchAlgorithm, search_algorithms
from engine.search.search import LimitReachedError, Search, SearchTask
from engine.search.trace import Rule
from engine.words import N_, _, lazy

COUNTED = Rule("counted", N_("its classes were counted, like those of all nodes"), is_check=True)


class _Limited:
    """Passes the progress of scoring on, and ends it at a limit of the search."""

    def __init__(self, task: SearchTask, started: float, monitor: Monitor) -> None:
        self._task, self._started, self._monitor = task, started, monitor

    def step(self, done: int, total: int, text: str = "") -> None:
        """Pass progress on."""
        self._monitor.step(done, total, text)
        task = self._task
        out_of_steps = task.steps and done >= task.steps
        out_of_time = task.seconds and done and time.monotonic() - self._started >= task.seconds
        if (out_of_steps or out_of_time or (done and task.is_stopped)) and done < total:
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
        task, lattice = search.task, search.lattice
        check_size(lattice.n_nodes)
        profile = task.profile
        if profile is not None and profile.is_complete:
            evaluation = evaluate(profile, task.requirement, task.objective)
            search.adopted = evaluation.watched_by(StretchMonitor(search.monitor, _scoring(task), 1.0))
            _note(search, evaluation)
        else:
            _explore_in_parts(search)
        search.is_settled = search.trace.n_checked == lattice.n_nodes
        if not search.is_settled:
            search.satisfying = None


def _scoring(task: SearchTask) -> float:
    """Return the share that scoring has of the progress; the rest is that of evaluating.

    That takes no time worth showing unless persons or a population are counted node by node.
    """
    return 1.0 if task.problem.repeated is None and task.problem.people is None else 0.5


def _explore_in_parts(search: Search) -> None:
    """Score one part of the lattice after the other, since the scores of all may not fit into memory."""
    task, started = search.task, time.monotonic()
    best = BestOfParts(task.problem, task.requirement, task.metric, task.objective)
    memory = 0 if task.steps else task.memory  # few steps score few nodes
    for part in parts_within(task.problem, task.requirement, memory):
        begin = search.trace.n_checked / search.lattice.n_nodes
        end = begin + part.lattice.n_nodes / search.lattice.n_nodes
        middle = begin + (end - begin) * _scoring(task)
        profile = LatticeProfile(part, task.requirement)
        with contextlib.suppress(LimitReachedError):
            limited = _Limited(task, started, StretchMonitor(search.monitor, begin, middle))
            with fetching_kernels(profile, 0.0 if task.steps else task.seconds or math.inf):
                score_lattice(part, limited, profile, node_by_node=task.steps > 0)
        search.rollups += profile.n_scored  # a given profile was scored before
        evaluation = evaluate(profile, task.requirement, task.objective)
        evaluation.watched_by(StretchMonitor(search.monitor, middle, end))
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
