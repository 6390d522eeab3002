"""Places of the values of a column on a line of numbers or of time, and names of their groups."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.hierarchies.bounds import NUMBER, Bounds, Form, read_each, read_numbers, read_periods
from engine.hierarchies.builders.date_formats import (
    PARTS,
    half_are_dates,
    n_parts,
    pattern_of,
    read_dates,
)
from engine.hierarchies.calendar import CLOCK, UNITS, coarsens, finer_units, next_unit, ordinals
from engine.hierarchies.group_names import MISSING
from engine.hierarchies.hierarchy import Hierarchy, Level
from engine.kernels.arrays import BoolArray, FloatArray, IntArray
from engine.kernels.grouping import first_rows
from engine.records import Column, Kind
from engine.records.values import DATE_FORMATS, days_of, measure

MOST_NAMED = 3
"""A label names up to this number of members, or of runs of them."""
_SAMPLED = 64  # labels that decide what a level is written in
_OTHER_PATTERNS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%d %B %Y", "%B %d, %Y")
_EPOCH_DAY = 719163  # the first day of 1970, counted as columns count days
_EXACT = 2**53  # beyond it numbers that differ may be equal as floating-point numbers
_SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")

Places = NDArray[np.int64 | np.float64]
Run = tuple[float, float]
"""The first and the last place of neighbours."""
_FORMATS: WeakKeyDictionary[Column, tuple[str, ...]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Former:
    """A group before an edit, of which another group has values now.

    Attributes
    ----------
    leaves : ndarray of int64
        The values that the other group has of it.
    """

    label: str
    leaves: IntArray


class Line:
    """Values of a hierarchy that can be ordered on a line."""

    def __init__(self, hierarchy: Hierarchy, known: BoolArray) -> None:
        self.values, self.known = hierarchy.values, known

    @abstractmethod
    def places(self, unit: str) -> Places:
        """The number or the period of each leaf, shape (n_leaves,); meaningless if it is not known."""

    @abstractmethod
    def read_one(self, label: str) -> Bounds | None:
        """Read a label that is not a list as bounds."""

    def read(self, label: str) -> tuple[Bounds, ...] | None:
        """Read a label, or each of several after commas, as bounds; None for other labels."""
        return read_each(label, self.read_one)

    def holds(self, bounds: Iterable[Bounds], leaves: IntArray) -> BoolArray:
        """Return which leaves are within one of several bounds."""
        held = np.zeros(len(leaves), dtype=np.bool_)
        for one in bounds:
            held |= one.holds(self.places(one.unit)[leaves])
        return held & self.known[leaves]

    def is_true(self, label: str, leaves: IntArray) -> bool:
        """Return whether a label is read as bounds that hold all of these leaves."""
        found = self.read(label)
        if found is None or not len(leaves):
            return False
        return any(self.holds(bounds, leaves).all() for bounds in self._meanings(found))

    def stands_for(self, label: str, leaves: IntArray, level: Level) -> bool:
        """Return whether a label is one number for a group: among its numbers as a mean is, or rounded."""
        return False

    @abstractmethod
    def claimed(self, level: Level) -> dict[int, Bounds]:
        """The bounds that labels of a level claim, by code; not those of a list, or of a value alone."""

    def outside(self, level: Level, claimed: Mapping[int, Bounds]) -> tuple[BoolArray, IntArray]:
        """Hold bounds of labels against the leaves.

        Returns
        -------
        is_outside : ndarray of bool, shape (n_leaves,)
            Whether a leaf is outside the bounds of its label.
        with_others : ndarray of int64
            Codes of labels whose bounds hold leaves of other groups too.
        """
        is_outside = np.zeros(len(level.codes), dtype=np.bool_)
        with_others: list[int] = []
        for unit in dict.fromkeys(bounds.unit for bounds in claimed.values()):
            codes = np.array([code for code, bounds in claimed.items() if bounds.unit == unit])
            found = [claimed[code] for code in codes.tolist()]
            place = np.full(len(level.labels), -1, dtype=np.int64)
            place[codes] = np.arange(len(codes))
            lows = np.array([-np.inf if bounds.low is None else float(bounds.low) for bounds in found])
            highs = np.array([np.inf if bounds.high is None else float(bounds.high) for bounds in found])
            has_low = np.array([bounds.has_low for bounds in found])
            has_high = np.array([bounds.has_high for bounds in found])
            leaves = np.flatnonzero((place[level.codes] >= 0) & self.known[: len(level.codes)])
            own, at = self.places(unit)[leaves], place[level.codes[leaves]]
            is_in = (own > lows[at]) | ((own == lows[at]) & has_low[at])
            is_in &= (own < highs[at]) | ((own == highs[at]) & has_high[at])
            is_outside[leaves[~is_in]] = True
            line = np.sort(self.places(unit)[self.known])
            sides = (np.searchsorted(line, ends, side) for ends in (lows, highs) for side in _SIDES)
            low_with, low_without, high_without, high_with = sides
            within = np.where(has_high, high_with, high_without) - np.where(has_low, low_with, low_without)
            with_others += codes[within > np.bincount(at[is_in], minlength=len(codes))].tolist()
        return is_outside, np.array(with_others, dtype=np.int64)

    def name(
        self,
        leaves: IntArray,
        formers: Sequence[Former],
        level: Level,
        taken: Iterable[str],
        unit: str | None = None,
    ) -> str | None:
        """Name a group by the ranges that its leaves fill.

        Dates are named by periods: of the unit of their level, or of one within it if that distinguishes
        them. A day that occurs is never an end of such a name: if no coarser periods are the group's alone,
        its name and that of another one may have a period in common.

        Parameters
        ----------
        formers : sequence of Former
            Their origins: bounds of these labels are kept if nothing else extends up to them.
        level : Level
            The level before the edit, whose other labels show how bounds are written.
        taken : iterable of str
            Labels of other groups.
        unit : str, optional
            The unit of its periods, if not that of the level.

        Returns
        -------
        str or None
            None if there are too many ranges, or nothing distinguishes them.
        """
        own = leaves[self.known[leaves]]
        rest = [self.values[leaf] or MISSING for leaf in leaves[~self.known[leaves]].tolist()]
        if len(leaves) == len(own) == 1 and not self._hides_values:
            return self.values[int(own[0])]
        is_other = self.known.copy()
        is_other[own] = False
        best = ""
        for candidate in self._units(level, unit) if len(own) else ():
            of_all = self.places(candidate)
            mine, others = np.unique(of_all[own]), np.unique(of_all[is_other])
            gaps = np.searchsorted(others, mine[1:]) > np.searchsorted(others, mine[:-1], side="right")
            ends = np.flatnonzero(gaps)
            runs = list(zip(mine[[0, *(ends + 1)]].tolist(), mine[[*ends, -1]].tolist(), strict=True))
            if len(runs) + len(rest) > MOST_NAMED:
                continue
            texts = [self._run(candidate, run, others, formers, level) for run in runs]
            name = ", ".join([*texts, *rest])
            if not np.isin(mine, others).any():
                return name
            best = name if not best or best in set(taken) else best
        return best if best and self._hides_values else None

    _hides_values = False  # whether names are of periods, which two groups may share, not of values

    def _meanings(self, bounds: tuple[Bounds, ...]) -> tuple[tuple[Bounds, ...], ...]:
        """What a label that is read as bounds may mean."""
        return (bounds,)

    @abstractmethod
    def _units(self, level: Level, unit: str | None) -> Sequence[str]:
        """The units that a name may be written in, the one that is wanted first."""

    @abstractmethod
    def _run(self, unit: str, run: Run, others: Places, formers: Sequence[Former], level: Level) -> str:
        """Return a run of places in words, up to the bounds of its former labels."""

    def _former_ends(
        self, unit: str, run: Run, others: Places, formers: Sequence[Former]
    ) -> tuple[Bounds | None, Bounds | None]:
        """The former bounds at both ends of a run, if nothing else is between these and the run."""
        start = self._free_at(run[0], others[others < run[0]], unit, formers)
        return start, self._free_at(run[1], others[others > run[1]], unit, formers)

    def _free_at(self, place: float, beyond: Places, unit: str, formers: Sequence[Former]) -> Bounds | None:
        found = self._bounds_at(formers, unit, place)
        return next((bounds for bounds in found if not bounds.holds(beyond).any()), None)

    def _bounds_at(self, formers: Sequence[Former], unit: str, place: float) -> Iterator[Bounds]:
        """The bounds of former labels that held the values at a place."""
        for former in formers:
            here = former.leaves[self.known[former.leaves] & (self.places(unit)[former.leaves] == place)]
            for bounds in self._of_unit(self.read(former.label) or (), unit) if len(here) else ():
                inside = bounds.within(unit)
                if inside is not None and self.holds([bounds], here).any():
                    yield inside

    def _of_unit(self, bounds: tuple[Bounds, ...], unit: str) -> tuple[Bounds, ...]:
        """Bounds as they are meant if places are of a unit."""
        return bounds


class NumberLine(Line):
    """Numbers, as labels such as 20-29, [20, 30) or >=80 have them."""

    def __init__(self, hierarchy: Hierarchy, column: Column) -> None:
        self._numbers = hierarchy.numbers_of(column)
        self._type = column.data_type
        super().__init__(hierarchy, np.isfinite(self._numbers))

    def places(self, unit: str) -> Places:
        return self._numbers

    def read_one(self, label: str) -> Bounds | None:
        return read_numbers(label, self._type)

    def stands_for(self, label: str, leaves: IntArray, level: Level) -> bool:
        labels = measure([label, *level.labels], self._type)[0]
        numbers = self._numbers[leaves]
        if not np.isfinite(labels[0]) or not np.isfinite(numbers).all():
            return False
        step = min(np.diff(np.unique(labels[np.isfinite(labels)])), default=np.inf)
        is_between = numbers.min() <= labels[0] <= numbers.max()
        return bool(is_between or np.abs(numbers - labels[0]).max() <= step)

    def claimed(self, level: Level) -> dict[int, Bounds]:
        found = ((code, self.read_one(label)) for code, label in enumerate(level.labels))
        claims = {code: bounds for code, bounds in found if bounds is not None and not bounds.is_one}
        most = {code: max(abs(float(b.low or 0)), abs(float(b.high or 0))) for code, b in claims.items()}
        return {code: bounds for code, bounds in claims.items() if most[code] <= _EXACT}

    def _units(self, level: Level, unit: str | None) -> Sequence[str]:
        return (NUMBER,)

    def _run(self, unit: str, run: Run, others: Places, formers: Sequence[Former], level: Level) -> str:
        below, above = others[others < run[0]], others[others > run[1]]
        start, end = self._former_ends(unit, run, others, formers)
        like = self._form_of(formers, level)
        low_text, high_text = self._text_of(run[0]), self._text_of(run[1])
        has_low = has_high = True
        is_interval = like.form is Form.INTERVAL
        if start is not None and start.low is not None and (start.has_low or is_interval):
            low_text, has_low = start.low_text, start.has_low
        elif is_interval and not like.has_low and len(below):
            low_text, has_low = self._text_of(below[-1]), False
        if end is not None and end.high is not None and (end.has_high or is_interval):
            high_text, has_high = end.high_text, end.has_high
        elif is_interval and not like.has_high and len(above):
            high_text, has_high = self._text_of(above[0]), False
        is_open = start is not None and start.low is None, end is not None and end.high is None
        if is_open == (True, False) and start is not None:
            return replace(start, high_text=high_text, has_high=has_high).text
        if is_open == (False, True) and end is not None:
            if end.sign == "+" and not has_low:
                low_text, has_low = self._text_of(run[0]), True
            return replace(end, low_text=low_text, has_low=has_low).text
        if not like.between or (low_text.startswith("-") and "to" not in like.between and not is_interval):
            like = replace(like, between=" to " if low_text.startswith("-") else "-")
        made = replace(like, low_text=low_text, high_text=high_text, has_low=has_low, has_high=has_high)
        return low_text if low_text == high_text and has_low and has_high else made.text

    def _text_of(self, number: float) -> str:
        return self.values[int(np.flatnonzero(self._numbers == number)[0])]

    def _form_of(self, formers: Sequence[Former], level: Level) -> Bounds:
        """Bounds in the notation of neighbouring labels."""
        labels = [*(former.label for former in formers), *level.labels[:_SAMPLED]]
        found = [part for label in labels for part in self.read(label) or ()]
        found = [b for b in found if b.form is not Form.ONE_SIDED and b.low_text != b.high_text]
        if not found or found[0].form is not Form.INTERVAL:
            return found[0] if found else Bounds(None, None)
        # A joined end is closed, such as [50, 60]: the sides of most are meant.
        sides = Counter((b.has_low, b.has_high, b.reverses) for b in found if b.form is Form.INTERVAL)
        usual = sides.most_common(1)[0][0]
        return next(b for b in found if (b.has_low, b.has_high, b.reverses) == usual)


class CalendarLine(Line):
    """Dates, as labels such as 1934, 1920-1929, 2020-03 to 2020-05 or 1934-Q1 have them."""

    _hides_values = True

    def __init__(self, hierarchy: Hierarchy, column: Column, formats: tuple[str, ...]) -> None:
        is_typed = column.data_type.kind is Kind.DATE
        days = hierarchy.numbers_of(column) if is_typed else _days_of(hierarchy.values, formats)
        super().__init__(hierarchy, np.isfinite(days))
        seconds = np.where(self.known, (days - _EPOCH_DAY) * 86400, 0)
        self.seconds = np.rint(seconds).astype(np.int64)
        self.resolution = PARTS[max(map(n_parts, formats)) - 1]
        self.patterns = _patterns(pattern_of(formats), hierarchy)
        self.pattern = self.patterns[0]
        self._ordinals: dict[str, Places] = {}

    def places(self, unit: str) -> Places:
        if unit not in self._ordinals:
            self._ordinals[unit] = ordinals(self.seconds, unit)
        return self._ordinals[unit]

    def read_one(self, label: str) -> Bounds | None:
        return read_periods(label, self.patterns)

    def claimed(self, level: Level) -> dict[int, Bounds]:
        has_weeks = self.unit_of(level) == "week_year"
        first = first_rows(level.codes, len(level.labels))
        found: dict[int, Bounds] = {}
        for code, label in enumerate(level.labels):
            bounds = self.read_one(label)
            if bounds is not None and (level.n_leaves[code] > 1 or label != self.values[first[code]]):
                found[code] = _of_weeks([bounds])[0] if has_weeks else bounds
        return found

    def unit_of(self, level: Level) -> str | None:
        """Return the notation of a level's labels; None if it has none.

        Years of whole weeks are written as others: they are meant where the values say so.
        """
        labels = level.labels[:_SAMPLED]
        found = Counter(bounds.unit for label in labels for bounds in self.read(label) or ())
        if not found:
            return None
        unit = max(found, key=lambda unit: (found[unit], -UNITS.index(unit)))
        return "week_year" if unit == "year" and self._has_years_of_weeks(level) else unit

    def parts(self, leaves: IntArray, level: Level) -> tuple[str, Places]:
        """The unit that values of one group of a level split into, and the period of each of them."""
        unit = self.unit_of(level) or "year"
        while len(np.unique(self.places(unit)[leaves])) < 2 and next_unit(unit) != unit:
            unit = next_unit(unit)
        return unit, self.places(unit)[leaves]

    def _meanings(self, bounds: tuple[Bounds, ...]) -> tuple[tuple[Bounds, ...], ...]:
        return bounds, _of_weeks(bounds)

    def _of_unit(self, bounds: tuple[Bounds, ...], unit: str) -> tuple[Bounds, ...]:
        return _of_weeks(bounds) if unit in ("week_year", "week_of_year") else bounds

    def _units(self, level: Level, unit: str | None) -> Sequence[str]:
        wanted = unit or self.unit_of(level)
        if wanted is not None and (unit is not None or not coarsens(wanted, self.resolution)):
            return finer_units(wanted, self.resolution)
        coarser = [u for u in ("year", "month", "day", "hour", "minute")
                   if u != self.resolution and coarsens(self.resolution, u)]  # fmt: skip
        return coarser or [self.resolution]

    def _run(self, unit: str, run: Run, others: Places, formers: Sequence[Former], level: Level) -> str:
        start, end = self._former_ends(unit, run, others, formers)
        low, high = run[0] if start is None else start.low, run[1] if end is None else end.high
        if unit != "year" or (low is None and high is None):  # only years have labels without an end
            low, high = run[0] if low is None else low, run[1] if high is None else high
        first, last = (None if end is None else int(end) for end in (low, high))
        return Bounds(first, last, unit).written(self.pattern)

    def _has_years_of_weeks(self, level: Level) -> bool:
        found = ((code, self.read(label)) for code, label in enumerate(level.labels[:_SAMPLED]))
        years = {c: b[0] for c, b in found if b and len(b) == 1 and b[0].unit == "year"}
        years = {code: bounds for code, bounds in years.items() if bounds.low and bounds.high}
        of_weeks = dict(zip(years, _of_weeks(years.values()), strict=True))
        is_wrong, _unused = self.outside(level, years)
        return bool(is_wrong.any()) and not self.outside(level, of_weeks)[0].any()


def line_of(hierarchy: Hierarchy, column: Column) -> NumberLine | CalendarLine | None:
    """The line of a column's values; None if they are neither numbers nor dates."""
    if column.data_type.is_numeric:
        return NumberLine(hierarchy, column)
    formats = _formats_of(column)
    return CalendarLine(hierarchy, column, formats) if formats else None


