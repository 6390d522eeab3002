"""Risks of records against ARX's figures, and against a recount in exact fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.findings.risk.attacker_risk import (
    AttackerRisk,
    check_among,
    record_risks,
    risk_distribution,
    risk_of_people,
)
from engine.frequency.persons import PeopleBySize
from engine.kernels.risks import least_size
from tests.engine.findings.risk.subjects import close
from tests.strategies import modest

SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=20)
THRESHOLDS = st.decimals(0, 1, places=3).map(float)


def attacker_risk(records: np.ndarray, threshold: float, among: np.ndarray | None = None) -> AttackerRisk:
    return risk_of_people(PeopleBySize.of_records(records, among), threshold)


@modest
@given(SIZES, THRESHOLDS)
def test_risks_are_those_of_a_recount_record_by_record(sizes: list[int], threshold: float) -> None:
    records = [Fraction(1, size) for size in sizes for _ in range(size)]
    n, typed = len(records), Fraction(repr(threshold))
    found = attacker_risk(np.array(sizes), threshold)
    assert found.highest == close(float(max(records)))
    assert found.lowest == close(float(min(records)))
    assert found.average == close(float(sum(records) / n))
    assert found.records_at_risk == sum(risk > typed for risk in records) / n
    assert found.at_highest == records.count(max(records)) / n
    assert found.at_lowest == records.count(min(records)) / n


@modest
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 30)), min_size=1), THRESHOLDS)
def test_a_journalist_searches_among_the_population(pairs: list[tuple[int, int]], threshold: float) -> None:
    own = np.array([size for size, _ in pairs])
    among = np.array([size + more for size, more in pairs])
    records = [Fraction(1, size + more) for size, more in pairs for _ in range(size)]
    found = attacker_risk(own, threshold, among)
    assert found.highest == close(float(max(records)))
    assert found.average == close(float(sum(records) / len(records)))
    above = sum(risk > Fraction(repr(threshold)) for risk in records)
    assert found.records_at_risk == above / len(records)
    assert found.average <= attacker_risk(own, threshold).average * (1 + 1e-12)


@modest
@given(SIZES)
def test_the_distribution_holds_every_record_once(sizes: list[int]) -> None:
    found = risk_distribution(PeopleBySize.of_records(np.array(sizes)))
    counted = Counter(size for size in sizes for _ in range(size))
    assert dict(zip(found.sizes.tolist(), found.records.tolist(), strict=True)) == counted
    assert found.risks.tolist() == [1 / size for size in sorted(set(sizes))]
    assert found.cumulative_shares[-1] == 1


def test_the_risk_of_a_record_is_that_of_its_class() -> None:
    found = record_risks(np.array([0, 1, 1, 0, 2]), np.array([2, 2, 1]))
    assert found.tolist() == [0.5, 0.5, 0.5, 0.5, 1.0]


@pytest.mark.parametrize(
    ("threshold", "smallest"),
    [
        (0.2, 5),
        (0.21, 5),
        (0.19, 6),
        (1.0, 1),
        (1 / 3, 3),
        (1 / 49, 49),
        (0.3333, 4),
        (0.334, 3),
        (0.05, 20),
        (1e-7, 10**7),
    ],
)
def test_a_threshold_asks_for_the_smallest_class_that_meets_it(threshold: float, smallest: int) -> None:
    assert least_size(threshold) == smallest


def test_a_class_whose_own_risk_is_the_threshold_meets_it() -> None:
    assert [least_size(1 / size) for size in range(1, 5000)] == list(range(1, 5000))


def test_no_class_is_large_enough_for_a_risk_of_none() -> None:
    assert attacker_risk(np.array([1000]), 0.0).records_at_risk == 1


def test_what_cannot_be_measured_is_said() -> None:
    none: Iterator[int] = iter(())
    with pytest.raises(InputError, match="No record to measure"):
        attacker_risk(np.array(list(none), dtype=np.int64), 0.2)
    with pytest.raises(InputError, match="No record to measure"):
        risk_distribution(PeopleBySize.of_records(np.array([], dtype=np.int64)))
    with pytest.raises(InputError, match=r"threshold cannot be 1\.5"):
        attacker_risk(np.array([2]), 1.5)
    with pytest.raises(InputError, match="threshold cannot be nan"):
        attacker_risk(np.array([2]), float("nan"))
    with pytest.raises(InputError, match="fewer people"):
        check_among(np.array([3]), np.array([2]))
