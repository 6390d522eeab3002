"""What is offered at the cursor of a filter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.filters import ValueKind, parse
from engine.filters.completion import complete

KNOWN = {
    "age": ValueKind.NUMBERS,
    "agegroup": ValueKind.ORDERED,
    "marital": ValueKind.TEXTS,
    "marital status": ValueKind.TEXTS,
    "born on": ValueKind.ORDERED,
    "a and b": ValueKind.TEXTS,
}
SHOWN = {"marital status": ["single", "married", "it's open"], "born on": ["2001-01-31"]}


def values(name: str, part: str) -> list[str]:
    return [value for value in SHOWN.get(name, ["x"]) if part in value]


def words(text: str, position: int | None = None) -> tuple[str, ...]:
    return complete(text, len(text) if position is None else position, KNOWN, values).words


def test_at_the_beginning_every_name_is_offered_in_quotes_only_if_it_needs_them() -> None:
    assert words("") == (
        *("age", "agegroup", "marital", "marital status", "born on", '"a and b"'),
        *("not ", "("),
    )


def test_names_that_begin_with_what_is_typed_come_first() -> None:
    assert words("a")[:3] == ("age", "agegroup", '"a and b"')
    assert words("MARITAL S") == ("marital status",)
    assert words('"marital') == ('"marital"', '"marital status"')
    assert words("age") == ("age", "agegroup")


def test_after_a_name_come_the_comparisons_its_values_know() -> None:
    questions = ("in (", "not in (", "is missing", "is not missing")
    assert words("age ") == ("<", "<=", "=", "!=", ">=", ">", *questions)
    assert words("marital status ") == ("=", "!=", *questions)
    assert "is missing" in complete("straße ", 7, {"Straße": ValueKind.TEXTS}, values).words
    assert words("age i") == ("in (", "is missing", "is not missing")
    assert words("age is ") == ("is missing", "is not missing")
    assert words("age not") == ("not in (",)


def test_after_a_comparison_come_values_in_quotes_but_no_numbers() -> None:
    assert words("marital status = ") == ("'single'", "'married'", "'it''s open'")
    assert words("marital status = 'marr") == ("'married'",)
    assert words("marital status in ('single', ma") == ("'married'",)
    assert words("marital status in ('single'") == (",", ")")
    assert words("age > ") == ()


def test_after_a_condition_come_the_words_that_join() -> None:
    assert words("age > 3 ") == ("and ", "or ")
    assert words("(age > 3 ") == ("and ", "or ", ")")
    assert words("age > 3 a") == ("and ",)
    assert words("age > 3 and ag") == ("age", "agegroup")
    assert words("not (born on is missing or born on >= ") == ("'2001-01-31'",)


def test_what_is_completed_is_replaced_from_its_beginning() -> None:
    found = complete("age > 3 and marital st and age < 9", 22, KNOWN, values)
    assert (found.start, found.end, found.words) == (12, 22, ("marital status",))


def test_nothing_is_offered_for_a_filter_that_cannot_be_read() -> None:
    assert words("nobody = 'x' and ") == ()
    assert words("age < 'x") == ()


@pytest.mark.parametrize("start", ["", "age > 3 and ", "not (", "marital status = 'single' or "])
def test_a_name_that_is_taken_leads_on_to_its_comparisons(start: str) -> None:
    for word in words(start)[:6]:
        assert "is missing" in words(f"{start}{word} ")


@given(st.text("ageborn on'\"()<=>! mritalstu,3%", max_size=30), st.integers(0, 30))
def test_any_text_can_be_completed(text: str, position: int) -> None:
    found = complete(text, min(position, len(text)), KNOWN, values)
    assert 0 <= found.start <= found.end <= len(text)


@given(st.data())
def test_completions_always_lead_to_a_filter_that_can_be_read(data: st.DataObject) -> None:
    text = ""
    for _ in range(12):
        offered = words(text)
        text += (data.draw(st.sampled_from(offered)) if offered else "3") + " "
    assert where_reading_stops(text) == len(text), "only its end is missing"


def where_reading_stops(text: str) -> object:
    try:
        parse(text, KNOWN)
    except InputError as error:
        return error.context["position"]
    return len(text)
