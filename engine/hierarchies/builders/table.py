"""Table: a hierarchy read from a file with one line per value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies.builders.base import NO_CONTEXT, BuilderContext, HierarchyBuilder, builders
from engine.hierarchies.files import read_lines
from engine.hierarchies.hierarchy import SUPPRESSED, Hierarchy
from engine.params import Choice, FilePath, Flag, Text, param
from engine.records import Column
from engine.words import N_, _, lazy

DIRECTIONS = (
    ("value_first", N_("value first, then level by level")),
    ("value_last", N_("top level first, value last")),
)
FILES = N_("Tables (*.csv *.tsv *.txt);;All files (*)")


@builders.register("table")
@dataclass(frozen=True, slots=True)
class TableBuilder(HierarchyBuilder):
    """Read the levels of every value from a file: 01067;Dresden;Saxony;East.

    Unlike an import, the file is read again with the recipe. Values of the column that the file
    lacks stay themselves below the top; values of the file that the column lacks are kept.
    """

    title: ClassVar[str] = lazy("Table of levels")
    summary: ClassVar[str] = lazy("Reads the groups of each value from a file with one line per value.")

    path: str | None = param(
        None,
        FilePath(
            label=N_("File"),
            filters=FILES,
            help=N_("One line per value, with its group on each level."),
        ),
    )
    direction: str = param(
        "value_first",
        Choice(
            label=N_("Order"),
            options=DIRECTIONS,
            help=N_("Whether lines begin or end with the value."),
        ),
    )
    header: bool = param(
        False,
        Flag(label=N_("First line is a header"), help=N_("The first line is not a value.")),
    )
    delimiter: str | None = param(
        None,
        Text(
            label=N_("Delimiter"),
            length=1,
            help=N_("Character between the fields of a line; detected if absent."),
            section=N_("File"),
            is_advanced=True,
        ),
    )
    encoding: str | None = param(
        None,
        Text(
            label=N_("Encoding"),
            help=N_("Encoding of the file, such as cp1252; detected if absent."),
            section=N_("File"),
            is_advanced=True,
        ),
    )

    def unplaced(self, column: Column, context: BuilderContext = NO_CONTEXT) -> tuple[str, ...]:
        """Return the values that the file lacks."""
        return tuple(self._read(context).gaps(column))

    def build(self, column: Column, context: BuilderContext = NO_CONTEXT) -> Hierarchy:
        """Build the levels of the file, and add `*` if they do not end in it."""
        hierarchy = self._read(context)
        if hierarchy.top_label != SUPPRESSED:
            hierarchy = hierarchy.with_star()
        return hierarchy.extended(column.labels)

    def _read(self, context: BuilderContext) -> Hierarchy:
        if self.path is None:
            raise ParameterError(
                _("No file is chosen."), hint=_("Choose a table of levels."), parameter="path"
            )
        path = context.located(self.path)
        lines = read_lines(path, delimiter=self.delimiter, encoding=self.encoding)
        head, lines = (lines[0][1], lines[1:]) if self.header and lines else ([], lines)
        if not lines:
            raise HierarchyError(
                _("{name} has no line below its header.").format(name=path.name),
                hint=_("Write one line per value."),
            )
        step = -1 if self.direction == "value_last" else 1
        hierarchy = Hierarchy.from_rows(
            [row[::step] for _unused, row in lines],
            source=path.name,
            line_numbers=[number for number, _unused in lines],
        )
        return hierarchy.with_level_names(head[::step][1:], are_proposed=True)
