"""Intervals: bands of numbers, equally wide, equally frequent or cut by hand, joined level by level."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import mul
from typing import ClassVar

import numpy as np

from engine.errors import ParameterError
from engine.hierarchies.builders.banding import ENDS, Banding
from engine.hierarchies.builders.bands import Place
from engine.hierarchies.builders.base import ALONE, Around, Group, HierarchyBuilder, builders, itself
from engine.hierarchies.builders.cut_moves import recut
from engine.hierarchies.builders.group_labels import BY_MEMBERS
from engine.hierarchies.builders.levels import assemble_groups
from engine.hierarchies.builders.numbers import holds_numbers
from engine.hierarchies.hierarchy import Hierarchy
from engine.params import Choice, Configurable, Flag, Integer, Integers, Real, Reals, describe, param
from engine.table import Column

LABELS = (("range", "range: 20-29"), ("interval", "interval: [20, 30)"), *BY_MEMBERS)
SPREADS = (("width", "equally wide"), ("records", "with equally many records"))
CLOSED = (("left", "to the band above: [20, 30)"), ("right", "to the band below: (20, 30]"))
_LARGEST = 1e12


@builders.register("intervals")
@dataclass(frozen=True, slots=True)
class IntervalsBuilder(HierarchyBuilder):
    """Bands of numbers: level 1 by `width`, `cuts` or `bands`, each further level joins `merge` of them.

    Every number is in one band: with `closed` at the left a band is [low, high), at the right (low, high].
    The arithmetic is decimal and exact.

    With `bands`, level 1 has so many between the smallest and the largest number, or between bottom or
    minimum and top or maximum, where these are given: of one width, or with about as many records each.
    With `nice` the cuts are round numbers, so that there may be a few more or fewer, or records differ.

    Numbers below `bottom` and from `top` on form one group each on every level, likewise what lies
    outside the cuts. Numbers below `snap_bottom` that are not in the group of the bottom join the band
    that holds `snap_bottom`; those from `snap_top` on join the band before it; such a band reaches to
    bottom and top, else to minimum and maximum, else without end. A number below `minimum` or above
    `maximum` is an error.
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
            ways=("Width",),
            section="Bands by",
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
            ways=("Width",),
            section="Bands by",
            help="A number at which a band begins; joined bands begin there too.",
        ),
    )
    cuts: tuple[float, ...] | None = param(
        None,
        Reals(
            label="Cuts",
            ways=("Cuts",),
            section="Bands by",
            help="The numbers at which bands begin; replaces width and start.",
        ),
    )
    bands: int | None = param(
        None,
        Integer(
            label="Number of bands",
            minimum=2,
            maximum=1000,
            ways=("Number",),
            section="Bands by",
            help="How many bands level 1 has; replaces width and start.",
            usual=(5, 10, 20),
        ),
    )
    spread: str = param(
        "width",
        Choice(
            label="These bands are",
            options=SPREADS,
            ways=("Number",),
            section="Bands by",
            help="What so many bands have in common.",
        ),
    )
    nice: bool = param(
        True,
        Flag(
            label="Round cuts",
            ways=("Number",),
            section="Bands by",
            help="So many bands are cut at round numbers; there may be a few more or fewer of them.",
        ),
    )
    merge: tuple[int, ...] = param(
        (),
        Integers(
            label="Joined per level",
            minimum=2,
            first_level=2,
            unit="bands",
            help="How many bands each further level joins.",
            usual=((2,), (2, 2)),
        ),
    )
    closed: str = param(
        "left",
        Choice(
            label="A number on a cut belongs",
            options=CLOSED,
            help="Which band a cut itself is in.",
        ),
    )
    label: str = param(
        "range",
        Choice(
            label="Labels",
            options=LABELS,
            by_example=True,
            help="A range names whole numbers; decimals get an interval.",
        ),
    )
    bottom: float | None = param(
        None,
        Real(
            label="Bottom",
            minimum=-_LARGEST,
            maximum=_LARGEST,
            decimals=6,
            switch="One group below",
            section="Outside the range",
            help="Everything below this number is one group; the number itself is in it if a cut belongs to "
            "the band below.",
        ),
    )
    top: float | None = param(
        None,
        Real(
            label="Top",
            minimum=-_LARGEST,
            maximum=_LARGEST,
            decimals=6,
            switch="One group from",
            section="Outside the range",
            help="Everything from this number on is one group; the number itself is not in it if a cut "
            "belongs to the band below.",
        ),
    )
    snap_bottom: float | None = param(
        None,
        Real(
            label="Whole bands from",
            minimum=-_LARGEST,
            maximum=_LARGEST,
            decimals=6,
            switch="Whole bands from",
            section="Whole bands",
            is_advanced=True,
            help="Numbers below it, down to bottom or minimum, join the band that holds it.",
        ),
    )
    snap_top: float | None = param(
        None,
        Real(
            label="Whole bands up to",
            minimum=-_LARGEST,
            maximum=_LARGEST,
            decimals=6,
            switch="Whole bands up to",
            section="Whole bands",
            is_advanced=True,
            help="Numbers from it on, up to top or maximum, join the band before it.",
        ),
    )
    minimum: float | None = param(
        None,
        Real(
            label="Minimum",
            minimum=-_LARGEST,
            maximum=_LARGEST,
            decimals=6,
            switch="None below",
            section="Refuse numbers",
            is_advanced=True,
            help="A number below it is an error.",
        ),
    )
    maximum: float | None = param(
        None,
        Real(
            label="Maximum",
            minimum=-_LARGEST,
            maximum=_LARGEST,
            decimals=6,
            switch="None above",
            section="Refuse numbers",
            is_advanced=True,
            help="A number above it is an error.",
        ),
    )

    def __post_init__(self) -> None:
        Configurable.__post_init__(self)
        if self.cuts is not None and len(self.cuts) < 1:
            raise ParameterError("Cuts cannot be empty.", hint="Give at least one number.", parameter="cuts")
        if self.cuts is not None and self.bands is not None:
            raise ParameterError(
                "Cuts and Number of bands cannot be used together.",
                hint="Give one of the two.",
                parameter="bands",
            )
        self._check_ends()

    def accepts(self, column: Column) -> bool:
        """Numbers, and texts of which at least half are numbers."""
        return holds_numbers(column)

    def build(self, column: Column, around: Around = ALONE) -> Hierarchy:
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
        return None if cut is None else recut(self, column, cut, new)

    def _check_ends(self) -> None:
        labels = {descriptor.name: descriptor.label for descriptor in describe(type(self))}
        given = [(name, value) for name in ENDS if (value := getattr(self, name)) is not None]
        for (below, low), (above, high) in pairwise(given):
            at_one_end = (below in ENDS[:3]) == (above in ENDS[:3])
            if low > high or (low == high and not at_one_end):
                raise ParameterError(
                    f"{labels[below]} {low:g} is not below {labels[above]} {high:g}.",
                    hint="Leave one of them out, or move them apart.",
                    parameter=below,
                )
