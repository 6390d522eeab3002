"""Filters typed over one column: the name is left out, the rest reads as everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from engine.errors import InputError
from engine.filters.grammar import column_filter

VALUES = np.array([0.0, 1.0, 2.0, 2.4, 2.6, 3.0, 1200.0, np.nan])


def passing(text: str, **options: bool) -> list[float]:
    mask = column_filter("a b", text, **options).mask({"a b": VALUES, "a b %": VALUES}, len(VALUES))
    return VALUES[mask].tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("<= 2", [0.0, 1.0, 2.0]),
        ("≤2", [0.0, 1.0, 2.0]),
        ("1..2", [1.0, 2.0]),
        ("2.5..", [2.6, 3.0, 1200.0]),
        (".. 1", [0.0, 1.0]),
        ("1...2", [1.0, 2.0]),
        ("1–2", [1.0, 2.0]),
        ("> 1 and < 2.5", [2.0, 2.4]),
        ("< 1 or 3..9", [0.0, 3.0]),
        ("1, 3", [1.0, 3.0]),
        ("2", [2.0]),
        ("1 200", [1200.0]),
        ("not in (0, 1)", [2.0, 2.4, 2.6, 3.0, 1200.0]),
        ("!= 0 AND <1e2", [1.0, 2.0, 2.4, 2.6, 3.0]),
    ],
)
def test_comparisons_ranges_and_lists_are_read(text: str, expected: list[float] | None) -> None:
    if expected is None:
        assert np.isnan(passing(text)[-1]), "everything passes"
    else:
        assert passing(text) == expected


def test_missing_values_can_be_asked_for() -> None:
    assert np.isnan(passing("is missing")).all()
    assert len(passing("is not missing")) == 7


def test_a_number_over_a_rounded_column_matches_all_values_shown_as_it() -> None:
    assert passing("2", is_rounded=True) == [2.0, 2.4]
    assert passing("2.4", is_rounded=True) == [2.4]
    assert passing("3, 1", is_rounded=True) == [1.0, 2.6, 3.0]
    assert passing("<= 2", is_rounded=True) == [0.0, 1.0, 2.0]


def test_percentages_need_no_sign() -> None:
    assert passing("<= 200", is_percent=True) == [0.0, 1.0, 2.0]
    assert passing("<= 200 %", is_percent=True) == [0.0, 1.0, 2.0]
    assert passing("100..200", is_percent=True) == [1.0, 2.0]
    assert passing("> 100 and < 250%", is_percent=True) == [2.0, 2.4]
    assert passing("> 1 000 %", is_percent=True) == [1200.0]
    assert passing("240", is_percent=True, is_rounded=True) == [2.4]


def test_a_percent_sign_over_a_column_that_holds_no_shares_is_refused() -> None:
    for is_rounded in (False, True):
        with pytest.raises(InputError):
            column_filter("a b", "2 %", is_rounded=is_rounded)


@pytest.mark.parametrize("text", ["abc", "<", "3..x", "1,,2", "..", "> 2 and", 'b" > 3 or "a b"'])
def test_what_cannot_be_read_is_answered_with_examples(text: str) -> None:
    with pytest.raises(InputError) as raised:
        column_filter("a b", text)
    assert text in raised.value.problem
    assert "3..5" in raised.value.hint
