"""Base tuples sorted by the levels a subtree fixes, against numpy's sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.compiled.roots import DIGIT_BITS, make_digits, sorted_keys
from tests.strategies import modest

WIDTHS = (0, 1, 5, DIGIT_BITS - 1, DIGIT_BITS, DIGIT_BITS + 1, 2 * DIGIT_BITS, 2 * DIGIT_BITS + 3)


@modest
@given(
    st.integers(0, 10**6),
    st.integers(1, 300),
    st.lists(st.sampled_from(WIDTHS), max_size=4),
    st.integers(1, 30),
)
def test_keys_ascend_and_number_the_levels_that_occur(
    seed: int, n: int, widths: list[int], bits: int
) -> None:
    rng = np.random.default_rng(seed)
    drops = rng.integers(0, 4, len(widths))
    few = [rng.integers(0, 1 << (w + d), 4) for w, d in zip(widths, drops.tolist(), strict=True)]
    fields = np.array([rng.choice(values, n) for values in few], dtype=np.int64).reshape(len(widths), n)
    lowest = rng.choice(rng.integers(0, 1 << bits, 20), n)
    orders = np.empty((2, n), dtype=np.int64)
    orders[0] = np.argsort(lowest, kind="stable")
    keys = np.empty(n, dtype=np.int64)
    given_widths = np.array(widths, dtype=np.int64)
    row = sorted_keys(fields, drops.astype(np.int64), given_widths, lowest, bits, orders, make_digits(), keys)
    levels = fields >> drops[:, None]
    order = np.lexsort([lowest, *levels[::-1]])
    assert np.array_equal(orders[row], order)
    number = {fixed: i for i, fixed in enumerate(sorted(set(map(tuple, levels.T.tolist()))))}
    expected = [(number[tuple(levels[:, i].tolist())] << bits) | int(lowest[i]) for i in order]
    assert keys.tolist() == expected
