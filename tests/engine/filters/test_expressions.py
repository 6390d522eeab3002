"""Filters of joined conditions, texts and lists; whatever is typed, and written again."""

from __future__ import annotations

import contextlib
import re
import time
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.filters import Condition, Filter, Missing, OneOf, ValueKind, parse, parse_filter
from engine.filters.conditions import Expression, Joined, Not
from engine.filters.grammar import MAX_DEPTH, MAX_LENGTH
from engine.filters.words import MAX_POWER
from tests.strategies import few, modest

KNOWN = {
    "age": ValueKind.NUMBERS,
    "age group": ValueKind.NUMBERS,
    "days in hospital": ValueKind.NUMBERS,
    "income (EUR)": ValueKind.NUMBERS,
    "suppressed": ValueKind.SHARES,
    "sex": ValueKind.TEXTS,
    "visit": ValueKind.ORDERED,
    'say "x"': ValueKind.TEXTS,
    "rock and roll": ValueKind.TEXTS,
    "not": ValueKind.NUMBERS,
}
AGES = {"age": np.array([0.0, 1.0, 2.0, np.nan])}


def ages(text: str) -> list[bool]:
    return parse_filter(text, ("age",)).mask(AGES, 4).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age = 0 or age = 2", [1, 0, 1, 0]),
        ("age = 0 or age >= 1 and age != 2", [1, 1, 0, 0]),
        ("(age = 0 or age >= 1) and age != 2", [1, 1, 0, 0]),
        ("(age = 1 or age = 2) and not age = 1", [0, 0, 1, 0]),
        ("NOT (age = 0 OR age = 1)", [0, 0, 1, 1]),
        ("not not age = 0", [1, 0, 0, 0]),
        ("age in (0, 2)", [1, 0, 1, 0]),
        ("age not in (0,2)", [0, 1, 0, 0]),
        ("age is missing", [0, 0, 0, 1]),
        ("age is not missing", [1, 1, 1, 0]),
        ("not age is missing and age < 1.5", [1, 1, 0, 0]),
        ("((((age = 1))))", [0, 1, 0, 0]),
    ],
)
def test_and_binds_before_or_and_brackets_before_both(text: str, expected: list[int]) -> None:
    assert ages(text) == [bool(passes) for passes in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age group = 3", Condition("age group", "=", Decimal(3))),
        ("AGE GROUP=3", Condition("age group", "=", Decimal(3))),
        ("days in hospital > 5", Condition("days in hospital", ">", Decimal(5))),
        ("income (EUR) >= 1 500.5", Condition("income (EUR)", ">=", Decimal("1500.5"))),
        ("income (EUR) < 1\u202f500\u00a0000", Condition("income (EUR)", "<", Decimal(1500000))),
        ("income (EUR) in (1,2)", OneOf("income (EUR)", (Decimal(1), Decimal(2)))),
        ("suppressed < 5 %", Condition("suppressed", "<", Decimal("0.05"), is_percent=True)),
        ("suppressed<0.29%", Condition("suppressed", "<", Decimal("0.0029"), is_percent=True)),
        ("age < −2e-3", Condition("age", "<", Decimal("-0.002"))),
        ("sex = 'female'", Condition("sex", "=", "female")),
        ("sex='it''s and (so)'", Condition("sex", "=", "it's and (so)")),
        ("sex = ''", Condition("sex", "=", "")),
        ("sex not in ('a', 'b')", OneOf("sex", ("a", "b"), negated=True)),
        ("visit ≥ '2024-01-31'", Condition("visit", ">=", "2024-01-31")),
        ('"say ""x""" is missing', Missing('say "x"')),
        ("\"rock and roll\" = 'no'", Condition("rock and roll", "=", "no")),
        ('"not" = 1', Condition("not", "=", Decimal(1))),
        ("not sex is not missing", Not(Missing("sex", negated=True))),
    ],
)
def test_a_condition_is_read_exactly_as_typed(text: str, expected: Expression) -> None:
    assert parse(text, KNOWN) == Filter(expected)


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ("sex = female", "compared with texts", "'female'"),
        ('sex = "female" and age < 3', "compared with texts", "'female'"),
        ("'sex' = 'female'", "A name is expected", "double quotes"),
        ("age = '3'", "compared with numbers", "without quotes"),
        ("age < 0,5", "comma", "decimal point"),
        ("sex < 'm'", "no order", "=, != or in"),
        ("age < 5 %", "not a share", "percent"),
        ("age <", "compared with numbers", "such as 30"),
        ("age", "comparison is expected", "is missing"),
        ("age < 2 and", "at its end", "Write a name"),
        ("age < 2 or or age > 3", "Unknown name 'or age'", "Did you mean"),
        ("age < 2 age > 3", '"and" or "or"', "Join"),
        ("age < 2and age > 3", "compared with numbers", "number"),
        ("(age < 2", '"\\)" is expected', "Join"),
        ("age < 2)", '"and" or "or"', "Join"),
        ("age in 1, 2", "list in brackets", r"in \(1"),
        ("age in ()", "compared with numbers", "number"),
        ("age in (1 2; 3)", '"," or "\\)"', "commas"),
        ("age in (1 5)", '"," or "\\)"', "commas"),
        ("age in (1 500, 2)", "space between two numbers", "1500"),
        ("age < 1508 200", '"and" or "or"', "Join"),
        ("age < 1 5000", '"and" or "or"', "Join"),
        ("sex = 'fem", "single quote is not closed", "double a quote"),
        ('"sex = 1', "double quote is not closed", "Close the name with"),
        ("agee < 3", "Unknown name 'agee'", "'age'"),
        ("sex is empty", "comparison is expected", "is missing"),
        ("age.__class__ = 1", "Unknown name", "age"),
        ("age < " + "9" * 101, "too long", "100"),
        ("age < 1e400", "too long", "digits"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_next_step(text: str, problem: str, hint: str) -> None:
    with pytest.raises(InputError, match=problem) as refusal:
        parse(text, KNOWN)
    assert re.search(hint, refusal.value.hint)


def test_an_error_says_where_reading_stopped() -> None:
    with pytest.raises(InputError, match=r"at 'female' \(character 19\)") as refusal:
        parse("age > 1 and sex = female", KNOWN)
    assert refusal.value.context["position"] == 18


def test_filters_too_long_or_too_deep_are_refused() -> None:
    with pytest.raises(InputError, match="longer than"):
        parse_filter("age = 1 or " * MAX_LENGTH, ("age",))
    for opening, closing in (("(", ")"), ("not ", "")):
        deep = opening * (MAX_DEPTH + 1) + "age = 1" + closing * (MAX_DEPTH + 1)
        with pytest.raises(InputError, match="too deep"):
            parse_filter(deep, ("age",))
    assert ages("(" * MAX_DEPTH + "age = 1" + ")" * MAX_DEPTH) == [False, True, False, False]


@pytest.mark.parametrize(
    "unit", [" ", "(", "not ", "'", '"', "''", '""', "a ", "age ", "1 ", "age in (1 ", "is ", "and ", "<"]
)
def test_the_longest_filters_are_read_or_refused_in_moments(unit: str) -> None:
    started = time.process_time()
    for text in (unit * (MAX_LENGTH // len(unit)), "age < 1" + unit * (MAX_LENGTH // len(unit) - 10)):
        with contextlib.suppress(InputError):
            parse(text, KNOWN)
    assert time.process_time() - started < 5


_WORDS = ["and", "or", "not", "in", "is", "missing", "(", ")", ",", "<", "<=", "=", "!=", "≠", "%"]
_SCRAPS = [
    "'",
    '"',
    "''",
    "'a'",
    '"age"',
    "1",
    "2.5",
    ".",
    "-",
    "1e5",
    " ",
    "\u202f",
    "\n",
    "__import__('os')",
]
_pieces = st.lists(st.sampled_from([*KNOWN, *_WORDS, *_SCRAPS]))


@modest
@given(st.one_of(st.text(), _pieces.map(" ".join), _pieces.map("".join)))
def test_whatever_is_typed_is_read_or_refused_in_words(text: str) -> None:
    try:
        read = parse(text, KNOWN)
    except InputError as refusal:
        assert refusal.problem  # noqa: PT017 - whether it is raised depends on the draw
        return
    assert parse(read.text, KNOWN) == read


_names = st.one_of(st.sampled_from(list(KNOWN)), st.text(max_size=8))
_numbers = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-1000, max_value=1000),
    st.floats(-1e200, 1e200, allow_nan=False)
    .map(lambda number: Decimal(repr(number)))
    .filter(lambda number: abs(number.adjusted()) < MAX_POWER - 2),  # a percentage moves by two powers
)


@st.composite
def _expressions(draw: st.DrawFn) -> tuple[Expression, dict[str, ValueKind]]:
    names = draw(st.lists(_names, min_size=1, max_size=4, unique_by=str.casefold))
    known = {name: draw(st.sampled_from(ValueKind)) for name in names}

    def values(name: str) -> st.SearchStrategy[Decimal | str]:
        return _numbers if known[name] in (ValueKind.NUMBERS, ValueKind.SHARES) else st.text(max_size=6)

    def leaf(name: str) -> st.SearchStrategy[Expression]:
        signs = ["=", "!="] if known[name] is ValueKind.TEXTS else ["=", "!=", "<", "<=", ">", ">="]
        percent = st.booleans() if known[name] is ValueKind.SHARES else st.just(False)
        return st.one_of(
            st.builds(Condition, st.just(name), st.sampled_from(signs), values(name), percent),
            st.builds(
                OneOf, st.just(name), st.lists(values(name), min_size=1, max_size=3).map(tuple), st.booleans()
            ),
            st.builds(Missing, st.just(name), st.booleans()),
        )

    leaves = st.sampled_from(names).flatmap(leaf)
    parts = st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(Not, inner),
            st.builds(
                Joined, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3).map(tuple)
            ),
        ),
        max_leaves=6,
    )
    return draw(parts), known


@modest
@given(_expressions())
def test_a_filter_written_and_read_again_is_the_same(case: tuple[Expression, dict[str, ValueKind]]) -> None:
    expression, known = case
    assert parse(Filter(expression).text, known) == Filter(expression)


@few
@given(st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=1, max_size=8), st.data())
def test_not_lets_pass_exactly_what_its_part_does_not(cells: list[int | None], drawn: st.DataObject) -> None:
    column = {"age": np.array([np.nan if cell is None else cell for cell in cells], dtype=float)}
    texts = st.sampled_from(["age = 1", "age != 1", "age in (0, 2)", "age not in (0, 2)", "age is missing"])
    text = f"{drawn.draw(texts)} {drawn.draw(st.sampled_from(['and', 'or']))} {drawn.draw(texts)}"
    passing = parse_filter(text, ("age",)).mask(column, len(cells))
    np.testing.assert_array_equal(parse_filter(f"not ({text})", ("age",)).mask(column, len(cells)), ~passing)
