"""Role and data type of a column; the type determines how its texts are ordered and measured."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.words import N_, _


class Kind(Enum):
    """Kinds of values; recipes store these words."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    DATE = "date"
    ORDERED = "ordered"


@dataclass(frozen=True, slots=True)
class DataType:
    """A kind with its details: a strptime format for dates, the order for ordered categories."""

    kind: Kind = Kind.TEXT
    format: str = ""
    values: tuple[str, ...] = ()

    @property
    def is_numeric(self) -> bool:
        """Return whether values are numbers."""
        return self.kind in (Kind.INTEGER, Kind.DECIMAL)

    @property
    def is_ordered(self) -> bool:
        """Return whether the values have an order of their own (all kinds but text)."""
        return self.kind is not Kind.TEXT


class Role(Enum):
    """The four roles of a column; recipes and reports store these words."""

    IDENTIFYING = N_("identifying")
    QUASI_IDENTIFYING = N_("quasi-identifying")
    SENSITIVE = N_("sensitive")
    INSENSITIVE = N_("insensitive")


NO_ROLE = N_("no role yet")


def role_key(role: Role | None) -> str:
    """Return the English word for a role, by which pictures and colours of roles are found."""
    return NO_ROLE if role is None else role.value


def role_word(role: Role | None) -> str:
    """Return the word for a role, or for a column without one, in the current language."""
    return _(role_key(role))


class Decider(Enum):
    """Origin of the role of a column; project files store these words."""

    PERSON = "person"
    SUGGESTION = "suggestion"  # accepted by the user without a change
    OTHERS = "others"  # the recipe, which gives a role to all columns that it does not name
