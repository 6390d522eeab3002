"""Values for parameters that are absent, for forms in which a person asks for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.errors import AnonymizerError
from engine.hierarchies.builders.base import HierarchyBuilder, known_values
from engine.hierarchies.builders.intervals import IntervalsBuilder
from engine.hierarchies.editing import children
from engine.hierarchies.hierarchy import Hierarchy
from engine.table import Column

_FEW_CUTS, _FEW_VALUES = 60, 200  # more would not be read, let alone changed
_TAIL = 0.05  # of the records in a group at an end


def suggestion(builder: HierarchyBuilder, column: Column, hierarchy: Hierarchy | None, name: str) -> Any:
    """Return a value for a parameter of a builder that is absent so far; None where there is none.

    Ends lie where about a twentieth of the records is beyond; cuts and groups are those shown now.
    """
    match name:
        case "order":
            return known_values(column)
        case "groups" if hierarchy is not None and len(hierarchy.values) <= _FEW_VALUES:
            return _named_groups(hierarchy, column)
        case "cuts":
            cuts = _cuts(builder, column)
            return cuts if 0 < len(cuts) <= _FEW_CUTS else None
        case "bands" if hierarchy is not None:
            return max(2, len(hierarchy.levels[1].labels))
    if not column.data_type.is_numeric:
        return None
    match name:
        case "bottom" | "snap_bottom":
            return _near_cut(builder, column, _quantile(column, _TAIL))
        case "top" | "snap_top":
            return _near_cut(builder, column, _quantile(column, 1 - _TAIL))
        case "minimum":
            return _plain(_quantile(column, 0))
        case "maximum":
            return _plain(_quantile(column, 1))
    return None


def _cuts(builder: HierarchyBuilder, column: Column) -> tuple[float, ...]:
    """The cuts of bands as they are now; none where the builder makes no bands."""
    if not isinstance(builder, IntervalsBuilder):
        return ()
    try:
        return tuple(_plain(cut) for cut in builder.cut_numbers(column))
    except AnonymizerError:
        return ()


def _near_cut(builder: HierarchyBuilder, column: Column, number: float) -> float:
    cuts = _cuts(builder, column)
    return min(cuts, key=lambda cut: abs(cut - number)) if cuts else _plain(number)


def _quantile(column: Column, share: float) -> float:
    """The number below which a share of the records with numbers lies; some number that occurs."""
    known = np.flatnonzero(np.isfinite(column.numbers))
    totals = np.cumsum(column.counts[known])
    place = int(np.searchsorted(totals, share * totals[-1])) if len(known) else 0
    return float(column.numbers[known[min(place, len(known) - 1)]]) if len(known) else 0.0


def _plain(number: float) -> float:
    """A whole number as int, so that it is written without a point."""
    return int(number) if number == int(number) else number


def _named_groups(hierarchy: Hierarchy, column: Column) -> list[list[tuple[str, list[str]]]]:
    """The groups of every level below the top as they are, without those of one member."""
    levels = []
    for level in range(1, hierarchy.height):
        below = [label for label in hierarchy.levels[level].labels if label != column.missing_label]
        groups = [(label, children(hierarchy, level, [label])) for label in below]
        levels.append([(label, members) for label, members in groups if members != [label]])
    return [level for level in levels if level]
