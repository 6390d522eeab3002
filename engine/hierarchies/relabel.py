"""Check labels such as 20-39 or 1920-1934 against their values, and rewrite wrong ones."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from engine.cached import cached_property
from engine.hierarchies.group_names import group_name
from engine.hierarchies.hierarchy import Hierarchy
from engine.hierarchies.label_bounds import Form, LabelBounds, read_bounds
from engine.hierarchies.lines import CalendarLine, Former, line_of
from engine.hierarchies.names import is_about_years
from engine.table import Column, Kind
from engine.table.values import decimal_mark, exact_number
from engine.words import _

_DISAGREE = "labels and values disagree"
_THOUSANDS = re.compile(r"\d\.\d{3}(?!\d)")  # among whole numbers 1.500 could be fifteen hundred


@dataclass(frozen=True)
class Mislabel:
    """Labels that do not hold their values.

    Attributes
    ----------
    summary : str
        What is wrong, such as "labels start a year late".
    examples : tuple of (str, str)
        One or two values of the table with the label they are under.
    relabelled : Hierarchy or None
        The hierarchy with such labels written after what is in their groups: intervals with their other
        side closed where that is all that is wrong, else from the smallest to the largest number, or from
        the first to the last period. None where that would give two groups the same label.
    sample : tuple of (str, str)
        One label before and after.
    """

    summary: str
    examples: tuple[tuple[str, str], ...]
    relabelled: Hierarchy | None
    sample: tuple[str, str]


def find_mislabel(hierarchy: Hierarchy, column: Column) -> Mislabel | None:
    """Return what is wrong with labels that claim bounds, None if nothing is.

    A label is wrong when a number or a date of the table under it lies outside: of `20-39` both ends belong
    to it, of `[20, 40)`, `<20` or `>=80` brackets and signs tell; of `1920-1934` or `2020-03` all days do.
    Labels of other forms, single numbers, and leaves that are neither numbers nor dates are left alone.
    """
    if not column.data_type.is_numeric:
        line = line_of(hierarchy, column)
        return _mislabelled_dates(hierarchy, column, line) if isinstance(line, CalendarLine) else None
    levels = _bounded_levels(hierarchy, column)
    if not levels:
        return None
    present = [leaf for leaf in hierarchy.leaves_of(column).tolist() if leaf >= 0]
    wrong = next((pair for level in levels if (pair := level.first_wrong(present))), None)
    if wrong is None:
        return None
    further = levels[-1].first_wrong(present, besides=wrong[0])
    examples = (wrong, further) if further is not None else (wrong,)
    summary = _rewrite(levels, column.name)
    before = examples[-1][1]
    after = next((level.changes[before] for level in reversed(levels) if before in level.changes), before)
    changes = {level.number: level.changes for level in levels}
    return Mislabel(summary, examples, _relabelled(hierarchy, changes), (before, after))


def find_partial_name(hierarchy: Hierarchy, column: Column) -> Mislabel | None:
    """Return which group of texts is called after one of several values in it, None if none is.

    Such labels are often meant so in a hierarchy from elsewhere (Asia, with Asia and Japan in it), but not
    where somebody has just put Endocrine into the group Digestive.
    """
    if column.data_type.is_numeric or line_of(hierarchy, column) is not None:
        return None
    changes: dict[int, dict[str, str]] = {}
    examples: list[tuple[str, str]] = []
    for number, entry in enumerate(hierarchy.levels[1:], start=1):
        for code in np.flatnonzero(entry.n_leaves > 1).tolist():
            label = entry.labels[code]
            leaf = hierarchy.index.get(label, -1)
            if not label or leaf < 0 or entry.codes[leaf] != code:
                continue
            values = [hierarchy.values[i] for i in np.flatnonzero(entry.codes == code).tolist()]
            taken = {*entry.labels, *changes.get(number, {}).values()}
            changes.setdefault(number, {})[label] = group_name(values, (), taken)
            examples.append((next(value for value in values if value != label), label))
    if not examples:
        return None
    label = examples[0][1]
    after = next(names[label] for names in changes.values() if label in names)
    return Mislabel(_DISAGREE, (examples[0],), _relabelled(hierarchy, changes), (label, after))


class _BoundedLevel:
    """A level with labels that claim bounds, and the numbers under each of them.

    Attributes
    ----------
    changes : dict of str to str
        New labels by present label.
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        number: int,
        bounds: Sequence[LabelBounds | None],
        numbers: Sequence[Decimal | None],
    ) -> None:
        self.number = number
        self.changes: dict[str, str] = {}
        self._entry, self._values = hierarchy.levels[number], hierarchy.values
        self._bounds, self._numbers = bounds, numbers

    @cached_property
    def _members(self) -> dict[int, list[tuple[Decimal, str]]]:
        """The numbers of each group that claims bounds and has any, sorted."""
        found: dict[int, list[tuple[Decimal, str]]] = {}
        for code, value, number in zip(self._entry.codes.tolist(), self._values, self._numbers, strict=True):
            if number is not None and self._bounds[code] is not None:
                found.setdefault(code, []).append((number, value))
        return {code: sorted(inside) for code, inside in found.items()}

    @cached_property
    def _sorted(self) -> list[Decimal]:
        return sorted(number for number in self._numbers if number is not None)

    def groups(self, form: Form) -> Iterator[tuple[int, LabelBounds]]:
        """Code and bounds of the groups with numbers whose label is of a form."""
        for code in self._members:
            bounds = self._bounds[code]
            if bounds is not None and bounds.form is form:
                yield code, bounds

    def first_wrong(self, present: Sequence[int], besides: str = "") -> tuple[str, str] | None:
        """The first value of the table that lies outside its label, with the label."""
        codes = self._entry.codes
        for leaf in present:
            number, bounds = self._numbers[leaf], self._bounds[codes[leaf]]
            is_wrong = bounds is not None and number is not None and not bounds.holds(number)
            if is_wrong and self._values[leaf] != besides:
                return self._values[leaf], self._entry.labels[codes[leaf]]
        return None

    def is_right(self, code: int, bounds: LabelBounds) -> bool:
        """Return whether bounds hold all numbers of a group and none of another one."""
        numbers = self._sorted
        begin, end = 0, len(numbers)
        if bounds.low is not None:
            begin = (bisect_left if bounds.has_low else bisect_right)(numbers, bounds.low)
        if bounds.high is not None:
            end = (bisect_right if bounds.has_high else bisect_left)(numbers, bounds.high)
        inside = self._members[code]
        return end - begin == len(inside) and bounds.holds(inside[0][0]) and bounds.holds(inside[-1][0])

    def shift(self, code: int, bounds: LabelBounds) -> Decimal:
        """By how much the smallest number of a group is above its lower bound."""
        assert bounds.low is not None
        return self._members[code][0][0] - bounds.low

    def change(self, code: int, bounds: LabelBounds) -> None:
        """Call a group after other bounds."""
        self.changes[self._entry.labels[code]] = bounds.text

    def fit(self, code: int, bounds: LabelBounds) -> None:
        """Call a group after its smallest and its largest number."""
        inside = self._members[code]
        self.change(code, bounds.around(inside[0][1], inside[-1][1]))


