"""How a value of a table is named: one word for a missing one, wherever it is shown."""

from __future__ import annotations

MISSING = "(missing)"


def value_text(value: str) -> str:
    """The value itself, or what stands for none."""
    return value or MISSING
