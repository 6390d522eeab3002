"""The kernels of `engine.kernels.rebuilding`, compiled from the same source."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from engine.kernels import rebuilding
from engine.kernels.compiled.jit import compiled
from engine.kernels.rebuilding import N_DRAWS, Workshop

_names = {**vars(rebuilding), "__name__": __name__}


def _made(function: Any) -> Callable[..., Any]:
    """The same function, but that it calls the compiled ones of the others."""
    _names[function.__name__] = kernel = compiled(FunctionType(function.__code__, _names, function.__name__))
    return kernel


join_cost = _made(rebuilding.join_cost)
join = _made(rebuilding.join)
gather = _made(rebuilding.gather)
build = _made(rebuilding.build)
rebuild = _made(rebuilding.rebuild)


def warm_up() -> None:
    """Compile, or load machine code, on two groups of one record."""
    ones, two = np.ones(2, dtype=np.int64), np.arange(2)
    rebuild(
        np.zeros((2, 1), dtype=np.int32),
        np.zeros(1, dtype=np.int32),
        np.zeros(1, dtype=np.int32),
        np.zeros(1, dtype=np.int64),
        two.copy(),
        np.zeros(2, dtype=np.int64),
        two.reshape(2, 1).copy(),
        ones.copy(),
        np.zeros(2, dtype=np.int64),
        two.copy(),
        np.zeros(1, dtype=np.int64),
        two[::-1].reshape(2, 1).astype(np.int32),
        np.zeros((1, N_DRAWS)),
        1,
        Workshop.of(1, 1),
    )
