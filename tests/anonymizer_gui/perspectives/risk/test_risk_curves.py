"""The arithmetic of the chart of risk: steps and the logarithmic axis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer_gui.perspectives.risk.risk_chart import RiskAxis, typed
from engine.findings.risk.attacker_risk import RiskDistribution

# Of ten records two are unique, three share a class, five another.
STEPS = RiskDistribution(np.array([1, 3, 5]), np.array([2, 3, 5]))


@pytest.mark.parametrize(
    ("risk", "share"), [(1.0, 0.2), (0.5, 0.2), (1 / 3, 0.5), (0.21, 0.5), (0.2, 1.0), (0.01, 1.0)]
)
def test_a_step_counts_the_records_with_at_least_its_risk(risk: float, share: float) -> None:
    assert STEPS.share_from(risk) == share


def test_no_record_has_a_risk_above_one() -> None:
    assert RiskDistribution(np.array([5]), np.array([5])).share_from(0.21) == 0.0


@given(st.floats(1e-6, 0.5), st.floats(0, 1))
def test_places_on_the_axis_and_risks_are_one_another(lowest: float, place: float) -> None:
    axis = RiskAxis(lowest)
    assert axis.place(axis.risk(place)) == pytest.approx(place, abs=1e-9)


def test_the_axis_covers_the_lowest_risk_of_both_sides() -> None:
    axis = RiskAxis.over([STEPS, RiskDistribution(np.array([100]), np.array([100]))])
    assert 0 < axis.place(0.01) < 0.1
    assert axis.ticks()[-1] == 1.0
    assert axis.ticks()[0] == 0.01


@pytest.mark.parametrize(("risk", "expected"), [(0.0904, 0.09), (0.0001, 0.001), (1.4, 1.0), (0.2, 0.2)])
def test_a_dragged_line_stops_at_values_that_can_be_typed(risk: float, expected: float) -> None:
    assert typed(risk) == expected
