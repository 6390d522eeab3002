"""The research subset: the records that are released; the complete table is the population."""

from __future__ import annotations

import hmac
import secrets
from collections import Counter
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Decimal
from functools import lru_cache
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from engine.errors import InputError, ParameterError, nearest
from engine.kernels.arrays import FloatArray, IntArray
from engine.numbers import as_exact_count
from engine.privacy.differential_privacy import DifferentialPrivacy
from engine.recoding.drawing import drawn_numbers, drawn_order
from engine.records import Column, Table
from engine.records.filtering import records_where
from engine.records.options import ReadOptions
from engine.words import _


@dataclass(frozen=True)
class Subset:
    """Selection of the released records; exactly one of filter, rows, fraction, size and draw is given.

    Attributes
    ----------
    filter : str
        A condition of the filter grammar, such as ``age >= 40 and sex = 'female'``.
    rows : Table or None
        Rows to match: a record is released if it equals one of them in all columns they have. Each row
        matches one record, so a row that occurs twice matches two.
    fraction, size : float, int or None
        Size of a random sample: floor(fraction * n) on the decimal as typed, or a number.
    seed : int
        Seed of the sample; the same records on every platform.
    draw : DifferentialPrivacy or None
        Model with the probability by which each record is drawn, independently of the others.
    key : str
        Secret of that draw, in hexadecimal: who knows it knows who was drawn.
    path : Path or None
        File that the rows were read from.
    options : ReadOptions
        How it was read.

    Raises
    ------
    ParameterError
        None or several are given, or one is out of bounds.
    """

    filter: str = ""
    rows: Table | None = None
    fraction: float | None = None
    size: int | None = None
    seed: int = 0
    draw: DifferentialPrivacy | None = None
    key: str = field(default="", repr=False)
    path: Path | None = field(default=None, compare=False)
    options: ReadOptions = field(default=ReadOptions(), compare=False)

    def __post_init__(self) -> None:
        others = (self.rows, self.fraction, self.size, self.draw)
        given = [bool(self.filter.strip()), *(value is not None for value in others)]
        if sum(given) != 1:
            raise ParameterError(
                _("A subset needs exactly one of filter, rows, fraction and size."),
                hint=_("Give a filter, the path of a file of rows, a fraction, or a size."),
            )
        if self.fraction is not None and not 0 < self.fraction <= 1:
            raise ParameterError(
                _("Subset fraction cannot be {fraction!r}.").format(fraction=self.fraction),
                hint=_("It must be above 0 and at most 1 (10 % is 0.1)."),
                parameter="fraction",
            )
        if self.size is not None and self.size < 1:
            raise ParameterError(
                _("Subset size cannot be {size!r}.").format(size=self.size),
                hint=_("It must be a whole number of at least 1."),
                parameter="size",
            )
        if self.seed < 0:
            raise ParameterError(
                _("Subset seed cannot be {seed!r}.").format(seed=self.seed),
                hint=_("It must be a whole number of at least 0."),
                parameter="seed",
            )


def records_of(subset: Subset, table: Table) -> IntArray:
    """Find the records of a subset.

    Returns
    -------
    ndarray of int64
        Numbers of the records, in increasing order, at least one.

    Raises
    ------
    InputError
        The filter cannot be read, a row matches no record, or no record is selected; or records of a
        counted table are selected otherwise than by a filter.
    """
    n_records = table.n_records
    if table.counts is not None and not subset.filter:
        raise InputError(
            _("The records of this table are only counted, so none can be selected one by one."),
            hint=_("Use a filter as the subset."),
        )
    if subset.draw is not None:
        drawn = np.flatnonzero(secret_numbers(n_records, subset.key) < subset.draw.beta)
        if not len(drawn):
            raise InputError(
                _("No record was drawn."), hint=_("Raise ε or the share of β, or use a larger table.")
            )
        return drawn
    if subset.rows is not None:
        return matching_records(subset.rows, table)
    if subset.filter:
        chosen = np.flatnonzero(records_where(table, subset.filter))
        if not len(chosen):
            raise InputError(
                _("No record meets the filter of the subset."),
                hint=_("The filter is: {filter}").format(filter=subset.filter),
                filter=subset.filter,
            )
        return chosen
    size = subset.size
    if size is None:
        # repr gives the shortest decimal of a float, which is what was typed.
        size = int((Decimal(repr(subset.fraction)) * n_records).to_integral_value(ROUND_FLOOR))
        if size < 1:
            raise InputError(
                _("A fraction of {fraction!r} of {n} records is less than one record.").format(
                    fraction=subset.fraction, n=as_exact_count(n_records)
                ),
                hint=_("Choose a larger fraction, or give the size of the subset."),
            )
    if size > n_records:
        raise InputError(
            _("A subset of {size} records cannot be drawn from {n_records}.").format(
                size=as_exact_count(size), n_records=as_exact_count(n_records)
            ),
            hint=_("Choose a size of at most {n_records}.").format(n_records=as_exact_count(n_records)),
        )
    return draw_sample(n_records, size, subset.seed)