def _bounded_levels(hierarchy: Hierarchy, column: Column) -> list[_BoundedLevel]:
    mark = decimal_mark(column.data_type)
    is_whole = column.data_type.kind is Kind.INTEGER
    bounds = [
        [
            None if is_whole and _THOUSANDS.search(label) else read_bounds(label, mark)
            for label in entry.labels
        ]
        for entry in hierarchy.levels[1:]
    ]
    if not any(map(any, bounds)):
        return []
    numbers = [exact_number(value, column.data_type) for value in hierarchy.values]
    bounded = ((level, found) for level, found in enumerate(bounds, start=1) if any(found))
    return [_BoundedLevel(hierarchy, level, found, numbers) for level, found in bounded]


def _rewrite(levels: Sequence[_BoundedLevel], name: str) -> str:
    """Note new labels, form by form where one of them is wrong; return what is wrong."""
    reasons = []
    if not _are_right(levels, Form.RANGE):
        shifts = {level.shift(*group) for level in levels for group in level.groups(Form.RANGE)}
        reasons.append(_off_by(shifts, name))
        _fit(levels, Form.RANGE)
    if not _are_right(levels, Form.INTERVAL):
        if _are_right(levels, Form.INTERVAL, flipped=True):
            reasons.append(_("labels close the wrong side"))
            for level in levels:
                for code, bounds in level.groups(Form.INTERVAL):
                    level.change(code, bounds.flipped())
        else:
            reasons.append(_DISAGREE)
            _fit(levels, Form.INTERVAL)
    for level in levels:
        for code, bounds in level.groups(Form.ONE_SIDED):
            if level.is_right(code, bounds):
                continue
            if level.is_right(code, bounds.flipped()):
                reasons.append(_("labels close the wrong side"))
                level.change(code, bounds.flipped())
            else:
                reasons.append(_DISAGREE)
                level.fit(code, bounds)
    return reasons[0] if len(set(reasons)) == 1 else _DISAGREE


