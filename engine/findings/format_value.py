"""Values as text for a report; JSON files have full precision."""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.findings.blocks import Fact, Figure, FigureColumn, FigureTable
from engine.frequency import Attribute
from engine.hierarchies.words import describe_level, is_kept_or_hidden
from engine.numbers import DASH, as_decimal, as_exact_count, as_general, as_percent, as_risk
from engine.params import Real
from engine.privacy import PrivacyModel
from engine.words import N_, _, ngettext

NOTHING = DASH  # for a missing value
_LONGEST = 400  # characters of a text in a table
# Below the titles of columns; a value with its unit is one pattern.
UNITS = (N_("records"), N_("people"), N_("classes"), N_("values"), N_("groups"), N_("columns"))


def format_value(value: Figure, *, is_share: bool = False, unit: str = "") -> str:
    """Return a value as text: thousands separated, shares in percent, four significant digits."""
    words = _words(value, is_share)
    if is_share or not unit or value is None or isinstance(value, str):
        return words
    return _counted(unit, 1 if value == 1 else 2).format(n=words, unit=_(unit))


def decimals_of(figures: Iterable[Figure]) -> int | None:
    """Return the decimals with which the fractions of a column stand aligned, the largest with four digits.

    None if they differ so much in size that the smallest would vanish, or if some are whole numbers or texts.
    """
    known = [figure for figure in figures if figure is not None]
    numbers = [abs(figure) for figure in known if isinstance(figure, float)]
    sizes = [number for number in numbers if number and math.isfinite(number)]
    if len(numbers) < len(known) or not sizes or max(sizes) >= 1000 or min(sizes) < max(sizes) / 1000:
        return None
    most = max(len(f"{number:.4g}".partition(".")[2]) for number in sizes)
    return max(min(3 - math.floor(math.log10(max(sizes))), most), 0)


def format_fact(fact: Fact) -> str:
    """Return the value of a fact as text, with its unit."""
    return format_value(fact.value, is_share=fact.is_share, unit=fact.unit)


def format_tile(value: Fact | float) -> str:
    """Return a value that is read at a glance: shares with one decimal, counts without a unit."""
    if isinstance(value, Fact):
        if not value.is_share or not isinstance(value.value, float):
            return format_value(value.value)
        value = value.value
    return as_risk(value)


def text_rows(table: FigureTable) -> list[list[str]]:
    """Return the displayed columns of a table as texts, after their titles."""
    places = [place for place, column in enumerate(table.columns) if column.is_listed]
    rows = [
        [format_value(row[place], is_share=table.columns[place].is_share) for place in places]
        for row in table.rows
    ]
    return [[table.columns[place].title for place in places], *rows]


def _counted(unit: str, n: int) -> str:
    """Return the pattern of a number with its unit, such as "{n} record"."""
    match unit:
        case "records":
            return ngettext("{n} record", "{n} records", n)
        case "people":
            return ngettext("{n} person", "{n} people", n)
        case "classes":
            return ngettext("{n} class", "{n} classes", n)
        case "values":
            return ngettext("{n} value", "{n} values", n)
        case "nodes":
            return ngettext("{n} node", "{n} nodes", n)
        case "columns":
            return ngettext("{n} column", "{n} columns", n)
        case "groups":
            return ngettext("{n} group", "{n} groups", n)
        case "bytes":
            return ngettext("{n} byte", "{n} bytes", n)
    return "{n} {unit}"


def has_unit(column: FigureColumn) -> bool:
    """Return whether the unit of a column adds to its title."""
    return bool(column.unit) and not column.is_share and column.unit.lower() not in column.title.lower()


def _words(value: Figure, is_share: bool) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, int) and not is_share:
        return as_exact_count(value)
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return _("without limit")
    return _percent(value) if is_share else _real(float(value))


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Return a text for a table cell; a very long one is cut, with its length."""
    if len(text) <= longest:
        return text
    return _("{start}… ({n} characters)").format(start=text[:longest], n=format_value(len(text)))


def _percent(share: float) -> str:
    if -0.0001 < share < 0:
        return _("above {limit}").format(limit=as_percent(-0.0001))
    if 0 < share < 0.0001:
        return _("below {limit}").format(limit=as_percent(0.0001))
    if 0.99995 <= share < 1:
        return _("above {limit}").format(limit=as_percent(0.9999))
    return as_percent(share)


def _real(value: float) -> str:
    if 1000 <= abs(value) < 1e15:
        return as_decimal(value, 0)
    return as_general(value, 4)


_NAMED = 3  # up to this many groups are described by labels, or by bounds that may come from the data


def level_words(attribute: Attribute, level: int, *, is_public: bool) -> str:
    """Describe a level; for the public without any label of the hierarchy."""
    hierarchy, column = attribute.hierarchy, attribute.column
    words = describe_level(hierarchy, level, column.data_type, attribute.name)
    if not is_public or is_kept_or_hidden(hierarchy, level):
        return words
    labels = hierarchy.levels[level].labels
    grouped = [label for label in labels if label not in hierarchy.index]  # the description is made of these
    if len(grouped) > _NAMED and not any(label and label in words for label in labels):
        return words
    return ngettext("{n} group", "{n} groups", len(labels)).format(n=format_value(len(labels)))


def asked(model: PrivacyModel) -> str:
    """Return the threshold of a model, such as "k ≥ 5"."""
    threshold = model.threshold_parameter()
    limit = format_value(model.limit, is_share=isinstance(threshold, Real) and threshold.is_share)
    words = f"{model.symbol} {model.relation.value} {limit}"
    return f"{words}, {model.details}" if model.details else words
