"""The kernels of `engine.kernels.rebuilding`, compiled from the same source."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from engine.kernels import group_journal, label_trees, near_rows, rebuilding
from engine.kernels.compiled.jit import compiled
from engine.kernels.group_journal import Groups, make_journal
from engine.kernels.label_trees import HOPELESS, NOT_LISTED, Labels
from engine.kernels.near_rows import Steps
from engine.kernels.rebuilding import MOST_POOLED, N_DRAWS, Alike

_names: dict[str, Any] = {"__name__": __name__}
for _module in (label_trees, near_rows, group_journal, rebuilding):
    _names.update({name: value for name, value in vars(_module).items() if not name.startswith("__")})


def _made(function: Any) -> Callable[..., Any]:
    """Return a function compiled so that it calls the compiled versions of the others."""
    _names[function.__name__] = kernel = compiled(FunctionType(function.__code__, _names, function.__name__))
    return kernel


common_label = _made(label_trees.common_label)
join_cost = _made(label_trees.join_cost)
common_of = _made(label_trees.common_of)
cover = _made(label_trees.cover)
cheapest_group = _made(label_trees.cheapest_group)
insert_near = _made(near_rows.insert_near)
compare = _made(near_rows.compare)
look_around = _made(near_rows.look_around)
enter = _made(group_journal.enter)
leave = _made(group_journal.leave)
refresh = _made(group_journal.refresh)
rest_costs = _made(group_journal.rest_costs)
widen = _made(group_journal.widen)
note = _made(group_journal.note)
undo = _made(group_journal.undo)
alike_record = _made(rebuilding.alike_record)
list_others = _made(rebuilding.list_others)
find_home = _made(rebuilding.find_home)
recruit = _made(rebuilding.recruit)
ruin = _made(rebuilding.ruin)
rebuild = _made(rebuilding.rebuild)


def warm_up() -> None:
    """Compile, or load machine code, on two groups of one record."""
    two, none = np.arange(2), np.zeros(4, dtype=np.int64)
    labels, one = np.zeros((2, 1), dtype=np.int32), np.zeros(1, dtype=np.int32)
    tree = Labels(one, one, none[:1], np.full(1, NOT_LISTED, dtype=np.int32), one[:0], one[:0])
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
        np.zeros(4, dtype=np.uint8),
        np.array([2, 0, 0, 0]),
        np.array([1]),
    )
    journal = make_journal(groups, MOST_POOLED, 2, 1)
    refresh(0, labels, tree, groups)
    narrow = two.astype(np.int32)
    near = narrow[::-1].reshape(2, 1).copy()
    numbers = narrow.reshape(2, 1)
    alike = Alike(near, np.ones_like(near), np.zeros_like(near), narrow, np.zeros_like(narrow), narrow)
    rebuild(labels, tree, groups, alike, np.zeros((1, N_DRAWS)), np.zeros(1, dtype=np.int64), 1, journal)
    prices = np.full((2, 1), HOPELESS)
    steps = Steps(np.zeros(3, dtype=np.int32), numbers + 1, numbers - 1)
    compare(0, 2, labels, steps, tree, near, prices, none)
    look_around(0, 2, two, 1, labels, tree, near, prices)
    cover(0, 1, labels, tree, labels)
    common_of(two, labels, tree, labels[0])
    cheapest_group(labels[0], 1, 0, HOPELESS, tree, labels, two, two)
