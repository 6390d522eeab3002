"""Cuts of an interval builder moved, added and taken away, one at a time."""

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


def recut(
    builder: IntervalsBuilder, column: Column, old: int | None, new: int | None
) -> IntervalsBuilder | None:
    """Return the builder whose groups of level 1 meet at `new` instead of `old`, and else where they do.

    Parameters
    ----------
    builder : IntervalsBuilder
    column : Column
    old, new : int or None
        In the units of the builder over the column; without `old` a cut is added, without `new` taken away.

    Returns
    -------
    IntervalsBuilder or None
        None where there is none such, or the cut would pass another one.
    """
    made = Banding(builder, column)
    before = made.boundaries
    wanted = sorted({*before, *_given(new)} - {*_given(old)})
    if new in before or (old is not None and new is not None and wanted.index(new) != before.index(old)):
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


def _changes(
    builder: IntervalsBuilder, made: Banding, old: int | None, new: int | None
) -> Iterator[dict[str, Any]]:
    """What may have to change: bottom or top, the cuts, or both."""
    ends: dict[str, float] = {}
    for name, end, beside in (("bottom", made.bands.bottom, 1), ("top", made.bands.top, -1)):
        if end is not None and end == old:
            at = made.boundaries.index(old) + beside
            inner = made.boundaries[at] if 0 <= at < len(made.boundaries) else None
            moved = inner if new is None else new
            if moved is not None:
                ends[name] = made.plain(moved)
                yield dict(ends)
    cuts = made.cuts(math.prod(builder.merge), 2 * MOST_CUTS)
    if cuts:
        kept = sorted({*cuts, *_given(new)} - {*_given(old)})
        yield ends | {"cuts": tuple(map(made.plain, kept)), "bands": None}


def _given(units: int | None) -> tuple[int, ...]:
    return () if units is None else (units,)
