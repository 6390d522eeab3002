"""Differences of the present figures from the kept ones, except the explained ones.

Texts may be worded anew; figures, which are values with a digit, may not change unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff

from tests.frozen.writing import Figure

# New place of figures by the old one. An entry is a key, or the beginning of keys before a `/`.
MOVED: Mapping[str, str] = {}
# Why figures differ, by their new place; an entry is a key or such a beginning too.
DIFFERENCES: Mapping[str, str] = {}
_MOST_LINES = 12  # of a difference
_NUMBER = re.compile(r"\d(?:[\d.,\u202f]*\d)?")


def differences(
    before: Sequence[Figure],
    now: Sequence[Figure],
    moved: Mapping[str, str] = MOVED,
    explained: Mapping[str, str] = DIFFERENCES,
    needed: set[str] | None = None,
) -> list[str]:
    """Return figures that are only before or only now, or have another value, as lines of differences.

    The entries that are needed are added to `needed`.
    """
    used: set[str] = set() if needed is None else needed
    old, new = _by_key(before, moved, used), _by_key(now, {}, used)
    found = []
    for key in dict.fromkeys((*old, *new)):
        if old.get(key) == new.get(key):
            continue
        if (reason := _entry(key, explained)) is not None:
            used.add(reason)
            continue
        lines = [*unified_diff(old.get(key, ()), new.get(key, ()), n=0, lineterm="")][2:]
        found.append("\n".join((key, *lines[:_MOST_LINES])))
    return found


def lost_numbers(before: Sequence[Figure], now: Sequence[Figure]) -> list[str]:
    """Return the numbers that a page of the window showed before and shows nowhere any more.

    A page is the first part of the second name of a key: `window/risk-wildcards/...` is of `risk`.
    """
    old, new = _numbers_of_pages(before), _numbers_of_pages(now)
    return [f"{page}: {number}" for page in old for number in sorted(old[page] - new.get(page, set()))]


def _numbers_of_pages(figures: Sequence[Figure]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for key, value in figures:
        page = key.split("/")[1].partition("-")[0]
        found.setdefault(page, set()).update(_NUMBER.findall(value))
    return found


def _by_key(figures: Sequence[Figure], moved: Mapping[str, str], used: set[str]) -> dict[str, list[str]]:
    """Return the sequence of values of each key, under its new one."""
    found: dict[str, list[str]] = {}
    for key, value in figures:
        if not _NUMBER.search(value):
            continue
        entry = _entry(key, moved)
        if entry is not None:
            used.add(entry)
        place = key if entry is None else moved[entry] + key.removeprefix(entry)
        found.setdefault(place, []).append(value)
    return found


def _entry(key: str, entries: Mapping[str, str]) -> str | None:
    """Return the longest entry for a key."""
    return next((part for part in _beginnings(key) if part in entries), None) if entries else None


def _beginnings(key: str) -> Iterator[str]:
    while key:
        yield key
        key = key.rpartition("/")[0]
