"""Table: a hierarchy that stands in a file, one line per value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.errors import HierarchyError, ParameterError
from engine.hierarchies.builders.base import ALONE, Around, HierarchyBuilder, builders
from engine.hierarchies.files import read_lines
from engine.hierarchies.hierarchy import SUPPRESSED, Hierarchy, Level
from engine.params import Choice, FilePath, Flag, Text, param
from engine.table import Column

DIRECTIONS = (
    ("value_first", "value first, then level by level"),
    ("value_last", "top first, the value last"),
)
FILES = "Tables (*.csv *.tsv *.txt);;All files (*)"


@builders.register("table")
@dataclass(frozen=True, slots=True)
class TableBuilder(HierarchyBuilder):
    """Read the levels of every value from a file: 01067;Dresden;Saxony;East.

    Unlike an import, the file is read anew whenever the recipe is. Values of the column that the file
    lacks stay themselves below the top; values of the file that the column lacks are kept.
    """

    title: ClassVar[str] = "Table of levels"
    summary: ClassVar[str] = "Reads the groups of each value from a file with one line per value."

    path: str | None = param(
        None,
        FilePath(label="File", filters=FILES, help="One line per value, with its group on each level."),
    )
    direction: str = param(
        "value_first",
        Choice(label="Order", options=DIRECTIONS, help="Whether lines begin or end with the value."),
    )
    header: bool = param(False, Flag(label="First line holds titles", help="The first line is no value."))
    delimiter: str | None = param(
        None,
        Text(
            label="Delimiter",
            length=1,
            help="What separates the fields of a line; detected if absent.",
            section="File",
            is_advanced=True,
        ),
    )
    encoding: str | None = param(
        None,
        Text(
            label="Encoding",
            help="How the file stores letters, such as cp1252; detected if absent.",
            section="File",
            is_advanced=True,
        ),
    )

    def accepts(self, column: Column) -> bool:
        """Every column."""
        return True

    def unplaced(self, column: Column, around: Around = ALONE) -> tuple[str, ...]:
        """Return the values that the file lacks."""
        return tuple(self._read(around).gaps(column))

    def build(self, column: Column, around: Around = ALONE) -> Hierarchy:
        """Build the levels of the file, and `*` where they do not end in it."""
        hierarchy = self._read(around)
        if hierarchy.top_label != SUPPRESSED:
            star = Level((SUPPRESSED,), np.zeros(hierarchy.n_leaves, dtype=np.int32))
            hierarchy = Hierarchy((*hierarchy.levels, star))
        return hierarchy.extended(column.labels)

    def _read(self, around: Around) -> Hierarchy:
        if self.path is None:
            raise ParameterError("No file is chosen.", hint="Choose a table of levels.", parameter="path")
        path = around.located(self.path)
        lines = read_lines(path, delimiter=self.delimiter, encoding=self.encoding)[int(self.header) :]
        if not lines:
            raise HierarchyError(f"{path.name} has no line below its titles.", hint="It needs one per value.")
        is_reversed = self.direction == "value_last"
        return Hierarchy.from_rows(
            [row[::-1] if is_reversed else row for _, row in lines],
            source=path.name,
            line_numbers=[number for number, _ in lines],
        )
