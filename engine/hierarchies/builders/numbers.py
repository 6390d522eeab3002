"""The values of a column as exact numbers, and numbers as texts of that column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from engine.errors import HierarchyError, ParameterError
from engine.params import Real, param
from engine.records import Column, DataType, Kind
from engine.records.values import decimal_mark, exact_number
from engine.words import _

# Wide enough that nothing rounds: numbers read from a table have at most a few hundred digits.
WIDE = Context(prec=1000, rounding=ROUND_HALF_EVEN)
LARGEST = 1e12
any_number = partial(Real, minimum=-LARGEST, maximum=LARGEST, decimals=6)
"""A parameter that is in the order of the values."""
_GLANCED_AT = 300  # values that decide whether a column of texts holds numbers

Number = Decimal | None
# A cut that is dragged asks again and again, and reading very many numbers takes longer than all else.
_READ: WeakKeyDictionary[Column, list[Number]] = WeakKeyDictionary()
_PLACES: WeakKeyDictionary[Column, int] = WeakKeyDictionary()


def optional_number(**words: Any) -> Any:
    """Declare a number in the order of the values that may be absent."""
    return param(None, any_number(**words))


def holds_numbers(column: Column) -> bool:
    """Return whether at least half of a column's values are numbers; of many values, some decide."""
    if column.data_type.kind is not Kind.TEXT:
        return column.data_type.is_numeric
    values = column.known_labels
    values = values[:: max(1, len(values) // _GLANCED_AT)]
    numbers = sum(exact_number(value, DataType(Kind.DECIMAL)) is not None for value in values)
    return numbers > 0 and 2 * numbers >= len(values)


def numbers_of(column: Column) -> list[Number]:
    """Return the exact number of each label of a column, None for others; the list is never changed.

    Raises
    ------
    HierarchyError
        No label is a number.
    """
    if column not in _READ:
        data_type = column.data_type if column.data_type.is_numeric else DataType(Kind.DECIMAL)
        missing = column.missing_label
        _READ[column] = [None if v == missing else exact_number(v, data_type) for v in column.labels]
    numbers = _READ[column]
    if not any(number is not None for number in numbers):
        raise HierarchyError(
            _("Column '{name}' has no numbers.").format(name=column.name),
            hint=_("Choose another builder, or change the type of the column."),
            column=column.name,
        )
    return numbers


def refuse_crossed(bottom: float | None, top: float | None) -> None:
    """Refuse ends that leave nothing between them.

    Raises
    ------
    ParameterError
    """
    if bottom is not None and top is not None and bottom >= top:
        raise ParameterError(
            _("Bottom {bottom:g} is not below Top {top:g}.").format(bottom=bottom, top=top),
            hint=_("Remove one of them, or move them apart."),
            parameter="bottom",
        )


def typed(value: float) -> Decimal:
    """The decimal that was typed: 0.1 is one tenth, not its binary neighbour."""
    return Decimal(repr(value))


def places(number: Decimal) -> int:
    """Decimal places that are needed, trailing zeros left out; below 0 for multiples of ten."""
    exponent = number.normalize(WIDE).as_tuple().exponent
    assert isinstance(exponent, int)
    return -exponent


def most_places(numbers: Iterable[Number]) -> int:
    """The most decimal places that any of the numbers needs, at least 0."""
    most = 0
    for number in numbers:
        if number is not None:
            scaled = WIDE.scaleb(number, most) if most else number
            if scaled != scaled.to_integral_value(context=WIDE):
                most = places(number)
    return most


def places_of(column: Column, numbers: Sequence[Number]) -> int:
    """The most decimal places among the numbers of a column."""
    if numbers is not _READ.get(column):
        return most_places(numbers)
    if column not in _PLACES:
        _PLACES[column] = most_places(numbers)
    return _PLACES[column]


class NumberTexts:
    """Writes numbers as the values of a column are written.

    Parameters
    ----------
    numbers : sequence of Decimal or None
        Its values; those of a decimal column keep one decimal place, as its whole numbers have it.
    """

    def __init__(self, column: Column, numbers: Sequence[Number]) -> None:
        self.places = places_of(column, numbers)
        self._mark = decimal_mark(column.data_type)
        self.are_whole = column.data_type.kind is not Kind.DECIMAL and self.places <= 0

    def text(self, number: Decimal) -> str:
        """Plain digits, no exponent."""
        shortest = number.normalize(WIDE)
        digits = f"{shortest:f}" if shortest else "0"  # no minus before a zero
        if "." not in digits and not self.are_whole:
            digits += ".0"
        return digits.replace(".", self._mark)

    def rounded(self, number: Decimal) -> Decimal:
        """Round to the decimal places that the values have; a half goes to the even digit."""
        return number.quantize(Decimal(1).scaleb(-max(self.places, 0)), context=WIDE)
