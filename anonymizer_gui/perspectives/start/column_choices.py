"""What a person chose about the columns of a file: which are taken, their names, order and types."""

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
        In the file, from 1.
    source : str
        Its name in the file.
    name : str
        What it is called in the table.
    column : Column or None
        As it was read without any choice about its cells; None while it was never taken.
    wanted : DataType or None
        The type a person wants; None for the detected one.
    misfits : Misfits or None
        The cells that do not parse as a type that is wanted, or that nearly all cells have.
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
        """How many cells keep the column from the type that is wanted, or that nearly all have."""
        if self.misfits is None:
            return 0
        return sum(n for value, n in self.misfits.values if value not in self.missing)

    @property
    def type_given(self) -> DataType | None:
        """The type the column is read with; None while it is detected or some cell does not fit."""
        return None if self.n_undecided else self.wanted

    def forget_type(self) -> None:
        """Go back to what is detected."""
        self.wanted, self.misfits = None, None
        self.missing.clear()


def choices_for(
    table: Table, before: ReadOptions = ReadOptions(), chosen: ReadOptions | None = None
) -> list[ColumnChoice]:
    """List the columns of a table that was read whole, as earlier options named and took them.

    Parameters
    ----------
    table : Table
    before : ReadOptions
        Of the table this one takes the place of; what no longer is there is left out.
    chosen : ReadOptions or None
        What was chosen for this very file; also types, missing cells and columns left out stay.
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
    """Return options that also read the columns as chosen.

    Parameters
    ----------
    options : ReadOptions
    choices : sequence of ColumnChoice
        In the order of the table.
    by_place : bool
        Whether columns are distinguished by their place, as where a file leaves some without a name.
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
