"""Tints, selections and tracks: faint grounds in most themes, outlined in high contrast."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QImage, QPainter

from anonymizer_gui.theming import (
    CONTRAST_DARK,
    CONTRAST_LIGHT,
    LIGHT,
    THEMES,
    Theme,
    paint_selection,
    paint_tint,
    paint_track,
)
from tests.anonymizer_gui.theming.color_science import SIMULATIONS, contrast, distance

WIDTH, HEIGHT = 60, 24
high = pytest.mark.parametrize("theme", [CONTRAST_LIGHT, CONTRAST_DARK], ids=lambda theme: theme.name)
CHANGES = ("change_1", "change_2", "change_3")
pytestmark = pytest.mark.usefixtures("themed")


class Sheet:
    """An image in the colour of the surface, painted on by one function."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
        self.image.fill(theme.color("surface"))

    def tint(self, token: str) -> Sheet:
        with QPainter(self.image) as painter:
            paint_tint(painter, QRect(0, 0, WIDTH, HEIGHT), self.theme, token)
        return self

    def colors(self) -> set[str]:
        return {self.image.pixelColor(x, y).name().upper() for x in range(WIDTH) for y in range(HEIGHT)}

    def grey(self) -> NDArray[np.uint8]:
        """Return the pixels that stand out from the ground in a black and white print."""
        strong = [
            [contrast(self.image.pixelColor(x, y).name(), self.theme.surface) >= 4.5 for x in range(WIDTH)]
            for y in range(HEIGHT)
        ]
        return np.array(strong, dtype=np.uint8)


@high
def test_degrees_of_change_differ_without_colour(theme: Theme) -> None:
    outlines = [Sheet(theme).tint(token).grey() for token in CHANGES]
    counts = [int(outline.sum()) for outline in outlines]
    assert counts[0] > 20
    assert counts[1] > 1.5 * counts[0]
    assert counts[2] > 1.5 * counts[1]


@high
@pytest.mark.parametrize("token", CHANGES)
def test_the_middle_of_a_tinted_cell_stays_free_for_its_text(theme: Theme, token: str) -> None:
    assert not Sheet(theme).tint(token).grey()[6:-6, 6:-6].any()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_other_themes_only_tint(name: str) -> None:
    assert Sheet(THEMES[name]).tint("change_1").colors() == {THEMES[name].change_1}


@high
def test_selected_rows_and_tracks_have_visible_edges(theme: Theme) -> None:
    row, bar = Sheet(theme), Sheet(theme)
    with QPainter(row.image) as painter:
        paint_selection(painter, QRect(0, 0, WIDTH, HEIGHT), theme)
    with QPainter(bar.image) as painter:
        paint_track(painter, QRectF(2, 2, WIDTH - 4, 8), theme, "sunken")
    assert row.grey()[0].all()
    assert row.grey()[-1].all()
    assert bar.grey()[2, 6:-6].all()


@pytest.mark.parametrize("view", [view for view in SIMULATIONS if view != "tritanopia"])
def test_a_sensitive_column_is_not_taken_for_a_selected_one(view: str) -> None:
    assert distance(LIGHT.sensitive.fill, LIGHT.accent, view) >= 10
