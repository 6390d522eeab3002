"""Information loss of the records of every tuple, from the labels of its node."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from engine.frequency import Problem
from engine.kernels.arrays import FloatArray
from engine.scoring.cells.weights import LabelWeights, leaf_weights
from engine.scoring.walk.packing import FrequencySet, Layout

_known: WeakKeyDictionary[Layout, tuple[LabelWeights, ...]] = WeakKeyDictionary()


def information_losses(problem: Problem, tuples: FrequencySet) -> FloatArray:
    """Return log(leaves covered) / log(all leaves) of every tuple, both multiplied over attributes.

    An attribute that tuples do not distinguish counts as hidden.
    """
    bits, whole = np.zeros(len(tuples.counts)), 0.0
    for weights, level in zip(_leaves(problem, tuples.layout), tuples.node, strict=True):
        of_all = float(np.log2(problem.attributes[weights.attribute].hierarchy.n_leaves))
        whole += of_all
        if level < 0:
            bits += of_all
            continue
        constant, table = weights.constant[level], weights.tables[level]
        if table is None:
            assert constant is not None, "a level without a table has one weight"
            bits += np.log2(constant)
        else:
            bits += np.log2(table[tuples.field(weights.attribute, level)])
    return bits / whole if whole else bits


def _leaves(problem: Problem, layout: Layout) -> tuple[LabelWeights, ...]:
    found = _known.get(layout)
    if found is None:
        found = _known[layout] = leaf_weights(problem, layout)
    return found
