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
    Flag,
    Groups,
    Integer,
    Integers,
    Param,
    Real,
    Reals,
    Text,
    Texts,
    describe,
    param,
    values_of,
)

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
