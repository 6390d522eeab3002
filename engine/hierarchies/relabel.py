"""Labels such as 20-39 held against the numbers under them, and written anew where they disagree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from engine.errors import HierarchyError
from engine.hierarchies.hierarchy import Hierarchy
from engine.hierarchies.names import is_about_years
from engine.table import Column
from engine.table.values import exact_number

_NUMBER = r"[+-]?\d+(?:[.,]\d+)?"
_RANGE = re.compile(rf"({_NUMBER})(\s*(?:-|–|to)\s*)({_NUMBER})")


@dataclass(frozen=True)
class Mislabel:
    """Ranges that do not hold their values.

    Attributes
    ----------
    summary : str
        What is wrong, such as "labels start a year late".
    examples : tuple of (str, str)
        One or two values of the table with the label they are under.
    relabelled : Hierarchy or None
        The hierarchy with every range written from its smallest to its largest number; None where
        that would give two groups the same label.
    sample : tuple of (str, str)
        One label before and after.
    """

    summary: str
    examples: tuple[tuple[str, str], ...]
    relabelled: Hierarchy | None
    sample: tuple[str, str]


def find_mislabel(hierarchy: Hierarchy, column: Column) -> Mislabel | None:
    """Return what is wrong with the range labels of a numeric column, None if nothing is.

    A label `low-high` is wrong when a number of the table under it lies outside. Labels of other
    forms, and leaves that are not numbers, are left alone.
    """
    if not column.data_type.is_numeric:
        return None
    numbers = [exact_number(value, column.data_type) for value in hierarchy.values]
    wrong = [
        pair
        for level in range(1, hierarchy.height + 1)
        if (pair := _first_wrong(hierarchy, level, column, numbers)) is not None
    ]
    if not wrong:
        return None
    examples = [wrong[0]]
    further = _first_wrong(hierarchy, _last_level(hierarchy), column, numbers, besides=wrong[0][0])
    if further is not None:
        examples.append(further)
    new_rows, changes, shifts = _rewritten(hierarchy, numbers)
    try:
        relabelled = Hierarchy.from_rows(new_rows)
    except HierarchyError:
        relabelled = None
    sample = changes.get(examples[-1][1], examples[-1][1])
    return Mislabel(_summary(shifts, column.name), tuple(examples), relabelled, (examples[-1][1], sample))


def _last_level(hierarchy: Hierarchy) -> int:
    """The highest level with ranges."""
    ranged = [
        number
        for number, level in enumerate(hierarchy.levels)
        if number and any(_RANGE.fullmatch(label) for label in level.labels)
    ]
    return ranged[-1] if ranged else 0


def _bounds(label: str) -> tuple[Decimal, Decimal] | None:
    match = _RANGE.fullmatch(label)
    if match is None:
        return None
    low, high = (Decimal(match[i].replace(",", ".")) for i in (1, 3))
    return (low, high) if low <= high else None


def _first_wrong(
    hierarchy: Hierarchy, level: int, column: Column, numbers: list[Decimal | None], besides: str = ""
) -> tuple[str, str] | None:
    """The first value of the table that lies outside its label, with the label."""
    entry = hierarchy.levels[level]
    bounds = [_bounds(label) for label in entry.labels]
    for value in column.labels:
        leaf = hierarchy.index.get(value)
        if leaf is None or value == besides:
            continue
        code, number = int(entry.codes[leaf]), numbers[leaf]
        within = bounds[code]
        # A value that is its own label is no range, although "-5" or "1-2" may look like one.
        if within is None or number is None or entry.labels[code] == value:
            continue
        if not within[0] <= number <= within[1]:
            return value, entry.labels[code]
    return None


def _rewritten(
    hierarchy: Hierarchy, numbers: list[Decimal | None]
) -> tuple[list[list[str]], dict[str, str], set[Decimal]]:
    rows = [[value] for value in hierarchy.values]
    changes: dict[str, str] = {}
    shifts: set[Decimal] = set()
    for entry in hierarchy.levels[1:]:
        members: dict[int, list[tuple[Decimal, str]]] = {}
        for leaf, number in enumerate(numbers):
            if number is not None:
                members.setdefault(int(entry.codes[leaf]), []).append((number, hierarchy.values[leaf]))
        labels = list(entry.labels)
        for code, inside in members.items():
            match, within = _RANGE.fullmatch(labels[code]), _bounds(labels[code])
            if match is None or within is None:
                continue
            (low, low_text), (_, high_text) = min(inside), max(inside)
            shifts.add(low - within[0])
            new = low_text if low_text == high_text else f"{low_text}{match[2]}{high_text}"
            changes[labels[code]] = labels[code] = new
        for leaf, code in enumerate(entry.codes.tolist()):
            rows[leaf].append(labels[code])
    return rows, changes, shifts


def _summary(shifts: set[Decimal], name: str) -> str:
    if len(shifts) != 1:
        return "labels and values disagree"
    shift = next(iter(shifts))
    if shift == 1 and is_about_years(name):
        return "labels start a year late"
    return f"labels are off by {abs(shift):f}" if shift else "labels and values disagree"
