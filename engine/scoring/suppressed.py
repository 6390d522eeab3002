"""The entropy of what is suppressed: the one score that needs the labels of the failing records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from engine.kernels.arrays import BoolArray, Counts, Reals
from engine.privacy import Requirement
from engine.scoring.node_tuples import raised_to
from engine.scoring.tuples import FrequencySet, measured_classes

if TYPE_CHECKING:
    from engine.scoring.scored import ScoredNodes

ONE_BY_ONE = 16  # a node from the base tuples takes about as long as so many on a walk


def entropy_bits(counts: Counts) -> float:
    """Entropy of a distribution times its number of records: -sum c log2(c / S), bits."""
    occurring = counts[counts > 0]
    total = occurring.sum()
    return float(-(occurring * np.log2(occurring / total)).sum()) + 0.0 if total else 0.0


def suppressed_bits(profile: ScoredNodes, requirement: Requirement, wanted: BoolArray) -> Reals:
    """Entropy of every attribute's labels among the suppressed records, for all wanted nodes.

    Returns
    -------
    ndarray of float64, shape (n_nodes, n_qi)
        Bits, summed over the suppressed records; 0 for nodes not wanted.
    """
    problem = profile.problem
    bits = np.zeros((profile.lattice.n_nodes, len(problem.attributes)))
    for number, tuples in _frequency_sets(profile, wanted):
        starts, classes = measured_classes(problem, tuples)
        failing = np.flatnonzero(~requirement.fulfilled(classes))
        if not len(failing):
            continue
        node = profile.lattice.node(number)
        for q, level in enumerate(node):
            if len(problem.attributes[q].hierarchy.levels[level].labels) > 1:
                labels = tuples.field(q, level)[starts[failing]]
                bits[number, q] = entropy_bits(_sums(labels, classes.sizes[failing]))
    return bits


def _frequency_sets(profile: ScoredNodes, wanted: BoolArray) -> Iterator[tuple[int, FrequencySet]]:
    """Frequency sets of the wanted nodes: few are made one by one, many on a walk over all."""
    numbers = np.flatnonzero(wanted).tolist()
    if ONE_BY_ONE * len(numbers) > profile.lattice.n_nodes:
        yield from profile.frequency_sets(wanted)
        return
    for number in numbers:
        yield number, raised_to(profile.base, profile.lattice.node(number))


def _sums(labels: Counts, weights: Counts) -> Counts:
    if int(labels.max()) < 1 << 16:
        return np.bincount(labels, weights=weights)
    _, compact = np.unique(labels, return_inverse=True)
    return np.bincount(compact, weights=weights)
