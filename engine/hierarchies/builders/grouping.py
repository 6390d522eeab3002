"""Grouping: join values by their order, or into groups named by hand."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.errors import ParameterError
from engine.hierarchies.builders.base import (
    NO_CONTEXT,
    BuilderContext,
    Group,
    HierarchyBuilder,
    assemble,
    assemble_groups,
    builders,
    itself,
)
from engine.hierarchies.builders.group_labels import LABELS, GroupLabels
from engine.hierarchies.hierarchy import Hierarchy
from engine.hierarchies.natural_order import natural_key
from engine.params import Choice, Configurable, Integers, Texts, param
from engine.records import Column
from engine.structured_params import Groups
from engine.words import N_, _, lazy

SORTS = (
    ("type", N_("value")),
    ("natural", N_("natural order: item 2 before item 10")),
    ("records", N_("number of records, most first")),
)

NamedLevel = tuple[tuple[str, tuple[str, ...]], ...]


@builders.register("grouping")
@dataclass(frozen=True, slots=True)
class GroupingBuilder(HierarchyBuilder):
    """Join neighbours in an order, or values into named groups.

    If no order is given, values are sorted as their type says, by the numbers in them, or by records.
    With `sizes`, level 1 joins as many neighbouring values as the first size says, level 2 as many of
    those groups as the second says, and so on. With `records`, a level joins neighbours until each group
    has at least this number of records; too small a group at the end joins the last one. With `groups`, a
    level lists the members of its groups: values, or groups of the level below. What no group names stays as
    it is.
    """

    title: ClassVar[str] = lazy("Grouping")
    summary: ClassVar[str] = lazy("Merges neighbouring values level by level, or values into named groups.")

    order: tuple[str, ...] | None = param(
        None,
        Texts(
            label=N_("Order"),
            ways=(N_("Values"), N_("Records")),
            section=N_("Merge by"),
            is_advanced=True,
            help=N_("The values in order; sorted if absent."),
        ),
    )
    sort: str = param(
        "type",
        Choice(
            label=N_("Sorted by"),
            options=SORTS,
            ways=(N_("Values"), N_("Records")),
            section=N_("Merge by"),
            help=N_("The order of values if none is given."),
        ),
    )
    sizes: tuple[int, ...] = param(
        (2,),
        Integers(
            label=N_("Merged per level"),
            minimum=2,
            ways=(N_("Values"),),
            section=N_("Merge by"),
            first_level=1,
            unit=N_("at a time"),
            help=N_("How many values, then groups, each level merges."),
            usual=((2,), (2, 2), (3, 2)),
        ),
    )
    records: tuple[int, ...] | None = param(
        None,
        Integers(
            label=N_("Records per group"),
            minimum=1,
            ways=(N_("Records"),),
            section=N_("Merge by"),
            first_level=1,
            unit=N_("or more"),
            help=N_("Merges neighbours until each group has this many records; replaces “Merged per level”."),
            usual=((5,), (10,), (5, 50)),
        ),
    )
    label: str = param(
        "set",
        Choice(
            label=N_("Labels"),
            options=LABELS,
            by_example=True,
            ways=(N_("Values"), N_("Records")),
            section=N_("Merge by"),
            help=N_("Form of the labels of groups of neighbours."),
        ),
    )
    groups: tuple[NamedLevel, ...] | None = param(
        None,
        Groups(
            label=N_("Groups"),
            ways=(N_("Names"),),
            section=N_("Merge by"),
            help=N_("For each level, the label and the members of each group; replaces the settings above."),
        ),
    )

    def __post_init__(self) -> None:
        Configurable.__post_init__(self)
        if self.order is not None:
            if self.groups is not None:
                raise ParameterError(
                    _("Order and Groups cannot be used together."),
                    hint=_("Give either the order with sizes, or the groups."),
                    parameter="order",
                )
            _refuse_twice(self.order, _("Order"), "order")
        if self.records is not None:
            self._check_records(self.records)
        for number, level in enumerate(self.groups or (), start=1):
            _refuse_twice(
                (label for label, _unused in level),
                _("Groups, level {number}").format(number=number),
                "groups",
            )
            _refuse_twice(
                (m for _unused, members in level for m in members),
                _("Groups, level {number}").format(number=number),
                "groups",
            )

    def build(self, column: Column, context: BuilderContext = NO_CONTEXT) -> Hierarchy:
        """Build one level per size or list of groups, and `*`."""
        if self.groups is not None:
            return self._named(column, self.groups)
        ordered = self._ordered(column)
        known = set(ordered)
        others = [value for value in column.labels if value not in known]
        is_ranked = self.order is None and self.sort == "records"
        labels = GroupLabels(column, ordered, self.label, is_ranked=is_ranked)
        if self.records is None:
            levels = self._by_size(len(ordered))
        else:
            levels = self._by_records(column, ordered)
        # Where groups of level 1 begin; all above begin with one of them.
        starts = [0, *levels[0][:-1]] if levels and ordered else range(len(ordered))
        ends = [*starts[1:], len(ordered)] if ordered else []
        places = [
            place for place, pair in enumerate(zip(starts, ends, strict=True)) for _unused in range(*pair)
        ]
        places += range(len(starts), len(starts) + len(others))
        groups = [[*_of_each(starts, above, labels), *map(itself, others)] for above in levels]
        return assemble_groups((*ordered, *others), places, groups)

    def _ordered(self, column: Column) -> Sequence[str]:
        if self.order is not None:
            return self.order
        values = column.known_labels
        if self.sort == "natural":
            return sorted(values, key=natural_key)
        if self.sort == "records":
            counts = column.counts.tolist()
            return [values[at] for at in sorted(range(len(values)), key=lambda at: -counts[at])]
        return values

    def _by_size(self, n_values: int) -> list[list[int]]:
        """Per level where each group ends, in the order."""
        joined, levels = 1, []
        for size in self.sizes:
            joined *= size
            levels.append([*range(joined, n_values, joined), n_values])
        return levels

    def _by_records(self, column: Column, ordered: Sequence[str]) -> list[list[int]]:
        counts = dict(zip(column.labels, column.counts.tolist(), strict=True))
        totals = list(itertools.accumulate(counts.get(value, 0) for value in ordered))
        ends, levels = list(range(1, len(ordered) + 1)), []
        for least in self.records or ():
            before, kept = 0, []
            for end in ends:
                if totals[end - 1] - before >= least:
                    kept.append(end)
                    before = totals[end - 1]
            if ordered:
                ends = [*kept[:-1], len(ordered)]  # what is too few at the end joins the last group
            levels.append(ends)
        return levels

    def _check_records(self, records: tuple[int, ...]) -> None:
        if self.groups is not None:
            raise ParameterError(
                _("Records per group and Groups cannot be used together."),
                hint=_("Use only one of the two."),
                parameter="records",
            )
        if not records or any(above <= below for below, above in itertools.pairwise(records)):
            raise ParameterError(
                _("Records per group cannot be {records}.").format(records=list(records)),
                hint=_("Each level requires more records than the one below, such as 5, 50."),
                parameter="records",
            )

    def _named(self, column: Column, named: tuple[NamedLevel, ...]) -> Hierarchy:
        below = {label for level in named for label, _unused in level}
        members = {m for level in named[:1] for _unused, names in level for m in names}
        members |= {m for level in named[1:] for _unused, names in level for m in names if m not in below}
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


def _of_each(starts: Sequence[int], ends: Sequence[int], labels: GroupLabels) -> list[Group]:
    """Return the group of a level for each group of level 1, by their starts and ends."""
    found: list[Group] = []
    for start, end in itertools.pairwise((0, *ends)) if starts else ():
        group = ("group", start), labels.label(start, end)
        found += [group] * (bisect_left(starts, end) - len(found))
    return found


def _into(label: str | None, group: Group) -> Group:
    return group if label is None else (("named", label), label)


def _refuse_twice(names: Iterable[str], where: str, parameter: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ParameterError(
                _("{where}: '{name}' is listed twice.").format(where=where, name=name),
                hint=_("Keep only one of them."),
                parameter=parameter,
            )
        seen.add(name)