def _are_right(levels: Sequence[_BoundedLevel], form: Form, *, flipped: bool = False) -> bool:
    return all(
        level.is_right(code, bounds.flipped() if flipped else bounds)
        for level in levels
        for code, bounds in level.groups(form)
    )


def _fit(levels: Sequence[_BoundedLevel], form: Form) -> None:
    for level in levels:
        for code, bounds in level.groups(form):
            level.fit(code, bounds)


def _off_by(shifts: set[Decimal], name: str) -> str:
    shift = next(iter(shifts)) if len(shifts) == 1 else 0
    if not shift:
        return _DISAGREE
    if shift == 1 and is_about_years(name):
        return _("labels start a year late")
    return _("labels are off by {shift:f}").format(shift=abs(shift))


def _mislabelled_dates(hierarchy: Hierarchy, column: Column, line: CalendarLine) -> Mislabel | None:
    is_present = np.zeros(hierarchy.n_leaves, dtype=np.bool_)
    places = hierarchy.leaves_of(column)
    is_present[places[places >= 0]] = True
    examples: list[tuple[str, str]] = []
    changes: dict[int, dict[str, str]] = {}
    is_named = True
    for number, entry in enumerate(hierarchy.levels[1:], start=1):
        claims = line.claims(entry)
        outside = np.flatnonzero(claims.is_outside & is_present)
        if not len(outside):
            continue
        examples.append((hierarchy.values[outside[0]], entry.labels[entry.codes[outside[0]]]))
        wrong = np.union1d(entry.codes[outside], claims.with_others)
        labels = list(entry.labels)
        for code in wrong.tolist():
            leaves = np.flatnonzero(entry.codes == code)
            former = Former(entry.labels[code], leaves)
            name = line.name(leaves, (former,), entry, [*labels[:code], *labels[code + 1 :]])
            is_named &= name is not None
            labels[code] = name or labels[code]
        changes[number] = dict(zip(entry.labels, labels, strict=True))
    if not examples:
        return None
    number, label = max(changes), examples[-1][1]
    relabelled = _relabelled(hierarchy, changes) if is_named else None
    shown = dict.fromkeys((examples[0], examples[-1]))
    return Mislabel(_DISAGREE, tuple(shown), relabelled, (label, changes[number][label]))


def _relabelled(hierarchy: Hierarchy, changes: Mapping[int, Mapping[str, str]]) -> Hierarchy | None:
    """The hierarchy with changed labels; None where two groups of a level would be called the same."""
    found = list(hierarchy.levels)
    for number, names in changes.items():
        entry = found[number]
        labels = tuple(names.get(label, label) for label in entry.labels)
        if len(set(labels)) < len(labels):
            return None
        found[number] = replace(entry, labels=labels)
    return Hierarchy(tuple(found))
