"""Nodes rolled up again and evaluated class by class, for values that no cell has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from engine.frequency import Problem
from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray, Counts, FloatArray, IntArray, Keys
from engine.lattice import Lattice, Node
from engine.privacy import Requirement
from engine.privacy.repetition import repeats, suppresses_whole
from engine.scoring.acceleration import kernels
from engine.scoring.cells.snapshot import Array, SizeClasses
from engine.scoring.cells.weights import LabelWeights
from engine.scoring.walk.node_tuples import raised_to
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.tuples import evaluated_classes

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes
    from engine.scoring.walk.class_walk import KeptClasses

ONE_BY_ONE = 16  # a node from the base tuples takes about as long as this many nodes of a walk
MOST_FIGURES = 16  # values under a requirement that are cached for the nodes of a huge lattice

T = TypeVar("T")


class EvaluatedSet(NamedTuple):
    """The frequency set of one node under a requirement.

    Attributes
    ----------
    starts : ndarray of int64, shape (n_classes,)
        The first tuple of every class.
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

    def labels(self, attribute: int) -> Keys:
        """Return the path code of every class's label, shape (n_classes,)."""
        return self.tuples.field(attribute, self.node[attribute])[self.starts]

    def weights(self, weights: LabelWeights) -> Array:
        """Return the weight of every class's label, shape (n_classes,)."""
        level = self.node[weights.attribute]
        constant, table = weights.constant[level], weights.tables[level]
        if table is None:
            assert constant is not None, "a level without a table has one weight"
            return np.full(len(self.records), float(constant))
        return table[self.labels(weights.attribute)]


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


def measured_values(
    profile: ScoredNodes,
    requirement: Requirement,
    wanted: BoolArray,
    name: str,
    measure: Callable[[EvaluatedSet], float],
    base: FrequencySet | None = None,
) -> FloatArray:
    """Return a value of each wanted node, 0 for others; see `measured_nodes`."""
    values = np.zeros(len(wanted))
    for number, value in measured_nodes(profile, requirement, wanted, name, measure, base):
        values[number] = value
    return values


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


def kept_for_walk(
    profile: ScoredNodes, requirement: Requirement, wanted: BoolArray, name: str
) -> KeptClasses | None:
    """Return which classes a requirement keeps; None if few nodes are wanted, or kernels cannot serve.

    Parameters
    ----------
    wanted : ndarray of bool, shape (n_nodes,)
    name : str
        Module of the kernels of the walk.
    """
    from engine.scoring.profile import LatticeProfile

    problem = profile.problem
    if not isinstance(profile, LatticeProfile) or repeats(problem, requirement):
        return None
    if not are_many(profile, wanted):
        return None
    if not profile.can_be_compiled or kernels(name) is None:
        return None
    from engine.scoring.cells.content_classes import ContentClasses  # imports numba, as the next one
    from engine.scoring.walk.class_walk import KeptClasses

    sizes: Any = np.arange(problem.n_records + 1, dtype=np.int32)
    if requirement.is_by_size:
        met = requirement.fulfilled(SizeClasses(sizes, problem.sampling_fraction))
        met[0] = False  # of people without a record
        return KeptClasses(met)
    classes = profile.cells().classes
    if not isinstance(classes, ContentClasses):  # numpy scored them
        return None
    return KeptClasses(
        sizes >= max(requirement.k or 1, 1), classes.with_contents(~requirement.fulfilled(classes))
    )
