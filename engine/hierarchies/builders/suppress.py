"""The shortest hierarchy: a value is kept or hidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.hierarchies.builders.base import NO_CONTEXT, BuilderContext, HierarchyBuilder, assemble, builders
from engine.hierarchies.hierarchy import Hierarchy
from engine.records import Column
from engine.words import lazy


@builders.register("suppress")
@dataclass(frozen=True, slots=True)
class SuppressBuilder(HierarchyBuilder):
    """The value, then `*`."""

    title: ClassVar[str] = lazy("Keep or hide")
    summary: ClassVar[str] = lazy("Every value is either unchanged or replaced with *.")

    def build(self, column: Column, context: BuilderContext = NO_CONTEXT) -> Hierarchy:
        """Build the two levels."""
        return assemble(column.labels, [])
