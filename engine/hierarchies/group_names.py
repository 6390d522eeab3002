"""Names that the program gives to groups, and the rule that all of them keep.

The rule, for every label that a builder or an edit writes (not for those the user entered, imported, or gave
to a builder as a parameter):

1. A label that reads as a range (20-29, [20, 30), <20, 1920-1934, 2020-03 to 2020-05) holds every value under
   it.
2. A label that is not a range never names a part of its group for the whole: it is not one of several values
   or groups under it, nor does it list some of them and leave others out. So it lists all of them, up to
   three; of more it says nothing (Group 1) and waits for a better name. A mask (320**) does not name a part,
   since it fits all values under it; a mean and a rounded number stand for a group by definition.
3. Two groups of one level never have the same label.
4. A date that occurs is never the end of a range of dates on a level that hides days: ends are those of
   months, quarters or years. A group may then share its first or last period with its neighbour.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from itertools import count

_COMMA = re.compile(r", (?!week )")
_OPENING, _CLOSING = ("[", "(", "]"), ("]", ")", "[")
_NUMBERED = re.compile(r"Group \d+")
MISSING = "missing"  # what a missing value is called in a list
_NAMED = 3  # members are named up to this number


def group_name(labels: Sequence[str], taken: Iterable[str], before: Iterable[str] = ()) -> str:
    """Return an unused name for several groups together: their names, if these are few, or a number.

    `engine.hierarchies.follow` finds a better one for values that can be ordered.

    Parameters
    ----------
    labels : sequence of str
        At least one.
    before : iterable of str
        Labels before an edit; a group that gets one of them would seem to be that group.
    """
    if len(labels) == 1:
        return unused(labels[0], set(taken))
    known = {*taken, *before}
    if len(labels) > _NAMED:
        return numbered(known)
    return unused(", ".join(label or MISSING for label in labels), known)


def numbered(taken: Container[str]) -> str:
    """Return a name that is true of any content, such as Group 1."""
    return next(name for number in count(1) if (name := f"Group {number}") not in taken)


def is_numbered(label: str) -> bool:
    """Return whether a label says nothing about its group."""
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
