"""Entropies, largest shares and tail ratios against their definitions."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.distances import Pairs
from engine.kernels.diversity import (
    entropies,
    grassberger_entropies,
    grassberger_g,
    largest_shares,
    tail_ratios,
)
from tests.engine.kernels.spreads import Classes, arranged, values_of_classes
from tests.strategies import modest


def counts_of(members: list[int]) -> list[int]:
    return sorted(Counter(members).values(), reverse=True)


@modest
@given(values_of_classes)
def test_entropy_is_that_of_the_shares_in_nats(classes: Classes) -> None:
    pairs, sizes, _ = arranged(classes)
    expected = [math.fsum(c / len(m) * math.log(len(m) / c) for c in Counter(m).values()) for m in classes]
    assert entropies(pairs, sizes) == pytest.approx(expected, rel=1e-14, abs=0)


def test_a_value_shared_by_all_but_one_of_a_million_keeps_its_digits() -> None:
    pairs = Pairs(np.array([0, 1]), np.array([999_999, 1]), np.array([0]))
    # The series of (1 - x) log(1 / (1 - x)) + x log(1 / x) at x = 1e-6, to 20 digits.
    x = Fraction(1, 10**6)
    tail = float(x) * math.log(10**6)
    expected = float(x - x**2 / 2 - x**3 / 6 - x**4 / 12) + tail
    assert entropies(pairs, np.array([1_000_000]))[0] == pytest.approx(expected, rel=1e-15)


@modest
@given(values_of_classes)
def test_grassbergers_entropy_is_the_sum_of_his_paper(classes: Classes) -> None:
    def g(n: int) -> float:
        return -0.5772156649015329 - math.log(2) + math.fsum(2 / (2 * k - 1) for k in range(1, n // 2 + 1))

    pairs, sizes, _ = arranged(classes)
    expected = [g(len(m)) - math.fsum(c * g(c) for c in Counter(m).values()) / len(m) for m in classes]
    assert grassberger_entropies(pairs, sizes) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_grassbergers_g_has_the_values_of_its_sum_even_if_it_is_a_series() -> None:
    # Grassberger 2003: G(1) = -gamma - log 2, G(2) = 2 + G(1), G(2n + 1) = G(2n).
    counts = np.array([1, 2, 3, 4, 99, 100, 101, 102, 103, 5_000])
    start = -np.euler_gamma - math.log(2)
    expected = [start + math.fsum(2 / (2 * k - 1) for k in range(1, n // 2 + 1)) for n in counts.tolist()]
    assert grassberger_g(counts) == pytest.approx(expected, rel=1e-14)
    assert grassberger_g(np.array([10**12])) == pytest.approx([math.log(10**12)], rel=1e-14)


def test_grassbergers_entropy_is_the_same_if_sizes_are_too_large_for_a_table() -> None:
    pairs = Pairs(np.array([0, 1]), np.array([3, 10**6]), np.array([0]))
    large = grassberger_entropies(pairs, np.array([10**6 + 3]))
    many = Pairs(np.arange(400_000), np.ones(400_000, dtype=np.int64), np.array([0]))
    assert grassberger_entropies(many, np.array([400_000]))[0] == pytest.approx(
        math.log(400_000) + np.euler_gamma + math.log(2), rel=1e-12
    )
    g = grassberger_g(np.array([10**6 + 3, 3, 10**6]))
    assert large == pytest.approx([g[0] - (3 * g[1] + 10**6 * g[2]) / (10**6 + 3)], rel=1e-6)


@modest
@given(values_of_classes)
def test_the_largest_share_is_the_exact_fraction_rounded_once(classes: Classes) -> None:
    pairs, sizes, _ = arranged(classes)
    expected = [float(Fraction(counts_of(list(m))[0], len(m))) for m in classes]
    assert largest_shares(pairs, sizes).tolist() == expected


@modest
@given(values_of_classes, st.integers(1, 9))
def test_the_tail_ratio_is_the_exact_fraction_rounded_once(classes: Classes, rank: int) -> None:
    pairs, sizes, _ = arranged(classes)
    expected = []
    for members in classes:
        counts = counts_of(list(members))
        tail = sum(counts[rank - 1 :])
        expected.append(float(Fraction(counts[0], tail)) if tail else math.inf)
    assert tail_ratios(pairs, sizes, rank).tolist() == expected


def test_seven_two_one_has_a_tail_ratio_of_seven_for_l_3() -> None:
    pairs, sizes, _ = arranged([[0] * 7 + [1] * 2 + [2]])
    assert tail_ratios(pairs, sizes, 3).tolist() == [7.0]
    assert tail_ratios(pairs, sizes, 2).tolist() == [7 / 3]
    assert tail_ratios(pairs, sizes, 10**9).tolist() == [math.inf]
