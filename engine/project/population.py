"""The population the records were drawn from: its size, how much of it was drawn, or its table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from engine.errors import InputError, ParameterError, TableError
from engine.table import Column, Table
from engine.table.options import ReadOptions
from engine.table.values import make_column
from engine.words import _

LARGEST = 1_000_000_000_000  # people


@dataclass(frozen=True)
class Population:
    """The people the records were drawn from; exactly one of size, sampling fraction and table is given.

    Attributes
    ----------
    size : int or None
        How many people they are, those with a record included.
    sampling_fraction : float or None
        The share of them that has a record, in (0, 1].
    table : Table or None
        Who they are: one row per person, with the quasi-identifying columns under the same names.
    path : Path or None
        The file the table was read from; None for one that a project file brought.
    options : ReadOptions
        How it was read.

    Raises
    ------
    ParameterError
        If none or several of them are given, or one is out of bounds.
    """

    size: int | None = None
    sampling_fraction: float | None = None
    table: Table | None = None
    path: Path | None = field(default=None, compare=False)
    options: ReadOptions = field(default=ReadOptions(), compare=False)

    def __post_init__(self) -> None:
        given = [value for value in (self.size, self.sampling_fraction, self.table) if value is not None]
        if len(given) != 1:
            raise ParameterError(
                _("A population is given by one thing, and here are {n}.").format(n=len(given) or "none"),
                hint=_("Give its size, or a sampling fraction, or the path of its table."),
            )
        if self.size is not None and not 1 <= self.size <= LARGEST:
            raise ParameterError(
                _("The size of a population cannot be {size!r}.").format(size=self.size),
                hint=_("It must be a whole number of people, from 1 to {LARGEST:,}.").format(LARGEST=LARGEST),
                parameter="size",
            )
        if self.sampling_fraction is not None and not 0 < self.sampling_fraction <= 1:
            raise ParameterError(
                _("The sampling fraction cannot be {sampling_fraction!r}.").format(
                    sampling_fraction=self.sampling_fraction
                ),
                hint=_(
                    "It is the share of the population that has a record: above 0, at most 1 (2 % is 0.02)."
                ),
                parameter="sampling_fraction",
            )

    def size_for(self, n_records: int) -> float:
        """How many people they are, given how many have a record."""
        if self.table is not None:
            return self.table.n_records
        if self.sampling_fraction is not None:
            return n_records / self.sampling_fraction
        assert self.size is not None, "one of the three is given"
        return self.size

    def fraction_for(self, n_records: int) -> float:
        """The share of them that has a record; may exceed 1 where the population is given too small."""
        return self.sampling_fraction or n_records / self.size_for(n_records)


def with_people(column: Column, population: Population | None) -> Column:
    """The column with the values of all people too, as a builder of hierarchies reads it.

    Only the records count: a value that only people have counts none. The column itself where people are
    not known one by one, or have values that are not of its type: those are found missing from the
    hierarchy then.
    """
    people = population.table if population is not None else None
    if people is None or column.name not in people.names:
        return column
    theirs = people.column(column.name)
    texts = list(dict.fromkeys((*column.labels, *theirs.labels)))
    place = {text: number for number, text in enumerate(texts)}
    codes = [np.array([place[t] for t in c.labels], dtype=np.int32)[c.codes] for c in (column, theirs)]
    missing = column.missing_label or theirs.missing_label
    try:
        made = make_column(column.name, texts, np.concatenate(codes), column.data_type, missing)
    except TableError:
        return column
    return replace(made, codes=made.codes[: len(column.codes)])


def options_beside(options: ReadOptions) -> ReadOptions:
    """How a table beside the records is read: what makes values equal is theirs, the rest is detected."""
    return ReadOptions(decimal=options.decimal, missing=options.missing, trim=options.trim)


def without_other_columns(population: Table, table: Table) -> Table:
    """Keep the columns of a population table that the records have too; the others play no part.

    Raises
    ------
    InputError
        If none is left.
    """
    columns = tuple(column for column in population.columns if column.name in table.names)
    if not columns:
        raise InputError(
            _("The population table has no column of the table."),
            hint=_(
                "It needs the quasi-identifying columns under the same names; the table has {name}{words}."
            ).format(name=", ".join(table.names[:5]), words=", ..." if len(table.names) > 5 else ""),
        )
    return Table(columns)
