"""Masking: hide the characters of a value one after another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from engine.errors import HierarchyError
from engine.hierarchies.builders.base import (
    NO_CONTEXT,
    BuilderContext,
    Group,
    HierarchyBuilder,
    assemble_groups,
    builders,
    itself,
)
from engine.hierarchies.hierarchy import Hierarchy
from engine.params import Choice, Integer, Text, param
from engine.records import Column, Kind
from engine.words import N_, _, lazy

DIRECTIONS = (
    ("right_to_left", N_("the last characters first")),
    ("left_to_right", N_("the first characters first")),
)
_MOST_LEVELS = 100


@builders.register("masking")
@dataclass(frozen=True, slots=True)
class MaskingBuilder(HierarchyBuilder):
    """Hide more characters on every level: 32042, 3204*, 320**, ...

    Shorter values are filled up to the length of the longest on the side that is hidden first, so that
    a level never reveals the length of a value. The level that would hide every character is `*`.

    A character is a code point of Unicode: a letter and the accent combined with it are two of them. Where
    a value holds the character that masks or fills up, it may share a label with others, on all levels
    above too.
    """

    title: ClassVar[str] = lazy("Masking")
    summary: ClassVar[str] = lazy("Hides the characters of a value level by level, as for postal codes.")

    direction: str = param(
        "right_to_left",
        Choice(
            label=N_("Hide"),
            options=DIRECTIONS,
            help=N_("Hide the less informative end first."),
        ),
    )
    characters_per_level: int = param(
        1,
        Integer(
            label=N_("Characters per level"),
            minimum=1,
            maximum=1000,
            help=N_("Number of additional characters that each level hides."),
            usual=(1, 2, 3),
        ),
    )
    padding: str = param(
        "*",
        Text(
            label=N_("Pad with"),
            length=1,
            is_advanced=True,
            help=N_("Character that pads shorter values."),
        ),
    )
    character: str = param(
        "*",
        Text(
            label=N_("Mask"),
            length=1,
            is_advanced=True,
            help=N_("Character that replaces a hidden one."),
        ),
    )

    def accepts(self, column: Column) -> bool:
        """Texts, whole numbers, dates and categories."""
        return column.data_type.kind not in (Kind.DECIMAL, Kind.BOOLEAN)

    def build(self, column: Column, context: BuilderContext = NO_CONTEXT) -> Hierarchy:
        """Build one level per `characters_per_level` hidden characters, the last being `*`.

        Raises
        ------
        HierarchyError
            There would be more than a hundred levels.
        """
        length = max(map(len, column.known_labels), default=0)
        n_masked = range(self.characters_per_level, length, self.characters_per_level)
        n_levels = len(n_masked) + 1
        if n_levels > _MOST_LEVELS:
            raise HierarchyError(
                _("A value of '{name}' has {length} characters, which results in {n_levels} levels.").format(
                    name=column.name, length=length, n_levels=n_levels
                ),
                hint=_("Hide at least {length} characters per level, or choose another builder.").format(
                    length=math.ceil(length / _MOST_LEVELS)
                ),
                column=column.name,
            )
        masked = [
            self._masked(self._padded(value, length), min(n_masked, default=0)) for value in column.labels
        ]
        keys = [*masked[:-1], None] if column.has_missing else masked
        numbered: dict[str | None, int] = {}
        places = [numbered.setdefault(text, len(numbered)) for text in keys]
        levels: list[list[Group]] = []
        for n in n_masked:
            # What is hidden on a level is hidden above, so labels of level 1 have those of all further ones.
            labels = [column.labels[-1] if text is None else self._masked(text, n) for text in numbered]
            levels.append(
                [
                    itself(label) if text is None else (("mask", label), label)
                    for text, label in zip(numbered, labels, strict=True)
                ]
            )
        return assemble_groups(column.labels, places, levels)

    def _padded(self, value: str, length: int) -> str:
        if self.direction == "right_to_left":
            return value.ljust(length, self.padding)
        return value.rjust(length, self.padding)

    def _masked(self, text: str, n: int) -> str:
        if self.direction == "right_to_left":
            return text[: len(text) - n] + self.character * n
        return self.character * n + text[n:]
