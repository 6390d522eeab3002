"""Hierarchies by the first letters of texts: Berlin, Be…, B…, *."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import (
    NO_CONTEXT,
    BuilderContext,
    Group,
    HierarchyBuilder,
    assemble,
    itself,
)
from engine.params import Integer, param
from engine.records import Column, Kind


@dataclass(frozen=True, slots=True)
class InitialsBuilder(HierarchyBuilder):
    """Keep fewer first letters on every level, before `*` hides all of them."""

    title: ClassVar[str] = "Initials"
    summary: ClassVar[str] = "Groups texts by their first letters."
    letters: int = param(
        2,
        Integer(
            label="Letters",
            minimum=1,
            maximum=20,
            help="Number of first letters that the first level keeps.",
            usual=(1, 2, 3),
        ),
    )

    def accepts(self, column: Column) -> bool:
        """Return whether the values are texts."""
        return column.data_type.kind is Kind.TEXT

    def build(self, column: Column, context: BuilderContext = NO_CONTEXT) -> Hierarchy:
        """Build a level per number of letters; the missing value remains until the last level."""
        levels = [
            [self._group(label, n, column.missing_label) for label in column.labels]
            for n in range(self.letters, 0, -1)
        ]
        return assemble(column.labels, levels)

    def _group(self, value: str, n: int, missing: str | None) -> Group:
        return itself(value) if value == missing else (("letters", value[:n]), f"{value[:n]}…")
