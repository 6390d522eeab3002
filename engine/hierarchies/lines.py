"""Places of the values of a column on a line of numbers or of time, and names of their groups."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from engine.hierarchies.builders.date_formats import (
    half_are_dates,
    label_pattern,
    n_parts,
    read_dates,
)
from engine.hierarchies.builders.granularities import CLOCK, coarsens
from engine.hierarchies.calendar import (
    UNITS,
    Periods,
    finer_units,
    next_unit,
    ordinals,
    read_label,
    resolution_of,
)
from engine.hierarchies.group_names import MISSING, listed
from engine.hierarchies.hierarchy import Hierarchy, Level
from engine.hierarchies.label_bounds import Form, LabelBounds, claimed_bounds, may_be_thousands
from engine.kernels.arrays import BoolArray, FloatArray, IntArray
from engine.kernels.grouping import first_rows
from engine.records import Column, Kind
from engine.records.values import DATE_FORMATS, exact_number, measure, parse_date

MOST_NAMED = 3
"""A label names up to this number of members, or of runs of them."""
_SAMPLED = 64  # labels that decide what a level is written in
_OTHER_PATTERNS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%d %B %Y", "%B %d, %Y")
_EPOCH_DAY = 719163  # the first day of 1970, counted as columns count days
_LEAST = -(2**62)

Runs = list[tuple[int, int]]
_MOMENTS: WeakKeyDictionary[Level, WeakKeyDictionary[Column, tuple[IntArray, BoolArray]]] = (
    WeakKeyDictionary()
)
_READ: WeakKeyDictionary[Column, _Written | None] = WeakKeyDictionary()


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


@dataclass(frozen=True)
class Claims:
    """Bounds of leaves according to the labels of a level.

    Attributes
    ----------
    is_outside : ndarray of bool, shape (n_leaves,)
        Whether a leaf is outside the periods of its label.
    with_others : ndarray of int64
        Codes of labels whose periods hold leaves of other groups too.
    """

    is_outside: BoolArray
    with_others: IntArray


class Line:
    """Values of a hierarchy that can be ordered on a line."""

    def __init__(self, hierarchy: Hierarchy, known: BoolArray) -> None:
        self.values, self.known = hierarchy.values, known

    @abstractmethod
    def is_true(self, label: str, leaves: IntArray) -> bool:
        """Return whether a label is read as ranges that hold all of these leaves."""

    @abstractmethod
    def name(
        self, leaves: IntArray, formers: Sequence[Former], level: Level, taken: Iterable[str]
    ) -> str | None:
        """Name a group by the ranges that its leaves fill.

        Parameters
        ----------
        formers : sequence of Former
            Their origins: bounds of these labels are kept if nothing else extends up to them.
        level : Level
            The level before the edit, whose other labels show how bounds are written.
        taken : iterable of str
            Labels of other groups.

        Returns
        -------
        str or None
            None if there are too many ranges, or nothing distinguishes them.
        """

    def _rest(self, leaves: IntArray) -> list[str]:
        """Return the names of leaves without a place in the line."""
        return [self.values[leaf] or MISSING for leaf in leaves[~self.known[leaves]].tolist()]


class NumberLine(Line):
    """Numbers, as labels such as 20-29, [20, 30) or >=80 have them."""

    def __init__(self, hierarchy: Hierarchy, column: Column) -> None:
        self._numbers = _numbers_of(hierarchy, column)
        self._column = column
        super().__init__(hierarchy, np.isfinite(self._numbers))

    def is_true(self, label: str, leaves: IntArray) -> bool:
        if not len(leaves) or not self.known[leaves].all():
            return False
        parts = self._read(label)
        numbers = self._numbers[leaves]
        return parts is not None and all(any(part.holds(n) for part in parts) for n in numbers.tolist())

    def name(
        self, leaves: IntArray, formers: Sequence[Former], level: Level, taken: Iterable[str]
    ) -> str | None:
        own = leaves[self.known[leaves]]
        rest = self._rest(leaves)
        if not len(own):
            return None
        is_other = self.known.copy()
        is_other[own] = False
        others = np.unique(self._numbers[is_other])
        numbers, first = np.unique(self._numbers[own], return_index=True)
        if np.isin(numbers, others).any():  # written differently, yet the same number
            return None
        gaps = np.searchsorted(others, numbers[1:]) != np.searchsorted(others, numbers[:-1])
        runs = _cut(gaps)
        if len(runs) + len(rest) > MOST_NAMED:
            return None
        texts = [self.values[leaf] for leaf in own[first].tolist()]
        like = self._form_of(formers, level)
        return ", ".join([*(self._run(run, numbers, texts, others, formers, like) for run in runs), *rest])

    def is_between(self, label: str, leaves: IntArray) -> bool:
        """Return whether a label is one number, within the range of its group."""
        number = float(measure([label], self._column.data_type)[0][0])
        numbers = self._numbers[leaves]
        return bool(np.isfinite(numbers).all() and numbers.min() <= number <= numbers.max())

    def is_rounded(self, label: str, leaves: IntArray, level: Level) -> bool:
        """Return whether a label is one number, as near to its group as the next of its level is."""
        labels = measure([label, *level.labels], self._column.data_type)[0]
        steps = np.diff(np.unique(labels[np.isfinite(labels)]))
        away = np.abs(self._numbers[leaves] - labels[0])
        return bool(np.isfinite(away).all() and away.max() <= min(steps, default=np.inf))

    def _run(
        self,
        run: tuple[int, int],
        numbers: FloatArray,
        texts: Sequence[str],
        others: FloatArray,
        formers: Sequence[Former],
        like: LabelBounds | None,
    ) -> str:
        low, high = float(numbers[run[0]]), float(numbers[run[1]])
        low_text, high_text = texts[run[0]], texts[run[1]]
        place = int(np.searchsorted(others, low))
        below = float(others[place - 1]) if place else None
        above = float(others[place]) if place < len(others) else None
        starts = (b for b in self._bounds_at(formers, low) if below is None or not b.is_above(below))
        ends = (b for b in self._bounds_at(formers, high) if above is None or not b.is_below(above))
        start, end = next(starts, None), next(ends, None)
        has_low = has_high = True
        is_interval = like is not None and like.form is Form.INTERVAL
        if start is not None and start.low is not None and (start.has_low or is_interval):
            low_text, has_low = start.low_text, start.has_low
        elif is_interval and like is not None and not like.has_low and below is not None:
            low_text, has_low = self._text_of(below), False
        if end is not None and end.high is not None and (end.has_high or is_interval):
            high_text, has_high = end.high_text, end.has_high
        elif is_interval and like is not None and not like.has_high and above is not None:
            high_text, has_high = self._text_of(above), False
        is_open = start is not None and start.low is None, end is not None and end.high is None
        if is_open == (True, False) and start is not None:
            return replace(start, high_text=high_text, has_high=has_high).text
        if is_open == (False, True) and end is not None:
            if end.sign == "+" and not has_low:
                low_text, has_low = texts[run[0]], True
            return replace(end, low_text=low_text, has_low=has_low).text
        if like is None:
            like = LabelBounds(Form.RANGE, None, None, True, True, "", "", "")
        if not like.between or (low_text.startswith("-") and "to" not in like.between and not is_interval):
            like = replace(like, between=" to " if low_text.startswith("-") else "-")
        made = replace(like, low_text=low_text, high_text=high_text, has_low=has_low, has_high=has_high)
        return low_text if low_text == high_text and has_low and has_high else made.text

    def _text_of(self, number: float) -> str:
        return self.values[int(np.flatnonzero(self._numbers == number)[0])]

    def _bounds_at(self, formers: Sequence[Former], number: float) -> list[LabelBounds]:
        """The bounds of the former group that had a number."""
        for former in formers:
            if (self._numbers[former.leaves] == number).any():
                return [part for part in self._read(former.label) or () if part.holds(number)]
        return []

    def _form_of(self, formers: Sequence[Former], level: Level) -> LabelBounds | None:
        """Return the notation of neighbouring labels."""
        labels = [*(former.label for former in formers), *level.labels[:_SAMPLED]]
        found = [part for label in labels for part in self._read(label) or ()]
        found = [b for b in found if b.form is not Form.ONE_SIDED and b.low_text != b.high_text]
        if not found or found[0].form is not Form.INTERVAL:
            return found[0] if found else None
        # A joined end is closed, such as [50, 60]: the sides of most are meant.
        sides = Counter((b.has_low, b.has_high, b.reverses) for b in found if b.form is Form.INTERVAL)
        usual = sides.most_common(1)[0][0]
        return next(b for b in found if (b.has_low, b.has_high, b.reverses) == usual)

    def _read(self, label: str) -> list[LabelBounds] | None:
        """A label as bounds, one after another; a number alone is bounds of itself."""
        if (whole := self._read_one(label)) is not None:
            return [whole]
        parts = [self._read_one(part) for part in listed(label)]
        return [part for part in parts if part is not None] if len(parts) > 1 and all(parts) else None

    def _read_one(self, label: str) -> LabelBounds | None:
        data_type = self._column.data_type
        bounds = claimed_bounds(label, data_type)
        if bounds is None and not may_be_thousands(label, data_type):
            number = float(measure([label], data_type)[0][0])
            if np.isfinite(number):
                size = exact_number(label, data_type)
                bounds = LabelBounds(Form.RANGE, size, size, True, True, label, label, "")
        return bounds


class CalendarLine(Line):
    """Dates, as labels such as 1934, 1920-1929, 2020-03 to 2020-05 or 1934-Q1 have them."""

    def __init__(self, hierarchy: Hierarchy, column: Column, written: _Written) -> None:
        self.seconds, known = _moments_of(hierarchy, column, written)
        super().__init__(hierarchy, known)
        self.resolution = written.resolution
        self.patterns = _patterns(written.pattern, hierarchy)
        self.pattern = self.patterns[0]
        self._ordinals: dict[str, IntArray] = {}

    def ordinals(self, unit: str) -> IntArray:
        """The period of each leaf, shape (n_leaves,); meaningless if it is not known."""
        if unit not in self._ordinals:
            self._ordinals[unit] = ordinals(self.seconds, unit)
        return self._ordinals[unit]

    def read(self, label: str) -> tuple[Periods, ...] | None:
        """A label as runs of periods."""
        return read_label(label, self.patterns)

    def holds(self, runs: Sequence[Periods], leaves: IntArray) -> BoolArray:
        """Return which leaves are in one of several runs of periods."""
        held = np.zeros(len(leaves), dtype=np.bool_)
        for run in runs:
            own = self.ordinals(run.unit)[leaves]
            inside = self.known[leaves].copy()
            if run.low is not None:
                inside &= own >= run.low
            if run.high is not None:
                inside &= own <= run.high
            held |= inside
        return held

    def is_true(self, label: str, leaves: IntArray) -> bool:
        runs = self.read(label)
        if runs is None or not len(leaves):
            return False
        return bool(self.holds(runs, leaves).all() or self.holds(_of_weeks(runs), leaves).all())

    def unit_of(self, level: Level) -> str | None:
        """Return the notation of a level's labels; None if it has none.

        Years of whole weeks are written as others: they are meant where the values say so.
        """
        found = Counter(run.unit for label in level.labels[:_SAMPLED] for run in self.read(label) or ())
        if not found:
            return None
        unit = max(found, key=lambda unit: (found[unit], -UNITS.index(unit)))
        return "week_year" if unit == "year" and self._has_years_of_weeks(level) else unit

    def claims(self, level: Level) -> Claims:
        """Hold every label of a level that is read as one run of periods against the leaves."""
        unit_of_code = np.full(len(level.labels), -1, dtype=np.int64)
        low, high = (np.zeros(len(level.labels), dtype=np.int64) for _ in range(2))
        has_weeks = self.unit_of(level) == "week_year"
        first = first_rows(level.codes, len(level.labels))
        for code, label in enumerate(level.labels):
            if level.n_leaves[code] == 1 and label == self.values[first[code]]:
                continue
            runs = self.read(label)
            if runs is not None and len(runs) == 1:
                run = _of_weeks(runs)[0] if has_weeks else runs[0]
                unit_of_code[code] = UNITS.index(run.unit)
                low[code] = _LEAST if run.low is None else run.low
                high[code] = -_LEAST if run.high is None else run.high
        is_outside = np.zeros(len(level.codes), dtype=np.bool_)
        with_others: list[int] = []
        for number in np.unique(unit_of_code[unit_of_code >= 0]).tolist():
            of_all = self.ordinals(UNITS[number])
            claimed = (unit_of_code[level.codes] == number) & self.known
            is_in = (of_all >= low[level.codes]) & (of_all <= high[level.codes])
            is_outside |= claimed & ~is_in
            codes = np.flatnonzero(unit_of_code == number)
            line = np.sort(of_all[self.known])
            n_within = np.searchsorted(line, high[codes], side="right") - np.searchsorted(line, low[codes])
            n_own = np.bincount(level.codes[claimed & is_in], minlength=len(level.labels))[codes]
            with_others += codes[n_within > n_own].tolist()
        return Claims(is_outside, np.array(with_others, dtype=np.int64))

    def name(
        self,
        leaves: IntArray,
        formers: Sequence[Former],
        level: Level,
        taken: Iterable[str],
        unit: str | None = None,
    ) -> str | None:
        """Name a group by periods: of the unit of its level, or of one within it if that distinguishes it.

        A day that occurs is never an end of such a name: if no coarser periods are the group's alone,
        its name and that of another one may have a period in common.
        """
        own, rest = leaves[self.known[leaves]], self._rest(leaves)
        if not len(own):
            return None
        others = self.known.copy()
        others[own] = False
        best = ""
        for candidate in self._units(unit or self.unit_of(level), is_given=unit is not None):
            runs, is_shared = self._runs(candidate, own, others)
            if len(runs) + len(rest) > MOST_NAMED:
                continue
            texts = [self._extended(candidate, run, own, others, formers) for run in runs]
            name = ", ".join([*texts, *rest])
            if not is_shared:
                return name
            best = name if not best or best in set(taken) else best
        return best or None

    def parts(self, leaves: IntArray, level: Level) -> tuple[str, IntArray]:
        """The unit that values of one group of a level split into, and the period of each of them."""
        unit = self.unit_of(level)
        steps = [unit] if unit is not None else []
        while not steps or len(np.unique(self.ordinals(steps[-1])[leaves])) < 2:
            following = next_unit(steps[-1]) if steps else "year"
            if steps and following == steps[-1]:
                break
            steps.append(following)
        return steps[-1], self.ordinals(steps[-1])[leaves]

    def _units(self, unit: str | None, *, is_given: bool) -> list[str]:
        """The units that a name may be written in, the one that is wanted first."""
        if unit is not None and (is_given or not coarsens(unit, self.resolution)):
            return finer_units(unit, self.resolution)
        coarser = [u for u in ("year", "month", "day", "hour", "minute")
                   if u != self.resolution and coarsens(self.resolution, u)]  # fmt: skip
        return coarser or [self.resolution]

    def _runs(self, unit: str, own: IntArray, others: BoolArray) -> tuple[Runs, bool]:
        """Runs of periods with nothing of others between them, and whether others have any of them too."""
        of_all = self.ordinals(unit)
        mine, theirs = np.unique(of_all[own]), np.unique(of_all[others])
        starts = np.searchsorted(theirs, mine[:-1], side="right")
        gaps = np.searchsorted(theirs, mine[1:], side="left") > starts
        return [(int(mine[a]), int(mine[b])) for a, b in _cut(gaps)], bool(np.isin(mine, theirs).any())

    def _extended(
        self, unit: str, run: tuple[int, int], own: IntArray, others: BoolArray, formers: Sequence[Former]
    ) -> str:
        """Return a run in words, up to the ends of its former labels, unless others are there."""
        low: int | None
        high: int | None
        (low, high), of_all = run, self.ordinals(unit)
        theirs = of_all[others]
        begin, end = self._former_at(formers, unit, run[0]), self._former_at(formers, unit, run[1])
        if begin is not None and (begin.low is None or begin.low < run[0]):
            is_free = theirs < run[0] if begin.low is None else (theirs < run[0]) & (theirs >= begin.low)
            low = low if is_free.any() else begin.low
        if end is not None and (end.high is None or end.high > run[1]):
            is_free = theirs > run[1] if end.high is None else (theirs > run[1]) & (theirs <= end.high)
            high = high if is_free.any() else end.high
        if low is None and high is None:
            low, high = run
        if (low is None or high is None) and unit != "year":  # only years have such labels
            low, high = run[0] if low is None else low, run[1] if high is None else high
        return Periods(unit, low, high).text(self.pattern)

    def _former_at(self, formers: Sequence[Former], unit: str, ordinal: int) -> Periods | None:
        """The run of the former group that had the values of a period."""
        for former in formers:
            leaves = former.leaves[self.known[former.leaves]]
            here = leaves[self.ordinals(unit)[leaves] == ordinal]
            if not len(here):
                continue
            runs = self.read(former.label) or ()
            if unit in ("week_year", "week_of_year"):
                runs = _of_weeks(runs)
            for run in runs:
                inside = run.within(unit)
                if inside is not None and self.holds([run], here).any():
                    return inside
        return None

    def _has_years_of_weeks(self, level: Level) -> bool:
        low, high = (np.full(len(level.labels), -1, dtype=np.int64) for _ in range(2))
        for code, label in enumerate(level.labels[:_SAMPLED]):
            runs = self.read(label) or ()
            if len(runs) == 1 and runs[0].unit == "year" and runs[0].low and runs[0].high:
                low[code], high[code] = runs[0].low, runs[0].high
        leaves = np.flatnonzero((low[level.codes] >= 0) & self.known)
        first, last = low[level.codes[leaves]], high[level.codes[leaves]]
        years, of_weeks = (self.ordinals(unit)[leaves] for unit in ("year", "week_year"))
        is_right = (years >= first) & (years <= last)
        return not is_right.all() and bool(((of_weeks >= first) & (of_weeks <= last)).all())


@dataclass(frozen=True)
class _Written:
    """Notation of the dates of a column.

    Attributes
    ----------
    pattern : str
        As labels write days.
    resolution : str
        The finest unit that they contain.
    moments : dict of str to int, or None
        Seconds since 1970 by value, where the column itself does not know them.
    """

    formats: tuple[str, ...]
    pattern: str
    resolution: str
    moments: dict[str, int] | None = None


def line_of(hierarchy: Hierarchy, column: Column) -> NumberLine | CalendarLine | None:
    """The line of a column's values; None if they are neither numbers nor dates."""
    if column.data_type.is_numeric:
        return NumberLine(hierarchy, column)
    written = _written(column)
    return None if written is None else CalendarLine(hierarchy, column, written)


