"""Run of an algorithm for a walk: its replay, and a comparison with the scored lattice."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from engine.kernels.arrays import BoolArray
from engine.monitor import SILENT, Monitor

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.project import Project
    from engine.scoring.scored import Profile
    from engine.search import SearchAlgorithm, SearchResult, SearchTask
    from engine.search.effort import Efficiency
    from engine.search.replay import Replay


@dataclass(frozen=True)
class ScoredLattice:
    """Result of a run compared with the completely scored lattice.

    Attributes
    ----------
    optimum : tuple of int or None
    value : float
        Metric of the optimum; nan without one.
    is_same_border : bool
        Whether the run found the same minimal nodes.
    """

    optimum: Node | None
    value: float
    is_same_border: bool


@dataclass(frozen=True, eq=False)
class WalkResult:
    """Completed run.

    Attributes
    ----------
    algorithm : SearchAlgorithm
    replay : Replay
    metric : str
        Key of the minimized metric.
    node : tuple of int or None
        Result; None if no node was found that satisfies.
    value : float
        Metric of the result; nan without one.
    settles_all : bool
        Whether the status of every node is known.
    minimal : ndarray of bool, shape (n_nodes,)
        Nodes known to satisfy without a predecessor known to satisfy.
    scored : ScoredLattice or None
        None if the lattice is not completely scored.
    is_looked_up : bool
        Whether nodes were looked up in the scored lattice instead of counting classes.
    efficiency : Efficiency
    notes : tuple of str
    """

    algorithm: SearchAlgorithm
    replay: Replay
    metric: str
    node: Node | None
    value: float
    settles_all: bool
    minimal: BoolArray
    scored: ScoredLattice | None
    is_looked_up: bool
    efficiency: Efficiency
    notes: tuple[str, ...]

    @property
    def n_minimal(self) -> int:
        return int(np.count_nonzero(self.minimal))


def walk_algorithm(
    algorithm: SearchAlgorithm,
    project: Project,
    problem: Problem,
    profile: Profile | None,
    recounts: bool = False,
    monitor: Monitor = SILENT,
) -> WalkResult:
    """Run a search algorithm completely under the project's requirement, and record every step.

    Parameters
    ----------
    algorithm : SearchAlgorithm
    project : Project
    problem : Problem
        The compiled project.
    profile : Profile, optional
        Profile of its completely scored lattice, for lookups and a comparison of the result.
    recounts : bool
        Count classes even so, which is slower and reports scans and roll-ups.
    monitor : Monitor

    Raises
    ------
    CancelledError
        If the monitor is cancelled.
    InputError
        If the algorithm does not support the lattice.
    """
    from engine.pipeline import search_task
    from engine.project.compile import check_metric
    from engine.search.replay import Replay

    check_metric(problem, project.search.metric)
    whole = profile if profile is not None and profile.is_complete else None
    task = replace(search_task(project, problem), steps=0, seconds=0.0)
    result = algorithm.run(replace(task, profile=None if recounts else whole), monitor)
    replay = Replay(result.trace, problem.lattice)
    minimal = problem.lattice.minimal(replay.satisfying())
    replay.ruled_out_after  # noqa: B018  # computed in the task, since the window shows it at every step
    return WalkResult(
        algorithm,
        replay,
        task.metric,
        result.node,
        _value(result, task.metric),
        result.satisfying is not None,
        minimal,
        None if whole is None else _compared(minimal, task, whole),
        not result.efficiency.scans + result.efficiency.rollups,
        result.efficiency,
        result.notes,
    )


def _value(result: SearchResult, metric: str) -> float:
    if result.node is None:
        return math.nan
    number = result.evaluation.lattice.number(result.node)
    return float(result.evaluation.metric_at(metric, np.array([number]))[0])


def _compared(minimal: BoolArray, task: SearchTask, whole: Profile) -> ScoredLattice:
    from engine.scoring.evaluate import evaluate

    evaluation = evaluate(whole, task.requirement, task.objective)
    optimum = evaluation.optimum(task.metric)
    is_same = bool(np.array_equal(minimal, evaluation.minimal))
    if optimum is None:
        return ScoredLattice(None, math.nan, is_same)
    value = float(evaluation.metric_at(task.metric, np.array([optimum]))[0])
    return ScoredLattice(evaluation.lattice.node(optimum), value, is_same)
