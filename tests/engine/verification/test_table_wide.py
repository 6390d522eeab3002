"""Estimates and shares by verification's own methods, equal to those of the program."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.population.estimate import ESTIMATORS, estimate
from engine.verification.findings import UnverifiableError
from engine.verification.models.base import KeptPeople, Model, at_most, verifier_of
from engine.verification.models.population_uniqueness import population_uniques
from tests.strategies import modest

HISTOGRAMS = st.dictionaries(st.integers(1, 20), st.integers(1, 40), min_size=1, max_size=7)


@modest
@given(HISTOGRAMS, st.sampled_from(ESTIMATORS), st.sampled_from([1.0, 1.01, 1.7, 5, 10, 200, 1e5]))
def test_two_ways_of_fitting_a_model_agree(histogram: dict[int, int], estimator: str, times: float) -> None:
    sizes = np.array(sorted(histogram), dtype=np.int64)
    counts = np.array([histogram[size] for size in sizes.tolist()], dtype=np.int64)
    people = int(sizes @ counts) * times
    judged = population_uniques(estimator, histogram, people)
    found = estimate(estimator, sizes, counts, people).uniques
    assert judged == (None if found is None else pytest.approx(found, rel=1e-7))


def test_many_records_are_verified_too() -> None:
    histogram = {1: 9000, 2: 2500, 3: 1100, 4: 600, 6: 300, 11: 90, 40: 20, 700: 3}
    sizes, counts = np.array(list(histogram)), np.array(list(histogram.values()))
    for estimator in ESTIMATORS:
        expected = estimate(estimator, sizes, counts, 5_000_000).uniques
        assert population_uniques(estimator, histogram, 5_000_000) == pytest.approx(expected, rel=1e-7)


def holds(
    key: str,
    bound: Fraction,
    sizes: dict[int, int],
    *,
    risk: Fraction | None = None,
    estimator: str = "",
    people: Fraction | None = None,
) -> bool | None:
    """Return the verdict of a model on kept classes whose persons are in no other class."""
    reals = {} if risk is None else {"threshold": risk}
    model = Model(key, verifier_of(key), bound, "", words={"estimator": estimator}, reals=reals)
    return model.holds(KeptPeople(sizes, {size: size * n for size, n in sizes.items()}, people))


SIZES = {1: 2, 3: 1, 5: 1}  # ten records in four classes


@pytest.mark.parametrize(
    ("key", "bound", "risk", "expected"),
    [
        ("average_risk", "0.4", None, True),
        ("average_risk", "0.39", None, False),
        ("records_at_risk", "0.2", "0.34", True),
        ("records_at_risk", "0.2", "0.33", False),
        ("records_at_risk", "0.5", "0.33", True),
        ("sample_uniqueness", "0.2", None, True),
        ("sample_uniqueness", "0.19", None, False),
    ],
)
def test_shares_are_those_of_a_count_by_hand(key: str, bound: str, risk: str | None, expected: bool) -> None:
    found = holds(key, Fraction(bound), SIZES, risk=None if risk is None else Fraction(risk))
    assert found is expected


def test_an_estimate_that_lies_on_the_threshold_is_left_open() -> None:
    share = Fraction(population_uniques("zayatz", SIZES, 100.0) or 0) / 100
    for bound, expected in ((share, None), (share * 2, True), (share / 2, False)):
        found = holds("population_uniqueness", bound, SIZES, estimator="zayatz", people=Fraction(100))
        assert found is expected


def test_population_uniqueness_is_not_verified_without_a_population() -> None:
    for people in (None, Fraction(9)):
        with pytest.raises(UnverifiableError, match="population size"):
            holds("population_uniqueness", Fraction(1), SIZES, estimator="zayatz", people=people)


def test_a_model_that_does_not_fit_does_not_hold() -> None:
    found = holds("population_uniqueness", Fraction(1), {1: 5}, estimator="pitman", people=Fraction(100))
    assert found is False


def test_nothing_kept_holds() -> None:
    assert holds("average_risk", Fraction(0), {}) is True


def test_a_share_that_is_the_same_double_as_its_bound_is_met() -> None:
    assert at_most(Fraction(1, 3), Fraction("0.3333333333333333"))
    assert not at_most(Fraction(1, 3), Fraction("0.333333333333333"))
