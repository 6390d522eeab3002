"""Taxonomy: the group of each value from another column, another file, or a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.errors import HierarchyError, ParameterError, nearest
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
from engine.params import ColumnRef, ColumnRefs, Configurable, FilePath, param
from engine.records import Column, Table
from engine.records.opening.files import read_table
from engine.structured_params import Tree, TreeNode
from engine.words import N_, _, lazy

FILES = N_(
    "Tables (*.csv *.tsv *.txt *.xlsx *.xls *.ods *.sav *.dta *.sas7bdat *.jsonl *.parquet);;All files (*)"
)


@builders.register("taxonomy")
@dataclass(frozen=True, slots=True)
class TaxonomyBuilder(HierarchyBuilder):
    """Put each value into the group that another column names: 01067 into Saxony, Saxony into East.

    The other columns are those of the table, or of a second file that has the values in a column of its
    own. Every value must be in one group only, and every group in one of the next level. With a tree,
    groups hold groups or values; a value that is not as deep as others stays itself on the low levels.
    """

    title: ClassVar[str] = lazy("Taxonomy")
    summary: ClassVar[str] = lazy(
        "Reads the group of each value from another column, a second file, or a tree."
    )

    from_column: str | None = param(
        None,
        ColumnRef(
            label=N_("Group in column"),
            role="",
            is_open=True,
            help=N_("Column with the group of each value, in the table or in the file."),
            section=N_("Groups from"),
            ways=(N_("Column"), N_("File")),
        ),
    )
    further_columns: tuple[str, ...] | None = param(
        None,
        ColumnRefs(
            label=N_("Further levels"),
            help=N_("Columns with the group of each group, level by level."),
            section=N_("Groups from"),
            ways=(N_("Column"), N_("File")),
        ),
    )
    path: str | None = param(
        None,
        FilePath(
            label=N_("File"),
            filters=FILES,
            help=N_(
                "A table with one line per value, such as postal codes and provinces, used "
                "instead of the table."
            ),
            section=N_("Groups from"),
            ways=(N_("File"),),
        ),
    )
    key_column: str | None = param(
        None,
        ColumnRef(
            label=N_("Values in column"),
            role="",
            is_open=True,
            help=N_(
                "Column of the file with the values; if absent, the one with the same name, or the first."
            ),
            section=N_("Groups from"),
            ways=(N_("File"),),
        ),
    )
    tree: tuple[TreeNode, ...] | None = param(
        None,
        Tree(
            label=N_("Tree"),
            help=N_("Groups with their groups or values."),
            section=N_("Groups from"),
            ways=(N_("Tree"),),
        ),
    )

    def __post_init__(self) -> None:
        Configurable.__post_init__(self)
        if self.tree is not None and (self.from_column or self.further_columns or self.path):
            raise ParameterError(
                _("A tree and columns cannot be used together."),
                hint=_("Give either the tree, or the column with the groups."),
                parameter="tree",
            )

    @property
    def looks_at(self) -> tuple[str, ...]:
        """The columns of the table that name groups; none if a file has them."""
        if self.path is not None or self.from_column is None:
            return ()
        return (self.from_column, *(self.further_columns or ()))

    def unplaced(self, column: Column, context: BuilderContext = NO_CONTEXT) -> tuple[str, ...]:
        """Return the values that are in no group."""
        if self.tree is not None:
            placed = {value for value, _unused in _leaves(self.tree)}
            return tuple(value for value in column.known_labels if value not in placed)
        levels = self._levels(column, context)
        return tuple(
            value
            for value, *groups in zip(column.known_labels, *levels, strict=False)
            if all(group == itself(value) for group in groups)
        )

    def build(self, column: Column, context: BuilderContext = NO_CONTEXT) -> Hierarchy:
        """Build one level per column, or per depth of the tree, and `*`."""
        if self.tree is not None:
            return _grown(column, self.tree)
        made = assemble(column.labels, self._levels(column, context))
        names = (self.from_column or "", *(self.further_columns or ()))
        return made.with_level_names(names, are_proposed=True)

    def _levels(self, column: Column, context: BuilderContext) -> list[list[Group]]:
        values = column.known_labels
        label = {value: value for value in values}
        levels = []
        for name, pairs in self._pairs(column, context):
            above = _one_each(label, pairs, name)
            label = {value: above.get(below, below) for value, below in label.items()}
            levels.append([itself(label.get(value, value)) for value in column.labels])
        return levels

    def _pairs(self, column: Column, context: BuilderContext) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Per level the name of its column, and which values of the first column occur with which there."""
        if self.path is not None:
            table, key, where = self._file(column, context)
        elif self.key_column is not None:
            raise ParameterError(
                _("“Values in column” requires a second file."),
                hint=_("Choose the file too, or remove that column."),
                parameter="key_column",
            )
        elif context.table is None:
            raise ParameterError(
                _("There is no table with the groups."),
                hint=_("Choose a file."),
                parameter="path",
            )
        else:
            table, key, where = context.table, column.name, ""
        first = self.from_column
        if first is None and self.path is not None:
            first = next((name for name in table.names if name != key), None)
        if first is None:
            raise ParameterError(
                _("No groups defined."),
                hint=_("Choose the column with the groups, or write a tree."),
                parameter="from_column",
            )
        keys = _column(table, key, where, "key_column")
        for name, parameter in (
            (first, "from_column"),
            *((n, "further_columns") for n in self.further_columns or ()),
        ):
            yield name, _together(keys, _column(table, name, where, parameter))

    def _file(self, column: Column, context: BuilderContext) -> tuple[Table, str, str]:
        assert self.path is not None, "asked for where there is one"
        path = context.located(self.path)
        table, _unused = read_table(path)
        key = self.key_column
        if key is None:
            key = column.name if column.name in table.names else table.names[0]
        return table, key, f"'{path.name}'"


