"""Aggregates of classes: exact numbers, one text per value, and what missing values do to them."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.recoding.aggregation import aggregate, aggregate_functions
from engine.records import Column, DataType, Kind
from engine.records.values import make_column
from tests.strategies import modest

GRADES = DataType(Kind.ORDERED, "", ("low", "middle", "high"))
DAYS = DataType(Kind.DATE, "%d/%m/%Y")
MINUTES = DataType(Kind.DATE, "%Y-%m-%d %H:%M")
COMMA = DataType(Kind.DECIMAL, ",")
WHOLE, DECIMAL, TEXT, TRUTH = (
    DataType(kind) for kind in (Kind.INTEGER, Kind.DECIMAL, Kind.TEXT, Kind.BOOLEAN)
)


def column(data_type: DataType, texts: list[str]) -> Column:
    distinct = list(dict.fromkeys(texts))
    codes = np.array([distinct.index(text) for text in texts], dtype=np.int32)
    return make_column("c", distinct, codes, data_type, "")


def of_one_class(key: str, data_type: DataType, texts: list[str], **options: object) -> str:
    made = column(data_type, texts)
    function = aggregate_functions.create(key, **options)
    assert not function.why_not(made)
    whole = np.zeros(len(texts), dtype=np.int64)
    found, codes = aggregate(made, function, whole, np.ones(len(texts), dtype=np.bool_), "*")
    assert len(set(codes.tolist())) == 1
    return found[codes[0]]


@pytest.mark.parametrize(
    ("key", "data_type", "texts", "due"),
    [
        ("mean", WHOLE, ["1", "2", "2"], "1.67"),
        ("mean", WHOLE, ["+4", "04", "4"], "4"),
        ("mean", WHOLE, ["-1", "0", "0"], "-0.33"),
        ("mean", DECIMAL, ["0.10", "0.2", "1e1"], "3.43"),
        ("mean", DECIMAL, ["0.005", "0.005"], "0"),  # half to even, and no minus before nothing
        ("mean", DECIMAL, ["-0.005", "-0.005"], "0"),
        ("mean", DECIMAL, ["0.015", "0.015"], "0.02"),
        ("mean", COMMA, ["1,5", "2"], "1,75"),
        ("mean", DAYS, ["01/02/2020", "03/02/2020"], "02/02/2020"),
        ("mean", DAYS, ["1/2/2020", "02/02/2020"], "02/02/2020"),  # the noon before an even ordinal
        ("mean", MINUTES, ["2020-01-01 00:00", "2020-01-02 00:01"], "2020-01-01 12:00"),
        ("geometric_mean", WHOLE, ["4", "9"], "6"),
        ("geometric_mean", WHOLE, ["1", "2"], "1.41"),
        ("geometric_mean", WHOLE, ["0", "7"], "0"),
        ("geometric_mean", DECIMAL, ["0.125", "0.125"], "0.12"),
        ("geometric_mean", COMMA, ["0,5", "4,5"], "1,5"),
        ("median", WHOLE, ["5", "1", "2"], "2"),
        ("median", WHOLE, ["1", "2"], "1.5"),
        ("median", DECIMAL, ["1.25", "1.50"], "1.375"),  # written out
        ("median", DAYS, ["01/02/2020", "3/2/2020"], "01/02/2020"),
        ("median", GRADES, ["high", "low", "middle", "high"], "middle"),
        ("mode", TEXT, ["b", "a", "b", "a", "c"], "a"),  # a tie: the first in order
        ("mode_by_column", TEXT, ["b", "a", "b", "a", "c"], "a"),
        ("mode", WHOLE, ["10", "9", "10.".rstrip(".")], "10"),
        ("mode", DECIMAL, ["1.0", "2", "1"], "1"),  # one value written in two ways
        ("mode", TRUTH, ["TRUE", "true", "false"], "true"),
        ("interval", WHOLE, ["10", "9", "30"], "[9, 30]"),
        ("interval", COMMA, ["1,50", "2"], "[1,5; 2]"),
        ("interval", DECIMAL, ["1.50", "1.5"], "1.5"),
        ("interval", GRADES, ["high", "low"], "[low, high]"),
        ("interval", DAYS, ["1/3/2020", "01/02/2020"], "[01/02/2020, 01/03/2020]"),
        ("set", TEXT, ["b", "a", "b"], "{a, b}"),
        ("set", GRADES, ["high", "middle"], "{middle, high}"),
        ("set", TEXT, ["a", "a"], "a"),
    ],
)
def test_an_aggregate_is_worked_out_by_hand(
    key: str, data_type: DataType, texts: list[str], due: str
) -> None:
    assert of_one_class(key, data_type, texts) == due


@pytest.mark.parametrize(
    ("key", "ignored", "counted"),
    [
        ("mean", "1.5", ""),
        ("geometric_mean", "1.41", ""),
        ("median", "1.5", ""),
        ("interval", "[1, 2]", ""),
        ("mode", "1", ""),  # two of four are missing
        ("mode_by_column", "1", ""),
        ("set", "{1, 2}", "{1, 2, }"),
    ],
)
def test_missing_values_are_left_out_or_count(key: str, ignored: str, counted: str) -> None:
    texts = ["1", "", "", "2"]
    assert of_one_class(key, WHOLE, texts) == ignored
    assert of_one_class(key, WHOLE, texts, ignore_missing=False) == counted
    for ignores in (True, False):
        made, whole = column(WHOLE, ["", "", "3"]), np.array([0, 0, 1])
        function = aggregate_functions.create(key, ignore_missing=ignores)
        found, codes = aggregate(made, function, whole, np.ones(3, dtype=np.bool_), "*")
        assert [found[code] for code in codes] == ["", "", "3"]


def test_the_whole_column_decides_between_equally_frequent_values_of_a_class() -> None:
    made = column(DECIMAL, ["1", "2", "3", "2.0", "3", "3.0", "1"])
    classes = np.array([0, 0, 0, 0, 0, 1, 1])  # 2 and 3 are tied in class 0, 1 and 3 in class 1
    found, codes = aggregate(
        made, aggregate_functions.create("mode_by_column"), classes, np.ones(7, dtype=np.bool_), "*"
    )
    assert [found[code] for code in codes] == ["3"] * 7
    found, codes = aggregate(
        made, aggregate_functions.create("mode"), classes, np.ones(7, dtype=np.bool_), "*"
    )
    assert [found[code] for code in codes] == ["2"] * 5 + ["1"] * 2
    suppressed = np.array([True, True, True, True, True, False, False])
    found, codes = aggregate(made, aggregate_functions.create("mode_by_column"), classes, ~suppressed, "*")
    assert [found[code] for code in codes][5:] == ["3", "3"], "suppressed records count in the column"


def test_records_that_are_not_kept_play_no_part() -> None:
    made = column(WHOLE, ["1", "100", "3", "7"])
    kept = np.array([True, False, True, True])
    found, codes = aggregate(made, aggregate_functions.create("mean"), np.array([0, 1, 0, 2]), kept, "*")
    assert [found[code] for code in codes] == ["2", "*", "2", "7"]


@pytest.mark.parametrize(
    ("key", "data_type", "texts", "words"),
    [
        ("mean", TEXT, ["a"], "'c' contains text. The mean needs numbers or dates."),
        (
            "geometric_mean",
            DAYS,
            ["1/2/2020"],
            "'c' contains dates. The geometric mean needs numbers of at least 0.",
        ),
        ("geometric_mean", WHOLE, ["-3", "2"], "'c' has values below 0, such as '-3'"),
        ("median", TRUTH, ["true"], "The median needs numbers, dates or ordered categories."),
        ("interval", TEXT, ["a"], "The interval needs numbers, dates or ordered categories."),
    ],
)
def test_a_function_says_why_it_cannot_be_taken(
    key: str, data_type: DataType, texts: list[str], words: str
) -> None:
    assert words in aggregate_functions.create(key).why_not(column(data_type, texts))


numbers = st.decimals(min_value=0, max_value=10_000, places=2, allow_nan=False).map(str)


@modest
@given(texts=st.lists(numbers, min_size=1, max_size=12), decimals=st.integers(0, 4))
@example(texts=["0.05", "0.05"], decimals=1)
@example(texts=["2.25", "1.00"], decimals=0)
def test_numbers_are_those_of_exact_fractions(texts: list[str], decimals: int) -> None:
    exact, unit = [Fraction(text) for text in texts], Fraction(1, 10**decimals)
    mean = of_one_class("mean", DECIMAL, texts, decimals=decimals)
    assert Fraction(mean) == round(statistics.mean(exact) / unit) * unit
    assert Fraction(of_one_class("median", DECIMAL, texts)) == statistics.median(exact)
    # Half a unit below and above the rounded root, both raised to the number of values.
    root = Fraction(of_one_class("geometric_mean", DECIMAL, texts, decimals=decimals))
    product, n = math.prod(exact), len(exact)
    low, high = max(root - unit / 2, Fraction(0)) ** n, (root + unit / 2) ** n
    assert low <= product <= high
    is_half = product == high or (product == low and root > 0)
    assert not is_half or root / unit % 2 == 0
