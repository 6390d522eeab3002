"""How commands write figures for people."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cli.console import attained


@pytest.mark.parametrize(
    ("value", "at_least", "text"),
    [
        (1 / 3, False, "0.333334"),
        (2 / 3, False, "0.666667"),
        (0.25, False, "0.25"),
        (1.8898815767321915, True, "1.88988"),
        (math.e, True, "2.71828"),
        (math.e, False, "2.71829"),
        (1234, True, "1\u202f234"),
        (math.inf, False, "inf"),
    ],
)
def test_a_measured_figure_is_rounded_to_the_side_on_which_it_is_met(
    value: float, at_least: bool, text: str
) -> None:
    assert attained(value, at_least=at_least) == text


@given(st.floats(0, 1e6), st.booleans())
def test_what_is_written_of_a_table_is_met_by_it(value: float, at_least: bool) -> None:
    written = float(attained(value, at_least=at_least))
    assert written <= value if at_least else value <= written
    assert written == pytest.approx(value, rel=1e-5)
