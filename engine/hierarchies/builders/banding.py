"""The bands of an interval builder over the numbers of one column, and what they are called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import cache

from engine.cached import cached_property
from engine.errors import HierarchyError
from engine.hierarchies.builders.bands import (
    Bands,
    CutGrid,
    Edge,
    EvenGrid,
    Grid,
    Place,
    equal_records,
    equal_width,
    even_width,
    roundest,
)
from engine.hierarchies.builders.group_labels import GroupLabels, interval_text, range_text
from engine.hierarchies.builders.interval_rule import ENDS, IntervalRule
from engine.hierarchies.builders.numbers import WIDE, NumberTexts, most_places, numbers_of, typed
from engine.table import Column
from engine.table.values import decimal_mark
from engine.words import _, ngettext

MOST_CUTS = 1000  # more are not cuts that anybody sets by hand


class Banding:
    """The bands of a builder over a column, in whole multiples of the smallest decimal place there is."""

    def __init__(self, builder: IntervalRule, column: Column) -> None:
        self._builder, self._column = builder, column
        self.numbers = numbers_of(column)
        self._texts = NumberTexts(column, self.numbers)
        ends = {name: getattr(builder, name) for name in ENDS}
        given = (builder.width, builder.origin, *ends.values(), *(builder.cuts or ()))
        self._places = max(self._texts.places, most_places(None if x is None else typed(x) for x in given))
        self._one = 10**self._places
        bounds = {name: None if end is None else self.units(typed(end)) for name, end in ends.items()}
        self.bands = Bands(CutGrid(()), builder.closed, **bounds)
        self._refuse_beyond()
        self.bands = replace(self.bands, grid=self._grid())

    @cached_property
    def keys(self) -> list[int | None]:
        """The key of each label of the column."""
        return [None if n is None else self.bands.key(self.units(n)) for n in self.numbers]

    @cached_property
    def _range(self) -> tuple[int, int]:
        """The outermost keys."""
        known = [number for number in self.numbers if number is not None]
        return self.bands.key(self.units(min(known))), self.bands.key(self.units(max(known)))

    @cached_property
    def boundaries(self) -> tuple[int, ...]:
        """Boundaries between groups of level 1, within the numbers."""
        return self.bands.boundaries(*self._range, MOST_CUTS)

    def cuts(self, n_joined: int, most: int) -> tuple[int, ...]:
        """Cuts that give the numbers the same groups; none if there are more than `most`."""
        return self.bands.cuts(*self._range, n_joined, most)

    def units(self, number: Decimal) -> int:
        """Return a number in multiples of the smallest place."""
        return int(WIDE.scaleb(number, self._places))

    def number(self, units: int) -> Decimal:
        """Return the number of some units."""
        return WIDE.scaleb(Decimal(units), -self._places)

    def plain(self, units: int) -> float:
        """Return the number of some units as a parameter; a whole number as int."""
        number = self.number(units)
        return int(number) if units % self._one == 0 else float(number)

    def labels(self, n_joined: int) -> Callable[[Place], str]:
        """Return a function that labels groups of `n_joined` bands, and the groups at the ends."""
        spans: dict[Place, tuple[int, int]] = {}
        for place, (start, end) in self._spans.items():
            group = place if isinstance(place, str) else place // n_joined
            spans[group] = spans.get(group, (start, end))[0], end

        @cache
        def label(place: Place) -> str:
            if isinstance(place, str):
                return self._end(place)
            return self._names.label(*spans[place]) if spans else self._band(place, n_joined)

        return label

    def _grid(self) -> Grid:
        builder = self._builder
        if builder.cuts is not None:
            return CutGrid(tuple(self.units(typed(cut)) for cut in builder.cuts))
        if builder.bands is not None:
            return self._spread(builder.bands)
        return EvenGrid(self.units(typed(builder.origin)), self.units(typed(builder.width)))

    def _spread(self, n_bands: int) -> Grid:
        """Return `n_bands` bands over the numbers between the ends."""
        bands = self.bands
        bound = None if bands.minimum is None else bands.key(bands.minimum)
        low = _first(bands.bottom, bound, self._range[0])
        bound = None if bands.maximum is None else bands.key(bands.maximum) + 1
        high = _first(bands.top, bound, self._range[1] + 1)
        if low >= high:  # all numbers are in the group of one end
            return CutGrid((_first(bands.bottom, bands.top, low),))
        if self._builder.spread == "width":
            if self._builder.nice:
                return even_width(low, high, n_bands)
            return CutGrid(equal_width(low, high, n_bands))
        records: dict[int, int] = {}
        for key, count in zip(self.keys, self._column.counts.tolist(), strict=True):
            if key is not None and low <= key < high:
                records[key] = records.get(key, 0) + count
        keys = sorted(records)
        counts = [records[key] for key in keys]
        cuts = equal_records(keys, counts, bands.closed, n_bands, is_nice=self._builder.nice)
        first, last = (cuts[0], cuts[-1]) if cuts else (high, low)
        if self._builder.nice and bands.bottom is None and bands.minimum is None:
            low = roundest(low - (first - low) // 4, low, low)
        if self._builder.nice and bands.top is None and bands.maximum is None:
            high = roundest(high, high + (high - last) // 4, high)
        return CutGrid((low, *cuts, high))

    def _refuse_beyond(self) -> None:
        bands = self.bands
        for bound, side in ((bands.minimum, 1), (bands.maximum, -1)):
            if bound is None:
                continue
            limit = bands.key(bound)
            beyond = [
                value
                for value, key in zip(self._column.labels, self.keys, strict=True)
                if key is not None and side * key < side * limit
            ]
            if beyond:
                n = len(beyond)
                if side == 1:
                    problem = ngettext(
                        "Column '{column}': '{value}' is below the minimum {bound}.",
                        "Column '{column}': {n} different values such as '{value}' "
                        "are below the minimum {bound}.",
                        n,
                    )
                else:
                    problem = ngettext(
                        "Column '{column}': '{value}' is above the maximum {bound}.",
                        "Column '{column}': {n} different values such as '{value}' "
                        "are above the maximum {bound}.",
                        n,
                    )
                raise HierarchyError(
                    problem.format(column=self._column.name, value=beyond[0], bound=self._text(bound), n=n),
                    hint=_("Correct the value, move the limit, or remove it."),
                    column=self._column.name,
                    value=beyond[0],
                )

    @cached_property
    def _ordered(self) -> list[tuple[int, str]]:
        """The numbers in their order, by key."""
        pairs = zip(self.keys, self._column.labels, strict=True)
        return sorted((key, value) for key, value in pairs if key is not None)

    @cached_property
    def _names(self) -> GroupLabels:
        return GroupLabels(self._column, [value for _unused, value in self._ordered], self._builder.label)

    @cached_property
    def _spans(self) -> dict[Place, tuple[int, int]]:
        """Return where the groups of level 1 begin and end among the numbers, if members name them."""
        spans: dict[Place, tuple[int, int]] = {}
        if self._builder.label not in ("range", "interval"):
            for at, (key, _unused) in enumerate(self._ordered):
                place = self.bands.place(key)
                spans[place] = spans.get(place, (at, at))[0], at + 1
        return spans

    def _end(self, place: str) -> str:
        bottom, top = self.bands.ends
        is_left = self._builder.closed == "left"
        if place == "bottom":
            assert bottom is not None
            return self._half(None, Edge(bottom, not is_left))
        assert top is not None
        return self._half(Edge(top, is_left), None)

    def _band(self, index: int, n_joined: int) -> str:
        low, high = self.bands.edges(index, n_joined)
        if low is None and high is None:  # one band holds everything
            units = [self.units(number) for number in self.numbers if number is not None]
            low, high = Edge(min(units), is_inside=True), Edge(max(units), is_inside=True)
        if low is None or high is None:
            return self._half(low, high)
        if self._builder.label == "range" and self._texts.are_whole:
            first = -(-low.units // self._one) if low.is_inside else low.units // self._one + 1
            last = high.units // self._one if high.is_inside else -(-high.units // self._one) - 1
            return str(first) if first == last else range_text(str(first), str(last), are_plain=first >= 0)
        brackets = f"{'[' if low.is_inside else '('}{']' if high.is_inside else ')'}"
        mark = decimal_mark(self._column.data_type)
        return interval_text(self._text(low.units), self._text(high.units), mark, brackets)

    def _half(self, low: Edge | None, high: Edge | None) -> str:
        """A group that has one end."""
        if low is not None:
            return f"{'>=' if low.is_inside else '>'}{self._text(low.units)}"
        assert high is not None
        return f"{'<=' if high.is_inside else '<'}{self._text(high.units)}"

    def _text(self, units: int) -> str:
        return self._texts.text(self.number(units))


def _first(*numbers: int | None) -> int:
    """The first that is given."""
    return next(number for number in numbers if number is not None)
