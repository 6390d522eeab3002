"""Display text of a value of a table, with one word for missing values everywhere."""

from __future__ import annotations

from engine.words import _


def value_text(value: str) -> str:
    """Return the value, or the text for a missing one."""
    return value or _("(missing)")
