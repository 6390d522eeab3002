"""Proposed builders: by type, values and name, each with a reason, each usable."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.hierarchies import Hierarchy
from engine.hierarchies.propose import propose
from engine.params import values_of
from engine.records import Column, DataType, Kind, retype
from engine.records.opening.files import read_csv
from engine.records.values import detect_type
from tests.engine.hierarchies.columns import column_of

INTEGER = Kind.INTEGER
AGES = [str(age) for age in range(17, 91)]
QUARTERS = [str(i / 4) for i in range(400)]
DAYS = [f"{year}-{month:02}-{day:02}" for year in (2020, 2021) for month in (1, 2, 5) for day in (3, 17)]
BIRTHDAYS = [f"{year}-0{month}-{day}" for year in range(1930, 2010) for month in (1, 2) for day in (11, 12)]
HOURS = [f"2020-01-{day} {hour}:30" for day in (11, 12, 13) for hour in (10, 11, 12)]


@pytest.mark.parametrize(
    ("column", "key", "values"),
    [
        (column_of(*AGES, kind=INTEGER, name="age"), "intervals", {"width": 5, "merge": (2, 2)}),
        (column_of(*AGES, kind=INTEGER), "intervals", {"width": 5, "merge": (2, 2)}),
        (column_of("32042", "32021", "32024", "32046", "32045", kind=INTEGER, name="ZIP code"), "masking",
         {"direction": "right_to_left", "characters_per_level": 1}),
        (column_of("01067", "10115", "20095", "80331", "99999"), "masking", {"direction": "right_to_left"}),
        (column_of("E11.9", "I10", "J45.0", "K52.9", "N39.0"), "masking", {"direction": "right_to_left"}),
        (column_of("m", "f", name="sex"), "suppress", {}),
        (column_of("true", "false", kind=Kind.BOOLEAN), "suppress", {}),
        (column_of("0", "1", kind=INTEGER), "suppress", {}),
        (column_of("Rome", "Turin", "Oslo", "Bergen", "Bonn"), "suppress", {}),
        (column_of("", ""), "suppress", {}),
        (column_of("2020-01-05", "2021-02-03", kind=Kind.DATE), "dates", {"granularities": ("year",)}),
        (column_of("2020-01-05", "2020-01-06", kind=Kind.DATE), "suppress", {}),
        (column_of(*DAYS, kind=Kind.DATE), "dates", {"granularities": ("month", "quarter", "year")}),
        (column_of(*DAYS), "dates", {"granularities": ("month", "quarter", "year")}),
        (column_of(*BIRTHDAYS, kind=Kind.DATE), "dates", {"granularities": ("month", "year", "decade")}),
        (column_of(*HOURS), "dates", {"granularities": ("day",)}),
        (column_of("5 Mar 2020", "9 Mar 2020", "5 Apr 2021", "7 May 2021", "8 May 2021"), "dates", {}),
        (column_of("A", "B", "C", "D", "E", kind=Kind.ORDERED), "grouping", {"sizes": (2, 2)}),
        (column_of(*QUARTERS, kind=Kind.DECIMAL), "intervals", {"width": 10, "merge": (2, 2)}),
    ],
)  # fmt: skip
def test_the_proposal_fits_the_column(column: Column, key: str, values: dict[str, object]) -> None:
    builder, reason = propose(column)
    assert (builder.key, values_of(builder) | values) == (key, values_of(builder))
    assert reason.endswith(".")


def test_every_column_of_adult_gets_a_hierarchy_ending_in_a_star(tables: Path) -> None:
    for column in read_csv(tables / "adult_arx.csv").columns:
        builder, _ = propose(column)
        assert builder.accepts(column)
        hierarchy = builder.build(column)
        assert (hierarchy.gaps(column), hierarchy.top_label) == ([], "*")


def test_dates_are_proposed_with_their_span_and_what_is_no_date() -> None:
    builder, reason = propose(column_of(*DAYS, "unknown", "?"))
    assert reason == (
        "Dates from 2020 to 2021, generalized to months, quarters, years. "
        "2 values are not dates and are unchanged."
    )
    hierarchy = builder.build(column_of(*DAYS, "unknown", "?"))
    assert [hierarchy.label("2020-05-17", level) for level in range(5)][-1] == "*"
    assert hierarchy.label("unknown", 3) == "unknown"
    assert propose(column_of(*DAYS, "a", "b", "c", "d"))[0].key == "suppress"  # less than four fifths


def test_of_many_texts_some_say_that_all_are_dates() -> None:
    first = datetime(2019, 12, 30)
    moments = [(first + timedelta(hours=7 * i)).strftime("%d.%m.%Y %H:%M") for i in range(4000)]
    builder, reason = propose(column_of(*moments, "unknown", "never"))
    assert values_of(builder)["granularities"] == ("day", "month", "quarter", "year")
    assert reason.startswith("Dates, generalized to days, months, quarters, years.")


@pytest.mark.parametrize(
    ("values", "date_format", "granularities"),
    [
        (("2020", "2021", "2025"), "%Y", ("year",)),
        (("1990", "1991", "2025"), "%Y", ("decade",)),
        (("2020-01", "2020-02", "2021-02"), "%Y-%m", ("quarter",)),
    ],
)
def test_dates_that_tell_little_get_steps_they_can_take(
    values: tuple[str, ...], date_format: str, granularities: tuple[str, ...]
) -> None:
    column = retype(column_of(*values), DataType(Kind.DATE, date_format))
    builder, _ = propose(column)
    assert values_of(builder)["granularities"] == granularities
    assert builder.build(column).gaps(column) == []


def test_names_of_countries_are_joined_to_continents() -> None:
    column = column_of("Germany", "france", "Viet Nam", "Viet-Nam", "Japan", "Peru", "Atlantis")
    builder, reason = propose(column)
    assert reason == (
        "Names of countries, joined to continents. 'Atlantis' was not recognized and is unchanged."
    )
    hierarchy = builder.build(column)
    assert {value: hierarchy.label(value, 1) for value in column.labels} == {
        "Germany": "Europe",
        "france": "Europe",
        "Viet Nam": "Asia",
        "Viet-Nam": "Asia",
        "Japan": "Asia",
        "Peru": "Americas",
        "Atlantis": "Atlantis",
    }
    assert hierarchy.label("Peru", 2) == "*"


def test_every_country_of_adult_is_recognized_but_the_one_that_may_be_two(tables: Path) -> None:
    column = read_csv(tables / "adult_arx.csv").column("native-country")
    builder, _ = propose(column)
    assert builder.unplaced(column) == ("South",)
    hierarchy = builder.build(column)
    assert hierarchy.label("Trinadad&Tobago", 1) == hierarchy.label("Columbia", 1) == "Americas"
    assert hierarchy.label("Outlying-US(Guam-USVI-etc)", 1) == "Oceania"
    assert hierarchy.label("Holand-Netherlands", 1) == hierarchy.label("Yugoslavia", 1) == "Europe"
    assert hierarchy.label("Hong", 1) == "Asia"


def test_a_value_called_like_a_continent_belongs_to_it() -> None:
    column = column_of("Germany", "Italy", "Spain", "Japan", "India", "Europe")
    builder, _ = propose(column)
    assert builder.build(column).label("Europe", 1) == "Europe"
    assert builder.unplaced(column) == ()


def test_countries_of_one_continent_are_joined_to_its_parts() -> None:
    column = column_of("Germany", "Austria", "Italy", "Spain")
    builder, reason = propose(column)
    assert reason == "Names of countries, joined to parts of Europe."
    assert builder.build(column).label("Austria", 1) == "Western Europe"


def test_codes_are_countries_only_where_the_name_says_so_or_there_are_many() -> None:
    few = ("DE", "FR", "IT", "US", "JP")
    assert propose(column_of(*few, name="Country of birth"))[0].key == "taxonomy"
    assert propose(column_of(*few, name="state"))[0].key == "suppress"
    assert (
        propose(column_of("CA", "AZ", "CO", "ID", "NV", "AL", "AR", "DE", "IN", name="state"))[0].key
        == "suppress"
    )
    many = (*few, "BR", "CN", "ZA", "AU")
    builder, reason = propose(column_of(*many, name="x"))
    assert builder.key == "taxonomy"
    assert reason == "Codes of countries, joined to continents."


def test_a_few_numbers_far_out_become_one_group() -> None:
    numbers = [str(i % 100) for i in range(1000)] + ["1000000"]
    builder, _ = propose(column_of(*numbers, kind=INTEGER, name="visits"))
    hierarchy = builder.build(column_of(*numbers, kind=INTEGER))
    assert hierarchy.label("1000000", 1).startswith(">=")
    assert len(hierarchy.levels[1].labels) <= 20


texts = st.one_of(
    st.integers(-(10**6), 10**6).map(str), st.decimals(-1000, 1000, places=2).map(str), st.text(max_size=5)
)


@given(st.lists(texts, min_size=1, max_size=30))
def test_whatever_is_proposed_builds_a_tree(values: list[str]) -> None:
    column = column_of(*values)
    column = retype(column, detect_type([label for label in column.labels if label]))
    builder, _ = propose(column)
    assert builder.accepts(column)
    hierarchy = builder.build(column)
    assert Hierarchy.from_rows(hierarchy.rows()).top_label == "*"
    assert hierarchy.gaps(column) == []
