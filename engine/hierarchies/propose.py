"""Propose a builder for a column, from its type, its values and its name, with the reason."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import cache

import numpy as np

from engine.hierarchies.builders.base import HierarchyBuilder
from engine.hierarchies.builders.date_formats import PARTS, n_parts, read_dates
from engine.hierarchies.builders.dates import DatesBuilder
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.builders.masking import MaskingBuilder
from engine.hierarchies.builders.suppress import SuppressBuilder
from engine.hierarchies.builders.taxonomy import TaxonomyBuilder
from engine.hierarchies.calendar import ordinals
from engine.hierarchies.countries_table import COUNTRIES
from engine.hierarchies.names import is_about_countries, is_about_postal_codes, is_about_years
from engine.kernels.arrays import IntArray
from engine.records import Column, Kind
from engine.records.values import DATE_FORMATS
from engine.words import N_, _, ngettext

Proposal = tuple[HierarchyBuilder, str]
_PERIODS = {
    "day": N_("days"),
    "month": N_("months"),
    "quarter": N_("quarters"),
    "year": N_("years"),
    "decade": N_("decades"),
}
_FEW = 4  # at most this many values are not worth joining
_BANDS = 16  # approximate number of bands on level 1 of a numeric column
_MOST = 0.8  # share of the distinct texts that must be dates or countries
_LOOKED_AT = 200  # texts that decide whether all are examined
_MOST_COUNTRIES = 1000  # a column with more distinct texts does not contain countries
_SURE_OF_CODES = 8  # this many matching codes are not a coincidence, whatever the name of the column
_MOST_CODES = 5000  # with more codes, an evenly spread part is examined letter by letter
_MOST_DATES = 2000  # with more texts, an evenly spread part is read
_LONG = 20  # years from which decades are more useful than quarters


def propose(column: Column) -> Proposal:
    """Return a sensible builder and one sentence saying why.

    Returns
    -------
    builder : HierarchyBuilder
        Accepts the column.
    """
    values = column.known_labels
    kind = column.data_type.kind
    if len(values) <= 1:
        return SuppressBuilder(), _("It has only one value, which can only be unchanged or hidden.")
    if kind in (Kind.DATE, Kind.TEXT) and (proposal := _for_dates(column, values)) is not None:
        return proposal
    if _looks_like_codes(column.name, values) and kind in (Kind.TEXT, Kind.INTEGER):
        return MaskingBuilder(), (
            _(
                "Its values are codes of up to {len} characters, such as postal codes: the last "
                "characters are hidden first."
            ).format(len=max(map(len, values)))
        )
    if column.data_type.is_numeric:
        return _for_numbers(column)
    if kind is Kind.ORDERED and len(values) > 3:
        n_levels = max(1, math.ceil(math.log2(len(values))) - 1)
        return GroupingBuilder(sizes=(2,) * n_levels), _(
            "Its categories are ordered, so neighbours are merged."
        )
    if kind is Kind.TEXT and (proposal := _for_countries(column.name, values)) is not None:
        return proposal
    return SuppressBuilder(), (
        _(
            "{n} different texts without a known order: keep or hide them, or select some and "
            "choose New group."
        ).format(n=len(values))
    )


def _looks_like_codes(name: str, values: tuple[str, ...]) -> bool:
    """Return whether the beginning of a value says more than its end, as in postal and diagnosis codes."""
    lengths = {len(value) for value in values}
    if not 3 <= max(lengths) <= 12 or len(values) <= _FEW:
        return False
    if is_about_postal_codes(name):
        return True
    if all(value.isdigit() for value in values):  # whole numbers come here only if they are text
        return len(lengths) == 1 and any(value.startswith("0") for value in values)
    looked_at = values[:: -(-len(values) // _MOST_CODES)]
    return all(
        any(c.isdigit() for c in value)
        and value[0].isalnum()
        and all(c.isalnum() or c in " .-/" for c in value)
        and any(c.isalpha() for c in value)
        for value in looked_at
    )


def _for_numbers(column: Column) -> Proposal:
    n = len(column.known_labels)
    if n <= _FEW:
        return SuppressBuilder(), _(
            "It has only {n} different numbers, so each is unchanged or hidden."
        ).format(n=n)
    numbers, counts = column.numbers[:n], column.counts[:n]
    if is_about_years(column.name) or _are_like_ages(column, float(numbers[0]), float(numbers[-1])):
        builder = IntervalsBuilder(width=5, merge=(2, 2))
        return builder, _("Its values are years, for which bands of 5, 10 and 20 years are usual.")
    share = np.cumsum(counts) / counts.sum()
    lowest, highest = float(numbers[0]), float(numbers[-1])
    low = float(numbers[int(np.searchsorted(share, 0.01))])
    high = float(numbers[min(int(np.searchsorted(share, 0.99)), n - 1)])
    span = high - low or highest - lowest
    width = _round_width(span / _BANDS, whole=column.data_type.kind is Kind.INTEGER)
    if width is None:
        return SuppressBuilder(), _("Its numbers differ too little, or too much, for bands of equal width.")
    # Each join halves the bands; at least two should be left before everything is hidden.
    n_joins = min(2, max(0, math.floor(math.log2(span / width)) - 1))
    bottom, top = _ends(lowest, low, high, highest, width * 2**n_joins)
    builder = IntervalsBuilder(width=width, merge=(2,) * n_joins, bottom=bottom, top=top)
    reason = (
        _("Most numbers are between {low:g} and {high:g}: bands of {width:g}, then joined by two.")
        if n_joins
        else _("Most numbers are between {low:g} and {high:g}: bands of {width:g}.")
    )
    return builder, reason.format(low=low, high=high, width=width)


def _are_like_ages(column: Column, lowest: float, highest: float) -> bool:
    return (
        column.data_type.kind is Kind.INTEGER
        and lowest >= 10
        and 60 <= highest <= 120
        and highest - lowest >= 30
    )


def _round_width(width: float, *, whole: bool) -> float | None:
    """The next of 1, 2, 5, 10, 20, ... not below a width."""
    if not 1e-6 <= width <= 1e11:
        return None
    power = Decimal(10) ** math.floor(math.log10(width))
    rounded = next(float(step * power) for step in (1, 2, 5, 10) if float(step * power) >= width * (1 - 1e-9))
    return max(2.0, rounded) if whole else rounded  # bands of 1 would be the values themselves


def _ends(
    lowest: float, low: float, high: float, highest: float, block: float
) -> tuple[float | None, float | None]:
    """Return bottom and top groups if a few numbers are far outside the others; whole blocks in between."""
    bottom, top = math.floor(low / block) * block, (math.floor(high / block) + 1) * block
    return (
        float(bottom) if lowest < bottom - 2 * block else None,
        float(top) if highest >= top + 2 * block else None,
    )


def _for_dates(column: Column, values: tuple[str, ...]) -> Proposal | None:
    """Propose months, quarters and years, or decades for long spans; None if most texts are not dates."""
    if not DatesBuilder().accepts(column):
        return None
    alone, are_all = "", True
    if column.data_type.kind is Kind.DATE:
        days = column.numbers[: len(values)].astype(np.int64)
        precision = n_parts(column.data_type.format or DATE_FORMATS[0])
    else:
        looked_at = values[:: -(-len(values) // _MOST_DATES)]
        read = read_dates(_texts(column, looked_at), None)
        if len(read.dates) < _MOST * len(looked_at):
            return None
        days = np.array([date.toordinal() for date in read.dates.values()], dtype=np.int64)
        precision = max(read.parts.values())
        strays = [value for value in looked_at if value not in read.dates]
        are_all = looked_at == values
        alone = _not_dates(strays, are_all=are_all)
    granularities = _granularities(days, precision, len(values))
    if not granularities:
        return SuppressBuilder(), _("The {n} dates differ too little to be joined level by level.").format(
            n=len(values)
        )
    first, last = (date.fromordinal(int(day)).year for day in (days.min(), days.max()))
    steps = ", ".join(_(_PERIODS[granularity]) for granularity in granularities)
    if not are_all:
        reason = _("Dates, generalized to {steps}.")
    elif first < last:
        reason = _("Dates from {first} to {last}, generalized to {steps}.")
    else:
        reason = _("Dates of {first}, generalized to {steps}.")
    reason = reason.format(first=first, last=last, steps=steps)
    return DatesBuilder(granularities=granularities), f"{reason} {alone}".rstrip()


def _texts(column: Column, values: tuple[str, ...]) -> Column:
    """A column of texts with some of the values."""
    n = len(values)
    return replace(
        column,
        labels=values,
        codes=np.arange(n, dtype=np.int32),
        has_missing=False,
        numbers=np.full(n, np.nan),
    )


def _granularities(days: IntArray, n_told: int, n_groups: int) -> tuple[str, ...]:
    """Return the levels for dates without those that join all or none.

    `n_told` parts of a date are known, and there are `n_groups` dates, maybe more than those given.
    """
    seconds = (days - date(1970, 1, 1).toordinal()) * 86400
    years = ordinals(seconds, "year")
    is_long = years.max() - years.min() >= _LONG
    wanted = ["month", "year", "decade"] if is_long else ["month", "quarter", "year"]
    if n_told > PARTS.index("hour"):
        wanted.insert(0, "day")
    if n_told < 2:
        wanted = wanted[1:] if is_long else ["year"]
    kept, several = [], ""
    for granularity in wanted:
        n_now = len(np.unique(ordinals(seconds, granularity)))
        if n_now > 1:
            several = granularity
            if n_now < n_groups:
                kept.append(granularity)
                n_groups = n_now
    if not kept and several:  # a year alone tells less than a day, even where nobody shares it
        kept.append(several)
    return tuple(kept)


def _for_countries(name: str, values: tuple[str, ...]) -> Proposal | None:
    """Propose continents, or parts of the only one; None if most texts are not countries."""
    if len(values) > _MOST_COUNTRIES:
        return None
    found, are_codes = _recognized(values, country_named), False
    if len(found) < _MOST * len(values):
        found, are_codes = _recognized(values, country_coded), True
        if not is_about_countries(name) and len(found) < max(len(values), _SURE_OF_CODES):
            return None
    if len(found) < max(_MOST * len(values), 2):
        return None
    regions = {value: country.region for value, country in found.items()}
    whole = ""
    if len(set(regions.values())) == 1:
        regions = {value: country.subregion for value, country in found.items()}
        whole = next(iter(found.values())).region
    if not 1 < len(set(regions.values())) < len(values):
        return None
    for value in values:
        region = region_named(value)
        if value not in found and region in set(regions.values()):
            regions[value] = region  # a text that is called like a group cannot stay itself beside it
    groups: dict[str, list[str]] = {}
    for value in values:
        if value in regions:
            groups.setdefault(regions[value], []).append(value)
    tree = tuple((region, tuple(members)) for region, members in sorted(groups.items()))
    strays = [value for value in values if value not in regions]
    if whole:
        reason = (
            _("Codes of countries, joined to parts of {region}.")
            if are_codes
            else _("Names of countries, joined to parts of {region}.")
        ).format(region=whole)
    else:
        reason = (
            _("Codes of countries, joined to continents.")
            if are_codes
            else _("Names of countries, joined to continents.")
        )
    return TaxonomyBuilder(tree=tree), f"{reason} {_not_countries(strays)}".rstrip()


def _recognized(values: Sequence[str], find: Callable[[str], Country | None]) -> dict[str, Country]:
    """The countries among some texts; none if a sample of the texts contains few."""
    known = [country for value in values[:_LOOKED_AT] if (country := find(value)) is not None]
    if 2 * len(known) < min(len(values), _LOOKED_AT):
        return {}
    return {value: country for value in values if (country := find(value)) is not None}


def _not_dates(strays: Sequence[str], *, are_all: bool) -> str:
    """Return the sentence about values that are not dates, empty if there are none."""
    if not strays:
        return ""
    if not are_all:
        return _("Values that are not dates are unchanged.")
    return ngettext(
        "'{value}' is not a date and is unchanged.",
        "{n} values are not dates and are unchanged.",
        len(strays),
    ).format(n=len(strays), value=strays[0])


def _not_countries(strays: Sequence[str]) -> str:
    """Return the sentence about values that are not known countries, empty if there are none."""
    if not strays:
        return ""
    return ngettext(
        "'{value}' was not recognized and is unchanged.",
        "{n} values were not recognized and are unchanged.",
        len(strays),
    ).format(n=len(strays), value=strays[0])


@dataclass(frozen=True, slots=True)
class Country:
    """A country or area.

    Attributes
    ----------
    code : str
        Of two letters, ISO 3166-1.
    name : str
        Short English name.
    subregion, region : str
        Of the United Nations' standard M49, such as Western Europe and Europe.
    """

    code: str
    name: str
    subregion: str
    region: str


def country_named(text: str) -> Country | None:
    """The country of an English name, in any case, with or without accents and hyphens."""
    return _names().get(_plain(text))


def country_coded(text: str) -> Country | None:
    """The country of an ISO code of two or three letters, in any case."""
    return _codes().get(text.strip().upper())


def region_named(text: str) -> str | None:
    """The region or subregion of a name."""
    return _regions().get(_plain(text))


@cache
def _countries() -> tuple[tuple[Country, str, tuple[str, ...]], ...]:
    """Every country with its code of three letters and all its names."""
    found, region, subregion = [], "", ""
    for line in COUNTRIES.splitlines():
        if ": " in line:
            region, subregion = line.split(": ")
        else:
            two, three, names = line.split(" ", 2)
            known = tuple(names.split("|"))
            found.append((Country(two, known[0], subregion, region), three, known))
    return tuple(found)


@cache
def _names() -> dict[str, Country]:
    return {_plain(name): country for country, _unused, names in _countries() for name in names}


@cache
def _regions() -> dict[str, str]:
    names = ((country.subregion, country.region) for country, _three, _names in _countries())
    return {_plain(name): name for pair in names for name in pair}


@cache
def _codes() -> dict[str, Country]:
    codes: dict[str, Country] = {}
    for country, three, _unused in _countries():
        codes |= {country.code: country, three: country}
    return codes


def _plain(text: str) -> str:
    """A name without case, accents, marks, articles, and with "and" and "saint" written out."""
    letters = unicodedata.normalize("NFKD", text.replace("&", " and ")).casefold()
    plain = "".join(c for c in letters if not unicodedata.combining(c) and c not in ".'’")
    words = re.findall(r"[a-z]+", plain)
    return " ".join("saint" if word == "st" else word for word in words if word != "the")
