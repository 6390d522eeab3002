"""Names for groups made by hand: after what is in them, and never one that is taken."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from engine.hierarchies.label_bounds import Form, LabelBounds, read_bounds

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+|,(?!\d{3}(?!\d))\d+)?")
_NAMED = 3  # members are named up to this number


def joined_name(labels: Sequence[str], others: Iterable[str] = ()) -> str:
    """A name for several groups together: 20-24 and 25-29 are 20-29; else their names, or how many they are.

    Parameters
    ----------
    labels : sequence of str
        At least one.
    others : iterable of str
        What stands beside them: none of it may lie within a range of several groups.
    """
    if len(labels) == 1:
        return labels[0]
    ranges = _ranges(labels)
    if ranges is not None:
        first, last = ranges[0], max(ranges, key=lambda bounds: (_high(bounds), bounds.has_high))
        joined = replace(
            first,
            high=last.high,
            high_text=last.high_text,
            has_high=last.has_high,
            reverses=first.reverses or last.reverses,
        )
        if not _has_hole(ranges) or not any(_is_within(other, joined) for other in others):
            return joined.text
    named = [label or "missing" for label in labels[:_NAMED]]
    if len(labels) <= _NAMED:
        return ", ".join(named)
    return f"{named[0]} and {len(labels) - 1} more"


def unused(name: str, taken: Container[str]) -> str:
    """The name, with a number behind it if it is taken."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    return found


def _ranges(labels: Sequence[str]) -> list[LabelBounds] | None:
    """The labels as ranges of one form from the lowest up; whole numbers in a row are one range."""
    if all(map(_NUMBER.fullmatch, labels)):
        return _runs(labels)
    found: list[LabelBounds] = []
    for label in labels:
        bounds = _bounds(label)
        if bounds is None or bounds.form is Form.ONE_SIDED or bounds.form is not (found or [bounds])[0].form:
            return None
        found.append(bounds)
    found.sort(key=lambda bounds: (_low(bounds), not bounds.has_low))
    written = next((bounds.between for bounds in found if bounds.low_text != bounds.high_text), None)
    if written is None:
        written = " to " if found[0].low_text.startswith("-") else "-"
    return [replace(bounds, between=written) for bounds in found]


def _runs(numbers: Sequence[str]) -> list[LabelBounds]:
    sized = sorted((Decimal(text.replace(",", ".")), text) for text in numbers)
    between = " to " if sized[0][1].startswith("-") else "-"
    found, begin = [], 0
    for end in range(1, len(sized) + 1):
        if end == len(sized) or sized[end][0] - sized[end - 1][0] > 1:
            (low, low_text), (high, high_text) = sized[begin], sized[end - 1]
            found.append(LabelBounds(Form.RANGE, low, high, True, True, low_text, high_text, between))
            begin = end
    return found


def _bounds(label: str) -> LabelBounds | None:
    if _NUMBER.fullmatch(label):
        size = Decimal(label.replace(",", "."))
        return LabelBounds(Form.RANGE, size, size, True, True, label, label, "")
    return read_bounds(label)


def _has_hole(ranges: Sequence[LabelBounds]) -> bool:
    """Whether something could lie between two of the ranges: 24 and 25 leave room for whole numbers only."""
    return any(_low(above) - _high(below) > (below.form is Form.RANGE) for below, above in pairwise(ranges))


def _is_within(label: str, joined: LabelBounds) -> bool:
    """Whether any of a label lies between the bounds of another one."""
    if label.isdecimal() and joined.form is Form.RANGE:  # the usual case, among very many values
        return _low(joined) <= int(label) <= _high(joined)
    bounds = _bounds(label)
    if bounds is None:
        return False
    is_below = bounds.high is not None and bounds.high < _low(joined)
    is_above = bounds.low is not None and bounds.low > _high(joined)
    if joined.form is Form.INTERVAL:  # 30 ends one and begins the next
        is_below |= bounds.high == joined.low and not (bounds.has_high and joined.has_low)
        is_above |= bounds.low == joined.high and not (bounds.has_low and joined.has_high)
    return not is_below and not is_above


def _low(bounds: LabelBounds) -> Decimal:
    assert bounds.low is not None
    return bounds.low


def _high(bounds: LabelBounds) -> Decimal:
    assert bounds.high is not None
    return bounds.high
