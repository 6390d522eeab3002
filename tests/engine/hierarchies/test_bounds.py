"""Labels read as bounds, and written for other numbers in the same form."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from engine.hierarchies.bounds import read_bounds, read_periods


@pytest.mark.parametrize(
    ("label", "holds", "leaves_out"),
    [
        ("20-29", "20 29", "19 30"),
        ("20 – 29", "20 29", "19.9 29.5"),
        ("-5 to 5", "-5 0 5", "-6 6"),
        ("-10--5", "-10 -5", "-4"),
        ("[20, 30)", "20 29.9", "19 30"),
        ("(20, 30]", "20.1 30", "20"),
        ("[20;30[", "20", "30"),
        ("]20, 30]", "30", "20"),
        ("[20, 20]", "20", "21"),
        ("<20", "19 -3", "20"),
        ("<= 20", "20", "21"),
        ("≤20", "20", "21"),
        (">=80", "80 99", "79"),
        ("> 80", "81", "80"),
        ("80+", "80 81", "79"),
    ],
)
def test_brackets_and_signs_tell_which_bound_belongs(label: str, holds: str, leaves_out: str) -> None:
    bounds = read_bounds(label, ".")
    assert bounds.text == label
    assert bounds.holds(np.array(holds.split(), dtype=np.float64)).all()
    assert not bounds.holds(np.array(leaves_out.split(), dtype=np.float64)).any()


@pytest.mark.parametrize(
    "label",
    ["", "20", "-5", "20, 25", "{20, 25}", "2*", "**", "1990-99", "(20, 20]", "20-", "1,000-1,999"],
)  # fmt: skip
def test_other_labels_are_no_bounds(label: str) -> None:
    assert read_bounds(label, ".") is None


def test_the_decimal_mark_of_a_column_tells_a_comma_from_a_separator() -> None:
    assert read_bounds("1,5-2,5", ".") is None
    assert read_bounds("1.5-2.5", ",") is None
    with_comma, with_point = read_bounds("[1,5, 2,5)", ","), read_bounds("[1,5)", ".")
    assert (with_comma.low, with_comma.high) == (Decimal("1.5"), Decimal("2.5"))
    assert (with_point.low, with_point.high) == (1, 5)


@pytest.mark.parametrize(
    ("label", "flipped", "around"),
    [
        ("[20, 30)", "(20, 30]", "[3, 7]"),
        ("[20, 30[", "]20, 30]", "[3, 7]"),
        ("<20", "<=20", "<=7"),
        ("< 20", "<= 20", "<= 7"),
        ("≥80", ">80", "≥3"),
        ("> 80", ">= 80", ">= 3"),
        ("80+", "80+", "3+"),
        ("20 to 30", "20 to 30", "3 to 7"),
    ],
)
def test_bounds_are_written_anew_in_the_same_form(label: str, flipped: str, around: str) -> None:
    bounds = read_bounds(label, ".")
    assert bounds.flipped().text == flipped
    assert bounds.around("3", "7").text == around


def test_a_quarter_of_any_year_is_no_time_of_one_year() -> None:
    of_any, of_one = (read_periods(label, ("%Y-%m-%d",)).within("month") for label in ("Q2", "1934-Q2"))
    assert (of_any, of_one.written("%Y-%m-%d")) == (None, "1934-04 to 1934-06")
