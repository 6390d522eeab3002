"""Both kinds of the walk of `subtree` that count the labels of suppressed records."""

from __future__ import annotations

import numpy as np

from engine.kernels.compiled.subtree import walk_four_nodes
from engine.kernels.compiled.suppressed_labels import Labels, enter_failing, look_up_contents


def warm_up() -> None:
    """Compile the walks, or load their machine code."""
    met, sink, fails = np.ones(3, dtype=np.uint8), np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.uint8)
    prints, failing = np.ones((2, 2), dtype=np.uint64), np.zeros((4, 2), dtype=np.uint64)
    starts, sizes = np.array([0, 2], dtype=np.int64), np.ones(1, dtype=np.int32)
    entered = enter_failing(starts, np.ones(2, dtype=np.uint8), sizes, fails, met, prints, failing)
    assert entered == 1, "a failing content was not entered"
    rows = np.zeros(1, dtype=np.int64)
    look_up_contents(failing, sink, rows, prints[0], prints[1], np.zeros(1, dtype=np.int32))
    for table in (None, failing):
        labels = Labels(
            met,
            table,
            sink,
            np.array([[1, 2], [0, 1]]),
            np.array([[1, 0], [1, 0]]),
            2,
            np.zeros((1, 2), dtype=np.int64),
            np.full(1, 2),
            np.ones((2, 2, 2), dtype=np.int64),
            np.ones((1, 2), dtype=np.int64),
            np.zeros(2, dtype=np.int64),
            np.zeros(2, dtype=np.int64),
            np.zeros(2, dtype=np.int64),
            np.zeros(2, dtype=np.int64),
            np.zeros(3),
            np.zeros((4, 3)),
        )
        walk_four_nodes(is_plain=table is None, labels=labels)
