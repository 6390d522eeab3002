"""Frequency: rare values join one group that grows level by level, or frequent ones do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.errors import ParameterError
from engine.hierarchies.builders.base import (
    NO_CONTEXT,
    BuilderContext,
    Group,
    HierarchyBuilder,
    assemble,
    builders,
    itself,
)
from engine.hierarchies.hierarchy import Hierarchy
from engine.params import Choice, Configurable, Integer, Text, param
from engine.records import Column
from engine.words import N_, _, lazy

ORDERS = (
    ("frequency", N_("number of records")),
    ("value", N_("position among the values")),
)
DIRECTIONS = (
    ("lowest_first", N_("rare or low ones first")),
    ("highest_first", N_("frequent or high ones first")),
)


@builders.register("frequency")
@dataclass(frozen=True, slots=True)
class FrequencyBuilder(HierarchyBuilder):
    """Keep what is common and join the rest: Bavaria, Saxony, other, other, other.

    Every level takes an equal share of the values into the group, before `*` takes them all: with 3
    levels over 8 values these are 2, then 4, then 6. Values with equally many records go in the order of
    the column. Levels that would take in no more values than the one below are left out.
    """

    title: ClassVar[str] = lazy("Rare values")
    summary: ClassVar[str] = lazy("Merges the rarest values into one group that grows level by level.")

    direction: str = param(
        "lowest_first",
        Choice(label=N_("Merge"), options=DIRECTIONS, help=N_("Values that the first level merges.")),
    )
    levels: int = param(
        3,
        Integer(
            label=N_("Levels"),
            minimum=1,
            maximum=50,
            help=N_("Number of steps in which values are merged before all are hidden."),
            usual=(1, 3, 10),
        ),
    )
    by: str = param(
        "frequency",
        Choice(label=N_("Order"), options=ORDERS, help=N_("What decides which values come first.")),
    )
    label: str = param("other", Text(label=N_("Group"), help=N_("Label of the merged values.")))

    def __post_init__(self) -> None:
        Configurable.__post_init__(self)
        if not self.label:
            raise ParameterError(
                _("The group needs a label."), hint=_("For example: other."), parameter="label"
            )

    def accepts(self, column: Column) -> bool:
        """Columns of at least three values."""
        return len(column.known_labels) > 2

    def build(self, column: Column, context: BuilderContext = NO_CONTEXT) -> Hierarchy:
        """Build up to `levels` levels, and `*`."""
        values = column.known_labels
        n_values = len(values)
        keys = column.counts[:n_values] if self.by == "frequency" else np.arange(n_values)
        if self.direction == "highest_first":
            keys = -keys
        # What is called like the group belongs to it from the beginning.
        is_later = np.fromiter((value != self.label for value in values), np.bool_, n_values)
        order = np.lexsort((keys, is_later)).tolist()
        places = {values[number]: place for place, number in enumerate(order)}
        steps = (round(n_values * step / (self.levels + 1)) for step in range(1, self.levels + 1))
        joined: Group = "joined", self.label
        levels = [
            [joined if places.get(value, n_values) < n_joined else itself(value) for value in column.labels]
            for n_joined in sorted({n for n in steps if 1 < n < n_values})
        ]
        return assemble(column.labels, levels)
