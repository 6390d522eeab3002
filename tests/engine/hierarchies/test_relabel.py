"""Range labels are held against the numbers under them and can be written anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.hierarchies import Hierarchy
from engine.hierarchies.files import read_hierarchy
from engine.hierarchies.relabel import find_mislabel
from engine.hierarchies.statistics import level_codes, level_statistics
from engine.table import DataType, Kind
from engine.table.table import Column
from engine.table.values import make_column


def ages(*values: int) -> Column:
    texts = [str(value) for value in values]
    codes = np.arange(len(texts), dtype=np.int32)
    return make_column("age", texts, codes, DataType(Kind.INTEGER))


def test_the_age_file_of_the_adult_example_starts_its_groups_a_year_late(examples: Path) -> None:
    hierarchy = read_hierarchy(examples / "adult" / "hierarchies" / "age.csv")
    found = find_mislabel(hierarchy, ages(17, 20, 39, 40, 41))
    assert found is not None
    assert found.summary == "labels start a year late"
    assert found.examples == (("20", "15-19"), ("40", "20-39"))
    assert found.relabelled is not None
    assert found.relabelled.label("40", 3) == "21-40"
    path = [found.relabelled.label("20", level) for level in range(5)]
    assert path == ["20", "16-20", "11-20", "1-20", "*"]


def test_relabelling_changes_no_group_and_leaves_nothing_to_relabel(examples: Path) -> None:
    hierarchy = read_hierarchy(examples / "adult" / "hierarchies" / "age.csv")
    column = ages(*range(17, 91))
    found = find_mislabel(hierarchy, column)
    assert found is not None
    assert found.relabelled is not None
    for before, after in zip(hierarchy.levels, found.relabelled.levels, strict=True):
        assert np.array_equal(before.codes, after.codes)
    assert find_mislabel(found.relabelled, column) is None


def test_labels_that_hold_their_values_are_left_alone() -> None:
    rows = [["1", "1-2", "*"], ["2", "1-2", "*"], ["3", "3-4", "*"]]
    assert find_mislabel(Hierarchy.from_rows(rows), ages(1, 2, 3)) is None


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
