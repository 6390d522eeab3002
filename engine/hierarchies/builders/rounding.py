"""Rounding: numbers become multiples of a base that grows level by level."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import ClassVar

from engine.errors import ParameterError
from engine.hierarchies.builders.base import (
    NO_CONTEXT,
    BuilderContext,
    HierarchyBuilder,
    assemble,
    builders,
    itself,
)
from engine.hierarchies.builders.numbers import WIDE, NumberTexts, holds_numbers, numbers_of, typed
from engine.hierarchies.hierarchy import Hierarchy
from engine.params import Choice, Configurable, Reals, param
from engine.records import Column
from engine.words import N_, _, lazy

DIRECTIONS = (("nearest", N_("to the nearest")), ("down", N_("down")), ("up", N_("up")))


@builders.register("rounding")
@dataclass(frozen=True, slots=True)
class RoundingBuilder(HierarchyBuilder):
    """Round numbers to multiples of a base: 37, then 35, 40, 50, ...

    Every level rounds what the level below has rounded already, so that levels nest. To the nearest
    multiple, a number half way between two goes up. The arithmetic is decimal and exact.
    """

    title: ClassVar[str] = lazy("Rounding")
    summary: ClassVar[str] = lazy("Rounds numbers to multiples of a base that grows level by level.")

    bases: tuple[float, ...] = param(
        (5, 10, 50),
        Reals(
            label=N_("Bases"),
            help=N_(
                "Each level rounds to multiples of its base; each base is a multiple of the previous one."
            ),
            usual=((5, 10, 50), (10, 100), (1000, 10000)),
        ),
    )
    direction: str = param(
        "nearest",
        Choice(
            label=N_("Round"),
            options=DIRECTIONS,
            help=N_("To the nearest multiple, or always up or down."),
        ),
    )

    def __post_init__(self) -> None:
        Configurable.__post_init__(self)
        if not self.bases or self.bases[0] <= 0:
            raise ParameterError(
                _("Bases must be numbers above 0."),
                hint=_("Give at least one, such as 10."),
                parameter="bases",
            )
        for small, large in itertools.pairwise(self.bases):
            if WIDE.remainder(typed(large), typed(small)):
                raise ParameterError(
                    _("Bases: {large:g} is not a multiple of {small:g}.").format(large=large, small=small),
                    hint=_("Each base must be a multiple of the previous one, such as 5, 10, 50."),
                    parameter="bases",
                )

    def accepts(self, column: Column) -> bool:
        """Numbers, and texts of which at least half are numbers."""
        return holds_numbers(column)

    def build(self, column: Column, context: BuilderContext = NO_CONTEXT) -> Hierarchy:
        """Build one level per base, and `*`; values that are not numbers are unchanged."""
        numbers = numbers_of(column)
        bases = [typed(base) for base in self.bases]
        texts = NumberTexts(column, [*numbers, *bases])
        levels, rounded = [], numbers
        for base in bases:
            rounded = [None if number is None else self._rounded(number, base) for number in rounded]
            levels.append(
                [
                    itself(value) if number is None else (("multiple", number), texts.text(number))
                    for value, number in zip(column.labels, rounded, strict=True)
                ]
            )
        return assemble(column.labels, levels)

    def _rounded(self, number: Decimal, base: Decimal) -> Decimal:
        # Doubled, so that a half is a whole number: (2 * number + base) // (2 * base) is floor(x + 1/2).
        if self.direction == "nearest":
            quotient = WIDE.divide(WIDE.fma(number, Decimal(2), base), WIDE.multiply(base, Decimal(2)))
        else:
            quotient = WIDE.divide(number, base)
        side = ROUND_CEILING if self.direction == "up" else ROUND_FLOOR
        return WIDE.multiply(quotient.to_integral_value(side, WIDE), base)
