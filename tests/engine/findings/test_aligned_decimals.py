"""Fractions of a column have the same decimals, if they are of one size."""

from __future__ import annotations

import math

import pytest

from engine.findings.blocks import Figure
from engine.findings.format_value import decimals_of


@pytest.mark.parametrize(
    ("figures", "decimals"),
    [
        ([-0.4044123, -0.098091, 0.2497, None], 4),
        ([5.2694, 3.5, 4.194], 3),
        ([1.0, 2.0, 0.0], 0),
        ([0.5, math.inf], 1),
        ([0.3026, 1_821_298.0], None),
        ([0.4, 0.00001], None),
        ([0.8571, 5], None),
        ([0.8571, "k = 5"], None),
        ([None], None),
        ([], None),
    ],
)
def test_the_largest_has_four_digits_and_the_others_its_decimals(
    figures: list[Figure], decimals: int | None
) -> None:
    assert decimals_of(figures) == decimals
