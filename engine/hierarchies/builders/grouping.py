"""Grouping: join values by their order, or into groups named by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.errors import ParameterError
from engine.hierarchies.builders.base import Group, HierarchyBuilder, assemble, builders, itself, known_values
from engine.hierarchies.hierarchy import Hierarchy
from engine.params import Configurable, Groups, Integers, Texts, param
from engine.table import Column

NamedLevel = tuple[tuple[str, tuple[str, ...]], ...]
_NAMED = 3  # labels name every member up to this number


@builders.register("grouping")
@dataclass(frozen=True, slots=True)
class GroupingBuilder(HierarchyBuilder):
    """Join neighbours in an order, or values into named groups.

    With `sizes`, level 1 joins as many neighbouring values as the first size says, level 2 as many of
    those groups as the second says, and so on. With `groups`, a level lists the members of its groups:
    values, or groups of the level below. What no group names stays as it is.
    """

    title: ClassVar[str] = "Grouping"
    summary: ClassVar[str] = "Joins neighbouring values step by step, or values into named groups."

    order: tuple[str, ...] | None = param(
        None, Texts(label="Order", help="The values in order; the order of the column's type if absent.")
    )
    sizes: tuple[int, ...] = param(
        (2,),
        Integers(
            label="Joined per level",
            minimum=2,
            help="How many values, then how many groups, each level joins.",
            usual=((2,), (2, 2), (3, 2)),
        ),
    )
    groups: tuple[NamedLevel, ...] | None = param(
        None,
        Groups(
            label="Groups",
            help="Per level the label of each group and its members; replaces order and sizes.",
        ),
    )

    def __post_init__(self) -> None:
        Configurable.__post_init__(self)
        if self.order is not None:
            if self.groups is not None:
                raise ParameterError(
                    "Order and Groups cannot be used together.",
                    hint="Give either the order with sizes, or the groups.",
                    parameter="order",
                )
            _refuse_twice(self.order, "Order", "order")
        for number, level in enumerate(self.groups or (), start=1):
            _refuse_twice((label for label, _ in level), f"Groups, level {number}", "groups")
            _refuse_twice((m for _, members in level for m in members), f"Groups, level {number}", "groups")

    def accepts(self, column: Column) -> bool:
        """Every column."""
        return True

    def build(self, column: Column) -> Hierarchy:
        """Build one level per size or list of groups, and `*`."""
        if self.groups is not None:
            return self._named(column, self.groups)
        ordered = self.order if self.order is not None else known_values(column)
        place = {value: i for i, value in enumerate(ordered)}
        others = [value for value in column.labels if value not in place]
        levels, joined = [], 1
        for size in self.sizes:
            joined *= size
            levels.append([self._neighbours(value, place, ordered, joined) for value in (*ordered, *others)])
        return assemble((*ordered, *others), levels)

    def _neighbours(self, value: str, place: dict[str, int], ordered: Sequence[str], joined: int) -> Group:
        if value not in place:
            return itself(value)
        number = place[value] // joined
        members = ordered[number * joined : (number + 1) * joined]
        if len(members) <= _NAMED:
            return ("group", number), ", ".join(members)
        return ("group", number), f"{members[0]} to {members[-1]} ({len(members)} values)"

    def _named(self, column: Column, named: tuple[NamedLevel, ...]) -> Hierarchy:
        below = {label for level in named for label, _ in level}
        members = {m for level in named[:1] for _, names in level for m in names}
        members |= {m for level in named[1:] for _, names in level for m in names if m not in below}
        values = [*column.labels, *sorted(members.difference(column.labels))]
        groups = [itself(value) for value in values]
        levels = []
        for level in named:
            label_of = {member: label for label, names in level for member in names}
            groups = [
                _into(label_of.get(text, label_of.get(value)), (key, text))
                for value, (key, text) in zip(values, groups, strict=True)
            ]
            levels.append(groups)
        return assemble(values, levels)


def _into(label: str | None, group: Group) -> Group:
    return group if label is None else (("named", label), label)


def _refuse_twice(names: Iterable[str], where: str, parameter: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ParameterError(
                f"{where}: '{name}' is listed twice.", hint="Keep it in one place.", parameter=parameter
            )
        seen.add(name)
