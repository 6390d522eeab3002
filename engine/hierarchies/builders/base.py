"""Interface of hierarchy builders, and their registry."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine import plugins
from engine.errors import HierarchyError
from engine.hierarchies.hierarchy import SUPPRESSED, Hierarchy, Level
from engine.hierarchies.problems import coded
from engine.params import Configurable
from engine.records import Column, Table
from engine.registry import Registry
from engine.words import N_, _

Group = tuple[Hashable, str]
"""A group of one level: a key that no other group has, and its label."""


@dataclass(frozen=True)
class BuilderContext:
    """Context of a builder besides its column.

    Attributes
    ----------
    table : Table or None
        The table of the column.
    folder : Path or None
        What relative paths of files are relative to; the working folder if absent.
    """

    table: Table | None = None
    folder: Path | None = None

    def located(self, path: str) -> Path:
        """Return the path of a file."""
        return Path(path) if self.folder is None else self.folder / path


NO_CONTEXT = BuilderContext()


class HierarchyBuilder(Configurable):
    """Makes a hierarchy for the values of a column.

    Attributes
    ----------
    title : str
        Name in menus.
    summary : str
        One sentence on what it does.
    """

    __slots__ = ()
    summary: ClassVar[str] = ""

    @property
    def looks_at(self) -> tuple[str, ...]:
        """Columns of the table that it reads in addition to its own."""
        return ()

    def accepts(self, column: Column) -> bool:
        """Return whether the builder makes sense for the column; by default it does for every one."""
        return True

    @abstractmethod
    def build(self, column: Column, context: BuilderContext = NO_CONTEXT) -> Hierarchy:
        """Build the hierarchy; the last level is `*`.

        The missing value, and values the builder cannot place, stay themselves below the top. Most
        builders need the column only; those that look at another column find both in the table.

        Raises
        ------
        HierarchyError
            The parameters and the values do not go together.
        """

    def unplaced(self, column: Column, context: BuilderContext = NO_CONTEXT) -> tuple[str, ...]:
        """Return the values that stay themselves below the top since the builder cannot place them.

        The missing value is none of them.
        """
        return ()


builders: Registry[HierarchyBuilder] = Registry(
    "engine.hierarchies.builders",
    N_("hierarchy builder"),
    group=plugins.BUILDERS,
    base=HierarchyBuilder,
    methods=("accepts", "build"),
)


def itself(value: str) -> Group:
    """Return the group of a value that stays unchanged."""
    return ("value", value), value


def assemble(values: Sequence[str], levels: Sequence[Sequence[Group]]) -> Hierarchy:
    """Put levels over values and `*` on top.

    Parameters
    ----------
    values : sequence of str
        The leaves, all different.
    levels : sequence of sequences of Group
        Per level above the leaves and below the top, the group of each value.

    Raises
    ------
    HierarchyError
        Two groups of one level would have the same label, one has none, or a level does not coarsen the
        one below.
    """
    for number, groups in enumerate(levels, start=1):
        different = set(groups)
        if len({label for _unused, label in different}) < len(different):
            raise _alike(values, groups, number)
    rows = [values, *([label for _unused, label in groups] for groups in levels), [SUPPRESSED] * len(values)]
    made = Hierarchy(tuple(Level(*coded(labels)) for labels in rows))
    if not values or made.nameless_level or any(map(_crosses, made.levels, made.levels[1:])):
        return Hierarchy.from_rows(list(zip(*rows, strict=True)))  # says what is wrong, and where
    return made


def _crosses(below: Level, above: Level) -> bool:
    """Return whether a label of one level has values under two labels of the next."""
    parents = np.empty(len(below.labels), dtype=np.int32)
    parents[below.codes] = above.codes
    return not np.array_equal(parents[below.codes], above.codes)


def _alike(values: Sequence[str], groups: Sequence[Group], number: int) -> HierarchyError:
    owners: dict[str, Hashable] = {}
    pairs = zip(values, groups, strict=True)
    value, label = next((v, label) for v, (key, label) in pairs if owners.setdefault(label, key) != key)
    return HierarchyError(
        _(
            "On level {number}, two different groups would have the label '{label}'; one of them "
            "contains '{value}'."
        ).format(number=number, label=label, value=value),
        hint=_("Choose other groups or another form of labels."),
        level=number,
        label=label,
    )


def assemble_groups(
    values: Sequence[str], places: Sequence[int], levels: Sequence[Sequence[Group]]
) -> Hierarchy:
    """Put levels over the groups of level 1, the groups over their values, and `*` on top.

    Parameters
    ----------
    values : sequence of str
        The leaves, all different.
    places : sequence of int
        The group of level 1 of each value, numbered from 0 in the order of their first values.
    levels : sequence of sequences of Group
        Per level above the leaves and below the top, the group of each group of level 1.

    Raises
    ------
    HierarchyError
        As `assemble` does.
    """
    codes = np.array(places, dtype=np.int32)
    first = np.unique(codes, return_index=True)[1]
    over_groups = assemble([values[leaf] for leaf in first.tolist()], levels)
    leaves = Level(tuple(values), np.arange(len(values), dtype=np.int32))
    made = Hierarchy(
        (leaves, *(replace(level, codes=level.codes[codes]) for level in over_groups.levels[1:]))
    )
    if made.nameless_level:  # the empty value is not alone in a group that is called after it
        return Hierarchy.from_rows(made.rows())
    return made
