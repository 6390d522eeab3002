"""The column is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.recoding.identifiers.base import IdentifierRule, RuleContext, Texts, identifier_rules
from engine.table import Column
from engine.words import lazy


@identifier_rules.register("drop")
@dataclass(frozen=True, slots=True)
class Drop(IdentifierRule):
    """The column is not released."""

    title: ClassVar[str] = lazy("Drop")
    summary: ClassVar[str] = lazy("The column is not released.")

    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """Nothing at all."""
        return None
