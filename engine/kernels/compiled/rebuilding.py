"""The kernels of `engine.kernels.rebuilding`, compiled from the same source."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from engine.kernels import rebuilding
from engine.kernels.compiled.jit import compiled
from engine.kernels.rebuilding import N_DRAWS, Groups, Journal, Labels

_names = {**vars(rebuilding), "__name__": __name__}


def _made(function: Any) -> Callable[..., Any]:
    """Return a function compiled so that it calls the compiled versions of the others."""
    _names[function.__name__] = kernel = compiled(FunctionType(function.__code__, _names, function.__name__))
    return kernel


join_cost = _made(rebuilding.join_cost)
refresh = _made(rebuilding.refresh)
note = _made(rebuilding.note)
enter = _made(rebuilding.enter)
leave = _made(rebuilding.leave)
cheapest_home = _made(rebuilding.cheapest_home)
recruit = _made(rebuilding.recruit)
ruin = _made(rebuilding.ruin)
rebuild = _made(rebuilding.rebuild)


def warm_up() -> None:
    """Compile, or load machine code, on two groups of one record."""
    two, none = np.arange(2), np.zeros(4, dtype=np.int64)
    labels, one = np.zeros((2, 1), dtype=np.int32), np.zeros(1, dtype=np.int32)
    tree = Labels(one, one, np.zeros(1, dtype=np.int64))
    members = np.full((4, 3), -1, dtype=np.int64)
    members[:2, 0] = two
    groups = Groups(
        two.copy(),
        np.zeros(2, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        members,
        np.array([1, 1, 0, 0]),
        none.copy(),
        np.zeros((4, 1), dtype=np.int32),
        np.array([2, 0, 0, 0]),
        np.array([1]),
    )
    journal = Journal(
        np.zeros(64, dtype=np.int64),
        np.zeros(64, dtype=np.int64),
        np.zeros((64, 3), dtype=np.int64),
        np.full(4, -1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(42, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
    refresh(0, labels, tree, groups)
    alike = two[::-1].reshape(2, 1).astype(np.int32)
    rebuild(labels, tree, groups, alike, np.zeros((1, N_DRAWS)), np.zeros(1, dtype=np.int64), 1, journal)
