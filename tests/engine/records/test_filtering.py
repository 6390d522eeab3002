"""Records of a table chosen by a filter."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.records import Column, DataType, Kind, Table
from engine.records.filtering import records_where
from engine.records.values import make_column
from tests.strategies import modest


def column(name: str, texts: list[str], data_type: DataType, missing: str | None = None) -> Column:
    labels = list(dict.fromkeys(texts))
    codes = np.array([labels.index(text) for text in texts], dtype=np.int32)
    return make_column(name, labels, codes, data_type, missing)


PEOPLE = Table(
    (
        column("age", ["39", "039", "7", "-9", "100"], DataType(Kind.INTEGER), "-9"),
        column("cost", ["1,10", "1,1", "0,3", "2", "2,0"], DataType(Kind.DECIMAL, ",")),
        column("sex", ["f", "F", "m", "?", "f "], DataType(Kind.TEXT), "?"),
        column(
            "born",
            ["31/01/2000", "01/02/2000", "", "15/06/1999", "01/02/2000"],
            DataType(Kind.DATE, "%d/%m/%Y"),
            "",
        ),
        column("ill", ["TRUE", "False", "true", "false", "True"], DataType(Kind.BOOLEAN)),
        column(
            "grade",
            ["low", "high", "low", "high", "low"],
            DataType(Kind.ORDERED, "", ("low", "middle", "high")),
        ),
        column("id", [str(2**60 + i) for i in range(5)], DataType(Kind.INTEGER)),
    )
)


def chosen(text: str) -> list[int]:
    return records_where(PEOPLE, text).astype(int).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [1, 1, 1, 1, 1]),
        ("age = 39", [1, 1, 0, 0, 0]),
        ("age < 39", [0, 0, 1, 0, 0]),
        ("age != 39", [0, 0, 1, 0, 1]),
        ("age not in (39, 7)", [0, 0, 0, 0, 1]),
        ("age is missing or age = 100", [0, 0, 0, 1, 1]),
        ("not age < 39", [1, 1, 0, 1, 1]),
        ("cost = 1.1", [1, 1, 0, 0, 0]),
        ("cost in (0.3, 2)", [0, 0, 1, 1, 1]),
        ("sex = 'f'", [1, 0, 0, 0, 0]),
        ("sex != 'f'", [0, 1, 1, 0, 1]),
        ("sex in ('F', 'm')", [0, 1, 1, 0, 0]),
        ("sex not in ('F', 'm')", [1, 0, 0, 0, 1]),
        ("sex = 'nobody'", [0, 0, 0, 0, 0]),
        ("born < '2000-02-01'", [1, 0, 0, 1, 0]),
        ("born >= '2000-02-01'", [0, 1, 0, 0, 1]),
        ("born = '2000-01-31 00:00'", [1, 0, 0, 0, 0]),
        ("born in ('1999-06-15', '2000-02-01')", [0, 1, 0, 1, 1]),
        ("born is not missing and ill = 'TRUE'", [1, 0, 0, 0, 1]),
        ("ill != 'true'", [0, 1, 0, 1, 0]),
        ("grade > 'low'", [0, 1, 0, 1, 0]),
        ("grade >= 'middle'", [0, 1, 0, 1, 0]),
        ("grade <= 'middle' and (age < 10 or sex = 'f ')", [0, 0, 1, 0, 1]),
        ("id = 1152921504606846977", [0, 1, 0, 0, 0]),
        ("id <= 1152921504606846977", [1, 1, 0, 0, 0]),
        ("id > 1152921504606846977.5", [0, 0, 1, 1, 1]),
    ],
)
def test_a_filter_chooses_records_by_what_their_values_are(text: str, expected: list[int]) -> None:
    assert chosen(text) == expected


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("agee = 3", "Unknown name 'agee'", "'age'"),
        ("age = '39'", "compared with numbers", "without quotes"),
        ("age = -9", "means missing", '"age" is missing'),
        ("age in (1, -9)", "means missing", '"age" is missing'),
        ("sex = '?'", "means missing", '"sex" is missing'),
        ("sex in ('f', '?')", "means missing", '"sex" is missing'),
        ("sex < 'm'", "no order", "="),
        ("sex = 1", "compared with texts", "'1'"),
        ("born = '01/02/2000'", "not a date", "2024-01-31"),
        ("born < 2000", "compared with texts", "'2000'"),
        ("born = ''", "means missing", '"born" is missing'),
        ("ill = 'yes'", "true or false", "'true'"),
        ("ill < 'true'", "no order", "="),
        ("grade = 'hihg'", "not a category", "'high'"),
        ("cost < 5 %", "not a share", "percent"),
    ],
)
def test_comparisons_a_column_cannot_meet_are_refused(text: str, problem: str, hint: str) -> None:
    with pytest.raises(InputError, match=problem) as refusal:
        records_where(PEOPLE, text)
    assert hint in refusal.value.hint


def test_a_column_of_the_type_number_keeps_apart_what_a_float_does_not() -> None:
    table = Table((column("x", ["0.1", "0.10000000000000000001"], DataType(Kind.DECIMAL)),))
    assert records_where(table, "x = 0.1").tolist() == [True, False]
    assert records_where(table, "x > 0.1").tolist() == [False, True]


COMPARE = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
}
_digits = st.sampled_from(
    ["0", "0.1", "0.10", "-0.3", "00", "7e0", "70e-1", "9007199254740993", "9007199254740992"]
)


@modest
@given(st.lists(_digits, min_size=1, max_size=6), st.sampled_from(list(COMPARE)), _digits)
def test_numbers_are_compared_as_fractions_are(cells: list[str], sign: str, value: str) -> None:
    table = Table((column("x", cells, DataType(Kind.DECIMAL)),))
    expected = [COMPARE[sign](Fraction(cell), Fraction(value)) for cell in cells]
    assert records_where(table, f"x {sign} {value}").tolist() == expected


@modest
@given(
    st.lists(st.dates(), min_size=1, max_size=6),
    st.sampled_from(list(COMPARE)),
    st.dates(),
    st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d"]),
)
def test_dates_are_compared_as_dates_whatever_their_format(
    cells: list[date], sign: str, value: date, written: str
) -> None:
    texts = [f"{d.year:04d}".join(d.strftime(written.replace("%Y", "|")).split("|")) for d in cells]
    table = Table((column("x", texts, DataType(Kind.DATE, written)),))
    expected = [COMPARE[sign](cell, value) for cell in cells]
    assert records_where(table, f"x {sign} '{value.isoformat()}'").tolist() == expected


_text = st.text(max_size=3)


@modest
@given(st.lists(_text, min_size=1, max_size=6), st.lists(_text, min_size=1, max_size=3))
def test_texts_are_compared_exactly_as_written(cells: list[str], values: list[str]) -> None:
    table = Table((column("x", cells, DataType(Kind.TEXT)),))
    listed = ", ".join("'" + value.replace("'", "''") + "'" for value in values)
    assert records_where(table, f"x in ({listed})").tolist() == [cell in values for cell in cells]
    assert records_where(table, f"x not in ({listed})").tolist() == [cell not in values for cell in cells]


_SIGNS = ["<", "<=", "=", "!=", ">=", ">"]
_condition = st.one_of(
    st.tuples(st.just("n"), st.sampled_from(_SIGNS), st.integers(0, 3)),
    st.tuples(st.just("t"), st.sampled_from(["=", "!="]), st.sampled_from("abc")),
    st.tuples(st.just("n"), st.sampled_from(["in", "not in"]), st.lists(st.integers(0, 3), min_size=1)),
    st.tuples(st.just("t"), st.sampled_from(["in", "not in"]), st.lists(st.sampled_from("abc"), min_size=1)),
    st.tuples(st.sampled_from("nt"), st.sampled_from(["is missing", "is not missing"])),
)
_tree = st.recursive(
    _condition,
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner), st.tuples(st.sampled_from(["and", "or"]), inner, inner)
    ),
    max_leaves=6,
)


def typed(tree: Any) -> str:
    """A tree as a person could type it, every part in brackets."""
    if tree[0] in ("and", "or"):
        return f"({typed(tree[1])}) {tree[0]} ({typed(tree[2])})"
    if tree[0] == "not":
        return f"not ({typed(tree[1])})"
    if tree[1] in ("in", "not in"):
        return f"{tree[0]} {tree[1]} ({', '.join(map(repr, tree[2]))})"
    return " ".join([tree[0], tree[1], *map(repr, tree[2:])])


def passes(tree: Any, record: dict[str, int | str | None]) -> bool:
    """The same by plain Python, one record at a time."""
    if tree[0] == "not":
        return not passes(tree[1], record)
    if tree[0] in ("and", "or"):
        return (all if tree[0] == "and" else any)(passes(part, record) for part in tree[1:])
    value = record[tree[0]]
    if tree[1].startswith("is"):
        return (value is None) is (tree[1] == "is missing")
    if value is None:
        return False
    if tree[1] in ("in", "not in"):
        return (value in tree[2]) is (tree[1] == "in")
    return COMPARE[tree[1]](value, tree[2])


@modest
@given(
    _tree,
    st.lists(
        st.tuples(st.one_of(st.none(), st.integers(0, 3)), st.one_of(st.none(), st.sampled_from("abc"))),
        min_size=1,
        max_size=8,
    ),
)
def test_joined_conditions_pass_what_plain_python_passes(
    tree: Any, rows: list[tuple[int | None, str | None]]
) -> None:
    numbers = ["" if n is None else str(n) for n, _ in rows]
    texts = ["" if t is None else t for _, t in rows]
    table = Table(
        (
            column("n", numbers, DataType(Kind.INTEGER), ""),
            column("t", texts, DataType(Kind.TEXT), ""),
        )
    )
    expected = [passes(tree, {"n": n, "t": t}) for n, t in rows]
    assert records_where(table, typed(tree)).tolist() == expected
