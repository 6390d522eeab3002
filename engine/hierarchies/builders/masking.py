"""Masking: hide the characters of a value one after another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from engine.errors import HierarchyError
from engine.hierarchies.builders.base import (
    ALONE,
    Around,
    Group,
    HierarchyBuilder,
    assemble,
    builders,
    itself,
    known_values,
)
from engine.hierarchies.hierarchy import Hierarchy
from engine.params import Choice, Integer, Text, param
from engine.table import Column, Kind

DIRECTIONS = (("right_to_left", "the last characters first"), ("left_to_right", "the first characters first"))
_MOST_LEVELS = 100


@builders.register("masking")
@dataclass(frozen=True, slots=True)
class MaskingBuilder(HierarchyBuilder):
    """Hide more characters on every level: 32042, 3204*, 320**, ...

    Shorter values are filled up to the length of the longest on the side that is hidden first, so that
    a level never tells how long a value is. The level that would hide every character is `*`.

    A character is a code point of Unicode: a letter and the accent combined with it are two of them. Where
    a value holds the character that masks or fills up, it may share a label with others, on all levels
    above too.
    """

    title: ClassVar[str] = "Masking"
    summary: ClassVar[str] = "Hides the characters of a value step by step, as for postal codes."

    direction: str = param(
        "right_to_left",
        Choice(label="Hide", options=DIRECTIONS, help="Hide the end where the beginning says more."),
    )
    characters_per_level: int = param(
        1,
        Integer(
            label="Characters per level",
            minimum=1,
            maximum=1000,
            help="How many more characters each level hides.",
            usual=(1, 2, 3),
        ),
    )
    padding: str = param(
        "*", Text(label="Fill up with", length=1, help="The character that fills up shorter values.")
    )
    character: str = param(
        "*", Text(label="Mask", length=1, help="The character that stands for a hidden one.")
    )

    def accepts(self, column: Column) -> bool:
        """Texts, whole numbers, dates and categories."""
        return column.data_type.kind not in (Kind.DECIMAL, Kind.BOOLEAN)

    def build(self, column: Column, around: Around = ALONE) -> Hierarchy:
        """Build one level per `characters_per_level` hidden characters, the last being `*`.

        Raises
        ------
        HierarchyError
            There would be more than a hundred levels.
        """
        length = max(map(len, known_values(column)), default=0)
        n_masked = range(self.characters_per_level, length, self.characters_per_level)
        n_levels = len(n_masked) + 1
        if n_levels > _MOST_LEVELS:
            raise HierarchyError(
                f"A value of '{column.name}' has {length} characters, which makes {n_levels} levels.",
                hint=f"Hide at least {math.ceil(length / _MOST_LEVELS)} characters per level, or choose "
                "another builder.",
                column=column.name,
            )
        missing = column.missing_label
        levels = [
            [
                itself(value) if value == missing else self._masked(value, length, masked)
                for value in column.labels
            ]
            for masked in n_masked
        ]
        return assemble(column.labels, levels)

    def _masked(self, value: str, length: int, masked: int) -> Group:
        # The label decides the label of the next level, so levels nest whatever the padding is.
        if self.direction == "right_to_left":
            label = value.ljust(length, self.padding)[: length - masked] + self.character * masked
        else:
            label = self.character * masked + value.rjust(length, self.padding)[masked:]
        return ("mask", label), label
