"""Check labels such as 20-39 or 1920-1934 against their values, and rewrite wrong ones."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from engine.hierarchies.group_names import group_name
from engine.hierarchies.hierarchy import Hierarchy
from engine.hierarchies.label_bounds import Form, LabelBounds, claimed_bounds
from engine.hierarchies.lines import CalendarLine, Former, line_of
from engine.hierarchies.names import is_about_years
from engine.records import Column
from engine.records.values import exact_number
from engine.words import _

_DISAGREE = "labels and values disagree"


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
        side closed if nothing else is wrong, else from the smallest to the largest number, or from
        the first to the last period. None if that would give two groups the same label.
    sample : tuple of (str, str)
        One label before and after.
    """

    summary: str
    examples: tuple[tuple[str, str], ...]
    relabelled: Hierarchy | None
    sample: tuple[str, str]


def find_mislabel(hierarchy: Hierarchy, column: Column) -> Mislabel | None:
    """Return what is wrong with labels that claim bounds, None if nothing is.

    A label is wrong when a number or a date of the table under it is outside: `20-39` includes both ends,
    for `[20, 40)`, `<20` or `>=80` brackets and signs decide; `1920-1934` or `2020-03` includes all its days.
    Labels of other forms, single numbers, and leaves that are neither numbers nor dates are left alone.
    """
    if not column.data_type.is_numeric:
        line = line_of(hierarchy, column)
        return _mislabelled_dates(hierarchy, column, line) if isinstance(line, CalendarLine) else None
    bounds = _bounds(hierarchy, column)
    if not bounds:
        return None
    numbers = [exact_number(value, column.data_type) for value in hierarchy.values]
    present = [leaf for leaf in hierarchy.leaves_of(column).tolist() if leaf >= 0]
    outside = {}
    for level, of_code in bounds.items():
        codes = hierarchy.levels[level].codes
        outside[level] = [
            (hierarchy.values[leaf], hierarchy.levels[level].labels[codes[leaf]])
            for leaf in present
            if (claimed := of_code[codes[leaf]]) and (n := numbers[leaf]) is not None and not claimed.holds(n)
        ]
    wrong = next((pairs[0] for pairs in outside.values() if pairs), None)
    if wrong is None:
        return None
    highest = outside[max(outside)]
    examples = (wrong, *[pair for pair in highest if pair[0] != wrong[0]][:1])
    summary, changes = _rewritten(_claims(hierarchy, bounds, numbers), numbers, column.name)
    before = examples[-1][1]
    names = {label: name for level in sorted(changes) for label, name in changes[level].items()}
    return Mislabel(summary, examples, _relabelled(hierarchy, changes), (before, names.get(before, before)))


def find_partial_name(hierarchy: Hierarchy, column: Column) -> Mislabel | None:
    """Return which group of texts is called after one of several values in it, None if none is.

    Such labels are often meant so in a hierarchy from elsewhere (Asia, with Asia and Japan in it), but not
    if the user has just moved Endocrine into the group Digestive.
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
            changes.setdefault(number, {})[label] = group_name(values, taken)
            examples.append((next(value for value in values if value != label), label))
    if not examples:
        return None
    label = examples[0][1]
    after = next(names[label] for names in changes.values() if label in names)
    return Mislabel(_DISAGREE, (examples[0],), _relabelled(hierarchy, changes), (label, after))


@dataclass(frozen=True)
class _Claim:
    """A label that claims bounds, and the numbers under it with their values, sorted."""

    level: int
    label: str
    bounds: LabelBounds
    members: list[tuple[Decimal, str]]

    def is_right(self, bounds: LabelBounds, numbers: Sequence[Decimal]) -> bool:
        """Return whether bounds hold all numbers of the group and none of another one."""
        begin, end = 0, len(numbers)
        if bounds.low is not None:
            begin = (bisect_left if bounds.has_low else bisect_right)(numbers, bounds.low)
        if bounds.high is not None:
            end = (bisect_right if bounds.has_high else bisect_left)(numbers, bounds.high)
        inside = self.members
        return end - begin == len(inside) and bounds.holds(inside[0][0]) and bounds.holds(inside[-1][0])


def _bounds(hierarchy: Hierarchy, column: Column) -> dict[int, list[LabelBounds | None]]:
    """The bounds that labels claim, by code, for levels that have such labels."""
    found = {
        level: [claimed_bounds(label, column.data_type) for label in entry.labels]
        for level, entry in enumerate(hierarchy.levels[1:], start=1)
    }
    return {level: bounds for level, bounds in found.items() if any(bounds)}


def _claims(
    hierarchy: Hierarchy,
    bounds: Mapping[int, Sequence[LabelBounds | None]],
    numbers: Sequence[Decimal | None],
) -> Iterator[_Claim]:
    for level, of_code in bounds.items():
        entry, members = hierarchy.levels[level], dict[int, list[tuple[Decimal, str]]]()
        for code, value, number in zip(entry.codes.tolist(), hierarchy.values, numbers, strict=True):
            if number is not None:
                members.setdefault(code, []).append((number, value))
        for code, inside in members.items():
            claimed = of_code[code]
            if claimed is not None:
                yield _Claim(level, entry.labels[code], claimed, sorted(inside))


def _rewritten(
    claims: Iterable[_Claim], numbers: Iterable[Decimal | None], name: str
) -> tuple[str, dict[int, dict[str, str]]]:
    """Return what is wrong, and new labels per level: of all ranges, all intervals, or a one-sided label."""
    line = sorted(number for number in numbers if number is not None)
    alike: dict[object, list[_Claim]] = {Form.RANGE: [], Form.INTERVAL: []}
    for claim in claims:
        is_alone = claim.bounds.form is Form.ONE_SIDED
        alike.setdefault((claim.level, claim.label) if is_alone else claim.bounds.form, []).append(claim)
    reasons, changes = set[str](), dict[int, dict[str, str]]()
    for form, group in alike.items():
        if all(claim.is_right(claim.bounds, line) for claim in group):
            continue
        after = [claim.bounds.flipped() for claim in group]
        is_flipped = all(claim.is_right(bounds, line) for claim, bounds in zip(group, after, strict=True))
        if is_flipped and form is not Form.RANGE:
            reasons.add(_("labels close the wrong side"))
        else:
            shifts = {claim.members[0][0] - (claim.bounds.low or 0) for claim in group}
            reasons.add(_off_by(shifts, name) if form is Form.RANGE else _DISAGREE)
            after = [claim.bounds.around(claim.members[0][1], claim.members[-1][1]) for claim in group]
        for claim, bounds in zip(group, after, strict=True):
            changes.setdefault(claim.level, {})[claim.label] = bounds.text
    return reasons.pop() if len(reasons) == 1 else _DISAGREE, changes


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
