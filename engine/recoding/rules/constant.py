"""Every cell becomes one text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.params import Text, param
from engine.recoding.rules.base import ColumnRule, RuleContext, Texts, column_rules
from engine.records import Column
from engine.words import N_, lazy


@column_rules.register("constant")
@dataclass(frozen=True, slots=True)
class Constant(ColumnRule):
    """Every cell becomes the same text, also a missing one.

    Parameters
    ----------
    text : str
        The written text; an empty one makes every cell empty.
    """

    title: ClassVar[str] = lazy("Constant")
    summary: ClassVar[str] = lazy("Replaces every cell with the same text.")
    unprotected: ClassVar[str] = lazy("Other columns may still reveal what the cells contained.")
    is_constant: ClassVar[bool] = True

    text: str = param("x", Text(label=N_("Text"), help=N_("Text of every cell; may be empty.")))

    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """A single text for all records."""
        return (self.text,), np.zeros(len(column.codes), dtype=np.int32)
