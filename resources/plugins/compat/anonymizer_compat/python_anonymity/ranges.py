"""Hierarchies of numbers as python-anonymity makes and reads them; they need not be trees."""

from __future__ import annotations

import math
from collections.abc import Sequence

from anonymizer_compat.pycanon.classes import column_of
from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.records import Column

Bounds = tuple[float, float]


def create_ranges(column: Column, steps: Sequence[int]) -> Hierarchy:
    """Return half-open ranges of the widths given over the values of a column of whole numbers.

    Parameters
    ----------
    steps : sequence of int
        Widths of the ranges, level by level; the first one is ignored. They need not be multiples of
        one another: a value may then share a range with another on one level and not on the next.

    Returns
    -------
    Hierarchy
        Of the values that occur, with labels as "[20, 25)" on the first level and "[20.0, 30.0)" above.
        Ranges start at the multiple of the width below the least value and end at that above the greatest;
        from the second level on the greatest is looked for among the ranges of the records so far, in their
        order, by comparing left ends with the right end known.

    Raises
    ------
    InputError
        The library would not terminate (numbers with fractions), or would raise an exception then or in
        Datafly (the greatest value is on the last boundary, which half-open ranges exclude; values that
        are not numbers).
    """
    values = _numbers(column)
    found = column_of(column)
    rows = [[text] for text in found.texts]
    # The table is rewritten range by range, the rows by their own value.
    cells: list[Bounds] = [(value, value) for value in values]
    for place, width in enumerate(steps[1:]):
        if width < 1:
            raise InputError(f"A range cannot be {width} wide.", hint="Give a whole number of at least 1.")
        low = min(left for left, _ in cells)
        high = max(0, *values) if place == 0 else _greatest([cells[code] for code in found.codes.tolist()])
        low, high = low - low % width, high + -high % width
        cells = [_range_of(left, low, high, width, column.name, "ValueError") for left, _ in cells]
        for row, value in zip(rows, values, strict=True):
            # A row without a range is noticed by Data-fly only.
            left, right = _range_of(value, low, high, width, column.name, "IndexError")
            is_short = place == 0 and found.is_whole  # as pandas writes ranges of whole numbers
            row.append(f"[{left}, {right})" if is_short else written((left, right)))
    return Hierarchy.from_labels(rows)


def bounds_of(label: str) -> Bounds:
    """Return the written left and right end of a range; `InputError` for any other label."""
    ends = label.replace("[", "").replace(" ", "").replace(")", "").split(",")
    try:
        return float(ends[0]), float(ends[1])
    except (ValueError, IndexError) as error:
        raise InputError(
            f"python-anonymity ends with {type(error).__name__}: '{label}' is not written as a range, such "
            "as [20, 25), and the column has numbers or ranges.",
            hint="Make its hierarchy with create_ranges, or read the column as text.",
        ) from None


def written(bounds: Bounds) -> str:
    """A range as the library writes it: [20.0, 25.0)."""
    return f"[{float(bounds[0])}, {float(bounds[1])})"


def _numbers(column: Column) -> list[int]:
    """The distinct values, which must be whole numbers."""
    found = column_of(column)
    if found.numbers is None or found.is_truth:
        raise InputError(
            f"python-anonymity cannot make ranges of '{column.name}', which has no numbers.",
            hint="Choose a column of whole numbers.",
            column=column.name,
        )
    if found.has_missing or any(number != math.floor(number) for number in found.numbers.tolist()):
        raise InputError(
            f"python-anonymity never ends here: '{column.name}' has decimal numbers or missing ones.",
            hint="Choose a column of whole numbers.",
            column=column.name,
        )
    return [int(number) for number in found.numbers.tolist()]


def _greatest(ranges: Sequence[Bounds]) -> float:
    """Return the right end of the range that the library takes for the last one."""
    greatest = 0.0
    for left, right in ranges:
        if left > greatest:
            greatest = right
    return greatest


def _range_of(value: float, low: float, high: float, width: int, name: str, error: str) -> Bounds:
    left = value - (value - low) % width
    if not low <= value or left + width > high:
        raise InputError(
            f"python-anonymity ends with {error}: {value:g} of '{name}' is in no range of width "
            f"{width}; they end before {high:g}.",
            hint="Choose a width that does not divide the largest value.",
            column=name,
        )
    return left, left + width
