"""Check labels such as 20-39 or 1920-1934 against their values, and rewrite wrong ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from engine.hierarchies.bounds import Bounds, Form
from engine.hierarchies.group_names import group_name
from engine.hierarchies.hierarchy import Hierarchy
from engine.hierarchies.lines import CalendarLine, Former, NumberLine, line_of
from engine.hierarchies.names import is_about_years
from engine.kernels.arrays import IntArray
from engine.records import Column
from engine.records.values import exact_number
from engine.words import _

Changes = dict[int, dict[str, str]]
"""By level: new labels of former ones."""
Claims = dict[tuple[int, int], Bounds]
"""By level and code."""
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
    line = line_of(hierarchy, column)
    if line is None:
        return None
    present = hierarchy.leaves_of(column)
    present = present[present >= 0] if isinstance(line, NumberLine) else np.unique(present[present >= 0])
    pairs: list[list[tuple[str, str]]] = []
    wrong: dict[int, IntArray] = {}
    for level, entry in enumerate(hierarchy.levels[1:], start=1):
        claimed = line.claimed(entry)
        is_outside, with_others = line.outside(entry, claimed)
        outside = present[is_outside[present]].tolist()
        if outside or (claimed and isinstance(line, NumberLine)):
            pairs.append([(hierarchy.values[leaf], entry.labels[entry.codes[leaf]]) for leaf in outside])
            wrong[level] = np.union1d(entry.codes[outside], with_others)
    first = next((found[0] for found in pairs if found), None)
    if first is None:
        return None
    highest = pairs[-1]
    if isinstance(line, NumberLine):
        summary, changes = _of_numbers(hierarchy, column, line)
        highest = [pair for pair in highest if pair[0] != first[0]]
    else:
        summary, changes = _DISAGREE, _of_dates(hierarchy, line, wrong)
    examples = tuple(dict.fromkeys((first, *highest[:1])))
    before = examples[-1][1]
    names = {label: name for level in sorted(changes) for label, name in changes[level].items()}
    relabelled = _relabelled(hierarchy, changes)
    return Mislabel(summary, examples, relabelled, (before, names.get(before) or before))


def find_partial_name(hierarchy: Hierarchy, column: Column) -> Mislabel | None:
    """Return which group of texts is called after one of several values in it, None if none is.

    Such labels are often meant so in a hierarchy from elsewhere (Asia, with Asia and Japan in it), but not
    if the user has just moved Endocrine into the group Digestive.
    """
    if column.data_type.is_numeric or line_of(hierarchy, column) is not None:
        return None
    changes: Changes = {}
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


def _of_numbers(hierarchy: Hierarchy, column: Column, line: NumberLine) -> tuple[str, Changes]:
    """Return what is wrong, and new labels per level: of all ranges, all intervals, or a one-sided label."""
    claims: Claims = {}
    for level, entry in enumerate(hierarchy.levels[1:], start=1):
        has_numbers = set(entry.codes[line.known].tolist())
        found = line.claimed(entry).items()
        claims |= {(level, code): bounds for code, bounds in found if code in has_numbers}
    alike: dict[object, Claims] = {Form.RANGE: {}, Form.INTERVAL: {}}
    for place, bounds in claims.items():
        alike.setdefault(place if bounds.form is Form.ONE_SIDED else bounds.form, {})[place] = bounds
    wrong, reasons, changes = _wrong(hierarchy, line, claims), set[str](), Changes()
    for form, own in alike.items():
        if wrong.isdisjoint(own):
            continue
        after = {place: bounds.flipped() for place, bounds in own.items()}
        if form is not Form.RANGE and not _wrong(hierarchy, line, after):
            reasons.add(_("labels close the wrong side"))
        else:
            ends = {place: _ends(hierarchy, column, line, *place) for place in own}
            shifts = {ends[place][0][0] - (bounds.low or 0) for place, bounds in own.items()}
            reasons.add(_off_by(shifts, column.name) if form is Form.RANGE else _DISAGREE)
            after = {place: own[place].around(low, high) for place, ((_n, low), (_m, high)) in ends.items()}
        for (level, code), bounds in after.items():
            changes.setdefault(level, {})[hierarchy.levels[level].labels[code]] = bounds.text
    return reasons.pop() if len(reasons) == 1 else _DISAGREE, changes


def _wrong(hierarchy: Hierarchy, line: NumberLine, claims: Claims) -> set[tuple[int, int]]:
    """The claims that do not hold all numbers of their group, or hold others too."""
    found = set[tuple[int, int]]()
    for level in dict.fromkeys(level for level, _code in claims):
        entry = hierarchy.levels[level]
        own = {code: bounds for (number, code), bounds in claims.items() if number == level}
        is_outside, with_others = line.outside(entry, own)
        found |= {(level, code) for code in [*entry.codes[is_outside].tolist(), *with_others.tolist()]}
    return found


def _ends(
    hierarchy: Hierarchy, column: Column, line: NumberLine, level: int, code: int
) -> tuple[tuple[Decimal, str], tuple[Decimal, str]]:
    """The smallest and the largest number of a group, with their texts."""
    leaves = np.flatnonzero((hierarchy.levels[level].codes == code) & line.known).tolist()
    texts = [hierarchy.values[leaf] for leaf in leaves]
    numbers = [
        (number, text) for text in texts if (number := exact_number(text, column.data_type)) is not None
    ]
    return min(numbers), max(numbers)


def _off_by(shifts: set[Decimal], name: str) -> str:
    shift = next(iter(shifts)) if len(shifts) == 1 else 0
    if not shift:
        return _DISAGREE
    if shift == 1 and is_about_years(name):
        return _("labels start a year late")
    return _("labels are off by {shift:f}").format(shift=abs(shift))


def _of_dates(hierarchy: Hierarchy, line: CalendarLine, wrong: Mapping[int, IntArray]) -> Changes:
    """Return new labels per level; empty ones where nothing distinguishes a group."""
    changes: Changes = {}
    for level, codes in wrong.items():
        entry = hierarchy.levels[level]
        labels = list(entry.labels)
        for code in codes.tolist():
            leaves = np.flatnonzero(entry.codes == code)
            former, others = Former(entry.labels[code], leaves), [*labels[:code], *labels[code + 1 :]]
            labels[code] = line.name(leaves, (former,), entry, others) or ""
        changes[level] = dict(zip(entry.labels, labels, strict=True))
    return changes


def _relabelled(hierarchy: Hierarchy, changes: Mapping[int, Mapping[str, str]]) -> Hierarchy | None:
    """The hierarchy with changed labels; None where two groups of a level would be called the same, or one
    would have no name.
    """
    found = list(hierarchy.levels)
    for number, names in changes.items():
        entry = found[number]
        labels = tuple(names.get(label, label) for label in entry.labels)
        if len(set(labels)) < len(labels) or ("" in labels and "" not in entry.labels):
            return None
        found[number] = replace(entry, labels=labels)
    return Hierarchy(tuple(found))
