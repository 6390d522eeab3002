"""Algorithms and recoding methods for the tests of their dialogs."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from engine.errors import InputError
from engine.monitor import Monitor
from engine.params import Integer, Integers, param
from engine.recoding import Recoding, RecodingMethod, RecodingTask, recoding_methods
from engine.recoding.base import ImprovementSteps
from engine.recoding.local import measured_texts, released_texts
from engine.search import SearchAlgorithm, search_algorithms
from engine.search.search import Search
from engine.search.trace import Rule

_PAUSE = 0.005


@dataclass(frozen=True, slots=True)
class Sparing(RecodingMethod):
    """Keeps the original values of records whose class stays safe; the others stay on the node."""

    title: ClassVar[str] = "Sparing"
    summary: ClassVar[str] = "Keeps what is safe as it is."
    needs_start: ClassVar[bool] = True
    sizes: tuple[int, ...] = param((2,), Integers(minimum=2, label="Sizes", help="Of nothing."))

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        problem = task.problem
        bottom = problem.lattice.minimum
        low = Recoding.of_node(bottom, np.zeros(problem.n_records, dtype=np.bool_))
        labels, classes = measured_texts(problem, released_texts(problem, low))
        is_safe = task.requirement.fulfilled(classes)[labels]
        levels = task.start.levels.copy()
        levels[is_safe] = bottom
        return Recoding(levels, task.start.suppressed & ~is_safe)


@dataclass(frozen=True, slots=True)
class Hiding(RecodingMethod):
    """Hides every cell of half of the records, from no node at all."""

    title: ClassVar[str] = "Hiding"
    summary: ClassVar[str] = "Hides half of the records in one class."

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        problem = task.problem
        tops = np.array([attribute.hierarchy.height for attribute in problem.attributes], dtype=np.int16)
        return Recoding(np.tile(tops, (problem.n_records, 1)), np.zeros(problem.n_records, dtype=np.bool_))


@dataclass(frozen=True, slots=True)
class Spoiling(RecodingMethod):
    """Changes nothing, so that most records are suppressed."""

    title: ClassVar[str] = "Spoiling"
    summary: ClassVar[str] = "Leaves all as it is."

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        problem = task.problem
        return Recoding.of_node(problem.lattice.minimum, np.zeros(problem.n_records, dtype=np.bool_))


@dataclass(frozen=True, slots=True)
class Refusing(RecodingMethod):
    """Refuses every table."""

    title: ClassVar[str] = "Refusing"
    summary: ClassVar[str] = "Deals with no table."

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        raise InputError("It deals with no table.", hint="Take another method.")


@dataclass(frozen=True, slots=True)
class Endless(RecodingMethod):
    """Ends only when it is cancelled."""

    title: ClassVar[str] = "Endless"
    summary: ClassVar[str] = "Goes on until it is cancelled."

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        while True:
            monitor.step(1, 3, "Waiting")
            time.sleep(_PAUSE)


@dataclass(frozen=True, slots=True)
class Patient(RecodingMethod):
    """Hides all, step after step, until it is stopped or has done its steps."""

    title: ClassVar[str] = "Patient method"
    summary: ClassVar[str] = "Goes on until it is stopped."
    can_stop: ClassVar[bool] = True
    steps: int = param(0, Integer(minimum=0, maximum=1_000_000, label="Steps", help="Of nothing."))

    def improve(self, task: RecodingTask, monitor: Monitor) -> Recoding:
        steps = ImprovementSteps(self.steps, monitor)
        while steps.may_go_on():
            monitor.step(1, 3, "Waiting")
            time.sleep(_PAUSE)
        return replace(Hiding().improve(task, monitor), stopped_after=steps.stopped_after)


@dataclass(frozen=True, slots=True)
class EndlessSearch(SearchAlgorithm):
    """Ends only when it is cancelled, and has a parameter with invalid values."""

    title: ClassVar[str] = "Endless"
    summary: ClassVar[str] = "Goes on until it is cancelled."
    promise: ClassVar[str] = "none"
    sizes: tuple[int, ...] = param((2,), Integers(minimum=2, label="Sizes", help="Of nothing."))

    def explore(self, search: Search) -> None:
        while True:
            search.monitor.step(1, 3, "Waiting")
            time.sleep(_PAUSE)


@dataclass(frozen=True, slots=True)
class PatientSearch(SearchAlgorithm):
    """Checks the most general node, then goes on until it is stopped or cancelled."""

    title: ClassVar[str] = "Patient"
    summary: ClassVar[str] = "Goes on until it is stopped."
    promise: ClassVar[str] = "optimal"

    def explore(self, search: Search) -> None:
        search.check(search.lattice.maximum, Rule("highest", "it is the highest", is_check=True))
        while True:
            search.spend()
            time.sleep(_PAUSE)


METHODS = {
    "sparing": Sparing,
    "hiding": Hiding,
    "spoiling": Spoiling,
    "refusing": Refusing,
    "endless": Endless,
}


def register_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register them with the real ones for one test."""
    assert recoding_methods
    assert search_algorithms  # both registries are filled
    for key, kind in METHODS.items():
        monkeypatch.setattr(kind, "key", key)
        monkeypatch.setitem(recoding_methods._registered, key, kind)
    register_search(monkeypatch, "endless", EndlessSearch)


def register_search(monkeypatch: pytest.MonkeyPatch, key: str, algorithm: type[SearchAlgorithm]) -> None:
    """Register a search algorithm for one test."""
    monkeypatch.setattr(algorithm, "key", key)
    monkeypatch.setitem(search_algorithms._registered, key, algorithm)
