"""Filters are read by a grammar of their own and applied to arrays."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import InputError
from engine.filters import Condition, Filter, parse_filter

COLUMNS = {
    "age": np.array([0, 1, 2, 3]),
    "loss": np.array([0.1, 0.2, np.nan, 0.4]),
    "suppressed": np.array([0, 5, 10, 1508]),
    "suppressed %": np.array([0.0, 0.01, 0.02, 0.05]),
    "marital-status": np.array([2, 1, 0, 1]),
}
NAMES = ("age", "loss", "suppressed", "marital-status")


def passing(text: str) -> list[bool]:
    return parse_filter(text, NAMES, ("suppressed",)).mask(COLUMNS, 4).tolist()


def test_an_empty_filter_passes_everything() -> None:
    assert parse_filter("  ", NAMES) == Filter()
    assert passing("") == [True] * 4


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age <= 2", [1, 1, 1, 0]),
        ("age ≤ 2", [1, 1, 1, 0]),
        ("age>2", [0, 0, 0, 1]),
        ("suppressed = 0", [1, 0, 0, 0]),
        ("suppressed != 0", [0, 1, 1, 1]),
        ("suppressed <= 1 508", [1, 1, 1, 1]),
        ("suppressed <= 1 %", [1, 1, 0, 0]),
        ("AGE >= 1 AND loss < 0.3", [0, 1, 0, 0]),
        ("marital-status = 1 and age = 3", [0, 0, 0, 1]),
        ('"marital-status" = 1', [0, 1, 0, 1]),
    ],
)
def test_conditions_select_the_rows_that_meet_them_all(text: str, expected: list[int]) -> None:
    assert passing(text) == [bool(value) for value in expected]


def test_a_value_that_does_not_exist_meets_no_condition() -> None:
    assert passing("loss != 0.1") == [False, True, False, True]


def test_a_condition_keeps_name_operator_and_number() -> None:
    assert parse_filter("loss ≥ .5", NAMES).conditions == (Condition("loss", ">=", 0.5),)


NO_CONDITIONS = ["age", "age <", "2 < age", "age < two", "age < 2 and", "__import__('os') < 1"]


@pytest.mark.parametrize("text", NO_CONDITIONS)
def test_what_is_not_a_condition_is_refused_and_never_evaluated(text: str) -> None:
    with pytest.raises(InputError):
        parse_filter(text, NAMES)


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(InputError) as refusal:
        parse_filter("los < 0.3", NAMES)
    assert "'loss'" in refusal.value.hint


def test_a_percentage_is_refused_for_what_is_not_a_share() -> None:
    with pytest.raises(InputError, match="not a share"):
        parse_filter("age < 5 %", NAMES, ("suppressed",))
