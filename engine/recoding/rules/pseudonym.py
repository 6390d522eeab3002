"""Values are numbered in an order drawn at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.errors import InputError
from engine.params import Integer, Text, param
from engine.recoding.drawing import drawn_order, start_for_column
from engine.recoding.rules.base import ColumnRule, RuleContext, Texts, column_rules, each_value
from engine.records import Column
from engine.words import N_, _, lazy


@column_rules.register("pseudonym")
@dataclass(frozen=True, slots=True)
class Pseudonym(ColumnRule):
    """Every value becomes a running number, equal values the same one; missing stays missing.

    The values sorted by code points are numbered in the order of `engine.recoding.drawing.drawn_order`.

    Parameters
    ----------
    prefix : str
        Text before the number.
    digits : int
        Digits of the number, zeros in front; more if there are more values.
    """

    title: ClassVar[str] = lazy("Pseudonym")
    summary: ClassVar[str] = lazy(
        "Every value becomes a number in random order; equal values get the same number."
    )
    unprotected: ClassVar[str] = lazy(
        "Equal values keep equal numbers, so that records of one person stay recognizable as such. Frequent "
        "values can be guessed by how often they occur."
    )
    is_reversible: ClassVar[bool] = True

    prefix: str = param("P", Text(label=N_("Prefix"), help=N_("Text before the number; may be empty.")))
    digits: int = param(
        0,
        Integer(label=N_("Digits"), help=N_("Least number of digits; 0 for as many as needed."), maximum=18),
    )

    def refuse_many_values(self, column: str, n_records: int) -> None:
        """Refuse to number values that cannot be listed."""
        raise InputError(
            _("Pseudonyms number all values; '{name}' has too many.").format(name=column),
            hint=_("A keyed hash needs no list."),
            column=column,
        )

    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """A number for each value."""
        values = column.known_labels
        by_text = sorted(range(len(values)), key=values.__getitem__)
        order = drawn_order(len(values), start_for_column(context.start, column.name))
        numbers = np.empty(len(values), dtype=np.int64)
        numbers[np.array(by_text, dtype=np.int64)[order]] = np.arange(1, len(values) + 1)
        width = max(self.digits, len(str(len(values))))
        texts = [f"{self.prefix}{number:0{width}d}" for number in numbers.tolist()]
        return each_value(column, texts)
