"""Round places on an axis of numbers, dates or counts, and how they are written."""

from __future__ import annotations

from bisect import bisect_left
from datetime import date
from math import ceil, floor, log10

from anonymizer_gui.widgets.numbers import as_decimal, as_significant

_COUNT_STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_NUMBER_STEPS = (1.0, 2.0, 5.0, 10.0)
_YEAR_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_MONTH_STEPS = (1, 3, 6)
_DAY_STEPS = (1, 2, 7, 14)
_MONTH, _YEAR = 30.4, 365.25
_SHORTENED_FROM = 1e6
_EARLIEST, _LATEST = 1, 9999


def count_scale(most: int, n_steps: int) -> tuple[int, ...]:
    """Round counts from 0 up to at least `most`, in at most about `n_steps` steps.

    Parameters
    ----------
    most : int
        The largest count, at least 0.
    n_steps : int
        At least 1.
    """
    step = max(round(_round_up(max(most, 1) / n_steps, _COUNT_STEPS)), 1)
    return tuple(range(0, step * (ceil(most / step) or 1) + 1, step))


def number_ticks(low: float, high: float, n_most: int, *, are_whole: bool = False) -> list[tuple[float, str]]:
    """Round numbers between two, at most about `n_most` of them; whole ones where no others occur."""
    if not high > low:
        return []
    step = _round_up((high - low) / max(n_most, 1), _NUMBER_STEPS)
    if are_whole:
        step = max(step, 1.0)
    decimals = max(-floor(log10(step) + 1e-9), 0)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [(i * step, _written(i * step, decimals)) for i in range(first, last + 1)]


def date_ticks(low: float, high: float, n_most: int) -> list[tuple[float, str]]:
    """Round dates between two ordinal days: days, months or years as the distance asks for."""
    days = (high - low) / max(n_most, 1)
    first, last = max(ceil(low), 1), min(floor(high), date.max.toordinal())
    if last < first:
        return []
    start, end = date.fromordinal(first), date.fromordinal(last)
    if days <= _DAY_STEPS[-1]:
        step = next(step for step in _DAY_STEPS if step >= days)
        return [
            (float(day), date.fromordinal(day).isoformat())
            for day in range(_next(first, step), last + 1, step)
        ]
    if days <= _MONTH_STEPS[-1] * _MONTH:
        step = next(step for step in _MONTH_STEPS if step * _MONTH >= days)
        months = range(_next(start.year * 12 + start.month - 1, step), end.year * 12 + end.month, step)
        dates = [date(month // 12, month % 12 + 1, 1) for month in months]
        return [(float(day.toordinal()), f"{day:%Y-%m}") for day in dates if day.toordinal() >= low]
    step = _YEAR_STEPS[min(bisect_left(_YEAR_STEPS, days / _YEAR), len(_YEAR_STEPS) - 1)]
    years = range(max(_next(start.year, step), _EARLIEST), min(end.year, _LATEST) + 1, step)
    dates = [date(year, 1, 1) for year in years]
    return [(float(day.toordinal()), str(day.year)) for day in dates if day.toordinal() >= low]


def _next(value: int, step: int) -> int:
    return -(-value // step) * step


def _round_up(value: float, steps: tuple[float, ...]) -> float:
    power = 10.0 ** floor(log10(value))
    return next((step * power for step in steps if step * power >= value * (1 - 1e-9)), 10 * power)


def _written(number: float, decimals: int) -> str:
    """Years and codes have no thousands apart; large sums are shortened."""
    if abs(number) >= _SHORTENED_FROM:
        return as_significant(number)
    if decimals == 0 and abs(number) < 10_000:
        return as_decimal(number, 0).replace("\u202f", "")
    return as_decimal(number, decimals)
