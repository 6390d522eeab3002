"""Recognizes countries by their English names and ISO codes, and says where they lie."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from engine.hierarchies.countries_table import BY_REGION


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
    found = []
    for region, subregions in BY_REGION.items():
        for subregion, lines in subregions.items():
            for line in lines.strip().splitlines():
                two, three, names = line.split(" ", 2)
                known = tuple(names.split("|"))
                found.append((Country(two, known[0], subregion, region), three, known))
    return tuple(found)


@cache
def _names() -> dict[str, Country]:
    return {_plain(name): country for country, _, names in _countries() for name in names}


@cache
def _regions() -> dict[str, str]:
    names = (name for region, subregions in BY_REGION.items() for name in (*subregions, region))
    return {_plain(name): name for name in names}


@cache
def _codes() -> dict[str, Country]:
    codes: dict[str, Country] = {}
    for country, three, _ in _countries():
        codes |= {country.code: country, three: country}
    return codes


def _plain(text: str) -> str:
    """A name without case, accents, marks, articles, and with "and" and "saint" written out."""
    letters = unicodedata.normalize("NFKD", text.replace("&", " and ")).casefold()
    plain = "".join(c for c in letters if not unicodedata.combining(c) and c not in ".'’")
    words = re.findall(r"[a-z]+", plain)
    return " ".join("saint" if word == "st" else word for word in words if word != "the")
