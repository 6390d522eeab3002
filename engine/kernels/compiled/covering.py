"""The kernels of `engine.kernels.covering`, compiled from the same source."""

from __future__ import annotations

import sys

import numpy as np

from engine.kernels import covering
from engine.kernels.compiled.jit import compiled_from
from engine.kernels.covering import Digits, Rows

globals().update(compiled_from(__name__, covering))


def warm_up() -> None:
    """Compile, or load machine code, on two rows."""
    digits = Digits(np.array([0, 1]), np.array([0, 1]), np.zeros((1, 1), dtype=np.int64))
    ones = np.ones(2, dtype=np.int64)
    rows = Rows(np.arange(2), np.array([[0, 1]], dtype=np.int32), ones, ones.copy(), np.array([2]))
    nodes = np.zeros((1, 1), dtype=np.int64)
    kernels = sys.modules[__name__]
    covering.groups_at(kernels, digits, rows, nodes[0])
    covering.cheapest_costs(kernels, digits, rows, nodes, 1, ones.copy())
    covering.cover_by_size(kernels, digits, rows, nodes, 1, np.full(2, -1), 0, 10, 1, ones.copy())