def _formats_of(column: Column) -> tuple[str, ...]:
    """Return the formats of a column's dates; none if it is of other values."""
    if column.data_type.kind is Kind.DATE:
        return (column.data_type.format or DATE_FORMATS[0],)
    if column.data_type.kind is not Kind.TEXT:
        return ()
    if column not in _FORMATS:
        found = read_dates(column, None) if half_are_dates(column, None) else None
        has_most = found is not None and 2 * len(found.dates) >= len(column.known_labels)
        _FORMATS[column] = found.formats if found is not None and has_most else ()
    return _FORMATS[column]


@lru_cache(maxsize=4)
def _days_of(values: tuple[str, ...], formats: tuple[str, ...]) -> FloatArray:
    """Days as columns count them, in the first format that reads a value."""
    days = np.full(len(values), np.nan)
    for form in formats:
        unread = np.flatnonzero(np.isnan(days))
        days[unread] = days_of([values[leaf] for leaf in unread.tolist()], form)
    return days


def _patterns(pattern: str, hierarchy: Hierarchy) -> tuple[str, ...]:
    """Return the formats of days in labels, the one of the hierarchy first."""
    found = dict.fromkeys((pattern, _OTHER_PATTERNS[0]))
    labels = [label for level in hierarchy.levels[1:] for label in level.labels[:_SAMPLED]]
    for candidate in dict.fromkeys((pattern, *_OTHER_PATTERNS)):
        read = partial(read_periods, patterns=(candidate,))
        runs = [run for label in labels for run in read_each(label, read) or ()]
        if any(run.unit in ("month", "day", *CLOCK, "week_of_month") for run in runs):
            return tuple(dict.fromkeys((candidate, *found)))
    return tuple(found)


def _of_weeks(bounds: Iterable[Bounds]) -> tuple[Bounds, ...]:
    """Years read as years of whole weeks."""
    return tuple(replace(one, unit="week_year") if one.unit == "year" else one for one in bounds)
