"""Intervals: bands of numbers, equally wide, equally frequent or cut by hand, joined level by level."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from itertools import accumulate, pairwise
from operator import mul
from typing import Any, ClassVar

import numpy as np

from engine.cached import cached_property
from engine.errors import HierarchyError, ParameterError
from engine.hierarchies.bounds import interval_text, range_text
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
from engine.hierarchies.builders.base import (
    NO_CONTEXT,
    BuilderContext,
    Group,
    HierarchyBuilder,
    assemble_groups,
    builders,
    itself,
)
from engine.hierarchies.builders.group_labels import BY_MEMBERS, GroupLabels
from engine.hierarchies.builders.numbers import (
    LARGEST,
    WIDE,
    NumberTexts,
    any_number,
    holds_numbers,
    most_places,
    numbers_of,
    optional_number,
    typed,
)
from engine.hierarchies.hierarchy import Hierarchy
from engine.params import Choice, Configurable, Flag, Integer, Integers, Real, Reals, describe, param
from engine.records import Column
from engine.records.values import decimal_mark
from engine.words import N_, _, lazy, ngettext

LABELS = (("range", N_("range: 20-29")), ("interval", N_("interval: [20, 30)")), *BY_MEMBERS)
SPREADS = (("width", N_("equally wide")), ("records", N_("with equal numbers of records")))
CLOSED = (("left", N_("to the upper band: [20, 30)")), ("right", N_("to the lower band: (20, 30]")))
ENDS = ("minimum", "bottom", "snap_bottom", "snap_top", "top", "maximum")
"""Parameters at the ends, in the order of their numbers."""
MOST_CUTS = 1000  # more are not cuts that anybody sets by hand


class Banding:
    """The bands of a builder over a column, in whole multiples of the smallest decimal place there is."""

    def __init__(self, builder: IntervalsBuilder, column: Column) -> None:
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


@builders.register("intervals")
@dataclass(frozen=True, slots=True)
class IntervalsBuilder(HierarchyBuilder):
    """Bands of numbers: level 1 by `width`, `cuts` or `bands`, each further level joins `merge` of them.

    Every number is in one band: with `closed` at the left a band is [low, high), at the right (low, high].
    The arithmetic is decimal and exact.

    With `bands`, level 1 has this number of bands between the smallest and the largest number, or between
    bottom or minimum and top or maximum, where these are given: of one width, or with about as many records
    each. With `nice` the cuts are round numbers, so that there may be a few more or fewer, or records differ.

    Numbers below `bottom` and from `top` on form one group each on every level, likewise those
    outside the cuts. Numbers below `snap_bottom` that are not in the group of the bottom join the band
    that holds `snap_bottom`; those from `snap_top` on join the band before it; such a band reaches to
    bottom and top, else to minimum and maximum, else without end. A number below `minimum` or above
    `maximum` is an error.
    """

    title: ClassVar[str] = lazy("Intervals")
    summary: ClassVar[str] = lazy("Puts numbers into bands that grow wider level by level.")

    width: float = param(
        10.0,
        Real(
            label=N_("Width"),
            minimum=1e-6,
            maximum=LARGEST,
            decimals=6,
            ways=(N_("Width"),),
            section=N_("Bands by"),
            help=N_("Width of the bands of level 1."),
            usual=(5, 10, 100),
        ),
    )
    origin: float = param(
        0.0,
        any_number(
            label=N_("Start"),
            ways=(N_("Width"),),
            section=N_("Bands by"),
            help=N_("Number at which a band begins."),
        ),
    )
    cuts: tuple[float, ...] | None = param(
        None,
        Reals(
            label=N_("Cuts"),
            ways=(N_("Cuts"),),
            section=N_("Bands by"),
            help=N_("Numbers at which bands begin; replaces width and start."),
        ),
    )
    bands: int | None = param(
        None,
        Integer(
            label=N_("Number of bands"),
            minimum=2,
            maximum=1000,
            ways=(N_("Number", "of bands"),),
            section=N_("Bands by"),
            help=N_("Number of bands on level 1; replaces width and start."),
            usual=(5, 10, 20),
        ),
    )
    spread: str = param(
        "width",
        Choice(
            label=N_("These bands are"),
            options=SPREADS,
            ways=(N_("Number", "of bands"),),
            section=N_("Bands by"),
            help=N_("What the bands have in common."),
        ),
    )
    nice: bool = param(
        True,
        Flag(
            label=N_("Round cuts"),
            ways=(N_("Number", "of bands"),),
            section=N_("Bands by"),
            help=N_("Cuts the bands at round numbers; the number of bands may differ slightly."),
        ),
    )
    merge: tuple[int, ...] = param(
        (),
        Integers(
            label=N_("Merged per level"),
            minimum=2,
            first_level=2,
            unit=N_("bands"),
            help=N_("Number of bands that each higher level merges."),
            usual=((2,), (2, 2)),
        ),
    )
    closed: str = param(
        "left",
        Choice(
            label=N_("A value on a cut goes"),
            options=CLOSED,
            help=N_("Band of a value that is exactly on a cut."),
        ),
    )
    label: str = param(
        "range",
        Choice(
            label=N_("Labels"),
            options=LABELS,
            by_example=True,
            help=N_("A range shows whole numbers; decimal numbers get an interval."),
        ),
    )
    bottom: float | None = optional_number(
        label=N_("Bottom"),
        switch=N_("One group below"),
        section=N_("Outside the range"),
        help=N_(
            "All numbers below this one form one group, and the number itself if values on a "
            "cut go to the lower band."
        ),
    )
    top: float | None = optional_number(
        label=N_("Top"),
        switch=N_("One group from"),
        section=N_("Outside the range"),
        help=N_(
            "All numbers from this one form one group, without the number itself if values on "
            "a cut go to the lower band."
        ),
    )
    snap_bottom: float | None = optional_number(
        label=N_("Whole bands from"),
        switch=N_("Whole bands from"),
        section=N_("Whole bands"),
        is_advanced=True,
        help=N_("Lower numbers, down to bottom or minimum, go to the band of this number."),
    )
    snap_top: float | None = optional_number(
        label=N_("Whole bands up to"),
        switch=N_("Whole bands up to"),
        section=N_("Whole bands"),
        is_advanced=True,
        help=N_("Numbers from this one, up to top or maximum, go to the band before it."),
    )
    minimum: float | None = optional_number(
        label=N_("Minimum"),
        switch=N_("None below"),
        section=N_("Refuse numbers"),
        is_advanced=True,
        help=N_("A lower number is an error."),
    )
    maximum: float | None = optional_number(
        label=N_("Maximum"),
        switch=N_("None above"),
        section=N_("Refuse numbers"),
        is_advanced=True,
        help=N_("A higher number is an error."),
    )

    def __post_init__(self) -> None:
        Configurable.__post_init__(self)
        if self.cuts is not None and len(self.cuts) < 1:
            raise ParameterError(
                _("Cuts cannot be empty."), hint=_("Give at least one number."), parameter="cuts"
            )
        if self.cuts is not None and self.bands is not None:
            raise ParameterError(
                _("Cuts and Number of bands cannot be used together."),
                hint=_("Use only one of the two."),
                parameter="bands",
            )
        self._check_ends()

    def _check_ends(self) -> None:
        labels = {descriptor.name: descriptor.label for descriptor in describe(type(self))}
        given = [(name, value) for name in ENDS if (value := getattr(self, name)) is not None]
        for (below, low), (above, high) in pairwise(given):
            at_one_end = (below in ENDS[:3]) == (above in ENDS[:3])
            if low > high or (low == high and not at_one_end):
                raise ParameterError(
                    _("{label} {low:g} is not below {label_2} {high:g}.").format(
                        label=labels[below], low=low, label_2=labels[above], high=high
                    ),
                    hint=_("Remove one of them, or move them apart."),
                    parameter=below,
                )

    def accepts(self, column: Column) -> bool:
        """Numbers, and texts of which at least half are numbers."""
        return holds_numbers(column)

    def build(self, column: Column, context: BuilderContext = NO_CONTEXT) -> Hierarchy:
        """Build level 1, one level per entry of `merge`, and `*`."""
        made = Banding(self, column)
        numbered: dict[Place | tuple[str], int] = {}
        places = [
            numbered.setdefault((value,) if key is None else made.bands.place(key), len(numbered))
            for value, key in zip(column.labels, made.keys, strict=True)
        ]
        levels = []
        for joined in accumulate((1, *self.merge), mul):
            label = made.labels(joined)
            groups: list[Group] = []
            for place in numbered:
                if isinstance(place, tuple):
                    groups.append(itself(place[0]))
                elif isinstance(place, str):
                    groups.append((place, label(place)))
                else:
                    groups.append((("band", place // joined), label(place // joined)))
            levels.append(groups)
        return assemble_groups(column.labels, places, levels)

    def cut_numbers(self, column: Column) -> tuple[float, ...]:
        """Return the numbers at which groups of level 1 meet, within the range of the column.

        Bottom and top are among them. There are none if there would be more than a thousand.

        Raises
        ------
        HierarchyError
            As `build` does.
        """
        made = Banding(self, column)
        return tuple(float(made.number(units)) for units in made.boundaries)

    def with_cut(self, column: Column, before: float, after: float) -> IntervalsBuilder | None:
        """Return the builder with one of its cuts before another number; None if that cannot be.

        Parameters
        ----------
        before : float
            The smallest number of the column in the group at the right of the cut.
        after : float
            The smallest number of the column that shall be there.
        """
        made = Banding(self, column)
        known = sorted({number for number in made.numbers if number is not None})
        floats = np.fromiter(map(float, known), np.float64, len(known))
        places = [int(np.abs(floats - at).argmin()) for at in (before, after)]
        if 0 in places:  # nothing is at the left
            return None
        old = made.bands.key(made.units(known[places[0]]))
        cut = max((boundary for boundary in made.boundaries if boundary <= old), default=None)
        # Where bands are closed on the right, the cut belongs to the left of it.
        new = made.units(known[places[1] - (self.closed == "right")])
        return None if cut is None else self._recut(column, cut, new)

    def _recut(self, column: Column, old: int, new: int) -> IntervalsBuilder | None:
        """The builder whose groups of level 1 meet at `new` instead of `old`; other cuts do not move.

        Both are in the units of the builder over the column. There is none where the cut would pass another.
        """
        made = Banding(self, column)
        before = made.boundaries
        wanted = sorted({*before, new} - {old})
        if new in before or wanted.index(new) != before.index(old):
            return None
        for changes in self._changes(made, old, new):
            try:
                changed = replace(self, **changes)
                found = Banding(changed, column)
            except (ParameterError, HierarchyError):  # beyond a bound
                continue
            if [*map(found.number, found.boundaries)] == [*map(made.number, wanted)]:
                return changed
        return None

    def _changes(self, made: Banding, old: int, new: int) -> Iterator[dict[str, Any]]:
        """Return the parameters that may have to change: bottom or top, the cuts, or bands."""
        ends: dict[str, float] = {}
        for name, end in (("bottom", made.bands.bottom), ("top", made.bands.top)):
            if end == old:
                ends[name] = made.plain(new)
                yield dict(ends)
        cuts = made.cuts(math.prod(self.merge), 2 * MOST_CUTS)
        if cuts:
            kept = sorted({*cuts, new} - {old})
            yield ends | {"cuts": tuple(map(made.plain, kept)), "bands": None}
