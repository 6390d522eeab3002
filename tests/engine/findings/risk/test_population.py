"""Population uniques against ARX's figures, and against the models written out slowly."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.findings.risk.of_table import population_uniques
from engine.kernels.population.estimate import (
    ESTIMATORS,
    digamma,
    digammas,
    estimate,
    fit,
    pitman,
    trigamma,
    zayatz,
)
from engine.kernels.population.snb import Equations, population_classes, snb, solve
from tests.strategies import few, modest

HISTOGRAMS = st.dictionaries(st.integers(2, 15), st.integers(1, 30), min_size=1, max_size=6).flatmap(
    lambda rest: st.integers(1, 60).map(lambda single: {1: single, **rest})
)


def arrays(histogram: dict[int, int]) -> tuple[np.ndarray, np.ndarray]:
    sizes = np.array(sorted(histogram), dtype=np.int64)
    return sizes, np.array([histogram[size] for size in sizes.tolist()], dtype=np.int64)


# How far ARX's solver stops from the solution; Zayatz needs none.
PRECISION = {"zayatz": 1e-13, "pitman": 1e-8, "dankar": 1e-8}


@pytest.mark.parametrize("name", ["input_all9", "input_sex_age_race", "input_5qi"])
def test_estimates_are_those_of_arx(
    name: str, oracle: dict[str, Any], table_path: Callable[[str], Path]
) -> None:
    # SNB is left out: ARX finds no solution here. It is held to its own equations below.
    expected = oracle[name]
    frame = pd.read_csv(table_path("adult_arx.csv"), sep=";", dtype=str)
    sizes = np.array(frame.groupby(expected["quasi_identifiers"]).size().tolist(), dtype=np.int64)
    found = population_uniques(sizes, expected["population_size"])
    assert expected["population_uniques"]["snb"]["available"] is False
    assert found.estimates["dankar"].estimator == expected["population_uniques"]["dankar_chose"].lower()
    for key, precision in PRECISION.items():
        entry = expected["population_uniques"][key]
        assert found.estimates[key].uniques == pytest.approx(entry["count"], rel=precision)
        assert found.fraction(key) == pytest.approx(entry["fraction"], rel=precision)


def test_a_release_without_uniques_comes_from_a_population_without_any(oracle: dict[str, Any]) -> None:
    seen = 0
    for name, entry in oracle.items():
        for figures in (entry.get("risk_all9"), entry.get("risk_sex_age_race")):
            if figures is None:
                continue
            assert figures["sample_uniques"] == 0, name
            size = int(1 / figures["sample_risks"]["highest"] + 0.5)
            found = population_uniques(np.array([size, size]), figures["population_size"])
            for key in ESTIMATORS:
                assert found.estimates[key].uniques == figures["population_uniques"][key]["count"] == 0
            seen += 1
    assert seen == 8


@modest
@given(HISTOGRAMS, st.integers(1, 3000))
def test_zayatz_is_bayes_rule_with_exact_binomials(histogram: dict[int, int], more: int) -> None:
    n = sum(size * count for size, count in histogram.items())
    population = n + more

    def drawn(size: int) -> Fraction:
        ways = size * math.comb(population - size, n - 1)
        return Fraction(ways, math.comb(population, n))

    total = sum(count * drawn(size) for size, count in histogram.items())
    alone = histogram[1] * drawn(1) / total
    expected = histogram[1] * alone * Fraction(population, n)
    assert zayatz(*arrays(histogram), population) == pytest.approx(float(expected), rel=1e-11)


def likelihood(theta: float, alpha: float, histogram: dict[int, int]) -> float:
    """Logarithm of Pitman's sampling formula, up to what does not depend on the parameters."""
    n = sum(size * count for size, count in histogram.items())
    u = sum(histogram.values())
    return (
        math.fsum(math.log(theta + i * alpha) for i in range(1, u))
        - math.fsum(math.log(theta + i) for i in range(1, n))
        + math.fsum(count * math.log(i - alpha) for size, count in histogram.items() for i in range(1, size))
    )


