"""User's choices for the columns of a file: selection, names, order and types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.table import Column
from engine.table.columns_taken import places_of, selection
from engine.table.misfits import Misfits
from engine.table.options import ReadOptions
from engine.table.reading import Reading
from engine.table.types import DataType


@dataclass(eq=False)
class ColumnChoice:
    """One column of the file.

    Attributes
    ----------
    place : int
        Position in the file, from 1.
    source : str
        Heading in the file.
    name : str
        Name in the table.
    given_name : str
        Name before any choice: the heading, or another one if it is empty or repeated.
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
    given_name: str
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
    reading: Reading, before: ReadOptions = ReadOptions(), chosen: ReadOptions | None = None
) -> list[ColumnChoice]:
    """Return the columns of a file, named and selected as in earlier options.

    Parameters
    ----------
    reading : Reading
        With all columns.
    before : ReadOptions
        Options of the table that this one replaces; columns that no longer exist are ignored.
    chosen : ReadOptions or None
        Earlier choices for the same file; types, missing cells and omitted columns are restored too.
    """
    before = chosen or before
    headings, columns = reading.headings, reading.table.columns
    choices = [
        ColumnChoice(i, heading, column.name, column.name, column=column)
        for i, (heading, column) in enumerate(zip(headings, columns, strict=True), start=1)
    ]
    for choice in choices:
        choice.misfits = reading.misfits.get(choice.name)
    places = places_of(before.take, headings)
    first = [choices[place] for place in dict.fromkeys(places) if place is not None]
    for column, place in zip(before.take, places, strict=True):
        if place is not None:
            choices[place].name = column.name
    choices = [*first, *(choice for choice in choices if choice not in first)]
    if chosen is not None:
        for choice in choices:
            choice.is_taken = not chosen.take or choice in first
            choice.wanted = chosen.types.get(choice.name)
            choice.missing = set(chosen.column_missing.get(choice.name, ()))
    return choices


def with_columns(options: ReadOptions, choices: Sequence[ColumnChoice]) -> ReadOptions:
    """Return options that also have the choices for columns.

    Parameters
    ----------
    options : ReadOptions
    choices : sequence of ColumnChoice
        In table order.
    """
    taken = [choice for choice in choices if choice.is_taken]
    is_plain = all(
        choice.is_taken and choice.place == i and choice.name == choice.source
        for i, choice in enumerate(choices, start=1)
    )
    headings = [choice.source for choice in sorted(choices, key=lambda choice: choice.place)]
    take = selection(headings, ((choice.place - 1, choice.name) for choice in taken))
    types = {c.name: given for c in taken if (given := c.type_given) is not None}
    missing = {c.name: tuple(sorted(c.missing)) for c in taken if c.missing}
    return replace(options, take=() if is_plain else take, types=types, column_missing=missing)
