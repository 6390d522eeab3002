"""Values that ARX counts in the labels of a hierarchy, whether or not the table has them.

ARX measures intervals that its wizard made by their width, and a single value as a width of 1: an interval of
ten covers ten values, whether of whole or of decimal numbers. A hierarchy with as many values is measured the
same here. Decimal numbers of the table take the places of whole ones, so that no interval may have more of
them than its width.

With the alphabet and the length of texts from its wizard, ARX measures a text with two of five digits
masked as 100 of 100,000. A hierarchy with all texts of this length as values is measured the same here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from operator import itemgetter
from typing import Any

import numpy as np

from engine.arx.java_stream import JavaObject, items, plain
from engine.hierarchies import SUPPRESSED, Hierarchy, Level
from engine.kernels.arrays import FloatArray, IntArray

MOST_VALUES = 500_000  # in the range of a column, and intervals in all levels of a builder
_EXACT = 2**53  # up to which decimal numbers have all whole ones
_WHOLE, _DECIMAL = "ARXInteger", "ARXDecimal"
_MISSING = "NULL"  # in ARX's hierarchies: belongs to no interval

Bounds = tuple[int, int]  # the second one is excluded


@dataclass(frozen=True)
class _Side:
    """The range at one side: intervals repeat up to `repeat`, and the last one ends at `snap`."""

    repeat: int
    snap: int
    limit: int


def with_whole_range(hierarchy: Hierarchy, builder: JavaObject) -> Hierarchy | None:
    """Return a hierarchy of ARX with every integer of its range as a value, or those of the table.

    Parameters
    ----------
    hierarchy : Hierarchy
        As the project stores it: with the values of the table only.
    builder : JavaObject
        ARX's HierarchyBuilderIntervalBased.

    Returns
    -------
    Hierarchy or None
        None if bounds are not whole numbers, an interval has more values than its width, the range contains
        more than `MOST_VALUES`, or the hierarchy has other intervals than the builder.
    """
    bases, sides = _bases(builder), _sides(builder)
    rows = _rows(hierarchy, is_whole=_type_of(builder) == _WHOLE)
    if not bases or sides is None or not rows:
        return None
    lower, upper = sides
    if not 0 < upper.limit - lower.limit <= MOST_VALUES:
        return None
    if min(rows) < lower.limit or max(rows) >= upper.limit:
        return None
    finest = _finest(hierarchy, bases[0], lower, upper)
    numbers = None if finest is None else _numbers(finest, rows)
    if numbers is None:
        return None
    places = np.array([rows.get(number, -1) for number in numbers.tolist()])
    texts = [
        hierarchy.values[place] if place >= 0 else str(int(n))
        for n, place in zip(numbers, places, strict=True)
    ]
    levels = [Level(tuple(texts), np.arange(len(texts), dtype=np.int32))]
    cuts: set[int] | None = None
    for number, level in enumerate(hierarchy.levels[1:]):
        if level.labels == (SUPPRESSED,):
            levels.append(Level(level.labels, np.zeros(len(numbers), dtype=np.int32)))
            continue
        if number >= len(bases):
            return None
        intervals = _intervals(bases[number], lower, upper)
        made = None if intervals is None else _level(level, intervals, numbers, places)
        ends = {high for _low, high in intervals or ()}
        if made is None or (cuts is not None and not ends <= cuts):
            return None
        cuts = ends
        levels.append(made)
    return _with_missing(Hierarchy(tuple(levels)), hierarchy)


def _finest(hierarchy: Hierarchy, base: Sequence[Bounds], lower: _Side, upper: _Side) -> list[Bounds] | None:
    """Return the intervals of the first level; the whole range if no level has any."""
    if all(level.labels == (SUPPRESSED,) for level in hierarchy.levels[1:]):
        return [(lower.limit, upper.limit)]
    return _intervals(base, lower, upper)


def _numbers(intervals: Sequence[Bounds], rows: Mapping[float, int]) -> FloatArray | None:
    """Return as many numbers as each interval is wide, with those of the table; None if they are too many."""
    own = np.array(sorted(rows))
    found: list[float] = []
    for low, high in intervals:
        present = own[np.searchsorted(own, low) : np.searchsorted(own, high)].tolist()
        known = set(present)
        others = (float(number) for number in range(low, high) if number not in known)
        n_others = high - low - len(present)
        if n_others < 0:
            return None
        found += sorted([*present, *islice(others, n_others)])
    return np.array(found)


def counts_as_outside(builder: JavaObject) -> bool:
    """Return whether the version of ARX that stored a builder measured its intervals as outside the range.

    Since then, only intervals of bottom and top coding state a side.
    """
    return any(
        plain(found.fields.get("lower")) is not None for found in items(builder.fields.get("intervals"))
    )


def _rows(hierarchy: Hierarchy, *, is_whole: bool) -> dict[float, int]:
    """Return the row of each number; nothing if a value is none, or is there twice."""
    read: Callable[[str], float] = int if is_whole else float
    try:
        rows = {float(read(value)): row for row, value in enumerate(hierarchy.values) if value != _MISSING}
    except ValueError:
        return {}
    if not all(abs(number) <= _EXACT for number in rows):
        return {}
    return rows if len(rows) + (_MISSING in hierarchy.index) == hierarchy.n_leaves else {}


def _type_of(builder: JavaObject) -> str:
    """Return the class of the type of a builder's values, without its package."""
    kind = builder.fields.get("datatype")
    return kind.name.rpartition("$")[2] if isinstance(kind, JavaObject) else ""