@few
@given(HISTOGRAMS)
def test_pitman_maximizes_the_likelihood(histogram: dict[int, int]) -> None:
    found = fit(*arrays(histogram))
    assume(found is not None)
    assert found is not None
    theta, alpha = found
    best = likelihood(theta, alpha, histogram)
    for by_theta, by_alpha in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)):
        for step in (1e-2, 1e-4):
            near = theta + by_theta * step * (theta + alpha), alpha + by_alpha * step * min(alpha, 1 - alpha)
            assert likelihood(*near, histogram) <= best + 1e-9 * abs(best)
    population = 10**6
    expected = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha)) * population**alpha
    uniques = pitman(*arrays(histogram), population)
    assert uniques == pytest.approx(expected, rel=1e-9) if expected <= population else uniques is None


@pytest.mark.parametrize(
    "histogram", [{1: 40, 2: 12, 3: 6, 5: 3, 9: 1}, {1: 300, 2: 60, 3: 20, 4: 12, 8: 5, 30: 2}]
)
def test_a_likelihood_with_an_inner_maximum_is_found(histogram: dict[int, int]) -> None:
    assert fit(*arrays(histogram)) is not None


def test_many_classes_are_summed_like_few() -> None:
    """Beyond some thousand classes sums come from digamma; they must be the same."""
    histogram = {1: 9000, 2: 1500, 3: 500, 7: 100, 40: 10}
    found = fit(*arrays(histogram))
    assert found is not None
    theta, alpha = found
    best = likelihood(theta, alpha, histogram)
    for near in (
        (theta * 1.001, alpha),
        (theta * 0.999, alpha),
        (theta, alpha * 1.001),
        (theta, alpha * 0.999),
    ):
        assert likelihood(*near, histogram) < best


@pytest.mark.parametrize("histogram", [{1: 5}, {7: 1}, {1: 1, 400: 3}, {1: 2, 2: 400}])
def test_a_likelihood_without_an_inner_maximum_has_no_answer(histogram: dict[int, int]) -> None:
    assert fit(*arrays(histogram)) is None
    found = estimate("pitman", *arrays({1: 1, **histogram}), 10**6)
    assert found.uniques is None
    assert "does not fit" in found.reason


def expected_of_sample(size: int, alpha: float, beta: float, classes: float, fraction: float) -> float:
    """Expected sample classes of a size: each size of the population by itself, thinned by chance."""
    total = 0.0
    for people in range(size, 4000):
        more = people - 1
        logarithm = (
            math.lgamma(alpha + more)
            - math.lgamma(alpha)
            - math.lgamma(more + 1)
            + alpha * math.log(beta)
            + more * math.log1p(-beta)
            + math.log(math.comb(people, size))
            + size * math.log(fraction)
            + (people - size) * math.log1p(-fraction)
        )
        total += math.exp(logarithm)
    return classes * total


