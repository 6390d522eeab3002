"""Statistics of the attack test: values of Anonymeter, the judge, and what the interval means."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from engine.findings.attack.statistics import attack_statistics, wilson_rate
from engine.verification.attack_test import recomputed, wrong_statistics

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[3] / "data" / "second" / "attack_statistics.json").read_text()
)
GIVEN = ("attacks", "successes", "control_attacks", "control_successes", "level")


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(str(case[name]) for name in GIVEN[:4]))
def test_statistics_are_those_of_anonymeter(case: dict[str, Any]) -> None:
    found = attack_statistics(*(case[name] for name in GIVEN)).as_dict()
    assert found.keys() == case.keys()
    for name, value in case.items():
        assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_the_judge_finds_the_same_by_another_way(level: float) -> None:
    for n, s, m, c in [(0, 0, 0, 0), (1, 0, 1, 1), (500, 60, 500, 20), (100_000, 100_000, 7, 0)]:
        found = attack_statistics(n, s, m, c, level).as_dict()
        again = recomputed(n, s, m, c, level)
        assert {name: found[name] for name in again} == pytest.approx(again, rel=1e-9, abs=1e-9)
        assert wrong_statistics(found) == ()


@pytest.mark.parametrize("name", ["attack_rate", "control_error", "risk", "risk_low", "risk_high"])
def test_the_judge_names_a_value_that_does_not_follow(name: str) -> None:
    found = attack_statistics(500, 60, 500, 20).as_dict()
    assert [name in text for text in wrong_statistics({**found, name: found[name] + 1e-6})] == [True]


def test_wilson_rate_is_the_middle_of_an_interval_whose_ends_are_just_attained() -> None:
    rate, z = wilson_rate(50, 7), 1.959964
    for p in (rate.value - rate.error, rate.value + rate.error):
        assert abs(7 / 50 - p) == pytest.approx(z * math.sqrt(p * (1 - p) / 50), rel=1e-6)


def test_without_attacks_nothing_is_known() -> None:
    found = attack_statistics(0, 0, 0, 0)
    assert (found.attack_rate, found.attack_error) == pytest.approx((0.5, 0.5))
    assert (found.risk, found.risk_low, found.risk_high) == (0.0, 0.0, 1.0)


def test_more_successes_than_attacks_are_refused() -> None:
    with pytest.raises(ValueError, match="3 of 2"):
        wilson_rate(2, 3)
