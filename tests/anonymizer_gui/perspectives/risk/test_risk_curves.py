"""The arithmetic of the charts of risk: steps, the logarithmic axis, and round values of an axis."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QApplication

from anonymizer_gui.perspectives.risk.painted_chart import percent_labels, round_step, thinned
from anonymizer_gui.perspectives.risk.risk_chart import RiskAxis, Steps, typed

# Of ten records two are alone, three share a class, five another.
STEPS = Steps(np.array([1.0, 1 / 3, 1 / 5]), np.array([0.2, 0.5, 1.0]))


@pytest.mark.parametrize(
    ("risk", "share"), [(1.0, 0.2), (0.5, 0.2), (1 / 3, 0.5), (0.21, 0.5), (0.2, 1.0), (0.01, 1.0)]
)
def test_a_step_counts_the_records_with_at_least_its_risk(risk: float, share: float) -> None:
    assert STEPS.at(risk) == share


def test_nobody_has_more_than_certainty() -> None:
    assert Steps(np.array([0.2]), np.array([1.0])).at(0.21) == 0.0


@given(st.floats(1e-6, 0.5), st.floats(0, 1))
def test_places_on_the_axis_and_risks_are_one_another(lowest: float, place: float) -> None:
    axis = RiskAxis(lowest)
    assert axis.place(axis.risk(place)) == pytest.approx(place, abs=1e-9)


def test_the_axis_has_room_for_the_lowest_risk_of_both_sides() -> None:
    axis = RiskAxis.over([STEPS, Steps(np.array([0.01]), np.array([1.0]))])
    assert 0 < axis.place(0.01) < 0.1
    assert axis.ticks()[-1] == 1.0
    assert axis.ticks()[0] == 0.01


@pytest.mark.parametrize(("risk", "expected"), [(0.0904, 0.09), (0.0001, 0.001), (1.4, 1.0), (0.2, 0.2)])
def test_a_dragged_line_stops_where_a_person_could_have_typed(risk: float, expected: float) -> None:
    assert typed(risk) == expected


@given(st.floats(1e-6, 1.0), st.integers(40, 600))
def test_an_axis_of_shares_ends_at_or_above_the_highest_and_at_most_at_all(
    highest: float, height: int
) -> None:
    plot = QRectF(40, 8, 300, height)
    end, labels = percent_labels(plot, highest)
    assert highest <= end * (1 + 1e-9)
    assert end <= 1.0
    assert labels[0] == (plot.bottom(), "0\u202f%")
    assert labels[-1][0] == pytest.approx(plot.top())
    assert len(labels) == len({text for _, text in labels})


@pytest.mark.parametrize(
    ("span", "most", "step"), [(1.0, 4, 0.25), (1.0, 5, 0.2), (0.3, 6, 0.05), (0.07, 4, 0.02)]
)
def test_steps_of_an_axis_are_round(span: float, most: int, step: float) -> None:
    assert round_step(span, most) == pytest.approx(step)


def test_labels_that_would_touch_are_left_out_and_the_last_stays(themed: QApplication) -> None:
    crowded = [(float(x), "100\u202f%") for x in range(0, 200, 10)]
    kept = thinned(crowded)
    assert kept[-1] == crowded[-1]
    assert 3 <= len(kept) <= 6
    assert all(b[0] - a[0] >= 30 for a, b in pairwise(kept))
