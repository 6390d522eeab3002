"""Natural order: texts by the numbers in them, item 2 before item 10."""

from __future__ import annotations

import re

_DIGITS = re.compile(r"(\d+)")


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return the sort key of a text in which numbers count by size."""
    return tuple(_key(part) for part in _DIGITS.split(text.casefold()) if part)


def _key(part: str) -> tuple[int, int, str]:
    if not part.isdecimal():
        return 1, 0, part
    digits = part.lstrip("0")
    return 0, len(digits), digits  # the longer number is the larger one, however long
