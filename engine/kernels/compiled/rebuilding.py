"""The kernels of `engine.kernels.rebuilding`, compiled from the same source."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from engine.kernels import rebuilding
from engine.kernels.compiled.jit import compiled
from engine.kernels.rebuilding import HOPELESS, N_DRAWS, NOT_LISTED, Alike, Groups, Journal, Labels

_names = {**vars(rebuilding), "__name__": __name__}


def _made(function: Any) -> Callable[..., Any]:
    """Return a function compiled so that it calls the compiled versions of the others."""
    _names[function.__name__] = kernel = compiled(FunctionType(function.__code__, _names, function.__name__))
    return kernel


common_label = _made(rebuilding.common_label)
join_cost = _made(rebuilding.join_cost)
insert_near = _made(rebuilding.insert_near)
compare = _made(rebuilding.compare)
look_around = _made(rebuilding.look_around)
refresh = _made(rebuilding.refresh)
common_of = _made(rebuilding.common_of)
cheapest_group = _made(rebuilding.cheapest_group)
note = _made(rebuilding.note)
enter = _made(rebuilding.enter)
leave = _made(rebuilding.leave)
alike_record = _made(rebuilding.alike_record)
cheapest_home = _made(rebuilding.cheapest_home)
recruit = _made(rebuilding.recruit)
ruin = _made(rebuilding.ruin)
rebuild = _made(rebuilding.rebuild)


def warm_up() -> None:
    """Compile, or load machine code, on two groups of one record."""
    two, none = np.arange(2), np.zeros(4, dtype=np.int64)
    labels, one = np.zeros((2, 1), dtype=np.int32), np.zeros(1, dtype=np.int32)
    tree = Labels(one, one, none[:1], np.full(1, NOT_LISTED), one[:0], none[:0])
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
        *(np.zeros(n, dtype=np.int64) for n in (1, 42, 2, 2, 2, 2, 1, 4, 1)),
    )
    refresh(0, labels, tree, groups)
    narrow = two.astype(np.int32)
    near = narrow[::-1].reshape(2, 1).copy()
    alike = Alike(
        near,
        none[:2].reshape(2, 1),
        narrow,
        np.zeros(2, dtype=np.int32),
        narrow,
        np.ones(2, dtype=np.int32),
        narrow,
    )
    rebuild(labels, tree, groups, alike, np.zeros((1, N_DRAWS)), np.zeros(1, dtype=np.int64), 1, journal)
    prices = np.full((2, 1), HOPELESS)
    compare(0, 2, labels, tree, near, prices)
    look_around(0, 2, two, 1, labels, tree, near, prices)
    common_of(two, labels, tree, labels[0])
    cheapest_group(labels[0], 1, 0, tree, labels, two, two)
