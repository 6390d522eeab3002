"""The population of the records: its size, a sampling fraction, or its table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from engine.errors import InputError, ParameterError, TableError
from engine.numbers import as_exact_count
from engine.records import Column, Table
from engine.records.options import ReadOptions
from engine.records.values import make_column
from engine.words import _

LARGEST = 1_000_000_000_000  # people that saved files may name
MANKIND = 8_200_000_000  # people in 2025: United Nations, World Population Prospects 2024


@dataclass(frozen=True)
class Population:
    """The population that the records were sampled from: its size, a sampling fraction, or its table.

    Attributes
    ----------
    size : int or None
        Number of people, including those with a record.
    sampling_fraction : float or None
        Share of the population that has a record, in (0, 1].
    table : Table or None
        Population table: one row per person, with the quasi-identifying columns under the same names.
    path : Path or None
        File of the table; None for a table from a project file.
    options : ReadOptions
        How it was read.

    Raises
    ------
    ParameterError
        None or several of them are given, or one is out of bounds.
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
                _("A population needs exactly one of size, sampling fraction and table."),
                hint=_("Give its size, a sampling fraction, or the path of its table."),
            )
        if self.size is not None and not 1 <= self.size <= LARGEST:
            raise ParameterError(
                _("Population size cannot be {size!r}.").format(size=self.size),
                hint=_("It must be a whole number of people, from 1 to {limit}.").format(
                    limit=as_exact_count(LARGEST)
                ),
                parameter="size",
            )
        if self.sampling_fraction is not None and not 0 < self.sampling_fraction <= 1:
            raise ParameterError(
                _("Sampling fraction cannot be {fraction!r}.").format(fraction=self.sampling_fraction),
                hint=_(
                    "It is the share of the population that has a record: above 0, at most 1 (2 % is 0.02)."
                ),
                parameter="sampling_fraction",
            )

    def size_for(self, n_records: int) -> float:
        """Return the population size, given the number of records."""
        if self.table is not None:
            return self.table.n_records
        if self.sampling_fraction is not None:
            return n_records / self.sampling_fraction
        assert self.size is not None, "one of the three is given"
        return self.size

    def fraction_for(self, n_records: int) -> float:
        """Return the share of the population that has a record; above 1 if its size is given too small."""
        return self.sampling_fraction or n_records / self.size_for(n_records)


def with_people(column: Column, population: Population | None) -> Column:
    """Return a column with the values of the population too, as builders of hierarchies read it.

    Only the records count: a value that only the population has counts zero. The column is returned unchanged
    if the population is not known individually or has values of another type; the hierarchy then lacks these
    values.
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
    """Return how an additional table is read: values as in the records, the rest is detected."""
    return ReadOptions(
        decimal=options.decimal,
        missing=options.missing,
        trim=options.trim,
        value_labels=options.value_labels,
    )


def without_other_columns(population: Table, table: Table) -> Table:
    """Return a population table with only those columns that the records have too.

    Raises
    ------
    InputError
        No column is left.
    """
    columns = tuple(column for column in population.columns if column.name in table.names)
    if not columns:
        raise InputError(
            _("The population table has none of the columns of the table."),
            hint=_("It needs the quasi-identifying columns under the same names, such as {names}.").format(
                names=", ".join(table.names[:5])
            ),
        )
    return Table(columns)
