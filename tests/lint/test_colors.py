"""Colours have enough contrast and stay distinguishable for every kind of colour vision."""

from __future__ import annotations

from dataclasses import fields
from itertools import combinations

import numpy as np
import pytest

from anonymizer_gui.theming import CONTRAST_DARK, CONTRAST_LIGHT, DARK, LIGHT, THEMES, RoleTone, Theme
from anonymizer_gui.theming.tokens import ramp_rgb
from tests.anonymizer_gui.theming.color_science import SIMULATIONS, contrast, distance, grey_lightness, oklab

ROLES = ("identifying", "quasi_identifying", "sensitive", "insensitive")
SERIES = ("series_1", "series_2", "series_3", "series_4", "series_5")
TEXT_PAIRS = [
    *[
        (text, ground)
        for text in ("text", "text_2")
        for ground in ("surface", "surface_2", "sunken", "hover", "window")
    ],
    *[("text_3", ground) for ground in ("surface", "surface_2", "window", "hover", "accent_soft")],
    *[("text", f"change_{i}") for i in (1, 2, 3)],
    *[("text_2", f"change_{i}") for i in (1, 2, 3)],
    *[(tone, "surface") for tone in ("accent", "accent_text", "ok", "warn", "danger")],
    *[(tone, f"{tone}_soft") for tone in ("ok", "warn", "danger")],
    *[("text", f"{tone}_soft") for tone in ("ok", "warn", "danger", "accent")],
    ("accent_text", "accent_soft"),
    ("on_accent", "accent"),
    ("on_accent", "accent_hover"),
]
MARK_PAIRS = [
    *[(mark, "surface") for mark in ("border_strong", "fail_line", "ink", "accent", *SERIES)],
    ("border_strong", "window"),
]
themes = pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
high = pytest.mark.parametrize("theme", [CONTRAST_LIGHT, CONTRAST_DARK], ids=lambda theme: theme.name)
views = pytest.mark.parametrize("view", list(SIMULATIONS))


@themes
@pytest.mark.parametrize(("text", "ground"), TEXT_PAIRS)
def test_text_has_a_contrast_of_at_least_four_and_a_half(theme: Theme, text: str, ground: str) -> None:
    assert contrast(getattr(theme, text), getattr(theme, ground)) >= 4.5


@themes
@pytest.mark.parametrize(("mark", "ground"), MARK_PAIRS)
def test_controls_and_marks_have_a_contrast_of_at_least_three(theme: Theme, mark: str, ground: str) -> None:
    assert contrast(getattr(theme, mark), getattr(theme, ground)) >= 3


@high
@pytest.mark.parametrize(("text", "ground"), TEXT_PAIRS)
def test_text_of_a_high_contrast_theme_has_a_contrast_of_at_least_seven(
    theme: Theme, text: str, ground: str
) -> None:
    assert contrast(getattr(theme, text), getattr(theme, ground)) >= 7


@high
def test_the_main_text_of_a_high_contrast_theme_is_nearly_black_on_white(theme: Theme) -> None:
    for ground in ("surface", "surface_2", "window", "hover"):
        assert contrast(theme.text, getattr(theme, ground)) >= 14
    assert contrast(theme.text, theme.surface) >= 20


@high
@pytest.mark.parametrize("ground", ["surface", "surface_2", "window"])
def test_controls_marks_borders_and_focus_of_a_high_contrast_theme_have_at_least_four_and_a_half(
    theme: Theme, ground: str
) -> None:
    marks = ("border", "border_strong", "accent", "ink", "text_disabled")
    assert min(contrast(getattr(theme, mark), getattr(theme, ground)) for mark in marks) >= 4.5
    if ground == "surface":
        fills = [*(getattr(theme, role).fill for role in ROLES), *theme.ramp, theme.fail_line]
        fills += [getattr(theme, name) for name in SERIES]
        assert min(contrast(fill, theme.surface) for fill in fills) >= 4.5
        assert min(contrast(faint, theme.surface) for faint in (theme.grid, theme.fail_dot)) >= 3


@high
@pytest.mark.parametrize("role", ROLES)
def test_the_glyph_of_a_role_of_a_high_contrast_theme_has_contrast_on_both_grounds(
    theme: Theme, role: str
) -> None:
    tone = getattr(theme, role)
    assert contrast(tone.glyph, tone.fill) >= 5
    assert contrast(theme.text, tone.soft) >= 10