def _whole(stored: Any) -> int | None:
    """Return a whole number, also one that is stored as a decimal number; None for any other value."""
    value = plain(stored)
    if not isinstance(value, int | float) or not abs(value) <= _EXACT or value != int(value):
        return None
    return int(value)


def _bases(builder: JavaObject) -> list[tuple[Bounds, ...]]:
    """Return the intervals of each level that are repeated; nothing if they are not of whole numbers."""
    if _type_of(builder) not in (_WHOLE, _DECIMAL):
        return []
    first = []
    for found in items(builder.fields.get("intervals")):
        low, high = (_whole(found.fields.get(name)) for name in ("min", "max"))
        if low is None or high is None:
            return []
        first.append((low, high))
    is_whole = all(low < high for low, high in first) and all(
        one[1] == other[0] for one, other in pairwise(first)
    )
    if not first or not is_whole:
        return []
    bases, n_intervals = [tuple(first)], len(first)
    groups = builder.fields.get("groups")
    listed = [item for item in items(groups) if isinstance(item, JavaObject)]
    by_level = {plain(key): level for key, level in zip(listed[::2], listed[1::2], strict=False)}
    for number in range(len(by_level)):
        level = by_level.get(number)
        sizes = [plain(group.fields.get("size")) for group in items(level and level.fields.get("list"))]
        if not sizes or not all(isinstance(size, int) and size > 0 for size in sizes):
            break
        n_intervals += max(sum(sizes), len(bases[-1]))
        if n_intervals > MOST_VALUES:  # a file may state any number
            return []
        bases.append(_joined(bases[-1], sizes))
    return bases


def _joined(bounds: Sequence[Bounds], sizes: Sequence[int]) -> tuple[Bounds, ...]:
    """Return the intervals of the next level: groups of the given sizes, repeated to cover all."""
    each = _repeated(bounds) if sum(sizes) >= len(bounds) else iter(bounds)
    found: list[Bounds] = []
    while True:
        groups = [group for size in sizes if (group := list(islice(each, size)))]
        found += [(group[0][0], group[-1][1]) for group in groups]
        if sum(sizes) >= len(bounds) or not groups:
            return tuple(found)


def _repeated(bounds: Sequence[Bounds]) -> Iterator[Bounds]:
    offset, width = 0, bounds[-1][1] - bounds[0][0]
    while True:
        yield from ((low + offset, high + offset) for low, high in bounds)
        offset += width


def _sides(builder: JavaObject) -> tuple[_Side, _Side] | None:
    """Return the lower and upper range; a bound that is not set is the one before it."""
    bases, found = _bases(builder), []
    for name, end in (("lowerRange", bases[0][0][0]), ("upperRange", bases[0][-1][1])) if bases else ():
        stored = builder.fields.get(name)
        fields = stored.fields if isinstance(stored, JavaObject) else {}
        bounds = [end]
        for bound in ("repeatBound", "snapBound", "labelBound"):
            stored_bound = fields.get(bound)
            value = _whole(stored_bound)
            if value is None and plain(stored_bound) is not None:
                return None
            bounds.append(bounds[-1] if value is None else value)
        found.append(_Side(*bounds[1:]))
    return (found[0], found[1]) if len(found) == 2 else None


def _intervals(base: Sequence[Bounds], lower: _Side, upper: _Side) -> list[Bounds] | None:
    """Return all intervals of a level, in order; None if they do not cover the range one after the other."""
    first = (lower.snap, _around(base, lower.repeat)[1])
    last = (_around(base, upper.repeat - 1)[0], upper.snap)
    if first[1] > last[0]:
        first = last = (first[0], last[1])
    found: list[Bounds] = []
    at = lower.limit
    while at < upper.limit:
        if at < lower.snap:
            bounds = (lower.limit, lower.snap)
        elif at >= upper.snap:
            bounds = (upper.snap, upper.limit)
        else:
            bounds = _around(base, at)
            if bounds[0] < first[1]:
                bounds = first
            elif bounds[1] > last[0]:
                bounds = last
        if bounds[0] != at or bounds[1] <= at:
            return None
        found.append(bounds)
        at = bounds[1]
    return found


def _around(base: Sequence[Bounds], value: int) -> Bounds:
    """Return the interval with a value."""
    start, width = base[0][0], base[-1][1] - base[0][0]
    offset = (value - start) // width * width
    low, high = base[bisect_right(base, value - offset, key=itemgetter(1))]
    return low + offset, high + offset


