"""The kernel of `engine.kernels.exchanging`, compiled from the same source."""

from __future__ import annotations

from types import FunctionType

import numpy as np

from engine.kernels import exchanging
from engine.kernels.compiled.jit import compiled

cost_of = compiled(exchanging.cost_of)
# The same function, but that it calls the compiled one of the other.
_names = {**vars(exchanging), "cost_of": cost_of, "__name__": __name__}
anneal = compiled(FunctionType(exchanging.anneal.__code__, _names, exchanging.anneal.__name__))


def warm_up() -> None:
    """Compile, or load machine code, on two groups of one record."""
    ones, two = np.ones(2, dtype=np.int64), np.arange(2)
    labels = np.zeros((2, 1), dtype=np.int32)
    tree = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.int64)
    members = two.reshape(2, 1).copy()
    anneal(
        labels,
        *tree,
        two.copy(),
        np.zeros(2, dtype=np.int64),
        members,
        ones.copy(),
        np.zeros(2, dtype=np.int64),
        two.copy(),
        np.zeros(1, dtype=np.int64),
        two[::-1].reshape(2, 1).copy(),
        np.full((1, exchanging.N_DRAWS), 0.7),
        np.zeros(1),
        1,
        ones.copy(),
        ones.copy(),
    )
