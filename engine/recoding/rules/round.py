"""Numbers are rounded to multiples of a base."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from engine.errors import InputError
from engine.hierarchies import Hierarchy
from engine.numbers import as_typed
from engine.params import Choice, Real, param
from engine.recoding.aggregation.values import decimal_text, places_needed
from engine.recoding.rules.base import ColumnRule, RuleContext, Texts, column_rules, each_value
from engine.recoding.rules.reading import as_exact, numbers_of, why_no_numbers
from engine.records import Column, DataType, Kind
from engine.records.values import decimal_mark, number_type, thousands_mark
from engine.words import N_, _, lazy

HALF_EVEN, HALF_UP, DOWN = "half_even", "half_up", "down"
PLACES = 9  # decimals of a base or limit
_SPREAD = 5  # multiples between the smallest and the largest number, at least, for a suggested base


@column_rules.register("round")
@dataclass(frozen=True, slots=True)
class Round(ColumnRule):
    """Every number becomes the nearest multiple of a base, counted from 0; missing stays missing.

    The arithmetic is exact: a base counts as typed. Results are written without superfluous zeros.

    Parameters
    ----------
    base : float
        The number whose multiples are released.
    mode : {"half_even", "half_up", "down"}
        A number halfway between two multiples becomes the even one, or the one farther from 0; "down" always
        takes the nearest multiple toward 0.
    """

    title: ClassVar[str] = lazy("Round")
    summary: ClassVar[str] = lazy("Every number becomes the nearest multiple of a base.")
    unprotected: ClassVar[str] = lazy(
        "Rare numbers, such as very large ones, stay recognizable. A rounded number can still single out a "
        "record."
    )
    hides_values: ClassVar[bool] = False
    is_true: ClassVar[bool] = True

    base: float = param(
        10.0,
        Real(
            label=N_("Base"),
            help=N_("The number whose multiples are released, such as 10 or 0.5."),
            minimum=10.0**-PLACES,
            maximum=1e15,
            decimals=PLACES,
        ),
    )
    mode: str = param(
        HALF_EVEN,
        Choice(
            label=N_("Rounding"),
            help=N_("What happens to numbers halfway between two multiples."),
            options=(
                (HALF_EVEN, N_("To the nearest, halves to the even multiple")),
                (HALF_UP, N_("To the nearest, halves away from 0")),
                (DOWN, N_("Down, toward 0")),
            ),
        ),
    )

    @classmethod
    def fits(cls, column: Column, hierarchy: Hierarchy | None = None) -> bool:
        return column.data_type.is_numeric

    @classmethod
    def suggested(cls, column: Column) -> ColumnRule:
        known = column.numbers[~np.isnan(column.numbers)] if column.data_type.is_numeric else column.numbers
        width = float(known.max() - known.min()) if len(known) else 0.0
        if not 0 < width / _SPREAD < 1e15:
            return cls()
        return cls(base=float(f"1e{min(max(math.floor(math.log10(width / _SPREAD)), -PLACES), 15)}"))

    def why_not(self, column: Column, hierarchy: Hierarchy | None = None) -> str:
        return why_no_numbers(column)

    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """The multiple for each value."""
        if reason := self.why_not(column):
            raise InputError(reason, hint=_("Use a rule for texts."), column=column.name)
        base, mark = as_exact(self.base), decimal_mark(column.data_type)
        places = places_needed(base)
        unit = int(base * 10**places)
        multiples = [_multiple(number / base, self.mode) for number in numbers_of(column)]
        return each_value(column, [decimal_text(multiple * unit, places, mark) for multiple in multiples])

    def written_type(self, column: Column) -> DataType:
        own = column.data_type
        kind = own.kind if as_exact(self.base).denominator == 1 else Kind.DECIMAL
        return number_type(kind, decimal_mark(own), thousands_mark(own))

    def statement(self, person: str | None = None) -> str:
        words = {
            HALF_EVEN: _("Numbers rounded to the nearest multiple of {base}, halves to the even multiple."),
            HALF_UP: _("Numbers rounded to the nearest multiple of {base}, halves away from 0."),
            DOWN: _("Numbers rounded down, toward 0, to a multiple of {base}."),
        }
        return words[self.mode].format(base=as_typed(self.base, 0))


def _multiple(quotient: Fraction, mode: str) -> int:
    """Return the whole number that a quotient is rounded to."""
    if mode == HALF_EVEN:
        return round(quotient)
    size = math.floor(abs(quotient) + Fraction(1, 2)) if mode == HALF_UP else math.floor(abs(quotient))
    return -size if quotient < 0 else size


def number_text(number: float, mark: str) -> str:
    """Return a number as typed, with a decimal mark, without superfluous zeros."""
    exact = as_exact(number)
    places = places_needed(exact)
    return decimal_text(int(exact * 10**places), places, mark)
