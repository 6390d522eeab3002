"""The kernels of `engine.kernels.rebuilding`, compiled from the same source."""

from __future__ import annotations

import sys

import numpy as np

from engine.kernels import group_journal, label_trees, near_rows, rebuilding
from engine.kernels.compiled.jit import compiled_from
from engine.kernels.group_journal import make_groups, make_journal
from engine.kernels.label_trees import HOPELESS, NOT_LISTED, Labels
from engine.kernels.near_rows import Steps
from engine.kernels.rebuilding import MOST_POOLED, N_DRAWS, Alike

MODULES = (label_trees, near_rows, group_journal, rebuilding)
globals().update(compiled_from(__name__, *MODULES, called=("common_of", "cover", "refresh")))


def warm_up() -> None:
    """Compile, or load machine code, on two groups of one record."""
    kernels = sys.modules[__name__]
    two, none = np.arange(2), np.zeros(4, dtype=np.int64)
    labels, one = np.zeros((2, 1), dtype=np.int32), np.zeros(1, dtype=np.int32)
    tree = Labels(one, one, none[:1], np.full(1, NOT_LISTED, dtype=np.int32), one[:0], one[:0])
    groups = make_groups(labels, two, 3, 1, tree, kernels)
    journal = make_journal(groups, MOST_POOLED, 2, 1)
    narrow = two.astype(np.int32)
    near = narrow[::-1].reshape(2, 1).copy()
    numbers = narrow.reshape(2, 1)
    alike = Alike(near, np.ones_like(near), np.zeros_like(near), narrow, np.zeros_like(narrow), narrow)
    kernels.rebuild(
        labels, tree, groups, alike, np.zeros((1, N_DRAWS)), np.zeros(1, dtype=np.int64), 1, journal
    )
    prices = np.full((2, 1), HOPELESS)
    steps = Steps(np.zeros(3, dtype=np.int32), numbers + 1, numbers - 1)
    kernels.compare(0, 2, labels, steps, tree, near, prices, none)
    kernels.look_around(0, 2, two, 1, labels, tree, near, prices)
    kernels.cover(0, 1, labels, tree, labels)
    kernels.common_of(two, labels, tree, labels[0])
    kernels.cheapest_group(labels[0], 1, 0, HOPELESS, tree, labels, two, two)
