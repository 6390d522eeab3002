"""Comparison of fractions of counts: the nearest double, whatever the counts."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from engine.verification.classes import Ratios

COUNTS = st.integers(1, 2**62)


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=5))
def test_a_ratio_is_the_double_nearest_to_it(pairs: list[tuple[int, int]]) -> None:
    numerators, denominators = (pd.Series(counts, dtype="int64") for counts in zip(*pairs, strict=True))
    ratios = Ratios(numerators, denominators)
    expected = [float(Fraction(n, d)) for n, d in pairs]
    assert ratios.rounded.tolist() == expected
    bound = Fraction(*pairs[0])
    assert ratios.at_most(bound).tolist() == [ratio <= float(bound) for ratio in expected]
    assert ratios.below(bound).tolist() == [ratio < float(bound) for ratio in expected]
