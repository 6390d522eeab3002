"""Risks of records against ARX's figures, and against a recount in exact fractions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.assessment.risk.attacker_risk import (
    AttackerRisk,
    check_among,
    record_risks,
    risk_distribution,
    risk_of_people,
)
from engine.errors import InputError
from engine.frequency.persons import PeopleBySize
from engine.kernels.risks import least_size
from tests.strategies import modest

INPUTS = ("input_all9", "input_sex_age_race", "input_5qi")
SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=20)
THRESHOLDS = st.decimals(0, 1, places=3).map(float)


@pytest.fixture(scope="module")
def oracle(data: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data / "arx" / "risk_quality.json").read_text())
    return found


@pytest.fixture
def sizes_of(table_path: Callable[[str], Path]) -> Callable[[list[str]], np.ndarray]:
    frame = pd.read_csv(table_path("adult_arx.csv"), sep=";", dtype=str)
    return lambda names: frame.groupby(names).size().to_numpy(dtype=np.int64)


def attacker_risk(records: np.ndarray, threshold: float, among: np.ndarray | None = None) -> AttackerRisk:
    return risk_of_people(PeopleBySize.of_records(records, among), threshold)


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("name", INPUTS)
def test_the_risks_of_a_table_are_those_of_arx(
    name: str, oracle: dict[str, Any], sizes_of: Callable[[list[str]], np.ndarray]
) -> None:
    expected = oracle[name]
    sizes = sizes_of(expected["quasi_identifiers"])
    found = attacker_risk(sizes, 0.2)
    risks, summary = expected["sample_risks"], expected["summary_threshold_0.2"]
    assert len(sizes) == expected["classes"]
    assert sizes.sum() == expected["records_counted"]
    assert found.average == close(risks["average"]) == close(risks["estimated_marketer"])
    assert found.highest == close(risks["highest"]) == close(risks["estimated_prosecutor"])
    assert found.highest == close(risks["estimated_journalist"])
    assert found.lowest == close(risks["lowest"])
    assert found.at_highest == close(risks["fraction_affected_by_highest"])
    assert found.at_lowest == close(risks["fraction_affected_by_lowest"])
    for attacker in ("prosecutor", "journalist"):
        assert found.records_at_risk == close(summary[attacker]["records_at_risk"])
        assert found.highest == close(summary[attacker]["highest"])
        assert found.average == close(summary[attacker]["success_rate"])
    assert found.average == close(summary["marketer"]["success_rate"])
    distribution = risk_distribution(PeopleBySize.of_records(sizes))
    assert distribution.uniques == expected["sample_uniques"]
    assert distribution.uniques / distribution.n_records == close(expected["sample_uniques_fraction"])


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
