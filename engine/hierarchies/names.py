"""Meaning of a column's name for its values: ages, years, postal codes, countries."""

from __future__ import annotations

import re

_YEARS = {
    "age", "ages", "year", "years", "yob", "alter", "jahr", "geburtsjahr", "eta", "età", "anno", "anni",
    "edad", "ano", "año", "annee", "année", "idade",
}  # fmt: skip
_POSTAL = {
    "zip", "zipcode", "postal", "postcode", "postalcode", "plz", "postleitzahl", "cap", "cp", "codpostal",
}  # fmt: skip
_COUNTRIES = {
    "country", "countries", "nation", "nationality", "citizenship", "birthplace", "origin", "iso", "land",
    "staat", "nationalität", "pays", "nationalité", "paese", "nazione", "país", "pais", "nacionalidad",
}  # fmt: skip


def words_of(name: str) -> list[str]:
    """Split a column name into lower-case words: `birthYear`, `birth_year` and "Birth year" alike."""
    return re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-zà-ÿ])(?=[A-Z])", " ", name).lower())


def is_about_years(name: str) -> bool:
    """Return whether the column counts years, as ages and years of birth do."""
    return not _YEARS.isdisjoint(words_of(name))


def is_about_postal_codes(name: str) -> bool:
    """Return whether the column holds postal codes."""
    return not _POSTAL.isdisjoint(words_of(name))


def is_about_countries(name: str) -> bool:
    """Return whether the column names countries."""
    return not _COUNTRIES.isdisjoint(words_of(name))
