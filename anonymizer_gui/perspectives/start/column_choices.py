"""User's choices for the columns of a file: selection, names, order and types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.table import Column, Table
from engine.table.columns_taken import TakenColumn
from engine.table.misfits import Misfits
from engine.table.options import ReadOptions
from engine.table.types import DataType


@dataclass(eq=False)
class ColumnChoice:
    """One column of the file.

    Attributes
    ----------
    place : int
        Position in the file, from 1.
    source : str
        Name in the file.
    name : str
        Name in the table.
    column : Column or None
        Column as read without choices for its cells; None if it was never read.
    wanted : DataType or None
        Type chosen by the user; None for the detected one.
    misfits : Misfits or None
        Cells that do not parse as the chosen type, or as the type of nearly all cells.
    missing : set of str
        Values among those that are read as missing.
    """

    place: int
    source: str
    name: str
    is_taken: bool = True
    column: Column | None = None
    wanted: DataType | None = None
    misfits: Misfits | None = None
    missing: set[str] = field(default_factory=set)

    @property
    def n_undecided(self) -> int:
        """Number of cells that prevent the chosen type, or the type of nearly all cells."""
        if self.misfits is None:
            return 0
        return sum(n for value, n in self.misfits.values if value not in self.missing)

    @property
    def type_given(self) -> DataType | None:
        """Type for reading the column; None if it is detected or a cell does not fit."""
        return None if self.n_undecided else self.wanted

    def forget_type(self) -> None:
        """Return to the detected type."""
        self.wanted, self.misfits = None, None
        self.missing.clear()


def choices_for(
    table: Table, before: ReadOptions = ReadOptions(), chosen: ReadOptions | None = None
) -> list[ColumnChoice]:
    """Return the columns of a completely read table, named and selected as in earlier options.

    Parameters
    ----------
    table : Table
    before : ReadOptions
        Options of the table that this one replaces; columns that no longer exist are ignored.
    chosen : ReadOptions or None
        Earlier choices for the same file; types, missing cells and omitted columns are restored too.
    """
    before = chosen or before
    choices = [ColumnChoice(i, name, name) for i, name in enumerate(table.names, start=1)]
    for choice in choices:
        choice.column = table.column(choice.source)
    if before.take:
        by_source: dict[str | int, ColumnChoice] = {choice.source: choice for choice in choices}
        by_source |= {choice.place: choice for choice in choices}
        known = [(by_source[t.source], t.name) for t in before.take if t.source in by_source]
        for choice, name in known:
            choice.name = name
        first = [choice for choice, _ in known]
        choices = [*first, *(choice for choice in choices if choice not in first)]
    if chosen is not None:
        for choice in choices:
            taken = {t.source for t in chosen.take}
            choice.is_taken = not taken or bool(taken & {choice.source, choice.place})
            choice.wanted = chosen.types.get(choice.name)
            choice.missing = set(chosen.column_missing.get(choice.name, ()))
    return choices


def with_columns(options: ReadOptions, choices: Sequence[ColumnChoice], *, by_place: bool) -> ReadOptions:
    """Return options that also have the choices for columns.

    Parameters
    ----------
    options : ReadOptions
    choices : sequence of ColumnChoice
        In table order.
    by_place : bool
        Whether columns are identified by their position, as in files with unnamed columns.
    """
    taken = [choice for choice in choices if choice.is_taken]
    is_plain = all(
        choice.is_taken and choice.place == i and choice.name == choice.source
        for i, choice in enumerate(choices, start=1)
    )
    take = tuple(TakenColumn(c.place if by_place else c.source, c.name) for c in taken)
    types = {c.name: given for c in taken if (given := c.type_given) is not None}
    missing = {c.name: tuple(sorted(c.missing)) for c in taken if c.missing}
    return replace(options, take=() if is_plain else take, types=types, column_missing=missing)
