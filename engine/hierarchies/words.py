"""A level of a hierarchy in words: "unchanged", "20-year bands", "3 of 5 characters", "hidden"."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from engine.hierarchies.bounds import read_bounds, read_periods
from engine.hierarchies.hierarchy import SUPPRESSED, Hierarchy
from engine.hierarchies.names import is_about_years
from engine.records import DataType, Kind
from engine.records.values import decimal_mark
from engine.words import N_, _, ngettext, pgettext

_NAMED = 3  # groups are named up to this number
_LONGEST = 28  # characters such a list may have
_SHORT = 12  # characters of a level beside the name of its column
_SHORT_NAME = 24  # characters of a name that is shown without its column

_CALENDAR = {
    "day": N_("days"),
    "week": N_("weeks"),
    "month": N_("months"),
    "quarter": N_("quarters"),
    "year": N_("years"),
    "decade": N_("decades"),
}
_ISO = "%Y-%m-%d"  # as the builder of dates writes them


class LevelWords(NamedTuple):
    """Description of a level: its text, and the kind of words around a figure, if levels may share them.

    Kinds are "years", "bands" and "groups"; "counted" and "labels" also say how many labels there are.
    """

    text: str
    kind: str = ""
    figure: str = ""


def describe_level(hierarchy: Hierarchy, level: int, data_type: DataType, name: str = "") -> str:
    """Return the text of `level_words`."""
    return level_words(hierarchy, level, data_type, name).text


def level_words(hierarchy: Hierarchy, level: int, data_type: DataType, name: str = "") -> LevelWords:
    """Describe the values on a level.

    Parameters
    ----------
    level : int
        From 0 to the height.
    data_type : DataType
        Type of the column; labels such as `1-2` are bands only where values are numbers.
    name : str
        Name of the column; bands of ages and years are named in years.

    Returns
    -------
    LevelWords
        Its name if it has one, else a few words, such as "20-year bands".
    """
    if level == 0:
        return LevelWords(hierarchy.levels[0].name or pgettext("level", "unchanged"))
    labels = hierarchy.levels[level].labels
    if labels == (SUPPRESSED,):
        return LevelWords(pgettext("level", "hidden"))
    if name_of_level := hierarchy.levels[level].name or hierarchy.levels[level].proposed:
        is_counted = name_of_level.split()[:1] == [str(len(labels))]
        return LevelWords(name_of_level, "counted" if is_counted else "")
    if data_type.is_numeric:
        found = _bands(_grouped(hierarchy, level), data_type, name)
        if found is not None:
            return found
    if words := _mask(_grouped(hierarchy, level)):
        return LevelWords(words)
    if len(labels) <= _NAMED:
        named = ", ".join(label or _("(missing)") for label in labels)
        if len(named) <= _LONGEST:
            return LevelWords(named, "labels")
    if data_type.kind is Kind.DATE and (words := _calendar(_grouped(hierarchy, level))):
        return LevelWords(words)
    text = ngettext("{n} group", "{n} groups", len(labels)).format(n=len(labels))
    return LevelWords(text, "groups", str(len(labels)))


def short_level(hierarchy: Hierarchy, level: int, data_type: DataType, name: str) -> str:
    """Describe a level with the name of its column in about 18 characters: "no city", "20-year age".

    Parameters are those of `describe_level`; the text is empty for kept values.
    """
    if level == 0:
        return ""
    labels = hierarchy.levels[level].labels
    if labels == (SUPPRESSED,):
        return _("no {column}").format(column=name)
    name_of_level = hierarchy.levels[level].name or hierarchy.levels[level].proposed
    if 0 < len(name_of_level) <= _SHORT_NAME:
        return name_of_level
    width = _band_width(_grouped(hierarchy, level), data_type) if data_type.is_numeric else None
    if width:
        text = _("{width}-year {column}") if is_about_years(name) else _("{column} by {width}")
        return text.format(width=f"{width.normalize():f}", column=name)
    words = describe_level(hierarchy, level, data_type, name)
    if len(words) > _SHORT:
        words = ngettext("{n} group", "{n} groups", len(labels)).format(n=len(labels))
    return _("{column}: {words}").format(column=name, words=words)


def is_kept_or_hidden(hierarchy: Hierarchy, level: int) -> bool:
    """Return whether a level has the values themselves, or a single label."""
    return level == 0 or hierarchy.levels[level].labels == (SUPPRESSED,)


def _grouped(hierarchy: Hierarchy, level: int) -> list[str]:
    """The labels of a level without values that are merely themselves, such as the missing one."""
    return [label for label in hierarchy.levels[level].labels if label not in hierarchy.index]


def _bands(labels: Sequence[str], data_type: DataType, name: str) -> LevelWords | None:
    width = _band_width(labels, data_type)
    if width is None:
        return None
    if not width:
        return LevelWords(ngettext("{n} band", "{n} bands", len(labels)).format(n=len(labels)), "counted")
    figure = f"{width.normalize():f}"
    if is_about_years(name):
        return LevelWords(_("{width}-year bands").format(width=figure), "years", figure)
    return LevelWords(_("bands of {width}").format(width=figure), "bands", figure)


def _band_width(labels: Sequence[str], data_type: DataType) -> Decimal | None:
    """The common width of all bands, zero if widths differ; None if some label is not a band."""
    bounds, ends_belong = list[tuple[Decimal, Decimal]](), False
    for label in labels:
        found = read_bounds(label, decimal_mark(data_type))
        if found is None:
            return None
        if found.low is not None and found.high is not None:
            bounds.append((Decimal(found.low), Decimal(found.high)))
            ends_belong |= found.has_high
    if not bounds:
        return None
    widths = _widths(sorted(bounds), ends_belong)
    # The bands at both ends may be cut short by a bottom or top group.
    inner = widths[1:-1] if len(widths) > 2 else widths
    width = max(inner)
    return Decimal(0) if min(inner) != width or max(widths) > width else width


def _widths(bounds: Sequence[tuple[Decimal, Decimal]], ends_belong: bool) -> list[Decimal]:
    """Widths of bands: `20-29` is ten wide like `[20, 30)`, unless `29-38` follows."""
    meet = any(first[1] == second[0] for first, second in pairwise(bounds))
    are_whole = all(bound == bound.to_integral_value() for pair in bounds for bound in pair)
    step = Decimal(1) if ends_belong and are_whole and not meet else Decimal(0)
    return [high - low + step for low, high in bounds]


def _calendar(labels: Sequence[str]) -> str:
    units = set(map(_unit, labels))
    return _(_CALENDAR[units.pop()]) if len(units) == 1 and units <= set(_CALENDAR) else ""


def _unit(label: str) -> str:
    """The unit of a single period, or decades; empty for all others."""
    bounds = read_periods(label, (_ISO,))
    if bounds is None or bounds.low is None or bounds.high is None or bounds.written(_ISO) != label:
        return ""
    is_decade = bounds.unit == "year" and bounds.low % 10 == 0 and bounds.high % 10 == 9
    return bounds.unit if bounds.low == bounds.high else "decade" if is_decade else ""


def _mask(labels: Sequence[str]) -> str:
    hidden = [len(label) - len(label.strip("*")) for label in labels]
    lengths = {len(label) for label in labels}
    if not labels or len(lengths) > 1 or min(hidden) == 0 or any("*" in label.strip("*") for label in labels):
        return ""
    length = lengths.pop()
    return _("{n} of {length} characters").format(n=length - min(hidden), length=length)