def test_the_focus_ring_of_a_high_contrast_theme_is_thicker() -> None:
    assert min(CONTRAST_LIGHT.ring_width, CONTRAST_DARK.ring_width) > max(LIGHT.ring_width, DARK.ring_width)


@themes
def test_filled_and_empty_steps_of_a_glyph_differ_in_grey(theme: Theme) -> None:
    empty = grey_lightness(theme.fail)
    assert abs(grey_lightness(theme.text_2) - empty) >= 40
    assert abs(grey_lightness(theme.fail_line) - empty) >= 24
    assert distance(theme.accent, theme.text_2) >= 13


@themes
@pytest.mark.parametrize("role", ROLES)
def test_the_glyph_of_a_role_has_contrast_to_its_badge(theme: Theme, role: str) -> None:
    tone = getattr(theme, role)
    # White on the red of the dark theme is the documented exception: a glyph, not a text.
    least = 3.8 if (theme, role) == (DARK, "identifying") else 5.0
    assert contrast(tone.glyph, tone.fill) >= least
    assert contrast(theme.text, tone.soft) >= 4.5


@themes
def test_all_ramp_stops_but_the_last_have_contrast_to_the_surface(theme: Theme) -> None:
    ratios = [contrast(stop, theme.surface) for stop in theme.ramp]
    assert min(ratios[:-1]) >= 2.99
    assert ratios[-1] >= 2.5


def test_only_the_colours_named_in_the_design_are_weak() -> None:
    weak = {
        token.name
        for token in fields(LIGHT)
        if isinstance(getattr(LIGHT, token.name), str)
        and getattr(LIGHT, token.name).startswith("#")
        and contrast(getattr(LIGHT, token.name), LIGHT.surface) < 3
    }
    grounds = {"window", "surface", "surface_2", "sunken", "hover", "grid", "halo", "on_accent"}
    grounds |= {name for name in weak if name.endswith("_soft") or name.startswith("change_")}
    assert weak - grounds == {"border", "fail", "fail_dot", "optimum", "text_disabled"}


@themes
@views
def test_roles_are_distinguishable_for_every_colour_vision(theme: Theme, view: str) -> None:
    fills = [getattr(theme, role).fill for role in ROLES]
    assert min(distance(a, b, view) for a, b in combinations(fills, 2)) >= 10


@themes
@pytest.mark.parametrize("view", ["normal", "deuteranopia", "protanopia"])
def test_series_are_distinguishable_for_the_common_kinds_of_colour_blindness(theme: Theme, view: str) -> None:
    colors = [getattr(theme, name) for name in SERIES]
    assert min(distance(a, b, view) for a, b in combinations(colors, 2)) >= 9.5


@themes
def test_the_ramp_moves_in_equal_steps_of_lightness_away_from_the_surface(theme: Theme) -> None:
    steps = np.diff([oklab(stop)[0] for stop in theme.ramp])
    assert np.all(steps < 0) if theme.is_dark else np.all(steps > 0)
    assert np.ptp(np.abs(steps)) <= 0.1 * np.abs(steps).mean()


@themes
def test_the_best_node_has_the_most_contrast_to_the_surface(theme: Theme) -> None:
    away = [distance(stop, theme.surface) for stop in theme.ramp]
    assert away[0] == max(away)


@themes
@views
def test_no_ramp_colour_looks_like_a_failing_node(theme: Theme, view: str) -> None:
    assert min(distance(stop, theme.fail, view) for stop in theme.ramp) >= 12
    assert min(distance(rgb, theme.fail_dot, view) for rgb in ramp_rgb(theme)) >= 9


@themes
def test_in_greyscale_satisfying_and_failing_dots_differ_by_twenty_in_lightness(theme: Theme) -> None:
    failing = grey_lightness(theme.fail_dot)
    for stop in theme.ramp[:-3]:
        assert abs(grey_lightness(stop) - failing) >= 20


@themes
def test_every_token_is_a_full_colour(theme: Theme) -> None:
    for token in fields(theme):
        value = getattr(theme, token.name)
        if isinstance(value, RoleTone):
            assert theme.role(token.name.replace("_", "-")) is value
        elif isinstance(value, str) and token.name != "name":
            assert theme.color(token.name).isValid(), token.name
            assert len(value) == 7
