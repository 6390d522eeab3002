"""Run of an algorithm for a walk, its comparison with the scored lattice, and its playback."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from anonymizer_gui.perspectives.explore.algorithms.algorithm_runs import value_of
from engine.kernels.arrays import BoolArray
from engine.monitor import SILENT, Monitor

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node
    from engine.project import Project
    from engine.scoring.scored import Profile
    from engine.search import SearchAlgorithm, SearchTask
    from engine.search.replay import Replay
    from engine.search.trace import Efficiency


@dataclass(frozen=True)
class ScoredLattice:
    """Result of a run compared with the completely scored lattice.

    Attributes
    ----------
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
    problem : Problem
        The compiled project.
    profile : Profile, optional
        Profile of its completely scored lattice, for lookups and a comparison of the result.
    recounts : bool
        Count classes even so, which is slower and reports scans and roll-ups.

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
        value_of(result, task.metric),
        result.satisfying is not None,
        minimal,
        None if whole is None else _compared(minimal, task, whole),
        not result.efficiency.scans + result.efficiency.rollups,
        result.efficiency,
        result.notes,
    )


def _compared(minimal: BoolArray, task: SearchTask, whole: Profile) -> ScoredLattice:
    from engine.scoring.evaluate import evaluate

    evaluation = evaluate(whole, task.requirement, task.objective)
    optimum = evaluation.optimum(task.metric)
    is_same = bool(np.array_equal(minimal, evaluation.minimal))
    if optimum is None:
        return ScoredLattice(None, math.nan, is_same)
    value = float(evaluation.metric_at(task.metric, np.array([optimum]))[0])
    return ScoredLattice(evaluation.lattice.node(optimum), value, is_same)


SPEEDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
WHOLE = 0  # instead of a speed: the walk takes WHOLE_SECONDS, whatever its length
WHOLE_SECONDS = 30
_FRAME_MS = 33
_LONGEST_FRAME = 0.25  # seconds; after a delay, playback continues without a jump


class WalkPlayer(QObject):
    """Counter of ticks, independent of their meaning."""

    ticked = Signal(int)  # new position
    playing_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.speed = WHOLE
        self.tick, self.length = 0, 0  # the current and the last tick
        self._due = 0.0
        self._elapsed = QElapsedTimer()
        self._timer = QTimer(self, interval=_FRAME_MS)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def rate(self) -> float:
        """Ticks per second."""
        return self.speed or whole_rate(self.length)

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def reset(self, length: int, tick: int = 0) -> None:
        """Set another length and position, and pause."""
        self.pause()
        self.length, self.tick = length, min(tick, length)
        self.ticked.emit(self.tick)

    def toggle(self) -> None:
        """Play or pause; at the end, restart."""
        if self.is_playing:
            self.pause()
        elif self.length:
            if self.tick >= self.length:
                self.go(0)
            self._due = 0.0
            self._elapsed.start()
            self._timer.start()
            self.playing_changed.emit(True)

    def pause(self) -> None:
        if self.is_playing:
            self._timer.stop()
            self.playing_changed.emit(False)

    def go(self, tick: int) -> None:
        """Jump to a position; playback continues from there."""
        tick = min(max(tick, 0), self.length)
        if tick != self.tick:
            self.tick = tick
            self.ticked.emit(tick)

    def step(self, ticks: int) -> None:
        """Move by ticks and pause."""
        self.pause()
        self.go(self.tick + ticks)

    def _on_timeout(self) -> None:
        self._due += min(self._elapsed.restart() / 1000, _LONGEST_FRAME) * self.rate
        ticks = int(self._due)
        if ticks:
            self._due -= ticks
            self.go(self.tick + ticks)
        if self.tick >= self.length:
            self.pause()


def whole_rate(length: int) -> float:
    """Return the ticks per second of a walk that takes `WHOLE_SECONDS`; at least one."""
    return max(length / WHOLE_SECONDS, 1.0)


class Clock(StrEnum):
    """Meaning of a tick."""

    STEPS = "steps"  # a node checked or inferred
    CHECKS = "checks"  # a node checked, with all its inferences


def n_ticks(replays: Iterable[Replay], clock: Clock) -> int:
    """Return the number of ticks until the longest run has ended."""
    lengths = (replay.n_steps if clock is Clock.STEPS else replay.n_checks for replay in replays)
    return max(lengths, default=0)


def steps_at(replay: Replay, tick: int, clock: Clock) -> int:
    """Return the number of steps done at a tick, limited to the length of the run."""
    return min(tick, replay.n_steps) if clock is Clock.STEPS else replay.after_checks(tick)


def phase_ticks(replay: Replay, clock: Clock) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the ticks at which subsets of columns begin, and those at which the subsets grow by a column."""
    minor: list[int] = []
    major: list[int] = []
    for before, stage in pairwise(replay.stages):
        grows = len(stage.attributes) != len(before.attributes)
        (major if grows else minor).append(tick_of(replay, stage.first, clock))
    return tuple(minor), tuple(major)


def tick_of(replay: Replay, at: int, clock: Clock) -> int:
    """Return the tick at which a run has done that many steps."""
    return at if clock is Clock.STEPS else replay.n_checked(at)