@pytest.mark.parametrize("fraction", [0.02, 0.1, 0.3, 0.6])
def test_snb_gives_the_classes_of_one_and_two_that_were_found(fraction: float) -> None:
    sizes, counts = arrays({1: 220, 2: 70, 3: 40, 4: 20, 6: 10, 11: 3})
    population = round(int(sizes @ counts) / fraction)
    used = []

    def remembering(*arguments: Any) -> tuple[float, float] | None:
        used.append(solve(*arguments))
        return used[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.kernels.population.snb.solve", remembering)
        uniques = snb(sizes, counts, population)
    exact = int(sizes @ counts) / population
    classes = population_classes(sizes, counts, exact)
    assert classes is not None
    alpha, beta = math.exp(used[-1][0]), 1 / (1 + math.exp(-used[-1][1]))
    assert expected_of_sample(1, alpha, beta, classes, exact) == pytest.approx(220, rel=1e-6)
    assert expected_of_sample(2, alpha, beta, classes, exact) == pytest.approx(70, rel=1e-6)
    assert uniques == pytest.approx(classes * beta**alpha, rel=1e-12)


@modest
@given(HISTOGRAMS, st.floats(0.01, 0.99))
def test_classes_of_the_population_are_shlossers_modified_estimate(
    histogram: dict[int, int], fraction: float
) -> None:
    f, u = Fraction(fraction), sum(histogram.values())
    above = sum(i * f**2 * (1 - f**2) ** (i - 1) * s for i, s in histogram.items())
    below = sum((1 - f) ** i * ((1 + f) ** i - 1) * s for i, s in histogram.items())
    missed = sum((1 - f) ** i * s for i, s in histogram.items())
    once = sum(i * f * (1 - f) ** (i - 1) * s for i, s in histogram.items())
    expected = u + histogram[1] * above / below * (missed / once) ** 2
    found = population_classes(*arrays(histogram), fraction)
    assert found == pytest.approx(float(expected), rel=1e-9)


def test_without_classes_of_two_snb_has_no_answer() -> None:
    found = estimate("snb", *arrays({1: 40, 3: 10}), 10_000)
    assert found.uniques is None


def test_the_rule_takes_pitman_for_small_samples_and_the_lesser_of_two_for_large_ones() -> None:
    sizes, counts = arrays({1: 300, 2: 60, 3: 20, 4: 12, 8: 5, 30: 2})
    n = int(sizes @ counts)
    small = estimate("dankar", sizes, counts, n * 10)  # a fraction of exactly 0.1
    assert small == estimate("pitman", sizes, counts, n * 10)
    large = estimate("dankar", sizes, counts, n * 4)
    both = [estimate(name, sizes, counts, n * 4) for name in ("zayatz", "snb")]
    assert large in both
    assert large.uniques == min(entry.uniques for entry in both if entry.uniques is not None)


def test_the_rule_falls_back_on_zayatz() -> None:
    sizes, counts = arrays({1: 2, 2: 400})
    assert estimate("pitman", sizes, counts, 10**6).uniques is None
    found = estimate("dankar", sizes, counts, 10**6)
    assert found == estimate("zayatz", sizes, counts, 10**6)
    assert found.estimator == "zayatz"


@modest
@given(HISTOGRAMS)
def test_uniques_of_a_whole_population_are_counted(histogram: dict[int, int]) -> None:
    sizes, counts = arrays(histogram)
    for name in ESTIMATORS:
        assert estimate(name, sizes, counts, int(sizes @ counts)).uniques == histogram[1]


@modest
@given(HISTOGRAMS, st.integers(0, 10**7))
def test_an_estimate_is_a_number_of_people_or_none(histogram: dict[int, int], more: int) -> None:
    sizes, counts = arrays(histogram)
    population = int(sizes @ counts) + more
    for name in ESTIMATORS:
        found = estimate(name, sizes, counts, population)
        assert (found.uniques is None) == bool(found.reason)
        assert found.uniques is None or 0 <= found.uniques <= population * (1 + 1e-12)


def test_a_population_smaller_than_its_sample_is_refused() -> None:
    with pytest.raises(InputError, match=r"population of 5 is smaller than the 6 records"):
        population_uniques(np.array([1, 5]), 5)
    with pytest.raises(InputError, match="No record to measure"):
        population_uniques(np.array([], dtype=np.int64), 5)


def test_the_derivatives_of_ln_gamma_have_their_known_values() -> None:
    # Abramowitz and Stegun 6.3.2, 6.3.3, 6.3.4, 6.4.2, 6.4.4.
    euler = 0.5772156649015329
    harmonic = math.fsum(1 / i for i in range(1, 40))
    squares = math.fsum(1 / i**2 for i in range(1, 40))
    known = {
        1.0: (-euler, math.pi**2 / 6),
        0.5: (-euler - 2 * math.log(2), math.pi**2 / 2),
        40.0: (harmonic - euler, math.pi**2 / 6 - squares),
    }
    several = digammas(np.array(list(known)))
    for place, (x, (value, slope)) in enumerate(known.items()):
        assert digamma(x) == pytest.approx(value, rel=1e-14)
        assert several.value[place] == pytest.approx(value, rel=1e-13)
        assert trigamma(x) == pytest.approx(slope, rel=1e-12)
        assert several.slope[place] == pytest.approx(slope, rel=1e-12)


def test_equations_without_a_solution_are_not_solved() -> None:
    def never(x: float, y: float) -> Equations:
        return Equations(x * x + 1, y, 2 * x, 0, 0, 1)

    assert solve(never, (3.0, 1.0), lambda x, y: True, 1e-9) is None
    assert solve(never, (3.0, 1.0), lambda x, y: x > 5, 1e-9) is None