def _written(column: Column) -> _Written | None:
    if column not in _READ:
        _READ[column] = _look_at(column)
    return _READ[column]


def _look_at(column: Column) -> _Written | None:
    if column.data_type.kind is Kind.DATE:
        form = column.data_type.format or DATE_FORMATS[0]
        return _Written((form,), label_pattern(form), resolution_of(n_parts(form)))
    if column.data_type.kind is not Kind.TEXT or not half_are_dates(column, None):
        return None
    dates = read_dates(column, None)
    if 2 * len(dates.dates) < len(column.known_labels):
        return None
    epoch = np.datetime64(0, "s")
    moments = {v: int((np.datetime64(d, "s") - epoch).astype(np.int64)) for v, d in dates.dates.items()}
    best = max(dates.formats, key=n_parts)
    return _Written(dates.formats, dates.pattern, resolution_of(n_parts(best)), moments)


def _moments_of(hierarchy: Hierarchy, column: Column, written: _Written) -> tuple[IntArray, BoolArray]:
    """Seconds since 1970 of each leaf, and which are known; those of the column need not be read again."""
    found = _MOMENTS.setdefault(hierarchy.levels[0], WeakKeyDictionary())
    if column not in found:
        numbers = np.full(hierarchy.n_leaves, np.nan)
        places = hierarchy.leaves_of(column)
        is_absent = np.ones(hierarchy.n_leaves, dtype=np.bool_)
        present = np.flatnonzero(places >= 0)
        if written.moments is None:
            numbers[places[present]] = (column.numbers[present] - _EPOCH_DAY) * 86400
            is_absent[places[present]] = False
        for leaf in np.flatnonzero(is_absent).tolist():
            numbers[leaf] = _second(hierarchy.values[leaf], written)
        known = np.isfinite(numbers)
        found[column] = np.rint(np.where(known, numbers, 0)).astype(np.int64), known
    return found[column]


