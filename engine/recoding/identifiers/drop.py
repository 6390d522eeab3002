"""The column is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.recoding.identifiers.base import IdentifierRule, RuleContext, Texts, identifier_rules
from engine.table import Column


@identifier_rules.register("drop")
@dataclass(frozen=True, slots=True)
class Drop(IdentifierRule):
    """The column is not released."""

    title: ClassVar[str] = "Drop"
    summary: ClassVar[str] = "The column is not released."

    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """Nothing at all."""
        return None
