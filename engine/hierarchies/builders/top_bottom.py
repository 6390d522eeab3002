"""Top and bottom coding: the numbers at each end of a range become one group."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

import numpy as np

from engine.errors import HierarchyError
from engine.hierarchies.builders.base import (
    NO_CONTEXT,
    BuilderContext,
    Group,
    HierarchyBuilder,
    assemble,
    builders,
    itself,
)
from engine.hierarchies.builders.numbers import (
    Number,
    NumberTexts,
    holds_numbers,
    numbers_of,
    optional_number,
    refuse_crossed,
    typed,
)
from engine.hierarchies.hierarchy import Hierarchy
from engine.params import Configurable, Real, param
from engine.records import Column
from engine.words import N_, _, lazy


@builders.register("top_bottom")
@dataclass(frozen=True, slots=True)
class TopBottomBuilder(HierarchyBuilder):
    """Join the numbers up to a bottom and those from a top on: <= 20, 21, 22, ..., >= 80.

    The few who are very young or very old, or earn very much, are those who stand out; all others
    keep the value. If neither threshold is given, each end joins at least a share of the records.
    """

    title: ClassVar[str] = lazy("Top and bottom coding")
    summary: ClassVar[str] = lazy(
        "Merges the smallest and the largest numbers; those in between do not change."
    )

    bottom: float | None = optional_number(
        label=N_("Bottom"),
        switch=N_("One group up to"),
        help=N_("All numbers up to and including this one form one group."),
    )
    top: float | None = optional_number(
        label=N_("Top"),
        switch=N_("One group from"),
        help=N_("All numbers from this one form one group."),
    )
    share: float = param(
        0.05,
        Real(
            label=N_("Share at each end"),
            minimum=0.0,
            maximum=0.5,
            decimals=3,
            help=N_("Without bottom and top: the least share of records that each end merges; 0.05 is 5 %."),
            usual=(0.01, 0.05, 0.1),
        ),
    )

    def __post_init__(self) -> None:
        Configurable.__post_init__(self)
        refuse_crossed(self.bottom, self.top)

    def accepts(self, column: Column) -> bool:
        """Numbers, and texts of which at least half are numbers."""
        return holds_numbers(column)

    def build(self, column: Column, context: BuilderContext = NO_CONTEXT) -> Hierarchy:
        """Build the level of the joined ends, and `*`; values that are not numbers are unchanged."""
        numbers = numbers_of(column)
        bottom = None if self.bottom is None else typed(self.bottom)
        top = None if self.top is None else typed(self.top)
        if bottom is None and top is None:
            bottom, top = self._ends(column, numbers)
        texts = NumberTexts(column, numbers)
        level = []
        for value, number in zip(column.labels, numbers, strict=True):
            group: Group = itself(value)
            if number is not None and bottom is not None and number <= bottom:
                group = "bottom", f"<= {texts.text(bottom)}"
            elif number is not None and top is not None and number >= top:
                group = "top", f">= {texts.text(top)}"
            level.append(group)
        return assemble(column.labels, [level])

    def _ends(self, column: Column, numbers: list[Number]) -> tuple[Number, Number]:
        """Return the lowest bottom and the highest top beyond which a share of the numbers is."""
        if not self.share:
            return None, None
        known = sorted((number, n) for number, n in zip(numbers, column.counts.tolist(), strict=True)
                       if number is not None)  # fmt: skip
        values: list[Decimal] = [number for number, _unused in known]
        totals = np.cumsum([n for _unused, n in known])
        wanted = typed(self.share) * int(totals[-1])
        low = next(i for i, total in enumerate(totals.tolist()) if total >= wanted)
        above = (totals[-1] - totals).tolist()
        high = next(i for i in reversed(range(len(values))) if i == 0 or above[i - 1] >= wanted)
        if values[low] >= values[high]:
            raise HierarchyError(
                _("Half of '{name}' is one number, so a share of {share:g} at each end overlaps.").format(
                    name=column.name, share=self.share
                ),
                hint=_("Give a bottom and a top, or a smaller share."),
                column=column.name,
            )
        return values[low], values[high]