def _second(value: str, written: _Written) -> float:
    if written.moments is not None and value in written.moments:
        return written.moments[value]
    dates = (parse_date(value, form) for form in written.formats)
    date = next((date for date in dates if date is not None), None)
    if date is None:
        return float("nan")
    day = date.toordinal() - _EPOCH_DAY
    return day * 86400 + date.hour * 3600 + date.minute * 60 + date.second


def _patterns(pattern: str, hierarchy: Hierarchy) -> tuple[str, ...]:
    """Return the formats of days in labels, the one of the hierarchy first."""
    found = dict.fromkeys((pattern, _OTHER_PATTERNS[0]))
    labels = [label for level in hierarchy.levels[1:] for label in level.labels[:_SAMPLED]]
    for candidate in dict.fromkeys((pattern, *_OTHER_PATTERNS)):
        runs = [run for label in labels for run in read_label(label, (candidate,)) or ()]
        if any(run.unit in ("month", "day", *CLOCK, "week_of_month") for run in runs):
            return tuple(dict.fromkeys((candidate, *found)))
    return tuple(found)


def _numbers_of(hierarchy: Hierarchy, column: Column) -> FloatArray:
    numbers = np.full(hierarchy.n_leaves, np.nan)
    places = hierarchy.leaves_of(column)
    present = places >= 0
    numbers[places[present]] = column.numbers[present]
    is_absent = np.ones(hierarchy.n_leaves, dtype=np.bool_)
    is_absent[places[present]] = False
    absent = np.flatnonzero(is_absent)
    if len(absent):
        numbers[absent] = measure([hierarchy.values[leaf] for leaf in absent.tolist()], column.data_type)[0]
    return numbers


def _of_weeks(runs: Sequence[Periods]) -> tuple[Periods, ...]:
    """Years read as years of whole weeks."""
    return tuple(replace(run, unit="week_year") if run.unit == "year" else run for run in runs)


def _cut(gaps: BoolArray) -> Runs:
    """The first and the last place of each run between gaps."""
    ends = np.flatnonzero(gaps).tolist()
    return list(zip([0, *(end + 1 for end in ends)], [*ends, len(gaps)], strict=True))
