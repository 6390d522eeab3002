"""The data type of a column: how its texts are ordered and measured."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


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
