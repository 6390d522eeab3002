"""Range labels are held against the numbers under them and can be written anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.hierarchies import Hierarchy
from engine.hierarchies.files import read_hierarchy
from engine.hierarchies.relabel import find_mislabel
from engine.hierarchies.statistics import level_codes, level_statistics
from engine.records import DataType, Kind
from engine.records.table import Column
from engine.records.values import make_column


def ages(*values: int) -> Column:
    texts = [str(value) for value in values]
    codes = np.arange(len(texts), dtype=np.int32)
    return make_column("age", texts, codes, DataType(Kind.INTEGER))


def test_the_age_file_of_the_adult_example_starts_its_groups_a_year_late(examples: Path) -> None:
    hierarchy = read_hierarchy(examples / "adult" / "hierarchies" / "age.csv")
    found = find_mislabel(hierarchy, ages(17, 20, 39, 40, 41))
    assert found.summary == "labels start a year late"
    assert found.examples == (("20", "15-19"), ("40", "20-39"))
    assert found.relabelled.label("40", 3) == "21-40"
    path = [found.relabelled.label("20", level) for level in range(5)]
    assert path == ["20", "16-20", "11-20", "1-20", "*"]


def test_relabelling_changes_no_group_and_leaves_nothing_to_relabel(examples: Path) -> None:
    hierarchy = read_hierarchy(examples / "adult" / "hierarchies" / "age.csv")
    column = ages(*range(17, 91))
    found = find_mislabel(hierarchy, column)
    for before, after in zip(hierarchy.levels, found.relabelled.levels, strict=True):
        assert np.array_equal(before.codes, after.codes)
    assert find_mislabel(found.relabelled, column) is None


def test_labels_that_hold_their_values_are_left_alone() -> None:
    rows = [["1", "1-2", "*"], ["2", "1-2", "*"], ["3", "3-4", "*"]]
    assert find_mislabel(Hierarchy.from_rows(rows), ages(1, 2, 3)) is None


WRONG_SIDE = "labels close the wrong side"
DISAGREE = "labels and values disagree"


def under(*labels: str) -> Hierarchy:
    """The numbers 1, 2, ... under these labels."""
    return Hierarchy.from_rows([(str(i), label, "*") for i, label in enumerate(labels, start=1)])


@pytest.mark.parametrize(
    ("labels", "summary", "relabelled"),
    [
        (["[0, 2)", "[0, 2)", "[2, 4)", "[2, 4)"], WRONG_SIDE, ["(0, 2]", "(0, 2]", "(2, 4]", "(2, 4]"]),
        (["]1, 3]", "]1, 3]", "]3, 5]", "]3, 5]"], WRONG_SIDE, ["[1, 3[", "[1, 3[", "[3, 5[", "[3, 5["]),
        (["[1, 2)", "[1, 2)", "[2, 3)", "[2, 3)"], DISAGREE, ["[1, 2]", "[1, 2]", "[3, 4]", "[3, 4]"]),
        (["<2", "<2", "3-4", "3-4"], WRONG_SIDE, ["<=2", "<=2", "3-4", "3-4"]),
        (["< 2", "< 2", "< 2", "4"], DISAGREE, ["<= 3", "<= 3", "<= 3", "4"]),
        (["1-2", "1-2", "> 3", "> 3"], WRONG_SIDE, ["1-2", "1-2", ">= 3", ">= 3"]),
        (["1-2", "1-2", "≥4", "≥4"], DISAGREE, ["1-2", "1-2", "≥3", "≥3"]),
        (["1", "2", "4+", "4+"], DISAGREE, ["1", "2", "3+", "3+"]),
        (["0-1", "0-1", "2-3", "2-3"], "labels are off by 1", ["1-2", "1-2", "3-4", "3-4"]),
    ],
)  # fmt: skip
def test_brackets_and_signs_decide_whether_a_bound_belongs(
    labels: list[str], summary: str, relabelled: list[str]
) -> None:
    hierarchy, column = under(*labels), replace(ages(1, 2, 3, 4), name="n")
    found = find_mislabel(hierarchy, column)
    assert found.summary == summary
    assert [found.relabelled.label(str(i), 1) for i in range(1, 5)] == relabelled
    assert np.array_equal(found.relabelled.levels[1].codes, hierarchy.levels[1].codes)
    assert find_mislabel(found.relabelled, column) is None
    before, after = found.sample
    assert (before in labels, after in relabelled) == (True, True)


@pytest.mark.parametrize(
    "labels",
    [
        ["[1, 3)", "[1, 3)", "[3, 5)", "[3, 5)"],
        ["(0, 2]", "(0, 2]", "(2, 4]", "(2, 4]"],
        ["<3", "<3", ">=3", ">=3"],
        ["<= 2", "<= 2", "> 2", "> 2"],
        ["1, 2", "1, 2", "3, 9", "3, 9"],  # sets
        ["{8, 9}", "{8, 9}", "3*", "3*"],
        ["7", "7", "8", "8"],  # a number of the group, such as its mean
        ["1990-99", "1990-99", "2020-01", "2020-01"],
        ["1,000-1,999", "1,000-1,999", "3", "4"],
        ["1.500-1.999", "1.500-1.999", "[2.000; 3.000)", "[2.000; 3.000)"],  # could be thousands
        ["under 1", "under 1", "over 9", "over 9"],
    ],
)
def test_labels_that_claim_nothing_wrong_raise_no_alarm(labels: list[str]) -> None:
    assert find_mislabel(under(*labels), ages(1, 2, 3, 4)) is None


def test_negative_numbers_and_decimals_with_a_comma_are_compared_as_such() -> None:
    rows = [("-10", "-10--5", "*"), ("-5", "-10--5", "*"), ("0", "-4-0", "*")]
    assert find_mislabel(Hierarchy.from_rows(rows), ages(-10, -5, 0)) is None
    texts, codes = ["1,5", "2,25"], np.arange(2, dtype=np.int32)
    column = make_column("weight", texts, codes, DataType(Kind.DECIMAL, ","))
    right = Hierarchy.from_rows([("1,5", "[1,5, 2,25]"), ("2,25", "[1,5, 2,25]")])
    assert find_mislabel(right, column) is None
    found = find_mislabel(Hierarchy.from_rows([(text, "1,5-2,2") for text in texts]), column)
    assert found.examples == (("2,25", "1,5-2,2"),)
    assert found.sample == ("1,5-2,2", "1,5-2,25")


def test_labels_that_would_be_the_same_are_left_to_the_person() -> None:
    rows = [("1", "0-0", "*"), ("2", "1", "*")]
    found = find_mislabel(Hierarchy.from_rows(rows), ages(1, 2))
    assert found.relabelled is None


def test_dates_and_texts_have_no_ranges() -> None:
    rows = [["1-2", "5-6", "*"], ["3-4", "5-6", "*"]]
    codes = np.arange(2, dtype=np.int32)
    column = make_column("pair", ["1-2", "3-4"], codes, DataType(Kind.TEXT))
    assert find_mislabel(Hierarchy.from_rows(rows), column) is None


def test_statistics_count_groups_that_occur_and_their_records() -> None:
    column = make_column(
        "age", ["1", "2", "3"], np.array([0, 0, 0, 1, 2], dtype=np.int32), DataType(Kind.INTEGER)
    )
    rows = [["1", "a", "*"], ["2", "a", "*"], ["3", "b", "*"], ["4", "c", "*"]]
    found = level_statistics(Hierarchy.from_rows(rows), column)
    assert [(s.n_groups, s.smallest, s.largest) for s in found] == [(3, 1, 3), (2, 1, 4), (1, 5, 5)]


def test_statistics_say_how_many_groups_and_records_are_below_a_size() -> None:
    column = make_column(
        "age", ["1", "2", "3", "?"], np.array([0, 0, 0, 0, 1, 2, 2, 3], np.int32), DataType(Kind.INTEGER), "?"
    )
    rows = [["1", "a", "*"], ["2", "b", "*"], ["3", "b", "*"]]
    found = level_statistics(Hierarchy.from_rows(rows), column, 3)
    assert [(s.n_below, s.n_records_below, s.share_below) for s in found] == [
        (3, 4, 0.5),
        (1, 1, 0.125),
        (0, 0, 0),
    ]
    assert [s.share_largest for s in found] == [0.5, 0.5, 1.0]
    assert all(s.n_below == 0 for s in level_statistics(Hierarchy.from_rows(rows), column))


def test_values_without_a_place_have_no_code_on_any_level() -> None:
    rows = [["1", "a", "*"]]
    codes = level_codes(Hierarchy.from_rows(rows), ages(1, 2))
    assert codes.tolist() == [[0, -1], [0, -1], [0, -1]]
