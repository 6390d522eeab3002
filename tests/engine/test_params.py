"""Parameters declared once: checked at construction, described for forms and files."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from engine.errors import ParameterError
from engine.params import (
    Choice,
    ColumnRef,
    Configurable,
    Entries,
    Flag,
    Integer,
    Integers,
    Param,
    Real,
    Reals,
    Text,
    Texts,
    describe,
    made_of,
    param,
    unusual_values_of,
    values_of,
)
from engine.records.columns_taken import TakenColumn
from engine.records.options import ReadOptions
from engine.structured_params import Groups, NumbersByColumn, TextsByColumn

COLOURS = (("red", "Red"), ("blue", "Blue"))


@dataclass(frozen=True, slots=True)
class Brush(Configurable):
    width: int = param(3, Integer(minimum=1, maximum=9, label="Width"))
    colour: str | None = param(None, Choice(label="Colour", options=COLOURS))
    note: str = "not a parameter"


@pytest.mark.parametrize(
    ("descriptor", "value", "checked"),
    [
        (Integer(minimum=0, maximum=5), 5, 5),
        (Integer(minimum=0, maximum=5), 2.0, 2),
        (Real(minimum=0, maximum=1), 1, 1.0),
        (Flag(), False, False),
        (Text(length=1), "x", "x"),
        (Text(), "any length", "any length"),
        (Choice(options=COLOURS), "blue", "blue"),
        (ColumnRef(), "age", "age"),
        (Integers(minimum=2), [2, 3], (2, 3)),
        (Reals(), [1, 2.5], (1, 2.5)),
        (Reals(increasing=False), [2, 1], (2, 1)),
        (Texts(), ["b", "a"], ("b", "a")),
        (Groups(), [{"x": ["1", "2"]}], ((("x", ("1", "2")),),)),
        (Groups(), ((("x", ("1", "2")),),), ((("x", ("1", "2")),),)),
    ],
)
def test_a_value_within_the_rule_is_returned_in_its_proper_type(
    descriptor: Param, value: Any, checked: Any
) -> None:
    result = descriptor.check(value)
    assert result == checked
    assert type(result) is type(checked)


@pytest.mark.parametrize(
    ("descriptor", "value"),
    [
        (Integer(minimum=0, maximum=5), -1),
        (Integer(minimum=0, maximum=5), 6),
        (Integer(minimum=0, maximum=5), 2.5),
        (Integer(minimum=0, maximum=5), True),
        (Integer(minimum=0, maximum=5), "2"),
        (Integer(minimum=0, maximum=5), math.nan),
        (Integer(minimum=0, maximum=5), math.inf),
        (Real(minimum=0, maximum=1), 1.0000001),
        (Real(minimum=0, maximum=1), math.nan),
        (Real(minimum=0, maximum=1), True),
        (Flag(), 1),
        (Text(length=1), "xy"),
        (Text(), 3),
        (Choice(options=COLOURS), "green"),
        (ColumnRef(), 3),
        (Integers(minimum=2), [1]),
        (Integers(), 3),
        (Reals(), [2, 1]),
        (Reals(), [1, 1]),
        (Reals(), [math.nan]),
        (Reals(), "12"),
        (Texts(), "text"),
        (Texts(), [1]),
        (Groups(), ["x"]),
        (Groups(), [[("x", 3)]]),
    ],
)
def test_a_value_outside_the_rule_is_refused_with_what_would_do(descriptor: Param, value: Any) -> None:
    with pytest.raises(ParameterError) as refusal:
        descriptor.check(value)
    assert refusal.value.hint


def test_a_misspelt_choice_names_the_nearest_one() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'blue'"):
        Choice(label="Colour", options=COLOURS).check("bleu")


def test_members_check_their_parameters_when_they_are_made() -> None:
    assert Brush(width=4.0).width == 4  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="Width cannot be 0"):
        Brush(width=0)


def test_only_a_parameter_that_may_be_absent_takes_none() -> None:
    assert Brush(colour=None).colour is None
    with pytest.raises(ParameterError, match="Width cannot be None"):
        Brush(width=None)  # type: ignore[arg-type]


def test_parameters_are_described_in_order_under_their_field_names() -> None:
    assert [descriptor.name for descriptor in describe(Brush)] == ["width", "colour"]
    assert describe(int) == ()


def test_absent_values_and_other_fields_are_left_out_of_the_values() -> None:
    assert values_of(Brush()) == {"width": 3}
    assert values_of(Brush(2, "red")) == {"width": 2, "colour": "red"}


def test_entries_are_made_of_tables_and_of_rows_and_written_as_tables() -> None:
    entries = Entries(name="take", label="Columns", kind=TakenColumn)
    found = entries.check([{"source": 2, "name": "Age"}, ["zip", "Place"], TakenColumn(1, "id")])
    assert found == (TakenColumn(2, "Age"), TakenColumn("zip", "Place"), TakenColumn(1, "id"))
    assert entries.check(entries.plain(found)) == found


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ({"source": 2}, "'name' is missing or is not a text."),
        ({"name": "Age"}, "'source' is missing or is neither a name nor a position."),
        ({"source": "a", "nam": "b"}, "unknown key 'nam'."),
    ],
)
def test_a_wrong_entry_is_named_by_its_number(entry: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError) as raised:
        Entries(name="take", kind=TakenColumn).check([{"source": "a"}, entry])
    assert (raised.value.problem, raised.value.context["entry"]) == (problem, 2)


def test_numbers_and_texts_by_column_name_the_column_that_is_wrong() -> None:
    weights, missing = NumbersByColumn(label="Weights", maximum=10), TextsByColumn(label="Missing")
    assert dict(weights.check({"age": 2, "zip": 0.5})) == {"age": 2.0, "zip": 0.5}
    assert missing.check({"age": ["99", "0"]}) == {"age": ("99", "0")}
    for kind, value in ((weights, {"zip": 1, "age": 11}), (missing, {"zip": ["0"], "age": "99"})):
        with pytest.raises(ParameterError) as raised:
            kind.check(value)
        assert raised.value.context["column"] == "age"


def test_a_text_has_none_of_the_characters_refused() -> None:
    mark = Text(label="Delimiter", length=1, refused='"\n')
    assert mark.check(";") == ";"
    for wrong in ('"', "\n", ";;", ""):
        with pytest.raises(ParameterError, match="Delimiter cannot be"):
            mark.check(wrong)


def test_a_setting_that_is_as_usual_is_not_sent() -> None:
    options = ReadOptions(skip_lines=2, take=(TakenColumn(1, "id"),), may_lack=True)
    sent = unusual_values_of(options)
    assert sent == {"skip_lines": 2, "take": [{"source": 1, "name": "id"}], "may_lack": True}
    assert made_of(ReadOptions, sent) == options


def test_a_list_of_more_whole_numbers_than_there_can_be_levels_is_refused() -> None:
    kind = Integers(name="merge", label="Merged per level", minimum=2)
    assert kind.check([2] * 100) == (2,) * 100
    with pytest.raises(ParameterError, match=r"has 20.000 numbers; at most 100 are possible"):
        kind.check([2] * 20_000)


@pytest.mark.parametrize("entry", [10**400, -(10**400), float("inf"), float("nan"), True, "1"])
def test_a_number_that_is_not_finite_is_refused(entry: object) -> None:
    with pytest.raises(ParameterError, match="a finite number"):
        Reals(name="cuts").check([entry])
