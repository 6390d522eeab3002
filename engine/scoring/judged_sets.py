"""Nodes rolled up again and judged class by class, for figures that no cell carries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.kernels.arrays import BoolArray, Counts, IntArray
from engine.lattice import Node
from engine.privacy import Requirement
from engine.scoring.node_tuples import raised_to
from engine.scoring.tuples import FrequencySet, measured_classes

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes

ONE_BY_ONE = 16  # a node from the base tuples takes about as long as so many on a walk


class JudgedSet(NamedTuple):
    """The frequency set of one node under a requirement.

    Attributes
    ----------
    number : int
    node : tuple of int
    tuples : FrequencySet
    starts : ndarray of int64, shape (n_classes,)
        The first tuple of every class.
    sizes : ndarray of int64, shape (n_classes,)
    kept : ndarray of bool, shape (n_classes,)
    """

    number: int
    node: Node
    tuples: FrequencySet
    starts: IntArray
    sizes: Counts
    kept: BoolArray


def judged_sets(
    profile: ScoredNodes, requirement: Requirement, wanted: BoolArray, base: FrequencySet | None = None
) -> Iterator[JudgedSet]:
    """Yield the wanted nodes: few are made one by one, many on a walk over all.

    Parameters
    ----------
    wanted : ndarray of bool, shape (n_nodes,)
    base : FrequencySet, optional
        Base tuples with sensitive fields beyond those of the problem; the profile's by default.
    """
    base = profile.base if base is None else base
    for number, tuples in _frequency_sets(profile, wanted, base):
        starts, classes = measured_classes(profile.problem, tuples)
        kept = requirement.fulfilled(classes)
        yield JudgedSet(number, profile.lattice.node(number), tuples, starts, classes.sizes, kept)


def _frequency_sets(
    profile: ScoredNodes, wanted: BoolArray, base: FrequencySet
) -> Iterator[tuple[int, FrequencySet]]:
    numbers = np.flatnonzero(wanted).tolist()
    if ONE_BY_ONE * len(numbers) > profile.lattice.n_nodes:
        yield from profile.frequency_sets(wanted, base)
        return
    for number in numbers:
        yield number, raised_to(base, profile.lattice.node(number))
