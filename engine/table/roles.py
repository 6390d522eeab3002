"""What a column means for privacy, and who decided that."""

from __future__ import annotations

from enum import Enum


class Role(Enum):
    """The four roles of a column; the values are the words of recipes and reports."""

    IDENTIFYING = "identifying"
    QUASI_IDENTIFYING = "quasi-identifying"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"


NO_ROLE = "no role yet"


def role_word(role: Role | None) -> str:
    """The word for a role; also for that of a column which nobody decided on."""
    return NO_ROLE if role is None else role.value


class Decider(Enum):
    """Who decided the role of a column; the values are the words of project files."""

    PERSON = "person"
    SUGGESTION = "suggestion"  # that a person took over as it stood
    OTHERS = "others"  # the recipe, which says so of all columns that it does not name
