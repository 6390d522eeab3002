"""Possible cuts between groups of dates: between the periods of a level."""

from __future__ import annotations

import numpy as np

from engine.cached import cached_property
from engine.hierarchies.calendar import RETURNING, period_text
from engine.hierarchies.lines import CalendarLine, line_of
from engine.hierarchies.outline import Outline
from engine.kernels.arrays import BoolArray, IntArray
from engine.table import Column


class DateCuts:
    """The cuts of an outline of dates.

    Parameters
    ----------
    shown : Outline
    line : CalendarLine
        Its dates.
    """

    def __init__(self, shown: Outline, line: CalendarLine) -> None:
        self._shown, self._line = shown, line
        self._found: dict[int, tuple[str, IntArray] | None] = {}

    def stops(self, level: int) -> IntArray | None:
        """The places of a level before which a period begins; None if a cut may be anywhere: if labels are
        not periods, or days as the values are, or places are not in the order of
        time.
        """
        found = self._of(level)
        return None if found is None else found[1]

    def border(self, level: int, boundary: int, place: int) -> str:
        """What begins at a cut: the first period of the group at its right, not the first day that occurs.

        Parameters
        ----------
        level, boundary : int
            The cut.
        place : int
            Its place, or the place it is moved to.

        Returns
        -------
        str
            Empty where there is no period to tell.
        """
        shown, spans = self._shown, self._shown.levels[level]
        if place == int(spans.starts[boundary]):
            runs = self._line.read(shown.hierarchy.levels[level].labels[int(spans.codes[boundary])])
            if runs is not None and runs[0].low is not None and runs[0].unit not in RETURNING:
                return period_text(runs[0].unit, runs[0].low, self._line.pattern)
        found = self._of(level)
        if found is None or place not in found[1]:
            return ""
        leaf = int(shown.leaves[shown.starts[place]])
        if not self._line.known[leaf]:
            return ""
        return period_text(found[0], int(self._line.ordinals(found[0])[leaf]), self._line.pattern)

    def _of(self, level: int) -> tuple[str, IntArray] | None:
        if level not in self._found:
            self._found[level] = self._look_at(level)
        return self._found[level]

    def _look_at(self, level: int) -> tuple[str, IntArray] | None:
        line, shown = self._line, self._shown
        unit = line.unit_of(shown.hierarchy.levels[level])
        if unit is None or unit in RETURNING or unit == line.resolution or not self._is_in_order:
            return None
        periods = line.ordinals(unit)
        before, after = self._sides
        is_known: BoolArray = line.known[before] & line.known[after]
        return unit, 1 + np.flatnonzero(~is_known | (periods[before] != periods[after]))

    @cached_property
    def _sides(self) -> tuple[IntArray, IntArray]:
        """The last leaf before each place but the first, and the first leaf of it."""
        starts = self._shown.starts[1:-1]
        return self._shown.leaves[starts - 1], self._shown.leaves[starts]

    @cached_property
    def _is_in_order(self) -> bool:
        before, after = self._sides
        is_known = self._line.known[before] & self._line.known[after]
        return bool((self._line.seconds[before] <= self._line.seconds[after])[is_known].all())


def date_cuts(shown: Outline, column: Column) -> DateCuts | None:
    """Return the cuts of an outline; None if its values are not dates."""
    line = line_of(shown.hierarchy, column)
    return DateCuts(shown, line) if isinstance(line, CalendarLine) else None
