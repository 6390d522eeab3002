"""The walk over a subtree: it pauses anywhere, asks for room, and notices lost records."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernels.compiled.rollup import make_arena
from engine.kernels.compiled.traversal import (
    DONE,
    LOST_RECORDS,
    NEEDS_ARENA,
    NEEDS_CELLS,
    PAUSED,
)
from tests.engine.kernels.compiled.raising import KINDS, Raise, random_raise
from tests.engine.kernels.compiled.test_cells import found_cells


def small(*, is_sensitive: bool = True, **options: int) -> Raise:
    return random_raise(5, 200, 6, 1, 4, 40, is_sensitive=is_sensitive, **options)


@pytest.mark.parametrize(("is_sensitive", "n_reals"), KINDS)
def test_a_walk_paused_after_every_node_gives_the_same_as_one_without_pause(
    is_sensitive: bool, n_reals: int
) -> None:
    whole, paused = (small(is_sensitive=is_sensitive, n_reals=n_reals) for _ in range(2))
    assert whole.step() == DONE
    assert [paused.step(0) for _ in range(3)] == [PAUSED, PAUSED, DONE]
    assert paused.classes(1) == whole.classes(1)
    for node in (0, 1):
        assert found_cells(paused, node) == found_cells(whole, node)
    assert paused.step(0) == DONE, "there is nothing left to do"


def test_the_budget_counts_classes() -> None:
    case = small()
    assert case.step(len(case.keys)) == PAUSED  # at the second node, since the first is within it
    assert case.stack.state[3] == 2


def test_without_room_in_the_arena_the_walk_waits_for_more() -> None:
    whole, case = small(), small(room=1)
    assert whole.step() == DONE
    assert case.step() == NEEDS_ARENA
    assert case.step() == NEEDS_ARENA
    larger = make_arena(3 * len(case.keys), 1, 2, sensitive=True)
    for before, after in zip(case.arena, larger, strict=True):
        after[..., : len(case.keys)] = before[..., : len(case.keys)]
    case.arena = larger
    assert case.step() == DONE
    assert case.classes(1) == whole.classes(1)
    assert found_cells(case, 1) == found_cells(whole, 1)


def test_without_room_for_cells_the_walk_waits_until_they_are_taken() -> None:
    whole = small()
    case = small(n_cells=len(whole.keys))
    assert whole.step() == DONE
    assert case.step() == NEEDS_CELLS
    assert case.stack.state[3] == 1, "a node is written wholly or not at all"
    case.stack.state[2:] = 0
    assert case.step() == DONE
    assert found_cells(case, 1) == found_cells(whole, 1)


@pytest.mark.parametrize(("is_sensitive", "n_reals"), KINDS)
def test_lost_records_stop_the_walk_at_the_node_that_lacks_them(is_sensitive: bool, n_reals: int) -> None:
    case = random_raise(5, 200, 6, 3, 2, 12, is_sensitive=is_sensitive, n_reals=n_reals)
    assert case.step(0) == PAUSED
    case.arena.counts[0] += 1
    assert case.step(0) == LOST_RECORDS
    assert case.scores.n_classes.tolist()[1] == 0


def test_a_record_too_few_in_the_plan_is_noticed_at_the_root() -> None:
    case = random_raise(5, 200, 6, 3, 2, 12, is_sensitive=False)
    case.plan = case.plan._replace(n_records=case.plan.n_records - 1)
    assert case.step() == LOST_RECORDS
    assert not np.any(case.scores.n_classes)
