"""The Pareto front against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from engine.kernels.arrays import BoolArray, FloatArray
from engine.scoring import optimum as pareto
from engine.scoring.optimum import pareto_front

SCORES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0, 7.0, np.nan, np.inf])


def by_definition(first: FloatArray, second: FloatArray, among: BoolArray) -> list[bool]:
    """Compare every point with every other."""
    points = [
        bool(counts) and bool(np.isfinite(x) and np.isfinite(y))
        for x, y, counts in zip(first, second, among, strict=True)
    ]
    found = []
    for i, counts in enumerate(points):
        dominated = any(
            points[j]
            and first[j] <= first[i]
            and second[j] <= second[i]
            and (first[j] < first[i] or second[j] < second[i])
            for j in range(len(points))
        )
        found.append(counts and not dominated)
    return found


@st.composite
def clouds(draw: st.DrawFn) -> tuple[FloatArray, FloatArray, BoolArray]:
    shape = draw(st.integers(0, 30))
    first, second = (draw(hnp.arrays(np.float64, shape, elements=SCORES)) for _ in range(2))
    return first, second, draw(hnp.arrays(np.bool_, shape))


@given(clouds())
def test_the_front_has_the_points_that_no_other_dominates(
    cloud: tuple[FloatArray, FloatArray, BoolArray],
) -> None:
    assert pareto_front(*cloud).tolist() == by_definition(*cloud)


@pytest.mark.parametrize("furthest", [1e308, 5e-324])
def test_scores_too_far_apart_or_too_near_for_bins_have_their_front(
    furthest: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pareto, "_FEW", 2)
    first, second = np.array([-furthest, 0.0, furthest]), np.array([1.0, 2.0, 0.0])
    assert pareto_front(first, second).tolist() == [True, False, True]


@pytest.mark.parametrize("seed", range(4))
def test_many_points_have_the_front_that_few_at_a_time_have(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 3000, 20_000) / 3000 if seed % 2 else rng.random(20_000) ** 4
    second = 1 - np.sqrt(first) + rng.random(20_000) * (seed + 1) / 10
    found = pareto_front(first, second)
    monkeypatch.setattr(pareto, "_FEW", 10**9)
    assert np.array_equal(found, pareto_front(first, second))
    assert 0 < found.sum() < 2000


def test_points_that_are_equal_in_both_scores_are_on_the_front_together() -> None:
    front = pareto_front(np.array([1.0, 1.0, 2.0, 0.0]), np.array([1.0, 1.0, 1.0, 5.0]))
    assert front.tolist() == [True, True, False, True]


def test_if_all_share_the_first_score_the_least_of_the_second_are_the_front() -> None:
    second = np.arange(10_000, dtype=np.float64)[::-1].copy()
    assert np.flatnonzero(pareto_front(np.zeros(10_000), second)).tolist() == [9_999]


def test_excluded_points_dominate_nothing() -> None:
    first, second = np.array([0.0, 1.0, np.nan]), np.array([0.0, 1.0, -1.0])
    assert pareto_front(first, second, np.array([False, True, True])).tolist() == [False, True, False]


def test_no_points_have_no_front() -> None:
    assert pareto_front(np.zeros(0), np.zeros(0)).tolist() == []
