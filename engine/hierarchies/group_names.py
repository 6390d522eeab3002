"""Names that the program gives to groups, and the rule that all of them keep.

The rule, for every label that a builder or an edit writes (not for those the user entered, imported, or gave
to a builder as a parameter):

1. A label that reads as a range (20-29, [20, 30), <20, 1920-1934, 2020-03 to 2020-05) holds every value under
   it.
2. A label that is not a range never names a part of its group for the whole: it is not one of several values
or
   groups under it, nor does it list some of them and leave others out. So it lists all of them, up to
   three; of more it says nothing (Group 1) and waits for a better name. A mask (320**) does not name a part,
   since it fits all values under it; a mean and a rounded number stand for a group by definition.
3. Two groups of one level never have the same label.
4. A date that occurs is never the end of a range of dates on a level that hides days: ends are those of
   months, quarters or years. A group may then share its first or last period with its neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import count, pairwise

from engine.hierarchies.label_bounds import Form, LabelBounds, read_bounds

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+|,(?!\d{3}(?!\d))\d+)?")
_COMMA = re.compile(r", (?!week )")
_OPENING, _CLOSING = ("[", "(", "]"), ("]", ")", "[")
_NUMBERED = re.compile(r"Group \d+")
MISSING = "missing"  # what a missing value is called in a list
_NAMED = 3  # members are named up to this number


def joined_name(labels: Sequence[str], others: Iterable[str] = ()) -> str | None:
    """A name for several groups together: 20-24 and 25-29 are 20-29; else their names, if these are few.

    Parameters
    ----------
    labels : sequence of str
        At least one.
    others : iterable of str
        Their neighbours: none of it may lie within a range of several groups.

    Returns
    -------
    str or None
        None where no range holds them and they are too many to be named one by one.
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
    if len(labels) <= _NAMED:
        return ", ".join(label or MISSING for label in labels)
    return None


def group_name(labels: Sequence[str], others: Iterable[str], taken: Container[str]) -> str:
    """A name for several groups together that no other group has: after what is in them, else a number."""
    name = joined_name(labels, others)
    return numbered(taken) if name is None else unused(name, taken)


def numbered(taken: Container[str]) -> str:
    """A name that says nothing of what is in a group, so that it is true whatever is put there: Group 1."""
    return next(name for number in count(1) if (name := f"Group {number}") not in taken)


def is_numbered(label: str) -> bool:
    """Return whether a label says nothing of what is in its group."""
    return _NUMBERED.fullmatch(label) is not None


def listed(label: str) -> list[str]:
    """The names in a list of them; the comma of `[20, 30)` and that of `2020-03, week 2` part none."""
    found: list[str] = []
    for piece in _COMMA.split(label):
        if found and found[-1][:1] in _OPENING and found[-1][-1:] not in _CLOSING:
            found[-1] += f", {piece}"
        else:
            found.append(piece)
    return found


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
    """Return whether a value could lie between two of the ranges: 24 and 25 leave room for whole numbers
    only.
    """
    return any(_low(above) - _high(below) > (below.form is Form.RANGE) for below, above in pairwise(ranges))


def _is_within(label: str, joined: LabelBounds) -> bool:
    """Return whether any of a label lies between the bounds of another one."""
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