def _level(level: Level, intervals: Sequence[Bounds], numbers: FloatArray, places: IntArray) -> Level | None:
    """Return a level for all numbers; None if its labels are not one for each interval."""
    codes = np.searchsorted([high for _low, high in intervals], numbers, side="right")
    is_present = places >= 0
    pairs = set(zip(codes[is_present].tolist(), level.codes[places[is_present]].tolist(), strict=True))
    label_of = dict(pairs)
    if len(label_of) < len(pairs) or len(set(label_of.values())) < len(pairs):
        return None
    labels = [
        level.labels[label_of[code]] if code in label_of else f"[{low}, {high}["
        for code, (low, high) in enumerate(intervals)
    ]
    if len(set(labels)) < len(labels):
        return None
    return Level(tuple(labels), codes.astype(np.int32))


def _with_missing(whole: Hierarchy, hierarchy: Hierarchy) -> Hierarchy:
    """Return a hierarchy with the row for missing values, if ARX's has one."""
    row = hierarchy.index.get(_MISSING)
    if row is None:
        return whole
    levels = []
    for level, before in zip(whole.levels, hierarchy.levels, strict=True):
        label = before.labels[before.codes[row]]
        labels = level.labels if label in level.index else (*level.labels, label)
        code = np.int32(labels.index(label))
        levels.append(Level(labels, np.append(level.codes, code).astype(np.int32)))
    return Hierarchy(tuple(levels))


_DIGITS = "0123456789"


def states_alphabet(builder: JavaObject) -> bool:
    """Return whether a builder of masked texts states how many texts there could be."""
    return builder.name.endswith("RedactionBased") and None not in _stated(builder)


def with_whole_alphabet(hierarchy: Hierarchy, builder: JavaObject) -> Hierarchy | None:
    """Return a hierarchy of ARX with all texts of digits of its length as values.

    Parameters
    ----------
    hierarchy : Hierarchy
        As the project stores it: with the values of the table only.
    builder : JavaObject
        ARX's HierarchyBuilderRedactionBased that states an alphabet.

    Returns
    -------
    Hierarchy or None
        None if the alphabet is not that of the digits, the domain is not all of its texts of one length,
        there are more than `MOST_VALUES`, or the hierarchy does not mask one more character on each level.
    """
    stated = _stated(builder)
    if not all(isinstance(number, int | float) and number == number // 1 for number in stated):
        return None
    n_texts, n_letters, length = map(int, stated)
    is_known = n_letters == len(_DIGITS) and 0 < length < 10 and n_texts == n_letters**length
    if not is_known or n_texts > MOST_VALUES:
        return None
    if hierarchy.height > length or not all(_is_code(value, length) for value in hierarchy.values):
        return None
    numbers = np.arange(n_texts)
    texts = tuple(f"{number:0{length}}" for number in numbers.tolist())
    levels = [Level(texts, numbers.astype(np.int32))]
    masked: set[int] = set()
    for height, level in enumerate(hierarchy.levels[1:], start=1):
        labels = [level.labels[code] for code in level.codes.tolist()]
        if height == length and len(set(labels)) == 1:  # all texts behind one label, however it is written
            levels.append(Level((labels[0],), np.zeros(len(numbers), dtype=np.int32)))
            continue
        found = _masked(hierarchy.values, labels)
        if found is None or len(found[0]) != height or not masked <= found[0]:
            return None
        masked, mark = found
        rest = numbers.copy()  # the number with zeros for masked digits
        for place in masked:
            power = 10 ** (length - 1 - place)
            rest -= numbers // power % 10 * power
        keys, codes = np.unique(rest, return_inverse=True)
        own = tuple(_with_mask(f"{key:0{length}}", masked, mark) for key in keys.tolist())
        levels.append(Level(own, codes.astype(np.int32)))
    return Hierarchy(tuple(levels))


def _stated(builder: JavaObject) -> tuple[Any, Any, Any]:
    """Return how many texts, letters of the alphabet and letters of a text a builder states; None for not."""
    number, letters, length = (
        plain(builder.fields.get(name)) for name in ("domainSize", "alphabetSize", "maxValueLength")
    )
    return number, letters, length


def _is_code(value: str, length: int) -> bool:
    return len(value) == length and value.isascii() and value.isdigit()


def _masked(values: tuple[str, ...], labels: list[str]) -> tuple[set[int], str] | None:
    """Return the masked places and their character; None if labels are not values masked alike."""
    mark = next((letter for letter in labels[0] if letter not in _DIGITS), None)
    if mark is None:
        return None
    places = {place for place, letter in enumerate(labels[0]) if letter == mark}
    are_same = all(
        _with_mask(value, places, mark) == label for value, label in zip(values, labels, strict=True)
    )
    return (places, mark) if are_same else None


def _with_mask(text: str, places: set[int], mark: str) -> str:
    return "".join(mark if place in places else letter for place, letter in enumerate(text))
