"""Intervals: which number belongs where, what the bands are called, and exact steps."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.files import read_hierarchy
from engine.records import DataType, Kind
from engine.records.values import make_column
from tests.engine.hierarchies.builders.label_judge import claims
from tests.engine.hierarchies.columns import column_of


def level(hierarchy: Hierarchy, number: int) -> dict[str, str]:
    return {row[0]: row[number] for row in hierarchy.rows()}


def test_the_ages_of_the_thesis_come_out_as_printed(data: Path) -> None:
    path = next(data.rglob("thesis_crime.json"))
    case = json.loads(path.read_text())
    ages = column_of(*map(str, case["raw"]["age"]), kind=Kind.DECIMAL)
    hierarchy = IntervalsBuilder(width=5, merge=(2,)).build(ages)
    assert hierarchy.height == 3
    assert [hierarchy.label(str(age), 2) for age in case["raw"]["age"]] == case["expected"]["age"]
    assert hierarchy.label("29", 1) == "[25.0, 30.0)"


def test_whole_numbers_are_named_by_first_and_last() -> None:
    hierarchy = IntervalsBuilder(width=10, merge=(2,)).build(
        column_of("19", "20", "29", "30", kind=Kind.INTEGER)
    )
    assert level(hierarchy, 1) == {"19": "10-19", "20": "20-29", "29": "20-29", "30": "30-39"}
    assert level(hierarchy, 2) == {"19": "0-19", "20": "20-39", "29": "20-39", "30": "20-39"}
    assert hierarchy.top_label == "*"


def test_intervals_may_be_asked_for() -> None:
    hierarchy = IntervalsBuilder(width=10, label="interval").build(column_of("20", kind=Kind.INTEGER))
    assert level(hierarchy, 1) == {"20": "[20, 30)"}


def test_negative_whole_numbers_are_named_in_words() -> None:
    hierarchy = IntervalsBuilder(width=10).build(column_of("-7", "3", kind=Kind.INTEGER))
    assert level(hierarchy, 1) == {"-7": "-10 to -1", "3": "0-9"}


def test_a_range_of_broken_bounds_names_only_numbers_inside() -> None:
    hierarchy = IntervalsBuilder(width=2.5).build(column_of("2", "3", "4", "5", kind=Kind.INTEGER))
    assert level(hierarchy, 1) == {"2": "0-2", "3": "3-4", "4": "3-4", "5": "5-7"}


def test_steps_of_a_tenth_do_not_drift() -> None:
    values = [str(Decimal(i) / 10) for i in range(1000)]
    hierarchy = IntervalsBuilder(width=0.1).build(column_of(*values, kind=Kind.DECIMAL))
    assert hierarchy.label("0.3", 1) == "[0.3, 0.4)"
    assert hierarchy.label("99.9", 1) == "[99.9, 100.0)"
    assert len(hierarchy.levels[1].labels) == 1000


def test_a_decimal_comma_is_kept_in_labels() -> None:
    hierarchy = IntervalsBuilder(width=0.5).build(column_of("1,25", "2,0", kind=Kind.DECIMAL))
    assert level(hierarchy, 1) == {"1,25": "[1,0; 1,5)", "2,0": "[2,0; 2,5)"}


def test_a_value_on_a_cut_begins_a_group_the_last_cut_too() -> None:
    builder = IntervalsBuilder(cuts=(18, 30, 65))
    hierarchy = builder.build(column_of("17", "18", "29", "30", "65", "90", kind=Kind.INTEGER))
    assert level(hierarchy, 1) == {
        "17": "<18", "18": "18-29", "29": "18-29", "30": "30-64", "65": ">=65", "90": ">=65",
    }  # fmt: skip


def test_joined_cuts_leave_a_shorter_last_group() -> None:
    builder = IntervalsBuilder(cuts=(0, 10, 20, 50), merge=(2,))
    hierarchy = builder.build(column_of("5", "15", "25", "50", kind=Kind.INTEGER))
    assert level(hierarchy, 2) == {"5": "0-19", "15": "0-19", "25": "20-49", "50": ">=50"}


def test_bottom_and_top_are_groups_on_every_level_and_cut_the_bands_beside_them() -> None:
    builder = IntervalsBuilder(width=10, merge=(2,), bottom=18, top=65)
    hierarchy = builder.build(column_of("12", "18", "25", "64", "65", kind=Kind.INTEGER))
    assert level(hierarchy, 1) == {"12": "<18", "18": "18-19", "25": "20-29", "64": "60-64", "65": ">=65"}
    assert level(hierarchy, 2) == {"12": "<18", "18": "18-19", "25": "20-39", "64": "60-64", "65": ">=65"}


def test_missing_and_unreadable_values_stay_themselves_below_the_top() -> None:
    column = column_of("1", "about 3", "12", "", "7")
    builder = IntervalsBuilder(width=10)
    assert builder.accepts(column)
    hierarchy = builder.build(column)
    assert level(hierarchy, 1)["about 3"] == "about 3"
    assert level(hierarchy, 1)[""] == ""
    assert set(level(hierarchy, 2).values()) == {"*"}


def test_a_text_written_like_a_band_is_refused() -> None:
    with pytest.raises(HierarchyError, match="two different groups would have the label '0-9'"):
        IntervalsBuilder(width=10).build(column_of("1", "2", "0-9"))


def test_texts_without_numbers_are_refused() -> None:
    assert not IntervalsBuilder().accepts(column_of("a", "b"))
    with pytest.raises(HierarchyError, match="no numbers"):
        IntervalsBuilder().build(column_of("a", "b"))


def test_the_file_of_ages_that_comes_with_adult_has_these_groups_on_every_level() -> None:
    folder = Path(__file__).parents[4] / "resources" / "examples" / "adult"
    given = read_hierarchy(folder / "hierarchies" / "age.csv")
    with (folder / "adult.csv").open(encoding="utf-8", newline="") as lines:
        ages = [row["age"] for row in csv.DictReader(lines, delimiter=";")]
    built = IntervalsBuilder(width=5, origin=1, merge=(2, 2)).build(column_of(*ages, kind=Kind.INTEGER))
    assert len(built.values) == 72
    assert built.height == given.height
    for number in range(built.height + 1):
        pairs = {(given.label(age, number), built.label(age, number)) for age in built.values}
        assert len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs})
    assert built.rows()[0] == ("17", "16-20", "11-20", "1-20", "*")


AGES = (17, 18, 22, 22, 25, 31, 31, 38, 40, 41, 45, 52, 60, 61, 77, 90)


def labels(builder: IntervalsBuilder, *texts: str | int, kind: Kind = Kind.INTEGER) -> list[tuple[str, ...]]:
    """The labels of each level below the top."""
    column = column_of(*map(str, texts or AGES), kind=kind)
    return [level.labels for level in builder.build(column).levels[1:-1]]


def test_so_many_bands_are_about_so_many_of_a_round_width() -> None:
    assert labels(IntervalsBuilder(bands=5)) == [("0-19", "20-39", "40-59", "60-79", "80-99")]
    assert labels(IntervalsBuilder(bands=8)) == [
        ("10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70-79", "90-99")  # 80-89 is empty
    ]
    assert labels(IntervalsBuilder(bands=4, merge=(2,)), 1, 99) == [("0-24", "75-99"), ("0-49", "50-99")]


def test_bands_of_one_width_begin_at_the_smallest_number_where_they_need_not_be_round() -> None:
    # 17 to 90 are 74 numbers: bands of 14.8, to the nearest whole number.
    builder = IntervalsBuilder(bands=5, nice=False)
    assert labels(builder) == [("17-31", "32-46", "47-60", "61-75", "76-90")]
    assert labels(builder, "0.1", "0.5", "0.9", kind=Kind.DECIMAL) == [
        ("[0.1, 0.3)", "[0.5, 0.6)", "[0.8, 1.0)")
    ]


def test_bands_with_equally_many_records_are_cut_where_the_shares_are_nearest() -> None:
    # 16 records: a fifth are 3.2, and the cuts stand after 3 or 4, 6 or 7, 10 and 13 of them.
    builder = IntervalsBuilder(bands=5, spread="records", nice=False)
    assert labels(builder) == [("17-24", "25-37", "38-44", "45-60", "61-90")]


def test_round_cuts_move_at_most_a_quarter_of_a_band() -> None:
    texts = [str(n) for n in range(1001, 1401)]
    (found,) = labels(IntervalsBuilder(bands=4, spread="records"), *texts)
    assert found == ("1000-1099", "1100-1199", "1200-1299", "1300-1419")
    (found,) = labels(IntervalsBuilder(bands=3, spread="records"), *texts)  # cuts at 1134 and 1267 exactly
    assert found == ("1000-1149", "1150-1299", "1300-1419")


def test_a_bottom_or_top_outside_the_cuts_leaves_two_groups() -> None:
    assert labels(IntervalsBuilder(cuts=(1, 20), bottom=30)) == [("<30", ">=30")]
    assert labels(IntervalsBuilder(cuts=(50, 80), top=30)) == [("<30", ">=30")]
    assert labels(IntervalsBuilder(cuts=(50, 80), bottom=20, top=30)) == [("<30", ">=30")]


def test_one_number_with_most_records_leaves_fewer_bands() -> None:
    texts = ["0"] * 90 + ["7", "8", "9"] * 3 + ["10"]
    for nice in (False, True):
        (found,) = labels(IntervalsBuilder(bands=4, spread="records", nice=nice), *texts)
        assert len(found) <= 2


def test_so_many_bands_lie_between_bottom_and_top_or_minimum_and_maximum() -> None:
    builder = IntervalsBuilder(bands=4, nice=False, bottom=20, top=60)
    assert labels(builder) == [("<20", "20-29", "30-39", "40-49", "50-59", ">=60")]
    builder = IntervalsBuilder(bands=4, nice=False, minimum=10, maximum=89)
    assert labels(builder, 11, 88) == [("10-29", "70-89")]
    builder = IntervalsBuilder(bands=2, spread="records", nice=False, bottom=20, top=60)
    assert labels(builder) == [("<20", "20-37", "38-59", ">=60")]
    for out in (IntervalsBuilder(bands=2, bottom=95), IntervalsBuilder(bands=2, spread="records", bottom=95)):
        assert labels(out) == [("<95",)]
    assert labels(IntervalsBuilder(bands=2, nice=False, top=5)) == [(">=5",)]


def test_a_number_on_a_cut_belongs_to_the_side_that_is_closed() -> None:
    texts = (10, 19, 20, 21, 30)
    assert labels(IntervalsBuilder(label="interval"), *texts) == [("[10, 20)", "[20, 30)", "[30, 40)")]
    right = IntervalsBuilder(label="interval", closed="right")
    assert labels(right, *texts) == [("(0, 10]", "(10, 20]", "(20, 30]")]
    assert labels(IntervalsBuilder(closed="right"), *texts) == [("1-10", "11-20", "21-30")]
    halves = IntervalsBuilder(closed="right", bottom=10, top=20, label="interval")
    assert labels(halves, *texts) == [("<=10", "(10, 20]", ">20")]
    cuts = IntervalsBuilder(closed="right", cuts=(10, 20, 30))
    assert labels(cuts, *texts) == [("<=10", "11-20", "21-30")]


def test_numbers_outside_whole_bands_join_the_outermost() -> None:
    inner = IntervalsBuilder(snap_bottom=30, snap_top=60, merge=(2,))
    # 30 is in [30, 40); the band before 60 is [50, 60), joined with [40, 50) on level 2.
    assert labels(inner) == [("<40", "40-49", ">=50"), ("<40", ">=40")]
    coded = replace(inner, bottom=18, top=77)
    assert labels(coded)[0] == ("<18", "18-39", "40-49", "50-76", ">=77")
    bounded = replace(inner, minimum=16, maximum=90)
    assert labels(bounded) == [("16-39", "40-49", "50-90"), ("16-39", "40-90")]
    assert labels(replace(bounded, label="interval"))[0] == ("[16, 40)", "[40, 50)", "[50, 90]")
    right = replace(bounded, label="interval", closed="right")
    assert labels(right)[0] == ("[16, 40]", "(40, 50]", "(50, 90]")
    cut = IntervalsBuilder(cuts=(20, 40, 60), snap_bottom=20, snap_top=60, bottom=18)
    assert labels(cut) == [("<18", "18-39", ">=40")]


def test_where_one_band_takes_everything_it_goes_from_the_smallest_to_the_largest_number() -> None:
    assert labels(IntervalsBuilder(width=1000, snap_bottom=30, snap_top=60)) == [("17-90",)]


def test_a_number_beyond_a_hard_bound_is_refused_and_named() -> None:
    column = column_of("17", "18", "90", "91", "", kind=Kind.INTEGER, name="age")
    with pytest.raises(HierarchyError, match="Column 'age': '17' is below the minimum 18") as caught:
        IntervalsBuilder(minimum=18).build(column)
    assert caught.value.hint
    with pytest.raises(HierarchyError, match="2 different values such as '90' are above the maximum 89"):
        IntervalsBuilder(maximum=89).build(column)
    assert IntervalsBuilder(minimum=17, maximum=91).build(column).gaps(column) == []


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("set", ("17, 18", "22 to 38 (4 values)", "40 to 52 (4 values)", "60, 61, 77", "90")),
        ("bounds", ("[17, 18]", "[22, 38]", "[40, 52]", "[60, 77]", "90")),
        ("mean", ("18", "28", "44", "66", "90")),  # of 17 and 18, 17.5: a half goes to the even digit
    ],
)
def test_bands_may_be_named_by_what_is_in_them(label: str, expected: tuple[str, ...]) -> None:
    assert labels(IntervalsBuilder(width=20, label=label)) == [expected]


def test_bands_may_be_named_by_how_their_numbers_begin() -> None:
    builder = IntervalsBuilder(label="prefix", merge=(10,))
    assert labels(builder, 120, 121, 129, 131, 205) == [("12*", "131", "205"), ("1**", "205")]
    with pytest.raises(HierarchyError, match=r"two different groups would have the label '1\*'"):
        IntervalsBuilder(width=5, label="prefix").build(column_of("10", "11", "15", "16", kind=Kind.INTEGER))


def test_numbers_among_texts_are_named_in_the_order_of_numbers() -> None:
    builder = IntervalsBuilder(label="bounds")
    assert level(builder.build(column_of("9", "10", "7.5", "12", "about")), 1) == {
        "10": "[10, 12]", "12": "[10, 12]", "7.5": "[7.5, 9]", "9": "[7.5, 9]", "about": "about",
    }  # fmt: skip


@pytest.mark.parametrize("bands", [None, 2, 9])
@pytest.mark.parametrize("spread", ["width", "records"])
@pytest.mark.parametrize("nice", [True, False])
def test_one_distinct_number_is_one_group(bands: int | None, spread: str, nice: bool) -> None:
    builder = IntervalsBuilder(bands=bands, spread=spread, nice=nice, merge=(2,))
    for texts in (("7", "7"), ("-3",), ("0", ""), ("123456789012345678901234567890",)):
        hierarchy = builder.build(column_of(*texts, kind=Kind.INTEGER))
        groups = [label for label in hierarchy.levels[1].labels if label]
        assert len(groups) == 1
        assert claims(groups[0], texts[0])


@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("spread", ["width", "records"])
def test_the_largest_number_is_in_the_last_band_even_on_a_boundary(closed: str, spread: str) -> None:
    for nice in (True, False):
        builder = IntervalsBuilder(bands=5, closed=closed, spread=spread, nice=nice)
        (found,) = labels(builder, *range(101))
        assert claims(found[-1], "100")
        assert not any("<" in label or ">" in label for label in found)


def test_many_distinct_numbers_are_put_into_bands() -> None:
    texts = [f"{i * 0.37:.2f}" for i in range(20_000)]
    column = make_column("c", texts, np.arange(len(texts), dtype=np.int32), DataType(Kind.DECIMAL))
    hierarchy = IntervalsBuilder(width=100, merge=(2, 2)).build(column)
    assert len(hierarchy.levels[1].labels) == 74
    assert hierarchy.label("7399.63", 1) == "[7300.0, 7400.0)"


def test_huge_and_tiny_numbers_are_exact() -> None:
    huge = 10**40
    builder = IntervalsBuilder(width=10, closed="right")
    assert labels(builder, huge, huge + 1) == [(f"{huge - 9}-{huge}", f"{huge + 1}-{huge + 10}")]
    tiny = ("0.0000001", "0.000001", "1e-3")
    assert labels(IntervalsBuilder(width=1e-6), *tiny, kind=Kind.DECIMAL) == [
        ("[0.0, 0.000001)", "[0.000001, 0.000002)", "[0.001, 0.001001)")
    ]


@pytest.mark.parametrize(
    "values",
    [
        {"bottom": 5, "top": 5},
        {"cuts": ()},
        {"cuts": (2, 1)},
        {"width": 0},
        {"merge": (1,)},
        {"cuts": (1, 2), "bands": 3},
        {"bands": 1},
        {"minimum": 5, "bottom": 4},
        {"bottom": 5, "snap_bottom": 4},
        {"snap_bottom": 5, "snap_top": 5},
        {"snap_top": 7, "top": 6},
        {"top": 9, "maximum": 8},
        {"minimum": 9, "maximum": 8},
        {"snap_bottom": 9, "maximum": 9},
    ],
)
def test_impossible_parameters_are_refused_with_a_hint(values: dict[str, object]) -> None:
    with pytest.raises(ParameterError) as caught:
        IntervalsBuilder(**values)  # type: ignore[arg-type]
    assert caught.value.hint


@given(
    st.lists(st.decimals(-(10**6), 10**6, places=2), min_size=1, max_size=30),
    st.decimals("0.01", 1000, places=2),
    st.decimals(-100, 100, places=2),
    st.lists(st.integers(2, 4), max_size=3),
)
def test_every_label_tells_the_truth_and_levels_nest(
    numbers: list[Decimal], width: Decimal, origin: Decimal, merge: list[int]
) -> None:
    column = column_of(*map(str, numbers), kind=Kind.DECIMAL)
    builder = IntervalsBuilder(width=float(width), origin=float(origin), merge=tuple(merge))
    hierarchy = builder.build(column)
    assert hierarchy.height == len(merge) + 2
    assert Hierarchy.from_rows(hierarchy.rows()).top_label == "*"
    wide = Decimal(1)
    for number, factor in enumerate((1, *merge), start=1):
        wide *= factor
        for value, label in level(hierarchy, number).items():
            low, high = map(Decimal, re.fullmatch(r"\[(.*), (.*)\)", label).groups())  # type: ignore[union-attr]
            assert low <= Decimal(value) < high
            assert high - low == width * wide
            assert (low - origin) % (width * wide) == 0
