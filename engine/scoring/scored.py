"""The input of an evaluation: scored nodes, of a complete lattice or of the part scored so far."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from engine.frequency import Measure, Problem
from engine.frequency.classes import (
    DISTINCT,
    INDIVIDUAL_RISK,
    INFORMATION,
    MEMBERS,
    POPULATION,
    WEIGHT,
    WEIGHTED_PEOPLE,
)
from engine.frequency.measures.base import lowest_is_worst
from engine.kernels.arrays import BoolArray, Counts
from engine.lattice import Nodes
from engine.privacy import Requirement
from engine.scoring.cells.node_cells import NodeScorer
from engine.scoring.cells.snapshot import Array, CellSnapshot
from engine.scoring.walk.packing import FrequencySet

T = TypeVar("T")


class _Missing:
    """Marks a missing value, since None may be a value."""


_MISSING = _Missing()


class WorkedOut:
    """Caches of values by key; any thread may ask, and one of them computes a value.

    Existing values are returned without waiting for other computations.
    """

    def __init__(self) -> None:
        self._families: defaultdict[str, dict[Hashable, Any]] = defaultdict(dict)
        self._locks: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)
        self._adding = threading.Lock()

    def has(self, family: str, key: Hashable) -> bool:
        """Return whether a value is cached."""
        with self._adding:
            return key in self._families[family]

    def find(self, family: str, key: Hashable) -> Any | None:
        """Return a cached value; None if it is missing."""
        with self._adding:
            return self._families[family].get(key)

    def get(self, family: str, key: Hashable, make: Callable[[], T], most: int | None = None) -> T:
        """Return a value, computed if missing; a family drops its oldest beyond `most` values."""
        with self._adding:
            values, lock = self._families[family], self._locks[family]
        value: T | _Missing = values.get(key, _MISSING)
        if isinstance(value, _Missing):
            with lock:
                value = values.get(key, _MISSING)
                if isinstance(value, _Missing):
                    value = make()
                    self.put(family, key, value, most)
        return value

    def put(self, family: str, key: Hashable, value: object, most: int | None = None) -> None:
        """Store a value, in place of an earlier one; a family drops its oldest beyond `most` values."""
        with self._adding:
            values = self._families[family]
            values.pop(key, None)
            while most is not None and len(values) >= most:
                del values[next(iter(values))]
            values[key] = value


class Profile(Protocol):
    """Scores that grow while others read them: of a complete lattice, or of the nodes requested."""

    problem: Problem
    measures: tuple[Measure, ...]

    @property
    def base(self) -> FrequencySet:
        """The base tuples."""

    @property
    def n_scored(self) -> int:
        """Nodes scored so far."""

    @property
    def is_complete(self) -> bool:
        """Return whether every node of the lattice is scored."""

    def covers(self, requirement: Requirement) -> bool:
        """Return whether every measure that the requirement compares is scored."""

    def scored_nodes(self) -> ScoredNodes:
        """Return the nodes scored so far."""


class ScoredNodes(ABC):
    """Scores without any threshold; arrays have one entry per node of `lattice`, by number.

    Attributes
    ----------
    measures : tuple of Measure
        Measures of the sensitive values of every class.
    n_classes, k, largest : ndarray of int64, shape (n_nodes,)
        Number of classes, smallest and largest size, over all classes.
    squares : ndarray of int64, shape (n_nodes,)
        Sum of squared class sizes.
    own, of_problem : WorkedOut
        Cached values of these nodes, and those shared by parts of one lattice.
    """

    problem: Problem
    lattice: Nodes
    measures: tuple[Measure, ...]
    n_classes: Counts
    k: Counts
    largest: Counts
    squares: Counts

    def __init__(self, of_problem: WorkedOut | None = None) -> None:
        self.own = WorkedOut()
        self.of_problem = of_problem or WorkedOut()

    @property
    @abstractmethod
    def n_scored(self) -> int:
        """Nodes scored so far."""

    @property
    @abstractmethod
    def base(self) -> FrequencySet:
        """The base tuples."""

    @property
    @abstractmethod
    def scorer(self) -> NodeScorer:
        """Scorer of single nodes, which knows the weights of labels."""

    @abstractmethod
    def cells(self) -> CellSnapshot:
        """The cells of the scored nodes."""

    @abstractmethod
    def frequency_sets(self, wanted: BoolArray, base: FrequencySet) -> Iterator[tuple[int, FrequencySet]]:
        """Yield number and frequency set of the wanted nodes, rolled up again from base tuples."""

    def covers(self, requirement: Requirement) -> bool:
        """Return whether every measure that the requirement compares is scored."""
        return set(asked_measures(self.problem, requirement)) <= set(self.measures)

    def worst(self, measure: Measure) -> Array:
        """Return the worst value of a measure over all classes per node; 0 if not scored."""
        cells, is_lowest = self.cells(), lowest_is_worst(measure.name)
        values = cells.classes.measured(measure)
        result = np.zeros(self.lattice.n_nodes, dtype=values.dtype)
        if len(cells.nodes):
            worst = np.minimum if is_lowest else np.maximum
            result[cells.nodes] = worst.reduceat(cells.by_cell(values), cells.starts)
        return result

    def scored_nodes(self) -> Self:
        return self


def measures_for(problem: Problem, requirement: Requirement | None) -> tuple[Measure, ...]:
    """Return distinct values, the default distance of every column, and measures of a requirement."""
    return tuple(dict.fromkeys((*_usual(problem), *asked_measures(problem, requirement))))


def weighs_information(measures: Iterable[Measure]) -> bool:
    """Return whether classes are distinguished by the information loss of their labels."""
    return any(measure.name == INFORMATION for measure in measures)


def _usual(problem: Problem) -> Iterator[Measure]:
    if problem.people is not None and problem.people.leaves is not None:
        yield Measure(POPULATION, "")
        if problem.people.persons is not None:
            yield Measure(MEMBERS, "")
    if problem.weight is not None:
        yield Measure(WEIGHTED_PEOPLE, WEIGHT)
        yield Measure(INDIVIDUAL_RISK, WEIGHT)
    for attribute in problem.sensitive:
        yield Measure(DISTINCT, attribute.name)
        yield Measure(attribute.default_distance, attribute.name)


def asked_measures(problem: Problem, requirement: Requirement | None) -> Iterator[Measure]:
    """Return the measures that the models of a requirement compare."""
    for model in requirement.models if requirement else ():
        usual = problem.sensitive_attribute(model.columns[0]).default_distance if model.columns else ""
        yield from model.measures(usual)
