"""Values keep their first or last characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.params import Integer, Text, param
from engine.recoding.rules.base import ColumnRule, RuleContext, Texts, column_rules, each_value
from engine.records import Column
from engine.words import N_, lazy


@column_rules.register("mask")
@dataclass(frozen=True, slots=True)
class Mask(ColumnRule):
    """Every value keeps its first and last characters, the others are masked; missing stays missing.

    A value that would keep all its characters is masked whole.

    Parameters
    ----------
    keep_first, keep_last : int
        Characters that stay.
    character : str
        The character written for each of the others.
    length : int
        How often it is written, whatever the value; 0 for once for each character.
    """

    title: ClassVar[str] = lazy("Mask")
    summary: ClassVar[str] = lazy("Every value keeps its first or last characters, such as *********42.")
    unprotected: ClassVar[str] = lazy("The characters that stay may be enough to identify a person.")
    is_true: ClassVar[bool] = True
    is_by_value: ClassVar[bool] = True

    keep_first: int = param(
        0,
        Integer(
            label=N_("First characters kept"),
            help=N_("From the beginning of the value."),
            maximum=100,
        ),
    )
    keep_last: int = param(
        2,
        Integer(
            label=N_("Last characters kept"),
            help=N_("From the end of the value."),
            maximum=100,
        ),
    )
    character: str = param(
        "*", Text(label=N_("Character"), help=N_("Replaces each other character."), length=1)
    )
    length: int = param(
        0,
        Integer(
            label=N_("Characters masked"),
            help=N_("The same number for all values, so that none reveals its length; 0 keeps the length."),
            maximum=100,
        ),
    )

    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """The characters that stay, around the masked ones."""
        return each_value(column, [self._masked(value) for value in column.known_labels])

    def _masked(self, value: str) -> str:
        n_masked = len(value) - self.keep_first - self.keep_last
        if n_masked <= 0:
            return self.character * (self.length or len(value))
        last = value[len(value) - self.keep_last :]
        return value[: self.keep_first] + self.character * (self.length or n_masked) + last
