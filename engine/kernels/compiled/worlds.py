"""The kernels of `engine.kernels.worlds`, compiled from the same source."""

from __future__ import annotations

import sys

import numpy as np

from engine.kernels import worlds
from engine.kernels.compiled.jit import compiled_from
from engine.kernels.worlds import Cards, Nodes, Rules, State, Tally, start_of

globals().update(compiled_from(__name__, worlds, called=("count_deal", "excess", "suppresses")))


def warm_up() -> None:
    """Compile, or load machine code, on a block of two records."""
    kernels = sys.modules[__name__]
    none, one = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    two, reals = np.arange(2), np.ones(1)
    rules = Rules(none, none, 2 * one, reals, np.ones(2, dtype=np.int64), 2 * one)
    cards = Cards(two.copy(), two.copy(), 2 * two, 2 * one, np.arange(3), 0 * two, two.reshape(2, 1).copy())
    factors = np.ones((1, 1))
    nodes = Nodes(
        none,
        2 * one,
        two,
        none,
        none,
        np.zeros((1, 2), dtype=np.int64),
        factors,
        factors,
        factors,
        np.zeros(3),
    )
    base = np.zeros((1, 2), dtype=np.int64)
    failing, lost, touched, verdicts, marks = (none.copy() for _array in range(5))
    sums_of = np.zeros((1, 1), dtype=np.int64)
    state = State(base.copy(), sums_of, failing, lost, touched, verdicts, marks, 0 * two, start_of(1))
    local = two.reshape(2, 1).copy()
    sums = [np.zeros(2) for _sum in range(4)]
    tally = Tally(np.zeros((2, 1), dtype=np.int64), local, np.ones(2, dtype=np.int64), 0 * two, *sums)
    kernels.deal_independent(1, cards, base, rules, nodes, state, tally, np.zeros(3, dtype=np.int64))
    kernels.count_deal(cards, base, rules, nodes, state)
    kernels.run_chain(0, cards, rules, nodes, state, tally, none.copy(), 1)
    kernels.close_batch(tally)
    kernels.deal_failing(
        1,
        1,
        1,
        cards.values,
        rules,
        0 * two,
        two.copy(),
        local,
        0 * two,
        start_of(1),
        np.zeros(2, dtype=np.int64),
    )
