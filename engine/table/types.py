"""What a column is: its role, and its data type, by which its texts are ordered and measured."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.words import N_, _


class Kind(Enum):
    """Kinds of values; the words of recipes."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    DATE = "date"
    ORDERED = "ordered"


@dataclass(frozen=True, slots=True)
class DataType:
    """A kind with what it needs: a strptime format for dates, the order for ordered categories."""

    kind: Kind = Kind.TEXT
    format: str = ""
    values: tuple[str, ...] = ()

    @property
    def is_numeric(self) -> bool:
        """Whether values are numbers."""
        return self.kind in (Kind.INTEGER, Kind.DECIMAL)

    @property
    def is_ordered(self) -> bool:
        """Whether the values have an order of their own (all kinds but text)."""
        return self.kind is not Kind.TEXT


class Role(Enum):
    """The four roles of a column; the values are the words of recipes and reports."""

    IDENTIFYING = "identifying"
    QUASI_IDENTIFYING = "quasi-identifying"
    SENSITIVE = "sensitive"
    INSENSITIVE = "insensitive"


NO_ROLE = N_("no role yet")


def role_word(role: Role | None) -> str:
    """The word for a role; also for that of a column which nobody decided on."""
    return _(NO_ROLE) if role is None else role.value


class Decider(Enum):
    """Who decided the role of a column; the values are the words of project files."""

    PERSON = "person"
    SUGGESTION = "suggestion"  # that a person took over as it stood
    OTHERS = "others"  # the recipe, which says so of all columns that it does not name