def _column(table: Table, name: str, where: str, parameter: str) -> Column:
    if name not in table.names:
        raise ParameterError(
            _("{file} has no column '{name}'.").format(file=where, name=name)
            if where
            else _("The table has no column '{name}'.").format(name=name),
            hint=nearest(name, table.names),
            parameter=parameter,
        )
    return table.column(name)


def _together(keys: Column, groups: Column) -> list[tuple[str, str]]:
    """Values with the groups that records name, missing ones left out."""
    codes = np.unique(keys.codes.astype(np.int64) * len(groups.labels) + groups.codes)
    n_keys, n_groups = len(keys.known_labels), len(groups.known_labels)
    pairs = zip(*(part.tolist() for part in np.divmod(codes, max(1, len(groups.labels)))), strict=True)
    return [(keys.labels[k], groups.labels[g]) for k, g in pairs if k < n_keys and g < n_groups]


def _one_each(label: dict[str, str], pairs: Iterable[tuple[str, str]], name: str) -> dict[str, str]:
    """The group of each label of the level below."""
    above: dict[str, str] = {}
    for value, group in pairs:
        below = label.get(value)
        if below is not None and above.setdefault(below, group) != group:
            raise HierarchyError(
                _("According to the column '{name}', '{below}' is in '{above}' and in '{group}'.").format(
                    below=below, above=above[below], group=group, name=name
                ),
                hint=_("A value or group can be in one group only: correct one of the two."),
                column=name,
                value=below,
            )
    return above


def _leaves(nodes: Sequence[TreeNode], path: tuple[str, ...] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Values with the groups they are in, the outermost first."""
    for node in nodes:
        if isinstance(node, str):
            yield node, path
        else:
            yield from _leaves(node[1], (*path, node[0]))


def _grown(column: Column, tree: Sequence[TreeNode]) -> Hierarchy:
    paths = dict(_leaves(tree))
    values = list(dict.fromkeys((*column.labels, *paths)))
    height = max(map(len, paths.values()))
    levels: list[list[Group]] = []
    for depth in range(height, 0, -1):
        groups = []
        for value in values:
            path = paths.get(value, ())[:depth]
            groups.append((path, path[-1]) if len(path) == depth else itself(value))
        levels.append(groups)
    return assemble(values, levels)
