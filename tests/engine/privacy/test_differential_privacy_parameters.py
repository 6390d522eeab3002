"""Class sizes for differential privacy by sampling: reference values, exact arithmetic, and bounds."""

from __future__ import annotations

import json
import math
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.binomial import upper_tail
from engine.privacy import sampling
from engine.privacy.sampling import expected_kept, kept_shares, largest_beta, smallest_k
from tests.strategies import few, modest

SECOND = Path(__file__).parents[2] / "data" / "second"
LARGEST: list[dict[str, Any]] = json.loads((SECOND / "dp_parameters.json").read_text())
SMALLER: list[dict[str, Any]] = json.loads((SECOND / "dp_smaller_beta.json").read_text())


def delta_of(k: int, epsilon: float, beta: float) -> float:
    """Return the least delta that a class size gives, from which `smallest_k` is found."""
    gamma = sampling._gamma(epsilon, beta)
    decay, start, found = sampling._decay(beta, gamma), sampling._start(k, gamma), 0.0
    while math.exp(-start * decay) > found:
        found = max(found, float(sampling._exceeding(np.arange(start, start + 4096), beta, gamma).max()))
        start += 4096
    return found


# Reference values -----------------------------------------------------------------------------------


@pytest.mark.parametrize("case", LARGEST, ids=lambda case: f"{case['epsilon']}-{case['delta']}")
def test_dp_parameters(case: dict[str, Any]) -> None:
    epsilon, delta = float(case["epsilon"]), float(case["delta"])
    assert math.isclose(largest_beta(epsilon), case["beta"], rel_tol=1e-12)
    assert smallest_k(epsilon, delta) == case["k_smallest"] == case["k_arx"] - 1
    assert math.isclose(
        delta_of(case["k_smallest"], epsilon, case["beta"]), case["delta_at_k_smallest"], rel_tol=1e-9
    )


@pytest.mark.parametrize(
    "case", SMALLER, ids=lambda case: f"{case['epsilon']}-{case['delta']}-{case['share_of_largest_beta']}"
)
def test_dp_smaller_beta(case: dict[str, Any]) -> None:
    epsilon, delta = float(case["epsilon"]), float(case["delta"])
    beta = float(case["share_of_largest_beta"]) * largest_beta(epsilon)
    assert math.isclose(beta, case["beta"], rel_tol=1e-12)
    assert smallest_k(epsilon, delta, beta) == case["k_smallest"]
    assert math.isclose(delta_of(case["k_smallest"], epsilon, beta), case["delta_at_k"], rel_tol=1e-9)


# A slow program by the definition -------------------------------------------------------------------


def exact_tail(n: int, least: int, share: Decimal) -> Decimal:
    """Return P(Bin(n, share) >= least), term by term with 60 digits."""
    terms = (math.comb(n, j) * share**j * (1 - share) ** (n - j) for j in range(max(least, 0), n + 1))
    return sum(terms, Decimal(0))


def exact_delta(k: int, epsilon: Decimal, share: Decimal) -> Decimal:
    """Return the largest probability over all n, by the definition; `share` is of the largest beta."""
    beta = share * (1 - (-epsilon).exp())
    gamma = 1 - (-epsilon).exp() * (1 - beta)
    found, n = Decimal(0), max(math.ceil(k / gamma - 1), 1)
    divergence = gamma * (gamma / beta).ln() - (gamma - beta)
    while (-n * divergence).exp() >= found:
        found = max(found, exact_tail(n, math.floor(n * gamma) + 1, beta))
        n += 1
    return found


@few
@given(
    epsilon=st.integers(1, 30).map(lambda tenths: Decimal(tenths) / 10),
    delta=st.sampled_from(["0.5", "0.1", "1e-2", "1e-3"]),
    share=st.sampled_from(["1", "0.8", "0.5", "0.2"]),
)
def test_the_class_size_is_the_least_by_the_definition_in_60_digits(
    epsilon: Decimal, delta: str, share: str
) -> None:
    with localcontext() as context:
        context.prec = 60
        beta = float(share) * largest_beta(float(epsilon))
        k = smallest_k(float(epsilon), float(delta), beta)
        reached = exact_delta(k, epsilon, Decimal(share))
        assert reached < Decimal(delta)
        assert math.isclose(delta_of(k, float(epsilon), beta), reached, rel_tol=1e-9)
        if k > 1:
            assert exact_delta(k - 1, epsilon, Decimal(share)) >= Decimal(delta)


@modest
@given(
    n=st.integers(0, 400),
    share=st.sampled_from(["0.001", "0.1", "0.5", "0.9", "0.999"]),
    data=st.data(),
)
def test_the_tail_is_that_of_the_binomial_distribution_in_60_digits(
    n: int, share: str, data: st.DataObject
) -> None:
    least = data.draw(st.integers(-1, n + 2))
    with localcontext() as context:
        context.prec = 60
        wanted = exact_tail(n, least, Decimal(share))
        found = upper_tail(np.array([n]), np.array([least]), float(share))[0]
        assert math.isclose(found, wanted, rel_tol=1e-11)


# Expected kept records ------------------------------------------------------------------------------


@modest
@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=8),
    beta=st.floats(0.05, 0.95),
    k=st.integers(1, 30),
)
def test_the_expected_kept_records_are_the_mean_over_all_draws(sizes: list[int], beta: float, k: int) -> None:
    wanted = 0.0
    for size in sizes:
        for drawn in range(k, size + 1):
            wanted += drawn * math.comb(size, drawn) * beta**drawn * (1 - beta) ** (size - drawn)
    assert math.isclose(expected_kept(np.array(sizes), beta, k), wanted, rel_tol=1e-9, abs_tol=1e-250)


def test_a_class_below_k_is_never_kept_and_with_k_1_every_drawn_record_is() -> None:
    sizes = np.array([1, 5, 9, 10, 1_000_000])
    assert kept_shares(sizes, 0.4, 10).tolist()[:3] == [0.0, 0.0, 0.0]
    assert math.isclose(kept_shares(sizes, 0.4, 10)[3], 0.4 * 0.4**9, rel_tol=1e-12)
    assert math.isclose(kept_shares(sizes, 0.4, 10)[4], 0.4, rel_tol=1e-12)
    assert kept_shares(sizes, 0.4, 1).tolist() == [0.4] * 5


# Bounds ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_an_epsilon_that_is_not_above_0_is_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon must be above 0"):
        smallest_k(epsilon, 1e-5)


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-5, 2.0, math.nan])
def test_a_delta_outside_0_and_1_is_refused(delta: float) -> None:
    with pytest.raises(ValueError, match="delta must be above 0 and below 1"):
        smallest_k(1.0, delta)


@pytest.mark.parametrize("beta", [0.0, 0.64, 1.0, math.nan])
def test_a_probability_above_the_largest_that_epsilon_allows_is_refused(beta: float) -> None:
    with pytest.raises(ValueError, match=r"beta must be above 0 and at most 0\.632"):
        smallest_k(1.0, 1e-5, beta)


def test_the_class_size_is_found_at_once_also_where_it_is_large() -> None:
    assert smallest_k(4.0, 1e-6) == 748
    assert smallest_k(10.0, 1e-15) > 500_000
    assert smallest_k(0.001, 1e-15) < 1000
