"""The research subset: which records of the table are released; the whole table is the population."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Decimal
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError, ParameterError, nearest
from engine.kernels.arrays import IntArray
from engine.table import Column, Table
from engine.table.filtering import records_where
from engine.table.options import ReadOptions
from engine.words import _


@dataclass(frozen=True)
class Subset:
    """Which records are released; exactly one of filter, rows, fraction and size is given.

    Attributes
    ----------
    filter : str
        A condition of the filter grammar, such as ``age >= 40 and sex = 'female'``.
    rows : Table or None
        Rows to look for: a record is released if it agrees with one of them in all columns they have.
        Each row stands for one record, so a row that occurs twice takes two.
    fraction, size : float, int or None
        How many records are drawn at random: floor(fraction * n) on the decimal as typed, or a number.
    seed : int
        Of the draw; the same on every platform.
    path : Path or None
        The file the rows were read from.
    options : ReadOptions
        How it was read.

    Raises
    ------
    ParameterError
        If none or several are given, or one is out of bounds.
    """

    filter: str = ""
    rows: Table | None = None
    fraction: float | None = None
    size: int | None = None
    seed: int = 0
    path: Path | None = field(default=None, compare=False)
    options: ReadOptions = field(default=ReadOptions(), compare=False)

    def __post_init__(self) -> None:
        given = [bool(self.filter.strip()), *(v is not None for v in (self.rows, self.fraction, self.size))]
        if sum(given) != 1:
            raise ParameterError(
                _("A subset is chosen in one way, and here are {given}.").format(given=sum(given) or "none"),
                hint=_("Give a filter, or the path of a file of rows, or a fraction, or a size."),
            )
        if self.fraction is not None and not 0 < self.fraction <= 1:
            raise ParameterError(
                _("The fraction of records in a subset cannot be {fraction!r}.").format(
                    fraction=self.fraction
                ),
                hint=_("It must be above 0 and at most 1 (10 % is 0.1)."),
                parameter="fraction",
            )
        if self.size is not None and self.size < 1:
            raise ParameterError(
                _("The size of a subset cannot be {size!r}.").format(size=self.size),
                hint=_("It must be a whole number of at least 1."),
                parameter="size",
            )
        if self.seed < 0:
            raise ParameterError(
                _("The seed of a subset cannot be {seed!r}.").format(seed=self.seed),
                hint=_("It must be a whole number of at least 0."),
                parameter="seed",
            )


def records_of(subset: Subset, table: Table) -> IntArray:
    """Find the records of a subset.

    Parameters
    ----------
    subset : Subset
    table : Table

    Returns
    -------
    ndarray of int64
        Numbers of the records, in increasing order, at least one.

    Raises
    ------
    InputError
        If the filter cannot be read, a row matches no record, or no record is chosen.
    """
    n_records = table.n_records
    if subset.rows is not None:
        return matching_records(subset.rows, table)
    if subset.filter:
        chosen = np.flatnonzero(records_where(table, subset.filter))
        if not len(chosen):
            raise InputError(
                _("No record meets the filter of the subset."),
                hint=_("It is: {filter}").format(filter=subset.filter),
                filter=subset.filter,
            )
        return chosen
    size = subset.size
    if size is None:
        # repr gives back the shortest decimal of a float, which is what was typed.
        size = int((Decimal(repr(subset.fraction)) * n_records).to_integral_value(ROUND_FLOOR))
        if size < 1:
            raise InputError(
                _("A fraction of {fraction!r} of {n_records:,} records is less than one record.").format(
                    fraction=subset.fraction, n_records=n_records
                ),
                hint=_("Choose a larger fraction, or give the size of the subset."),
            )
    if size > n_records:
        raise InputError(
            _("A subset of {size:,} records cannot be drawn from {n_records:,}.").format(
                size=size, n_records=n_records
            ),
            hint=_("Choose a size of at most {n_records:,}.").format(n_records=n_records),
        )
    return drawn(n_records, size, subset.seed)


@dataclass(frozen=True)
class SubsetSize:
    """How many records a subset has, and what share of all they are."""

    n_records: int
    n_people: int

    @property
    def fraction(self) -> float:
        """The share of the population that is released."""
        return self.n_records / self.n_people


def size_of(subset: Subset, table: Table) -> SubsetSize:
    """Count what a subset would hold, before it is set; raises as `records_of`."""
    return SubsetSize(len(records_of(subset, table)), table.n_records)


def subset_of(table: Table, subset: Subset) -> Table:
    """The table of a subset's records; the same object as long as neither table nor subset changes.

    Columns in which nothing changed stay the same objects too, so that what was worked out of them
    serves on.
    """
    known = _tables.get(table)
    if known is not None and known[0] == subset:
        return known[1]
    records = records_of(subset, table)
    taken = Table(tuple(_taken(column, records) for column in table.columns))
    _tables[table] = (subset, taken)  # several threads may ask; each has what it found itself
    return taken


_tables: WeakKeyDictionary[Table, tuple[Subset, Table]] = WeakKeyDictionary()
_columns: WeakKeyDictionary[Column, tuple[IntArray, Column]] = WeakKeyDictionary()


def _taken(column: Column, records: IntArray) -> Column:
    known = _columns.get(column)
    if known is None or not np.array_equal(known[0], records):
        known = (records, column.take(records))
        _columns[column] = known
    return known[1]


_GAMMA, _FIRST, _SECOND = (np.uint64(c) for c in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def drawn(n_records: int, size: int, seed: int) -> IntArray:
    """Draw records at random without replacement, the same ones on every platform.

    Every record gets a 64-bit number by the generator SplitMix64 [1]_, started with the first number
    that the seed (modulo 2**64) gives; the records with the lowest numbers are drawn. No two records
    have the same number.

    Parameters
    ----------
    n_records, size : int
        `size` of `n_records` are drawn.
    seed : int
        At least 0.

    Returns
    -------
    ndarray of int64, shape (size,)
        Numbers of the records drawn, in increasing order.

    References
    ----------
    .. [1] Steele, Lea, Flood (2014). Fast Splittable Pseudorandom Number Generators. OOPSLA.
    """
    start = _mixed(np.array([seed % (1 << 64)], dtype=np.uint64) + _GAMMA)
    numbers = _mixed(start + np.arange(1, n_records + 1, dtype=np.uint64) * _GAMMA)
    return np.sort(np.argsort(numbers, kind="stable")[:size])


def matching_records(rows: Table, table: Table) -> IntArray:
    """Find the records that rows stand for, each row for one, the first fitting records first.

    Raises
    ------
    InputError
        If the rows have a column the table lacks, or a row fits no record that is left; names the first.
    """
    for name in rows.names:
        if name not in table.names:
            raise InputError(
                _("The rows of the subset have a column '{name}', which the table lacks.").format(name=name),
                hint=nearest(name, table.names),
                column=name,
            )
    wanted = Counter(zip(*(_texts(rows.column(name)) for name in rows.names), strict=True))
    chosen = []
    for number, cells in enumerate(zip(*(_texts(table.column(name)) for name in rows.names), strict=True)):
        if wanted.get(cells, 0):
            wanted[cells] -= 1
            chosen.append(number)
    if len(chosen) < rows.n_records:
        left = next(cells for cells, n in wanted.items() if n)
        shown = ", ".join(f"{name} '{cell}'" for name, cell in zip(rows.names, left, strict=True))
        raise InputError(
            _(
                "{n_records:,} of {n_records_2:,} rows of the subset match no record of their own, "
                "such as {shown}."
            ).format(n_records=rows.n_records - len(chosen), n_records_2=rows.n_records, shown=shown),
            hint=_("Every row must occur in the table, as often as it is listed."),
        )
    return np.array(chosen, dtype=np.int64)


def _texts(column: Column) -> list[str | None]:
    """The text of every record; None where it is missing, which is written differently in other files."""
    labels: list[str | None] = list(column.labels)
    if column.has_missing:
        labels[-1] = None
    return [labels[code] for code in column.codes.tolist()]


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _FIRST
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _SECOND
    return numbers ^ (numbers >> np.uint64(31))
