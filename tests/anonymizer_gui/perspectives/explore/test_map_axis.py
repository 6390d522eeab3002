"""An axis of the map: positions and values are inverse, labels are round and apart."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizer_gui.perspectives.explore.map.geometry import Axis, Scale, axis_of, tick_texts

NARROW = "\u202f"
SHARES = Axis(0.0, 1.0, Scale.ROOT)


@st.composite
def axes(draw: st.DrawFn) -> Axis:
    scale = draw(st.sampled_from(Scale))
    low = draw(st.floats(0.01, 100)) if scale is not Scale.ROOT else 0.0
    return Axis(low, low + draw(st.floats(0.5, 1e6)), scale)


@given(axes(), st.floats(0, 1))
def test_a_value_and_its_position_are_inverse(axis: Axis, place: float) -> None:
    assert axis.place(axis.value_at(place)) == pytest.approx(place, abs=1e-6)


@given(axes(), st.floats(0, 0.9), st.floats(0.01, 1), st.floats(0.05, 0.3))
def test_printed_values_are_in_view_in_order_and_apart(
    axis: Axis, first: float, shown: float, apart: float
) -> None:
    last = first + shown * (1 - first)
    ticks = axis.ticks(first, last, apart * (last - first))
    places = [axis.place(value) for value in ticks]
    assert all(first - 1e-6 <= place <= last + 1e-6 for place in places)
    assert all(b - a >= apart * (last - first) * (1 - 1e-6) for a, b in pairwise(places))


def test_shares_are_printed_as_percent_if_few_records_are_suppressed() -> None:
    ticks = SHARES.ticks(0, 1, 0.09)
    texts = tick_texts(ticks, Scale.ROOT, is_share=True)
    assert texts == ["0", "1", "5", "10", "25", "50", f"100{NARROW}%"]


def test_a_linear_axis_ends_at_round_values_and_is_divided_evenly() -> None:
    axis = axis_of(np.array([0.213, np.nan, 0.94]), Scale.LINEAR)
    assert axis == Axis(0.2, 1.0)
    assert tick_texts(axis.ticks(0, 1, 0.2), axis.scale, is_share=False) == [
        "0.2",
        "0.4",
        "0.6",
        "0.8",
        "1.0",
    ]


def test_a_part_of_a_root_axis_that_is_nearly_linear_is_divided_evenly() -> None:
    first, last = SHARES.place(0.04), SHARES.place(0.09)
    ticks = SHARES.ticks(first, last, (last - first) / 8)
    assert np.diff(ticks) == pytest.approx(np.full(len(ticks) - 1, 0.01))


def test_a_logarithm_is_used_only_for_a_wide_range() -> None:
    wide, narrow, zero = np.array([2.0, 500.0]), np.array([2.0, 5.0]), np.array([0.0, 500.0])
    found = [axis_of(values, Scale.LOG) for values in (wide, narrow, zero)]
    assert [axis.scale if axis else None for axis in found] == [Scale.LOG, Scale.LINEAR, Scale.LINEAR]


def test_one_value_is_centred_on_its_axis_and_none_has_no_axis() -> None:
    axis = axis_of(np.array([3.0, 3.0]), Scale.LINEAR)
    assert axis.place(3.0) == pytest.approx(0.5)
    assert axis_of(np.array([np.nan]), Scale.LINEAR) is None


def test_without_a_finite_value_there_is_no_position() -> None:
    places = Axis(1.0, 100.0, Scale.LOG).places(np.array([0.0, -1.0, np.nan, np.inf, 10.0]))
    assert np.isnan(places[:4]).all()
    assert places[4] == pytest.approx(0.5)


def test_a_held_axis_grows_only_for_values_beyond_its_ends() -> None:
    held = Axis(0.2, 1.0)
    assert held.extended_by(Axis(0.4, 0.8)) == held
    assert held.extended_by(Axis(0.0, 0.8)) == Axis(0.0, 1.0)
    assert held.extended_by(Axis(1.0, 50.0, Scale.LOG)) == Axis(1.0, 50.0, Scale.LOG)
