"""A cut of an interval builder moved, with every other cut where it was."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies.builders.banding import MOST_CUTS, Banding
from engine.table import Column

if TYPE_CHECKING:
    from engine.hierarchies.builders.intervals import IntervalsBuilder


def recut(builder: IntervalsBuilder, column: Column, old: int, new: int) -> IntervalsBuilder | None:
    """Return the builder whose groups of level 1 meet at `new` instead of `old`, and else where they do.

    Parameters
    ----------
    builder : IntervalsBuilder
    column : Column
    old, new : int
        In the units of the builder over the column.

    Returns
    -------
    IntervalsBuilder or None
        None where there is none such, or the cut would pass another one.
    """
    made = Banding(builder, column)
    before = made.boundaries
    wanted = sorted({*before, new} - {old})
    if new in before or wanted.index(new) != before.index(old):
        return None
    for changes in _changes(builder, made, old, new):
        try:
            changed = replace(builder, **changes)
            found = Banding(changed, column)
        except (ParameterError, HierarchyError):  # beyond a bound
            continue
        if [*map(found.number, found.boundaries)] == [*map(made.number, wanted)]:
            return changed
    return None


def _changes(builder: IntervalsBuilder, made: Banding, old: int, new: int) -> Iterator[dict[str, Any]]:
    """What may have to change: bottom or top, the cuts, or both."""
    ends: dict[str, float] = {}
    for name, end in (("bottom", made.bands.bottom), ("top", made.bands.top)):
        if end == old:
            ends[name] = made.plain(new)
            yield dict(ends)
    cuts = made.cuts(math.prod(builder.merge), 2 * MOST_CUTS)
    if cuts:
        kept = sorted({*cuts, new} - {old})
        yield ends | {"cuts": tuple(map(made.plain, kept)), "bands": None}