@dataclass(frozen=True)
class SubsetSize:
    """Number of records in a subset, and size of its population."""

    n_records: int
    n_people: int

    @property
    def fraction(self) -> float:
        """Share of the population that is released."""
        return self.n_records / self.n_people


def size_of(subset: Subset, table: Table) -> SubsetSize:
    """Count the records of a subset before it is set; raises like `records_of`."""
    return SubsetSize(len(records_of(subset, table)), table.n_records)


def subset_of(table: Table, subset: Subset) -> Table:
    """Return the table of a subset's records; the same object while table and subset do not change.

    Unchanged columns stay the same objects too, so that results computed from them remain valid.
    """
    known = _tables.get(table)
    if known is not None and known[0] == subset:
        return known[1]
    records = records_of(subset, table)
    taken = Table(tuple(_taken(column, records) for column in table.columns))
    _tables[table] = (subset, taken)  # several threads may get here; each returns its own result
    return taken


_tables: WeakKeyDictionary[Table, tuple[Subset, Table]] = WeakKeyDictionary()
_columns: WeakKeyDictionary[Column, tuple[IntArray, Column]] = WeakKeyDictionary()


def _taken(column: Column, records: IntArray) -> Column:
    known = _columns.get(column)
    if known is None or not np.array_equal(known[0], records):
        known = (records, column.take(records))
        _columns[column] = known
    return known[1]


def draw_sample(n_records: int, size: int, seed: int) -> IntArray:
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
    (start,) = drawn_numbers(0, 1, seed % (1 << 64)).tolist()
    return np.sort(drawn_order(n_records, start)[:size])


@lru_cache(maxsize=2)  # a second for a million records, and a knob asks again
def secret_numbers(n_records: int, key: str) -> FloatArray:
    """Return a number in [0, 1) for each record: the first 53 bits of HMAC-SHA-256 [1]_ of its number.

    Parameters
    ----------
    n_records : int
        Records are numbered from 0, in 8 bytes, the highest first.
    key : str
        Secret in hexadecimal.

    References
    ----------
    .. [1] Krawczyk, Bellare, Canetti (1997). HMAC: Keyed-Hashing for Message Authentication. RFC 2104.
    """
    secret = bytes.fromhex(key)
    digests = b"".join(
        hmac.digest(secret, number.to_bytes(8, "big"), "sha256")[:8] for number in range(n_records)
    )
    return (np.frombuffer(digests, dtype=">u8") >> np.uint64(11)) / 2.0**53


def new_key() -> str:
    """Return a new secret for a draw."""
    return secrets.token_hex(32)


def matching_records(rows: Table, table: Table) -> IntArray:
    """Find the records that rows match, one record per row, the first matching records first.

    Raises
    ------
    InputError
        The rows have a column that the table lacks, or a row matches no remaining record; the error names the
        first.
    """
    for name in rows.names:
        if name not in table.names:
            raise InputError(
                _("The rows of the subset have a column '{name}', which the table does not have.").format(
                    name=name
                ),
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
        row = ", ".join(
            _("{name} '{cell}'").format(name=name, cell=cell)
            for name, cell in zip(rows.names, left, strict=True)
        )
        raise InputError(
            _("{n} of {total} rows of the subset have no matching record, such as {row}.").format(
                n=as_exact_count(rows.n_records - len(chosen)), total=as_exact_count(rows.n_records), row=row
            ),
            hint=_("Every row must occur in the table as often as it is listed."),
        )
    return np.array(chosen, dtype=np.int64)


def _texts(column: Column) -> list[str | None]:
    """Return the text of every record; None if missing, which other files may write differently."""
    labels: list[str | None] = list(column.labels)
    if column.has_missing:
        labels[-1] = None
    return [labels[code] for code in column.codes.tolist()]
