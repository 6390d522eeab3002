"""The level glyph, read back from its pixels."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from anonymizer_gui.theming import current_theme
from anonymizer_gui.widgets.level_glyph import (
    LARGE,
    MIDDLE,
    SMALL,
    Glyph,
    GlyphSize,
    LevelGlyph,
    fitting,
    generalized_columns,
    glyph_picture,
    step_rects,
)

HEIGHTS = (5, 1, 4)  # of the hospital example: 60 nodes


def read_back(picture: QImage, glyph: Glyph, size: GlyphSize, ratio: float, filled: QColor) -> list[int]:
    """Return the levels of a picture by the colours in the middle of the steps."""
    levels = []
    width, gap, height = (round(length * ratio) for length in (size.column, size.gap, size.height))
    for number, steps in enumerate(glyph.heights):
        column = QRect(number * (width + gap), 0, width, height)
        rects = step_rects(column, steps, size, round(ratio))
        colours = [QColor(picture.pixel(rect.center())) for rect in rects[:steps]]
        levels.append(sum(colour == filled for colour in colours))
    return levels


@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize("size", [SMALL, MIDDLE, LARGE])
def test_every_node_is_read_back_from_its_pixels(qtbot: QtBot, size: GlyphSize, ratio: float) -> None:
    theme = current_theme()
    for levels in product(*(range(height + 1) for height in HEIGHTS)):
        for fails in (False, True):
            glyph = Glyph(levels, HEIGHTS, frozenset(), fails)
            picture = glyph_picture(glyph, size, ratio, theme).toImage()
            filled = QColor(theme.fail_line if fails else theme.text_2)
            assert read_back(picture, glyph, size, ratio, filled) == list(levels)


def test_a_column_that_differs_is_drawn_in_the_accent_colour_and_outlined_at_level_0(qtbot: QtBot) -> None:
    theme = current_theme()
    glyph = Glyph((0, 1), (2, 2), frozenset((0, 1)))
    picture = glyph_picture(glyph, LARGE, 1.0, theme).toImage()
    accent, empty = QColor(theme.accent), QColor(theme.fail)
    outline = [
        QColor(picture.pixel(x, y)) for x, y in ((0, 0), (LARGE.column - 1, 12), (3, LARGE.height - 1))
    ]
    assert outline == [accent] * 3
    assert QColor(picture.pixel(4, 4)) == empty
    assert read_back(picture, glyph, LARGE, 1.0, accent)[1] == 1


@pytest.mark.parametrize("steps", [1, 2, 7, 8, 20])
def test_steps_fill_the_column_without_gaps_where_there_are_many(steps: int) -> None:
    rects = step_rects(QRect(0, 0, 4, 14), steps, SMALL)
    assert len(rects) == steps
    assert rects[0].bottom() == 13
    assert rects[-1].top() == 0
    gaps = [low.top() - high.bottom() - 1 for low, high in pairwise(rects)]
    assert set(gaps) <= {1 if steps <= SMALL.most_steps else 0}


def test_many_columns_are_reduced_to_those_that_are_generalized(qtbot: QtBot) -> None:
    levels = tuple(int(q % 3 == 0) for q in range(30))
    glyph = Glyph(levels, (1,) * 30, frozenset((1,)))
    assert sum(generalized_columns(glyph).levels) == 10
    assert generalized_columns(glyph).differing == {1}
    narrow, size = fitting(glyph, 20, (MIDDLE, SMALL))
    assert size is SMALL
    assert len(narrow.levels) == 3
    widget = LevelGlyph(SMALL)
    qtbot.addWidget(widget)
    widget.show_glyph(glyph)
    assert len(widget.glyph.levels) == 11
    widget.show_glyph(Glyph())
    assert widget.isHidden()
