"""Names for groups made by hand: after what is in them, and never one that is taken."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

_NUMBER = r"[+-]?\d+(?:[.,]\d+)?"
_RANGE = re.compile(rf"({_NUMBER})(?:\s*(?:-|–|to)\s*({_NUMBER}))?")
_NAMED = 3  # members are named up to this number


def joined_name(labels: Sequence[str]) -> str:
    """A name for several groups together: 20-24 and 25-29 are 20-29; else their names, or how many they are.

    Parameters
    ----------
    labels : sequence of str
        At least one.
    """
    if len(labels) == 1:
        return labels[0]
    ranges = [_RANGE.fullmatch(label) for label in labels]
    if all(ranges):
        bounds = [(found[1], found[2] or found[1]) for found in ranges if found is not None]
        low = min((low for low, _ in bounds), key=_size)
        high = max((high for _, high in bounds), key=_size)
        return f"{low} to {high}" if low.startswith("-") else f"{low}-{high}"
    if len(labels) <= _NAMED:
        return ", ".join(labels)
    return f"{labels[0]} and {len(labels) - 1} more"


def unused(name: str, taken: Container[str]) -> str:
    """The name, with a number behind it if it is taken."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name} ({number})", number + 1
    return found


def _size(text: str) -> float:
    return float(text.replace(",", "."))
