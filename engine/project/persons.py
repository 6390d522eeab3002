"""Which column may say which records belong to one person."""

from __future__ import annotations

from engine.table import Role

PERSON_HINT = "Make it identifying, or choose an identifying column; its role decides how it leaves."


def why_no_person(column: str, role: Role | None) -> str:
    """Return why the values of a column cannot be persons; empty if they can.

    A quasi-identifying column never can: its generalized values would form the classes whose persons it
    counts.
    """
    if role is Role.IDENTIFYING:
        return ""
    now = "without a role" if role is None else role.value
    return f"'{column}' is {now}, and persons need an identifying column."
