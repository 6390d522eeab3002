"""Nodes rolled up again and evaluated class by class, for values that no cell has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from engine.frequency import Problem
from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.lattice import Lattice, Node
from engine.privacy import Requirement
from engine.privacy.repetition import suppresses_whole
from engine.scoring.walk.node_tuples import raised_to
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.tuples import evaluated_classes

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes

ONE_BY_ONE = 16  # a node from the base tuples takes about as long as this many nodes of a walk
MOST_FIGURES = 16  # values under a requirement that are cached for the nodes of a huge lattice

T = TypeVar("T")


class EvaluatedSet(NamedTuple):
    """The frequency set of one node under a requirement.

    Attributes
    ----------
    problem : Problem
    number : int
    node : tuple of int
    tuples : FrequencySet
    starts : ndarray of int64, shape (n_classes,)
        The first tuple of every class.
    classes : MeasuredClasses
    kept : ndarray of bool, shape (n_classes,)
    rounds : int
        As for `EvaluatedClasses`.
    """

    problem: Problem
    number: int
    node: Node
    tuples: FrequencySet
    starts: IntArray
    classes: MeasuredClasses
    kept: BoolArray
    rounds: int

    @property
    def records(self) -> Counts:
        """Number of records per class, shape (n_classes,)."""
        return self.classes.records


def measured_nodes(
    profile: ScoredNodes,
    requirement: Requirement,
    wanted: BoolArray,
    name: str,
    measure: Callable[[EvaluatedSet], T],
    base: FrequencySet | None = None,
    *,
    remembers: bool = False,
) -> Iterator[tuple[int, T]]:
    """Yield number and value of the wanted nodes.

    An explored lattice is evaluated repeatedly, each time with a few more nodes: its values are cached, so
    that only the new nodes are rolled up.

    Parameters
    ----------
    wanted : ndarray of bool, shape (n_nodes,)
    name : str
        Key of the value among others of the same problem.
    measure : callable
    base : FrequencySet, optional
        As for `evaluated_sets`.
    remembers : bool
        Whether values of a complete lattice are cached too.
    """
    if isinstance(profile.lattice, Lattice) and not remembers:
        for found in evaluated_sets(profile, requirement, wanted, base):
            yield found.number, measure(found)
        return
    key = name, requirement.by_class.models, suppresses_whole(profile.problem, requirement)
    known: dict[Node, T] = profile.of_problem.get("figures", key, dict, MOST_FIGURES)
    nodes = {number: profile.lattice.node(number) for number in np.flatnonzero(wanted).tolist()}
    new = np.zeros_like(wanted)
    new[[number for number, node in nodes.items() if node not in known]] = True
    for found in evaluated_sets(profile, requirement, new, base):
        known[found.node] = measure(found)
    for number, node in nodes.items():
        yield number, known[node]


def evaluated_sets(
    profile: ScoredNodes, requirement: Requirement, wanted: BoolArray, base: FrequencySet | None = None
) -> Iterator[EvaluatedSet]:
    """Yield the wanted nodes: few are rolled up one by one, many by a walk over all.

    Parameters
    ----------
    wanted : ndarray of bool, shape (n_nodes,)
    base : FrequencySet, optional
        Base tuples with sensitive fields beyond those of the problem; the profile's by default.
    """
    base = profile.base if base is None else base
    for number, tuples in _frequency_sets(profile, wanted, base):
        found = evaluated_classes(profile.problem, tuples, requirement)
        yield EvaluatedSet(profile.problem, number, profile.lattice.node(number), *found)


def are_many(profile: ScoredNodes, wanted: BoolArray) -> bool:
    """Return whether a walk over all nodes is faster than the wanted ones one by one."""
    return ONE_BY_ONE * int(np.count_nonzero(wanted)) > profile.lattice.n_nodes


def _frequency_sets(
    profile: ScoredNodes, wanted: BoolArray, base: FrequencySet
) -> Iterator[tuple[int, FrequencySet]]:
    if are_many(profile, wanted):
        yield from profile.frequency_sets(wanted, base)
        return
    for number in np.flatnonzero(wanted).tolist():
        yield number, raised_to(base, profile.lattice.node(number))
