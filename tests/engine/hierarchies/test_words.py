"""Levels in words, as the inspector shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.hierarchies import Hierarchy, read_hierarchy
from engine.hierarchies.builders.dates import DatesBuilder
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.builders.masking import MaskingBuilder
from engine.hierarchies.words import describe_level, short_level
from engine.records import DataType, Kind
from tests.engine.hierarchies.columns import column_of

INTEGER, TEXT = DataType(Kind.INTEGER), DataType()


def words(hierarchy: Hierarchy, data_type: DataType = TEXT, name: str = "") -> list[str]:
    return [describe_level(hierarchy, level, data_type, name) for level in range(hierarchy.height + 1)]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("age", ["unchanged", "5-year bands", "10-year bands", "20-year bands", "hidden"]),
        ("sex", ["unchanged", "hidden"]),
        ("marital-status", ["unchanged", "2 groups", "hidden"]),
        ("native-country", ["unchanged", "5 groups", "hidden"]),
    ],
)
def test_the_hierarchies_of_adult_in_words(tables: Path, column: str, expected: list[str]) -> None:
    hierarchy = read_hierarchy(next(tables.rglob(f"adult_hierarchy_{column}.csv")))
    assert words(hierarchy, INTEGER if column == "age" else TEXT, column) == expected


def test_bands_are_years_only_where_the_name_says_so() -> None:
    numbers = column_of(*map(str, range(100)), kind=Kind.INTEGER)
    hierarchy = IntervalsBuilder(width=10, label="interval").build(numbers)
    assert words(hierarchy, INTEGER, "hours-per-week")[1] == "bands of 10"
    assert words(hierarchy, INTEGER, "Birth year")[1] == "10-year bands"
    assert words(hierarchy, INTEGER, "wage")[1] == "bands of 10"


def test_numbers_of_very_many_digits_have_bands_too() -> None:
    numbers = column_of(*(f"{i}{'0' * 40}" for i in range(1, 9)), kind=Kind.INTEGER)
    hierarchy = IntervalsBuilder(bands=4).build(numbers)
    assert words(hierarchy, INTEGER) == ["unchanged", f"bands of 25{'0' * 39}", "hidden"]


def test_bands_cut_short_at_the_ends_keep_their_name() -> None:
    numbers = column_of(*map(str, range(100)), "", kind=Kind.INTEGER)
    hierarchy = IntervalsBuilder(width=10, bottom=18, top=65).build(numbers)
    assert words(hierarchy, INTEGER, "age") == ["unchanged", "10-year bands", "hidden"]


def test_levels_of_dates_are_called_as_the_calendar_does() -> None:
    days = [f"{year}-{month:02}-07" for year in range(2018, 2023) for month in range(1, 13)]
    dates = column_of(*days, "", kind=Kind.DATE)
    hierarchy = DatesBuilder(granularities=("month", "quarter", "year", "decade")).build(dates)
    said = ["unchanged", "months", "quarters", "years", "decades", "hidden"]
    assert words(hierarchy, dates.data_type) == said


def test_one_group_is_one() -> None:
    assert words(Hierarchy.from_rows([("a", "x" * 80), ("b", "x" * 80)]))[1] == "1 group"


def test_bands_of_different_width_are_counted() -> None:
    numbers = column_of(*map(str, range(100)), kind=Kind.INTEGER)
    hierarchy = IntervalsBuilder(cuts=(0, 18, 30, 65)).build(numbers)
    assert words(hierarchy, INTEGER)[1] == "4 bands"


def test_a_single_band_has_its_own_width() -> None:
    hierarchy = Hierarchy.from_rows([("20", "20-29", "*"), ("24", "20-29", "*")])
    assert words(hierarchy, INTEGER)[1] == "bands of 10"


def test_texts_that_look_like_bands_are_no_bands() -> None:
    hierarchy = Hierarchy.from_rows(
        [("a", "1-2", "*"), ("b", "3-4", "*"), ("c", "5-6", "*"), ("d", "7-8", "*")]
    )
    assert words(hierarchy)[1] == "4 groups"


def test_masks_say_how_much_is_left() -> None:
    hierarchy = MaskingBuilder(characters_per_level=2).build(column_of("32042", "32021", "11111", ""))
    assert words(hierarchy) == ["unchanged", "3 of 5 characters", "1 of 5 characters", "hidden"]


def test_few_groups_are_named_and_a_long_list_is_counted() -> None:
    assert words(Hierarchy.from_rows([("a", "x"), ("b", "x"), ("", "")]))[1] == "x, (missing)"
    assert words(Hierarchy.from_rows([("a", "x" * 40), ("b", "y" * 40)]))[1] == "2 groups"


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("age", ["", "5-year age", "10-year age", "20-year age", "no age"]),
        ("sex", ["", "no sex"]),
        ("marital-status", ["", "marital-status: 2 groups", "no marital-status"]),
        ("native-country", ["", "native-country: 5 groups", "no native-country"]),
    ],
)
def test_levels_in_a_few_words(tables: Path, column: str, expected: list[str]) -> None:
    hierarchy = read_hierarchy(next(tables.rglob(f"adult_hierarchy_{column}.csv")))
    data_type = INTEGER if column == "age" else TEXT
    found = [short_level(hierarchy, level, data_type, column) for level in range(hierarchy.height + 1)]
    assert found == expected


def test_bands_of_other_numbers_are_named_by_their_width() -> None:
    numbers = column_of(*map(str, range(100)), kind=Kind.INTEGER)
    hierarchy = IntervalsBuilder(width=10, label="interval").build(numbers)
    assert short_level(hierarchy, 1, INTEGER, "wage") == "wage by 10"


def test_a_level_with_a_name_is_called_by_it_except_where_everything_is_hidden() -> None:
    hierarchy = Hierarchy.from_rows([["Kerala", "South", "*"], ["Goa", "West", "*"]])
    named = hierarchy.with_level_names(["2 regions", "nothing"])
    assert words(named, TEXT, "city") == ["unchanged", "2 regions", "hidden"]
    assert [short_level(named, level, TEXT, "city") for level in range(3)] == [
        "",
        "2 regions",
        "no city",
    ]
    long = hierarchy.with_level_names(["regions of the south and the west"])
    assert short_level(long, 1, TEXT, "city") == "city: 2 groups"


def test_columns_of_groups_name_levels_until_the_user_does() -> None:
    hierarchy = Hierarchy.from_rows([["Kerala", "South", "*"], ["Goa", "West", "*"]])
    built = hierarchy.with_level_names(["region"], are_proposed=True)
    assert words(built, TEXT, "state") == ["unchanged", "region", "hidden"]
    assert built.level_names == ("", ""), "only names of the user are kept in a recipe"
    assert words(built.with_level_names(["2 regions"]), TEXT, "state")[1] == "2 regions"
    assert words(built.extended([""]), TEXT, "state")[1] == "region"
