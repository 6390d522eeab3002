"""Number formats of the design."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from math import inf, nan

import pytest

from engine import numbers, words

S = "\u202f"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"), (999, "999"), (12_960, f"12{S}960"), (-1_234, f"−1{S}234"), (999_999, f"999{S}999"),
        (1_000_000, f"1.00{S}M"), (51_234_567, f"51.2{S}M"), (999_960_000, f"1.00{S}G"),
        (10**12, f"1.00{S}T"), (999_400_000_000_000, f"999{S}T"), (10**15, f"1.00{S}×{S}10¹⁵"),
        (-25 * 10**29, f"−2.50{S}×{S}10³⁰"), (None, "–"), (nan, "–"),
    ],
)  # fmt: skip
def test_counts_have_all_digits_below_a_million_and_are_shortened_above(
    count: float | None, text: str
) -> None:
    assert numbers.as_count(count) == text


def test_the_exact_count_keeps_every_digit() -> None:
    assert numbers.as_exact_count(51_234_567) == f"51{S}234{S}567"


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.05, f"5{S}%"), (0.0303, f"3.03{S}%"), (0, f"0{S}%"), (1, f"100{S}%"), (0.00001, f"<{S}0.01{S}%"),
        (0.99999, f">{S}99.99{S}%"), (None, "none"), (nan, "none"), (-0.1, f"−10{S}%"),
    ],
)  # fmt: skip
def test_percent_shows_0_and_100_only_if_exact(fraction: float | None, text: str) -> None:
    assert numbers.as_percent(fraction) == text


def test_a_column_of_percent_may_keep_trailing_zeros() -> None:
    assert numbers.as_percent(0.05, keep_zeros=True) == f"5.00{S}%"


def test_losses_have_three_decimals_and_changes_their_sign() -> None:
    assert numbers.as_loss(0.27149) == "0.271"
    assert numbers.as_change(0.007) == "+0.007"
    assert numbers.as_change(-0.032) == "−0.032"
    assert numbers.as_change(-0.0001) == "+0.000"


def test_missing_and_infinite_values_are_never_written_as_nan() -> None:
    assert numbers.as_loss(nan) == "–"
    assert numbers.as_decimal(inf) == "∞"
    assert numbers.as_significant(None) == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [(108.93, "108.9"), (0.4521, "0.452"), (51_234_567, f"51.2{S}M"), (0, "0"), (1234.5, f"1{S}234")],
)
def test_a_number_of_unknown_size_keeps_significant_digits(value: float, text: str) -> None:
    assert numbers.as_significant(value) == text


def test_a_node_is_written_as_its_levels() -> None:
    assert numbers.as_vector((0, 3, 1)) == "[0, 3, 1]"


@pytest.fixture
def german() -> Iterator[None]:
    with words.speaking("de"):
        yield


def test_numbers_and_dates_have_the_marks_of_the_language(german: None) -> None:
    assert numbers.as_decimal(-1234.5, 2) == f"−1{S}234,50"
    assert numbers.as_percent(0.0303) == f"3,03{S}%"
    assert numbers.as_percent(0.00001) == f"<{S}0,01{S}%"
    assert numbers.as_count(51_234_567) == f"51,2{S}M"
    assert numbers.as_exact_count(30_162) == f"30{S}162"
    assert numbers.as_typed(0.125, 2) == "0,125"
    assert numbers.as_typed(10, 2) == "10,00"
    assert numbers.as_general(0.00001234) == "1,234e−05"
    assert numbers.as_moment(datetime(2026, 3, 9, 14, 5)) == "09.03.2026 14:05"
    assert numbers.as_saved_moment("2026-03-09T14:05:59") == "09.03.2026 14:05"


def test_a_saved_moment_that_is_none_stays_as_it_was_saved() -> None:
    assert numbers.as_saved_moment("2026-03-09T14:05") == "2026-03-09 14:05"
    assert numbers.as_saved_moment("yesterday") == "yesterday"


def test_a_count_of_any_size_is_written() -> None:
    assert numbers.as_exact_count(10**400).replace(S, "") == "1" + "0" * 400
