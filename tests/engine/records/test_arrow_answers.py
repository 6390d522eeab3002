"""Types and values are the same whether Arrow, parts of dates or Python alone find them."""

from __future__ import annotations

import itertools
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.records import chunks, values
from engine.records.candidates import type_candidates
from engine.records.chunks import PIECE, Texts, all_match, any_has, as_floats, ascends, listed
from engine.records.reading import number_marks
from engine.records.types import DataType, Kind
from engine.records.values import (
    DECIMAL_MARKS,
    DETECTED_DATE_FORMATS,
    THOUSANDS_MARKS,
    are_dates,
    are_numbers,
    are_whole_numbers,
    days_of,
    detect_type,
    make_column,
    measure,
    number_type,
    parse_date,
)

NASTY = (
    *(
        "",
        " ",
        "0",
        "00",
        "007",
        "-0",
        "+0",
        "-007",
        "+1",
        "++1",
        "+-1",
        "1+",
        "-",
        "+",
        ".",
        ",",
        "e",
        "1e",
        "e1",
    ),
    *(
        "1.",
        ".5",
        "-.5",
        "+.5",
        ".",
        "1..2",
        "1.2.3",
        "0.0",
        "00.5",
        "1,5",
        ",5",
        "5,",
        "1,234",
        "1.234",
        "1,23",
    ),
    *(
        "1,234,567",
        "1.234.567",
        "1,234.5",
        "1.234,5",
        "1,2345",
        "01,234",
        "1 234",
        "1\u00a0234",
        "1\u202f234",
    ),
    *(
        "1'234",
        "1\u2019234",
        "1e5",
        "1E5",
        "1e+5",
        "1e-5",
        "1e99",
        "1e100",
        "1e-99",
        "1e999",
        "-1e+05",
        "1,5e3",
    ),
    *(
        "nan",
        "NaN",
        "inf",
        "-inf",
        "Infinity",
        "1_000",
        "0x10",
        "1f",
        "True",
        "true",
        "FALSE",
        "t",
        "1 ",
        " 1",
    ),
    *(
        "1\n",
        "\n1",
        "1\r",
        "1\0",
        "\t1",
        "\u0661",
        "\u0967\u0968",
        "\uff11",
        "\u00b2",
        "\u00bd",
        "\u2212 1",
        "\u22121",
    ),
    *("1" * 200, "1" * 201, "0." + "1" * 200, "0." + "1" * 201, "9" * 200 + "e99", "." + "0" * 199 + "1e-99"),
    *("9007199254740993", "-9007199254740993", "0.1", "0.30000000000000004", "2.2250738585072011e-98"),
    *("2020-02-29", "2019-02-29", "1900-02-29", "2000-02-29", "0000-01-01", "0001-01-01", "9999-12-31"),
    *("2020-2-9", "2020-13-01", "2020-12-32", "2020-00-10", "2020-10-00", "20-10-10", "12020-10-10"),
    *("1/2/2020", "01/02/2020", "13/02/2020", "02/13/2020", "31/02/2020", "1.2.2020", "01.02.2020", "1.2.20"),
    *("2020-01-01 10:20", "2020-01-01  10:20", "2020-01-01 24:00", "2020-01-01 1:2:3", "2020-01-01 10:20:60"),
    *("2020-01-01T10:20:30", "2020-01-01t10:20:30", "2020-01-01 10:20:61", " 2020-01-01", "2020-01-01 "),
    *(
        "2020-01- 1",
        "\u0662020-01-01",
        "2020-01-01\0",
        "2020-01-01\n",
        "2020\u201301\u201301",
        "2020-01-0\u0661",
    ),
)
MARKS = [(d, t) for d in DECIMAL_MARKS for t in ("", *THOUSANDS_MARKS) if d != t]
TYPES = [number_type(kind, decimal, mark) for kind in (Kind.INTEGER, Kind.DECIMAL) for decimal, mark in MARKS]
CHARACTERS = "0123456789" * 2 + "+-.,eE '\u00a0\u2019\u0661n"
NUMBERS = st.one_of(
    st.integers(-(10**25), 10**25).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map(lambda number: f"{number:,.2f}"),
    st.decimals(-(10**9), 10**9, places=3).map(lambda number: f"{number:+}"),
)
TEXTS = st.lists(
    st.one_of(NUMBERS, st.text(CHARACTERS, max_size=8), st.sampled_from(NASTY)),
    min_size=1,
    max_size=30,
    unique=True,
)
SAME_KIND = st.lists(NUMBERS, min_size=1, max_size=30, unique=True)


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask Arrow about two texts and more."""
    monkeypatch.setattr(chunks, "PIECE", 1)
    monkeypatch.setattr(chunks, "_FEW", 1)
    monkeypatch.setattr(values, "PIECE", 1)


def same_answers(texts: list[str]) -> None:
    """Compare what is found in texts that Arrow holds with what Python finds in them."""
    held = Texts(texts)
    for decimal, mark in MARKS:
        assert are_numbers(held, decimal, mark) == are_numbers(texts, decimal, mark)
        assert are_whole_numbers(held, mark) == are_whole_numbers(texts, mark)
        assert detect_type(held, decimal, mark) == detect_type(texts, decimal, mark)
    for data_type in TYPES:
        for mine, theirs in zip(measure(held, data_type), measure(texts, data_type), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    for delimiter in (",", ";"):
        assert number_marks([held], None, "", delimiter) == number_marks([texts], None, "", delimiter)
    for mark in THOUSANDS_MARKS:
        assert any_has(mark, held) == any_has(mark, texts)
    assert ascends(held.arrow) == (texts == sorted(texts))
    same_column(held, texts)


def same_column(held: Texts, texts: list[str]) -> None:
    """Compare the columns made of texts, of the type that is found for either."""
    codes = np.arange(len(texts), dtype=np.int32)
    data_type = detect_type(texts)
    assert detect_type(held) == data_type
    by_arrow, by_python = make_column("c", held, codes, data_type), make_column("c", texts, codes, data_type)
    assert by_arrow.labels == by_python.labels
    np.testing.assert_array_equal(by_arrow.codes, by_python.codes)
    np.testing.assert_array_equal(by_arrow.numbers, by_python.numbers)


@settings(max_examples=30)
@given(TEXTS)
def test_arrow_and_python_find_the_same_in_any_texts(texts: list[str]) -> None:
    same_answers(texts)


@settings(max_examples=30)
@given(SAME_KIND)
def test_arrow_and_python_find_the_same_in_numbers(texts: list[str]) -> None:
    same_answers(texts)


def test_arrow_and_python_find_the_same_beside_an_unusual_text() -> None:
    for text in NASTY:
        same_answers(list(dict.fromkeys(["12", text])))
        of_dates = list(dict.fromkeys(["2020-01-31", "12.5", text]))
        same_column(Texts(of_dates), of_dates)


def test_arrow_is_asked_first_and_its_yes_is_taken() -> None:
    texts = Texts(["1", "2.50", "+3", "-4e+2", "5.", ".5"])
    read = as_floats(texts)
    assert read.tolist() == [1, 2.5, 3, -400, 5, 0.5]
    assert measure(texts, DataType(Kind.DECIMAL))[0].tolist() == read.tolist()


def test_a_lone_surrogate_is_left_to_python() -> None:
    texts = Texts(["1", "\ud800", "2"])
    assert texts.arrow is None
    assert not are_numbers(texts)
    assert detect_type(texts) == DataType()
    assert make_column("c", texts, np.arange(3, dtype=np.int32), DataType()).labels == ("1", "2", "\ud800")


def test_listed_texts_are_not_handed_to_arrow_again() -> None:
    held = listed(Texts([str(i) for i in range(2 * PIECE)]).arrow)
    assert held.arrow is held.arrow
    assert list(held) == [str(i) for i in range(2 * PIECE)]


def some_dates(date_format: str) -> list[str]:
    """Return texts in a format: each part too small, padded or not, too large; a few shapes beside it."""
    choices = {
        "%Y": ("0000", "0001", "1900", "2000", "2023", "2024", "9999", "24"),
        "%m": ("0", "00", "1", "02", "2", " 3", "12", "13"),
        "%d": ("0", "00", "1", "09", " 9", "28", "29", "30", "31", "32"),
        "%H": ("0", "7", "23", "24"),
        "%M": ("0", "05", "59", "60"),
        "%S": ("0", "05", "59", "60", "61", "62"),
        "%y": ("00", "68", "69", "7"),
    }
    used = [part for part in choices if part in date_format]
    texts = []
    for number, chosen in enumerate(itertools.product(*(choices[part] for part in used))):
        if number % (1 if len(used) < 4 else 149):
            continue
        text = date_format
        for part, value in zip(used, chosen, strict=True):
            text = text.replace(part, value)
        texts.append(text)
    return [
        *texts,
        *NASTY,
        *(text.replace(" ", "  ") for text in texts[:50]),
        *(t.lower() for t in texts[:50]),
    ]


FORMATS = (
    *DETECTED_DATE_FORMATS,
    "%d.%m.%y",
    "%Y%m%d",
    "%m/%Y",
    "%Y-%m-%d %H:%M:%S.%f",
    "%d.%d.%Y",
    "%d %B %Y",
)


@pytest.mark.parametrize("date_format", FORMATS)
def test_dates_by_their_parts_are_those_of_strptime(date_format: str) -> None:
    texts = some_dates(date_format)
    dates = [parse_date(text, date_format) for text in texts]
    expected = [float("nan") if date is None else day(date) for date in dates]
    np.testing.assert_array_equal(days_of(texts, date_format), expected)
    good = [text for text, date in zip(texts, dates, strict=True) if date is not None]
    assert are_dates(good, date_format)
    assert not are_dates([*good, "x"], date_format)


@given(st.lists(st.datetimes(), min_size=1, max_size=20), st.sampled_from(DETECTED_DATE_FORMATS))
def test_every_date_is_read_from_its_text(moments: list[datetime], date_format: str) -> None:
    texts = [moment.strftime(date_format) for moment in moments if moment.year >= 1000]
    expected = [day(datetime.strptime(text, date_format)) for text in texts]
    assert days_of(texts, date_format).tolist() == expected


def test_candidates_count_every_text_that_strptime_reads() -> None:
    texts = list(dict.fromkeys(some_dates("%d/%m/%Y")))
    counts = np.ones(len(texts), dtype=np.int64)
    found = {candidate.data_type: candidate.n_values for candidate in type_candidates(texts, counts)}
    plain = [text for text in texts if " " not in text and text.isascii()]
    assert found[DataType(Kind.DATE, "%d/%m/%Y")] == sum(
        parse_date(text, "%d/%m/%Y") is not None for text in plain
    )


def test_no_pattern_names_a_class_that_arrow_reads_otherwise() -> None:
    held = Texts(["1\n", "2"])
    assert not are_numbers(held)
    assert not all_match(values._number("."), Texts(["1", "\u0661"]))


def day(date: datetime) -> float:
    """Return the day of a date, with the time as a fraction."""
    return date.toordinal() + (date.hour * 3600 + date.minute * 60 + date.second) / 86_400
