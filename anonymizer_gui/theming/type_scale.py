"""Type table: pixel size and weight per use, and lengths that scale with the font."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from math import floor

from PySide6.QtGui import QFont

FAMILY = "Inter"
FALLBACKS = ("Segoe UI", ".AppleSystemUIFont", "Noto Sans", "DejaVu Sans")
SMALLEST_PIXELS = 10
SMALLEST_SCALE, LARGEST_SCALE = 0.9, 2.0
REGULAR, MEDIUM, SEMI_BOLD = 400, 500, 600


class Text(Enum):
    """Use of a text."""

    PROMISE = "promise"
    FIGURE = "figure"
    STATEMENT = "statement"
    STAT = "stat"
    HEADING = "heading"
    LEAD = "lead"
    TITLE = "title"
    CONTROL = "control"
    BUTTON = "button"
    TAB = "tab"
    TAB_ACTIVE = "tab_active"
    SMALL_BUTTON = "small_button"
    CELL = "cell"
    CELL_STRONG = "cell_strong"
    CHIP = "chip"
    SECTION = "section"
    HEADER = "header"
    CAPTION = "caption"
    AXIS = "axis"
    TICK = "tick"


@dataclass(frozen=True, slots=True)
class TypeStyle:
    """Pixel size at scale 1, line height and weight."""

    size: float
    line: int
    weight: int


TYPE_TABLE = {
    Text.PROMISE: TypeStyle(34, 40, SEMI_BOLD),
    Text.FIGURE: TypeStyle(25, 30, SEMI_BOLD),
    Text.STATEMENT: TypeStyle(20, 24, SEMI_BOLD),
    Text.STAT: TypeStyle(18, 24, SEMI_BOLD),
    Text.HEADING: TypeStyle(16, 22, SEMI_BOLD),
    Text.LEAD: TypeStyle(15, 21, REGULAR),
    Text.TITLE: TypeStyle(13, 18, SEMI_BOLD),
    Text.CONTROL: TypeStyle(13, 18, REGULAR),
    Text.BUTTON: TypeStyle(13, 18, MEDIUM),
    Text.TAB: TypeStyle(13, 18, MEDIUM),
    Text.TAB_ACTIVE: TypeStyle(13, 18, SEMI_BOLD),
    Text.SMALL_BUTTON: TypeStyle(12, 16, MEDIUM),
    Text.CELL: TypeStyle(12, 16, REGULAR),
    Text.CELL_STRONG: TypeStyle(12, 16, SEMI_BOLD),
    Text.CHIP: TypeStyle(12, 16, MEDIUM),
    Text.SECTION: TypeStyle(11, 16, SEMI_BOLD),
    Text.HEADER: TypeStyle(11.5, 16, MEDIUM),
    Text.CAPTION: TypeStyle(11, 16, REGULAR),
    Text.AXIS: TypeStyle(10.5, 14, REGULAR),
    Text.TICK: TypeStyle(10, 12, REGULAR),
}


class _Scale:
    value = 1.0


def font_scale() -> float:
    """Return the font scale preference, 0.9 to 2.0."""
    return _Scale.value


def set_font_scale(scale: float) -> None:
    """Set the font scale; called by `ThemeManager.apply`, which notifies widgets."""
    _Scale.value = min(max(scale, SMALLEST_SCALE), LARGEST_SCALE)


def pixels(use: Text) -> int:
    """Return the size of a text in whole pixels, at least the smallest readable size."""
    # Half sizes are rounded up, so that a header is never smaller than the label above it.
    return max(floor(TYPE_TABLE[use].size * _Scale.value + 0.5), SMALLEST_PIXELS)


def scaled(length: float) -> int:
    """Return a length that grows with the font scale and never falls below its design value."""
    return round(length * max(_Scale.value, 1.0))


def font(use: Text, weight: int | None = None) -> QFont:
    """Return the font for a use, with tabular digits; `weight` replaces that of the table."""
    # Painted views request fonts for every cell; copies share the cost of creating one.
    return QFont(_made(pixels(use), weight or TYPE_TABLE[use].weight))


@lru_cache(maxsize=128)
def _made(size: int, weight: int) -> QFont:
    made = QFont([FAMILY, *FALLBACKS])
    made.setPixelSize(size)
    made.setWeight(QFont.Weight(weight))
    # Hinting rounds every advance to whole pixels and spreads small text.
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    # Digits of equal width, so that columns do not move while a number changes.
    made.setFeature(QFont.Tag("tnum"), 1)
    return made
