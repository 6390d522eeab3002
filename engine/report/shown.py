"""Figures as people read them in a report; files for programs have full precision."""

from __future__ import annotations

import math

from engine.assessment.tables import Figure, FigureColumn

NARROW = "\u202f"  # narrow no-break space
MINUS = "\u2212"
NOTHING = "\u2013"  # where a figure does not exist
_SINGLE = {
    "records": "record",
    "classes": "class",
    "values": "value",
    "nodes": "node",
    "columns": "column",
    "groups": "group",
    "bytes": "byte",
}
_LONGEST = 400  # characters of a text in a table


def shown(value: Figure, *, is_share: bool = False, unit: str = "") -> str:
    """Return a figure in words: thousands apart, shares as percentages, four digits that count."""
    words = _words(value, is_share)
    if not unit or value is None or isinstance(value, str):
        return words
    return f"{words} {_SINGLE.get(unit, unit) if value == 1 else unit}"


def has_unit(column: FigureColumn) -> bool:
    """Whether the unit of a column says more than its title."""
    return bool(column.unit) and column.unit.lower() not in column.title.lower()


def _words(value: Figure, is_share: bool) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and not is_share:
        return _signed(f"{value:,}")
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "without bound"
    return _percent(value) if is_share else _real(float(value))


def shortened(text: str, longest: int = _LONGEST) -> str:
    """A text for a cell of a table: a very long one is cut, and says so."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({shown(len(text))} characters)"


def _percent(share: float) -> str:
    percent = share * 100
    if 0 < abs(percent) < 0.01:
        return f"below 0.01{NARROW}%" if percent > 0 else f"above {MINUS}0.01{NARROW}%"
    if percent < 100 and f"{percent:.2f}" == "100.00":
        return f"above 99.99{NARROW}%"
    text = f"{percent:,.2f}".rstrip("0").rstrip(".")
    return f"{_signed(text)}{NARROW}%"


def _real(value: float) -> str:
    if value and not 1e-4 <= abs(value) < 1e15:
        return _signed(f"{value:.4g}")
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return _signed(text)


def _signed(text: str) -> str:
    return text.replace("-", MINUS).replace(",", NARROW)
