"""Intervals: bands of numbers, equally wide, equally frequent or cut by hand, joined level by level."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from operator import mul
from typing import Any, ClassVar

import numpy as np

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies.builders.banding import MOST_CUTS, Banding
from engine.hierarchies.builders.bands import Place
from engine.hierarchies.builders.base import NO_CONTEXT, BuilderContext, Group, builders, itself
from engine.hierarchies.builders.interval_rule import IntervalRule
from engine.hierarchies.builders.levels import assemble_groups
from engine.hierarchies.builders.numbers import holds_numbers
from engine.hierarchies.hierarchy import Hierarchy
from engine.table import Column
from engine.words import lazy


@builders.register("intervals")
@dataclass(frozen=True, slots=True)
class IntervalsBuilder(IntervalRule):
    """Bands of numbers: level 1 by `width`, `cuts` or `bands`, each further level joins `merge` of them.

    Every number is in one band: with `closed` at the left a band is [low, high), at the right (low, high].
    The arithmetic is decimal and exact.

    With `bands`, level 1 has this number of bands between the smallest and the largest number, or between
    bottom or minimum and top or maximum, where these are given: of one width, or with about as many records
    each. With `nice` the cuts are round numbers, so that there may be a few more or fewer, or records differ.

    Numbers below `bottom` and from `top` on form one group each on every level, likewise what lies
    outside the cuts. Numbers below `snap_bottom` that are not in the group of the bottom join the band
    that holds `snap_bottom`; those from `snap_top` on join the band before it; such a band reaches to
    bottom and top, else to minimum and maximum, else without end. A number below `minimum` or above
    `maximum` is an error.
    """

    title: ClassVar[str] = lazy("Intervals")
    summary: ClassVar[str] = lazy("Puts numbers into bands that grow wider level by level.")

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

        Bottom and top are among them. There are none where there would be more than a thousand.

        Raises
        ------
        HierarchyError
            As `build` does.
        """
        made = Banding(self, column)
        return tuple(float(made.number(units)) for units in made.boundaries)

    def with_cut(self, column: Column, before: float, after: float) -> IntervalsBuilder | None:
        """Return the builder with one of its cuts before another number; None where that cannot be.

        Parameters
        ----------
        column : Column
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
        """The builder whose groups of level 1 meet at `new` instead of `old`, and else where they do.

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
