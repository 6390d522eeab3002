"""The column is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.recoding.rules.base import ColumnRule, RuleContext, Texts, column_rules
from engine.records import Column
from engine.words import lazy


@column_rules.register("drop")
@dataclass(frozen=True, slots=True)
class Drop(ColumnRule):
    """The column is not released."""

    title: ClassVar[str] = lazy("Drop")
    summary: ClassVar[str] = lazy("The column is not released.")
    unprotected: ClassVar[str] = lazy("Other columns may still reveal what the column contained.")
    is_constant: ClassVar[bool] = True

    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """Nothing at all."""
        return None
