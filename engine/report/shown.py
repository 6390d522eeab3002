"""Figures as people read them in a report; files for programs have full precision."""

from __future__ import annotations

import math

from engine.assessment.base import Figure, FigureColumn
from engine.frequency import Attribute
from engine.hierarchies.words import describe_level
from engine.privacy import PrivacyModel
from engine.words import _

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
        return _("without limit")
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


_NAMED = 3  # so few groups are described by their labels, or by bounds that may be those of the data


def level_words(attribute: Attribute, level: int, *, is_public: bool) -> str:
    """A level in words; for the public without any label of the hierarchy."""
    hierarchy, column = attribute.hierarchy, attribute.column
    words = describe_level(hierarchy, level, column.data_type, attribute.name)
    if not is_public or words in ("kept", "hidden"):
        return words
    labels = hierarchy.levels[level].labels
    grouped = [label for label in labels if label not in hierarchy.index]  # which the words are made of
    if len(grouped) > _NAMED and not any(label and label in words for label in labels):
        return words
    return "1 group" if len(labels) == 1 else f"{shown(len(labels))} groups"


def asked(model: PrivacyModel) -> str:
    """What a model asks, such as "k ≥ 5"."""
    words = f"{model.symbol} {model.relation.value} {shown(model.limit)}"
    return f"{words}, {model.details}" if model.details else words
