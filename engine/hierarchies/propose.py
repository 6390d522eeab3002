"""Propose a builder for a column, from its type, its values and its name, with the reason."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np

from engine.hierarchies.builders.base import HierarchyBuilder, known_values
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.builders.masking import MaskingBuilder
from engine.hierarchies.builders.suppress import SuppressBuilder
from engine.hierarchies.names import is_about_postal_codes, is_about_years
from engine.table import Column, Kind

Proposal = tuple[HierarchyBuilder, str]
_FEW = 4  # so few values are not worth joining
_BANDS = 16  # about as many bands as level 1 of a numeric column gets


def propose(column: Column) -> Proposal:
    """Return a sensible builder and one sentence saying why.

    Parameters
    ----------
    column : Column

    Returns
    -------
    builder : HierarchyBuilder
        Accepts the column.
    reason : str
    """
    values = known_values(column)
    kind = column.data_type.kind
    if len(values) <= 1:
        return SuppressBuilder(), "It has only one value, so it can only be kept or hidden."
    if _looks_like_codes(column.name, values) and kind in (Kind.TEXT, Kind.INTEGER):
        return MaskingBuilder(), (
            f"Its values are codes of up to {max(map(len, values))} characters, like postal codes: "
            "the last characters are hidden first."
        )
    if column.data_type.is_numeric:
        return _for_numbers(column)
    if kind is Kind.DATE:
        return _for_dates(column.data_type.format)
    if kind is Kind.ORDERED and len(values) > 3:
        n_levels = max(1, math.ceil(math.log2(len(values))) - 1)
        return GroupingBuilder(sizes=(2,) * n_levels), "Its categories are ordered, so neighbours are joined."
    return SuppressBuilder(), (
        f"It has {len(values)} different texts without an order the program knows, "
        "so each is kept or hidden until you group them."
    )


def _looks_like_codes(name: str, values: tuple[str, ...]) -> bool:
    """Whether the beginning of a value says more than its end, as in postal and diagnosis codes."""
    lengths = {len(value) for value in values}
    if not 3 <= max(lengths) <= 12 or len(values) <= _FEW:
        return False
    if is_about_postal_codes(name):
        return True
    if all(value.isdigit() for value in values):  # whole numbers come here only if they are text
        return len(lengths) == 1 and any(value.startswith("0") for value in values)
    return all(
        any(c.isdigit() for c in value)
        and value[0].isalnum()
        and all(c.isalnum() or c in " .-/" for c in value)
        and any(c.isalpha() for c in value)
        for value in values
    )


def _for_numbers(column: Column) -> Proposal:
    n = len(known_values(column))
    if n <= _FEW:
        return SuppressBuilder(), f"It has only {n} different numbers, so each is kept or hidden."
    numbers, counts = column.numbers[:n], column.counts[:n]
    if is_about_years(column.name) or _are_like_ages(column, float(numbers[0]), float(numbers[-1])):
        builder = IntervalsBuilder(width=5, merge=(2, 2))
        return builder, "It counts years, so bands of 5, 10 and 20 years are usual."
    share = np.cumsum(counts) / counts.sum()
    lowest, highest = float(numbers[0]), float(numbers[-1])
    low = float(numbers[int(np.searchsorted(share, 0.01))])
    high = float(numbers[min(int(np.searchsorted(share, 0.99)), n - 1)])
    span = high - low or highest - lowest
    width = _round_width(span / _BANDS, whole=column.data_type.kind is Kind.INTEGER)
    if width is None:
        return SuppressBuilder(), "Its numbers differ too little, or too much, for bands of equal width."
    # Each join halves the bands; at least two should be left before everything is hidden.
    n_joins = min(2, max(0, math.floor(math.log2(span / width)) - 1))
    bottom, top = _ends(lowest, low, high, highest, width * 2**n_joins)
    builder = IntervalsBuilder(width=width, merge=(2,) * n_joins, bottom=bottom, top=top)
    joined = ", then joined by two" if n_joins else ""
    return builder, f"Its numbers lie mostly between {low:g} and {high:g}: bands of {width:g}{joined}."


def _are_like_ages(column: Column, lowest: float, highest: float) -> bool:
    return (
        column.data_type.kind is Kind.INTEGER
        and lowest >= 10
        and 60 <= highest <= 120
        and highest - lowest >= 30
    )


def _round_width(width: float, *, whole: bool) -> float | None:
    """The next of 1, 2, 5, 10, 20, ... not below a width."""
    if not 1e-6 <= width <= 1e11:
        return None
    power = Decimal(10) ** math.floor(math.log10(width))
    rounded = next(float(step * power) for step in (1, 2, 5, 10) if float(step * power) >= width * (1 - 1e-9))
    return max(2.0, rounded) if whole else rounded  # bands of 1 would be the values themselves


def _ends(
    lowest: float, low: float, high: float, highest: float, block: float
) -> tuple[float | None, float | None]:
    """Bottom and top groups where a few numbers lie far outside the others; whole blocks in between."""
    bottom, top = math.floor(low / block) * block, (math.floor(high / block) + 1) * block
    return (
        float(bottom) if lowest < bottom - 2 * block else None,
        float(top) if highest >= top + 2 * block else None,
    )


def _for_dates(date_format: str) -> Proposal:
    direction = "right_to_left" if date_format.startswith("%Y") else "left_to_right"
    return (
        MaskingBuilder(direction=direction, characters_per_level=3),
        "It holds dates: the day is hidden first, then the month.",
    )
