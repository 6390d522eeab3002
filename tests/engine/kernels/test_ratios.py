"""Ratios are rounded once, whatever the size of their parts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from engine.kernels.distances import nearest_ratios

NUMBERS = st.integers(0, 62).flatmap(lambda bits: st.integers(0, 2**bits - 1))
HALF_WAY = 2**54 + 2  # between two doubles, so that any remainder of a division decides


@given(NUMBERS, NUMBERS.map(lambda number: max(number, 1)))
@example(2**53 + 1, 1)
@example(2**61 + 1, 2**61 - 1)
@example(HALF_WAY, 1)
@example(HALF_WAY * 3 + 1, 3)
@example(HALF_WAY * 3 - 1, 3)
@example((2**54 + 1) * 99, 100)
@example(1, 2**62 - 1)
@example(2**62 - 1, 2**62 - 1)
def test_a_ratio_is_the_double_next_to_the_exact_fraction(part: int, whole: int) -> None:
    exact = float(Fraction(part, whole))
    assert nearest_ratios(np.array([part, 1]), np.array([whole, 3])).tolist() == [exact, 1 / 3]
