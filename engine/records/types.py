"""Role and data type of a column; the type determines how its texts are ordered and measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Self

from engine.words import N_, _


class Kind(Enum):
    """Kinds of values; recipes store these words."""

    TEXT = N_("text")
    INTEGER = N_("integer")
    DECIMAL = N_("decimal")
    BOOLEAN = N_("boolean")
    DATE = N_("date")
    ORDERED = N_("ordered")


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


@dataclass(frozen=True)
class ValueCoding:
    """Labels of a column and of its values.

    Attributes
    ----------
    label : str
        Description of the column; empty for none.
    values : mapping of str to (float or str, str)
        By the text of each labelled value: its code, and its label in the file. The text is the label, with
        the code if several codes share the label; or the code alone, if codes are read instead of labels.
    measure : str
        "nominal", "ordinal" or "scale"; empty if unknown.
    """

    label: str = ""
    values: Mapping[str, tuple[float | str, str]] = field(default_factory=dict)
    measure: str = ""

    def trimmed(self) -> Self:
        """Return the coding of a column whose texts have no surrounding spaces."""
        values: dict[str, tuple[float | str, str]] = {}
        for text, coded in self.values.items():
            values.setdefault(text.strip(), coded)
        return replace(self, values=values)

    def as_json(self) -> str:
        """Return a text that `of_json` reads."""
        values = [[text, *coded] for text, coded in self.values.items()]
        return json.dumps([self.label, self.measure, values], ensure_ascii=False)

    @classmethod
    def of_json(cls, text: str) -> Self:
        """Return the coding that a text holds.

        Raises
        ------
        ValueError
            It is not such a text.
        """
        try:
            label, measure, listed = json.loads(text)
            values = {
                str(own): (code if isinstance(code, str) else float(code), str(shown))
                for own, code, shown in listed
            }
        except (TypeError, RecursionError) as error:
            raise ValueError("not a coding of values") from error
        return cls(str(label), values, str(measure))
