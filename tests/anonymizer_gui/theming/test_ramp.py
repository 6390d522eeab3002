"""The ramp assigns each loss a colour class."""

from __future__ import annotations

import numpy as np
import pytest

from anonymizer_gui.theming import THEMES, loss_at, ramp_classes, ramp_color, ramp_colors, ramp_position


def test_the_best_loss_is_class_0_and_the_worst_class_63() -> None:
    assert ramp_classes([0.27, 1.0], 0.27, 1.0).tolist() == [0, 63]


def test_a_quarter_of_the_loss_range_is_half_of_the_ramp() -> None:
    assert ramp_position(0.25, 0.0, 1.0) == 0.5
    assert loss_at(0.5, 0.2, 1.0) == pytest.approx(0.4)


def test_losses_outside_the_range_have_the_colour_of_the_end() -> None:
    assert ramp_classes([0.1, 2.0, np.nan], 0.27, 1.0).tolist() == [0, 63, 63]


def test_with_equal_losses_every_node_has_the_best_colour() -> None:
    assert ramp_classes([0.5, 0.5], 0.5, 0.5).tolist() == [0, 0]


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_the_ends_of_the_64_colours_are_the_first_and_last_stop(theme) -> None:
    colors = ramp_colors(theme)
    assert len(colors) == 64
    assert colors[0].name().upper() == theme.ramp[0]
    assert colors[-1].name().upper() == theme.ramp[-1]
    assert ramp_color(theme, 0.3, 0.3, 0.9) == colors[0]
