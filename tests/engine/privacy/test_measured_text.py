"""Text of measured values and thresholds."""

from __future__ import annotations

import pytest

from engine.numbers import NARROW_SPACE
from engine.params import values_of
from engine.privacy.highest_risk import HighestRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.measured_text import figure_text, limit_text
from engine.privacy.records_at_risk import RecordsAtRisk
from engine.privacy.t_closeness import TCloseness


@pytest.mark.parametrize(
    ("limit", "text"), [(0.2, "0.20"), (0.125, "0.125"), (0.30, "0.30"), (0.0001234567, "0.0001234567")]
)
def test_a_threshold_has_its_decimals_and_at_least_two(limit, text):
    assert limit_text(TCloseness("disease", t=limit)) == text


def test_a_count_as_threshold_is_an_integer_of_any_size():
    assert limit_text(KAnonymity(5)) == "5"
    assert limit_text(KAnonymity(5), 1_000_000) == f"1{NARROW_SPACE}000{NARROW_SPACE}000"


@pytest.mark.parametrize(
    ("risk", "text"), [(0.2, "20 %"), (0.05, "5 %"), (0.125, "12.5 %"), (0.0055, "0.55 %"), (0.29, "29 %")]
)
def test_a_risk_is_a_percentage_in_the_window_and_a_fraction_in_files(risk, text):
    model = HighestRisk(threshold=risk)
    assert limit_text(model) == text.replace(" ", NARROW_SPACE)
    assert values_of(model) == {"threshold": risk}


def test_measured_risks_have_two_decimals():
    assert figure_text(HighestRisk, 0.2, 3) == f"20.00{NARROW_SPACE}%"
    assert figure_text(RecordsAtRisk, 0.0, 3) == f"0.00{NARROW_SPACE}%"


def test_a_small_value_differs_from_zero():
    assert figure_text(TCloseness, 0.0004, 3) == "0.00040"
    assert figure_text(TCloseness, 0.0, 3) == "0.000"
    assert figure_text(KAnonymity, 12.0, 3) == "12"
