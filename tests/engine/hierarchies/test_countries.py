"""Countries are recognized by name and code, and lie in one region each."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.hierarchies.countries_table import COUNTRIES
from engine.hierarchies.propose import country_coded, country_named

LINES = [line for line in COUNTRIES.splitlines() if ": " not in line]


def test_every_code_and_every_name_belongs_to_one_country() -> None:
    codes = [code for line in LINES for code in line.split(" ", 2)[:2]]
    assert [code for code, n in Counter(codes).items() if n > 1] == []
    assert {len(code) for code in codes} == {2, 3}
    for line in LINES:
        two, three, names = line.split(" ", 2)
        for name in names.split("|"):
            known = country_named(name)
            assert known is not None, name
            assert known.code == two, name
            assert country_coded(three.lower()) == country_coded(f" {two} ") == known


def test_the_249_entries_of_iso_3166_and_kosovo_are_known() -> None:
    assert len(LINES) == 250


@pytest.mark.parametrize(
    ("name", "code", "subregion", "region"),
    [
        ("France", "FR", "Western Europe", "Europe"),
        ("CÔTE D’IVOIRE", "CI", "Western Africa", "Africa"),
        ("cote divoire", "CI", "Western Africa", "Africa"),
        ("Trinadad&Tobago", "TT", "Caribbean", "Americas"),
        ("Trinidad and Tobago", "TT", "Caribbean", "Americas"),
        ("St. Lucia", "LC", "Caribbean", "Americas"),
        ("the Netherlands", "NL", "Western Europe", "Europe"),
        ("Korea, Republic of", "KR", "Eastern Asia", "Asia"),
        ("U.S.A.", "US", "Northern America", "Americas"),
        ("Türkiye", "TR", "Western Asia", "Asia"),
        ("Turkey", "TR", "Western Asia", "Asia"),
        ("Guinea-Bissau", "GW", "Western Africa", "Africa"),
        ("Guinea", "GN", "Western Africa", "Africa"),
        ("Georgia", "GE", "Western Asia", "Asia"),
        ("New Zealand", "NZ", "Australia and New Zealand", "Oceania"),
    ],
)
def test_names_are_known_however_they_are_written(name: str, code: str, subregion: str, region: str) -> None:
    known = country_named(name)
    assert (known.code, known.subregion, known.region) == (code, subregion, region)


@pytest.mark.parametrize("text", ["", "*", "?", "Atlantis", "South", "the", "日本", "FR"])
def test_other_texts_are_no_names_of_countries(text: str) -> None:
    assert country_named(text) is None


@pytest.mark.parametrize("text", ["", "F", "XX", "France", "1"])
def test_other_texts_are_no_codes(text: str) -> None:
    assert country_coded(text) is None
