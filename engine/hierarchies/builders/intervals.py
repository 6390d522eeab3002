"""Intervals: bands of numbers, equally wide or cut by hand, joined level by level."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from engine.errors import ParameterError
from engine.hierarchies.builders.base import (
    ALONE,
    Around,
    Group,
    HierarchyBuilder,
    assemble,
    builders,
    itself,
)
from engine.hierarchies.builders.numbers import (
    WIDE,
    holds_numbers,
    most_places,
    numbers_of,
    places,
    refuse_crossed,
    typed,
)
from engine.hierarchies.hierarchy import Hierarchy
from engine.params import Choice, Configurable, Integers, Real, Reals, param
from engine.table import Column, DataType, Kind
from engine.table.values import decimal_mark

LABELS = (("range", "20-29"), ("interval", "[20, 30)"))
_LARGEST = 1e12


@builders.register("intervals")
@dataclass(frozen=True, slots=True)
class IntervalsBuilder(HierarchyBuilder):
    """Half-open bands [low, high): level 1 by `width` or `cuts`, each further level joins `merge` of them.

    Numbers below `bottom` and from `top` on form one group each on every level, likewise what lies
    outside the cuts. The arithmetic is decimal and exact.
    """

    title: ClassVar[str] = "Intervals"
    summary: ClassVar[str] = "Puts numbers into bands that grow wider level by level."

    width: float = param(
        10.0,
        Real(
            label="Width",
            minimum=1e-6,
            maximum=_LARGEST,
            decimals=6,
            help="Width of the bands of level 1.",
            usual=(5, 10, 100),
        ),
    )
    origin: float = param(
        0.0,
        Real(
            label="Start",
            minimum=-_LARGEST,
            maximum=_LARGEST,
            decimals=6,
            help="A number at which a band begins; joined bands begin there too.",
        ),
    )
    cuts: tuple[float, ...] | None = param(
        None, Reals(label="Cuts", help="The numbers at which bands begin; replaces width and start.")
    )
    merge: tuple[int, ...] = param(
        (),
        Integers(
            label="Joined per level",
            minimum=2,
            help="How many bands each further level joins.",
            usual=((2,), (2, 2)),
        ),
    )
    bottom: float | None = param(
        None,
        Real(
            label="Bottom",
            minimum=-_LARGEST,
            maximum=_LARGEST,
            decimals=6,
            help="Everything below this number is one group.",
        ),
    )
    top: float | None = param(
        None,
        Real(
            label="Top",
            minimum=-_LARGEST,
            maximum=_LARGEST,
            decimals=6,
            help="Everything from this number on is one group.",
        ),
    )
    label: str = param(
        "range",
        Choice(label="Labels", options=LABELS, help="A range names whole numbers; decimals get an interval."),
    )

    def __post_init__(self) -> None:
        Configurable.__post_init__(self)
        if self.cuts is not None and len(self.cuts) < 1:
            raise ParameterError("Cuts cannot be empty.", hint="Give at least one number.", parameter="cuts")
        refuse_crossed(self.bottom, self.top)

    def accepts(self, column: Column) -> bool:
        """Numbers, and texts of which at least half are numbers."""
        return holds_numbers(column)

    def with_cut(self, column: Column, before: float, after: float) -> IntervalsBuilder | None:
        """Return the builder with one of its cuts at another number; None where it has no such cut.

        Parameters
        ----------
        column : Column
        before : float
            The smallest number of the column in the band at the right of the cut.
        after : float
            Where the cut shall be.
        """
        return None

    def build(self, column: Column, around: Around = ALONE) -> Hierarchy:
        """Build level 1, one level per entry of `merge`, and `*`."""
        numbers = numbers_of(column, "to put into intervals")
        present = [number for number in numbers if number is not None]
        bands = _Bands(self, present, column.data_type)
        units = [None if number is None else bands.units(number) for number in numbers]
        levels, joined = [], 1
        for factor in (1, *self.merge):
            joined *= factor
            levels.append(
                [
                    itself(value) if number is None else bands.group(number, joined)
                    for value, number in zip(column.labels, units, strict=True)
                ]
            )
        return assemble(column.labels, levels)


class _Bands:
    """The bands of one builder, in whole multiples of the smallest decimal place that occurs."""

    def __init__(self, builder: IntervalsBuilder, numbers: Sequence[Decimal], data_type: DataType) -> None:
        bounds = [
            typed(value)
            for value in (builder.width, builder.origin, builder.bottom, builder.top, *(builder.cuts or ()))
            if value is not None
        ]
        self._places = most_places((*bounds, *numbers))
        self._one = 10**self._places
        self._width, self._origin = self._typed(builder.width), self._typed(builder.origin)
        self._cuts = None if builder.cuts is None else [self._typed(cut) for cut in builder.cuts]
        ends = (self._cuts[0], self._cuts[-1]) if self._cuts else ()
        lows = [*ends[:1], *([] if builder.bottom is None else [self._typed(builder.bottom)])]
        highs = [*ends[1:], *([] if builder.top is None else [self._typed(builder.top)])]
        self._bottom, self._top = max(lows, default=None), min(highs, default=None)
        self._mark = decimal_mark(data_type)
        self._are_whole = data_type.kind is not Kind.DECIMAL and all(places(n) <= 0 for n in numbers)
        self._as_range = self._are_whole and builder.label == "range"
        self._groups: dict[tuple[int, int], Group] = {}

    def units(self, number: Decimal) -> int:
        """A number in multiples of the smallest place."""
        return int(WIDE.scaleb(number, self._places))

    def group(self, number: int, joined: int) -> Group:
        """The group of a number where `joined` bands of level 1 form one."""
        if self._bottom is not None and number < self._bottom:
            return "bottom", f"<{self._text(self._bottom)}"
        if self._top is not None and number >= self._top:
            return "top", f">={self._text(self._top)}"
        if self._cuts is not None:
            index = (bisect_right(self._cuts, number) - 1) // joined
        else:
            index = (number - self._origin) // (self._width * joined)
        known = self._groups.get((joined, index))
        if known is None:
            low, high = self._bounds(index, joined)
            known = self._groups[joined, index] = ("band", low), self._label(low, high)
        return known

    def _bounds(self, index: int, joined: int) -> tuple[int, int]:
        if self._cuts is not None:
            low = self._cuts[index * joined]
            high = self._cuts[min((index + 1) * joined, len(self._cuts) - 1)]
        else:
            low = self._origin + index * self._width * joined
            high = low + self._width * joined
        return (
            low if self._bottom is None else max(low, self._bottom),
            high if self._top is None else min(high, self._top),
        )

    def _label(self, low: int, high: int) -> str:
        if self._as_range:
            first, last = -(-low // self._one), -(-high // self._one) - 1  # whole numbers inside
            if first == last:
                return str(first)
            return f"{first}{'-' if first >= 0 else ' to '}{last}"
        separator = ";" if self._mark == "," else ","
        return f"[{self._text(low)}{separator} {self._text(high)})"

    def _text(self, units: int) -> str:
        """Plain digits; the numbers of a decimal column keep one decimal place."""
        whole, rest = divmod(abs(units), self._one)
        places = str(rest).rjust(self._places, "0").rstrip("0") if rest else ""
        if not places and not self._are_whole:
            places = "0"
        return f"{'-' if units < 0 else ''}{whole}{self._mark if places else ''}{places}"

    def _typed(self, value: float) -> int:
        return self.units(typed(value))
