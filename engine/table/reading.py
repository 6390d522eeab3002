"""Read table files of every format into integer-coded columns, every choice detected or given."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.errors import TableError, nearest
from engine.kernels.arrays import Codes
from engine.memory import give_memory_back
from engine.monitor import SILENT, Monitor
from engine.table import reader_process
from engine.table.candidates import nearly_all_fit
from engine.table.columns_taken import TakenColumn
from engine.table.dialect import QUOTES
from engine.table.misfits import Misfits
from engine.table.number_marks import number_marks
from engine.table.raw import RawColumn, RawTable
from engine.table.sources import EXCEL_ENDINGS, PARQUET_ENDINGS, SPSS_ENDINGS
from engine.table.table import Column, Table
from engine.table.text import read_text
from engine.table.texts_at_once import has_any
from engine.table.types import DataType, Kind
from engine.table.values import (
    DECIMAL_MARKS,
    THOUSANDS_MARKS,
    could_exchange_day_and_month,
    detect_type,
    make_column,
    number_type,
)

__all__ = [
    "FILL",
    "JUDGED",
    "RAGGED",
    "REFUSE",
    "ReadOptions",
    "ReadReport",
    "Replacement",
    "TakenColumn",
    "check_options",
    "detect",
    "read_csv",
    "read_reported",
    "read_table",
    "tabled",
    "unfit",
]

_MANY = 100_000  # texts of a column, of which ordering them leaves much behind
REFUSE, FILL = "refuse", "fill"
RAGGED = (REFUSE, FILL)


@dataclass(frozen=True)
class Replacement:
    """A value that was replaced, or that was made missing (None)."""

    column: str
    old: str
    new: str | None


@dataclass(frozen=True)
class ReadOptions:
    """How a file becomes a table; None means: detect.

    Attributes
    ----------
    delimiter, encoding, decimal : str or None
        One character; a codec name; a point or a comma. Formats without a delimiter take no heed of
        it, those without an encoding of their own none of that.
    header : bool or None
        Whether the first record holds the column names; None stays for formats that always name them.
    missing : tuple of str
        Tokens read as missing; written as the first of them, as is a cell without any value in formats
        that tell it from an empty text.
    trim : bool
        Whether spaces around names and values are dropped.
    types : mapping of str to DataType
        Types by column; the others are detected from all their values.
    guessed : tuple of str
        Options that `detect` filled in without proof in the file: "encoding", "header", or
        "types.<column>" where day and month could be exchanged. Reading ignores it.
    sheet : str or None
        The sheet of a workbook; the first one that is visible if absent.
    name_columns : bool
        Whether columns of a text file or sheet whose header leaves them without a name, as exports of
        DataFrames do with their index, get one by their place; otherwise they are refused.
    quote : str or None
        The quotation mark of a text file, '"' or "'"; empty where it has none.
    comment : str
        Lines of a text file that begin so are no records; empty for none.
    skip_lines : int
        Lines of a text file, or rows of a sheet, before the header.
    thousands : str
        What may group the digits of numbers in columns of numbers; where it is empty, nothing, but it is
        detected together with a decimal mark that is not given.
    take : tuple of TakenColumn
        The columns taken, in their order; empty for all as they come.
    column_missing : mapping of str to tuple of str
        Further tokens that are missing in one column, by its name in the table.
    replacements : tuple of Replacement
        Values replaced after missing tokens were read, in this order.
    ragged : {"refuse", "fill"}
        Whether records shorter than the header are refused or filled with missing cells.
    """

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    header: bool | None = None
    missing: tuple[str, ...] = ("",)
    trim: bool = False
    types: Mapping[str, DataType] = field(default_factory=dict)
    guessed: tuple[str, ...] = field(default=(), compare=False)
    sheet: str | None = None
    name_columns: bool = False
    quote: str | None = None
    comment: str = ""
    skip_lines: int = 0
    thousands: str = ""
    take: tuple[TakenColumn, ...] = ()
    column_missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    replacements: tuple[Replacement, ...] = ()
    ragged: str = REFUSE


@dataclass(frozen=True, eq=False)
class ReadReport:
    """What reading a file did that its table does not show.

    Attributes
    ----------
    filled : tuple of int
        Records, from 0, that were shorter than the header and got missing cells.
    misfits : mapping of str to Misfits
        Cells that keep a column from a type nearly all its others have, or from one that was given and
        not held to, by its name.
    """

    filled: tuple[int, ...] = ()
    misfits: Mapping[str, Misfits] = field(default_factory=dict)


# Of a table that is judged as it is, and never written: what a release is verified against has its own names.
JUDGED = ReadOptions(name_columns=True)


def detect(path: Path | str, options: ReadOptions = ReadOptions(), monitor: Monitor = SILENT) -> ReadOptions:
    """Fill in what is left open, from all values of the file.

    An encoding that nothing proves is offered and listed in `guessed`; `read_csv` refuses to guess it.
    """
    return _read(Path(path), options, monitor, guess=True)[1]


def read_csv(path: Path | str, options: ReadOptions = ReadOptions(), monitor: Monitor = SILENT) -> Table:
    """Read a table from a file; its ending, in any case, tells the format.

    Parameters
    ----------
    path : Path or str
        Text (.csv, .tsv, .txt, each also packed with gzip), Excel, SPSS or Parquet.
    options : ReadOptions
    monitor : Monitor

    Returns
    -------
    Table
        Texts as in the file; numbers, dates and truth values of other formats as people read them;
        missing tokens become one missing value per column.

    Raises
    ------
    TableError
        The file cannot be read, is empty or not rectangular, names columns twice or not at all, or
        a value does not fit the type given for its column; names file, line and column.
    """
    return read_table(path, options, monitor)[0]


def read_table(
    path: Path | str, options: ReadOptions = ReadOptions(), monitor: Monitor = SILENT
) -> tuple[Table, ReadOptions]:
    """Read like `read_csv` and also return the options with everything detected filled in."""
    return _read(Path(path), options, monitor, guess=False)[:2]


def read_reported(
    path: Path | str,
    options: ReadOptions = ReadOptions(),
    monitor: Monitor = SILENT,
    *,
    guess: bool = False,
    holds_types: bool = True,
) -> tuple[Table, ReadOptions, ReadReport]:
    """Read like `read_table` and also tell what a person should look at.

    Parameters
    ----------
    path : Path or str
    options : ReadOptions
    monitor : Monitor
    guess : bool
        Whether an encoding that nothing proves is taken and listed in `guessed`, as `detect` does.
    holds_types : bool
        Whether a value that does not fit the type given for its column is refused; otherwise the column
        has the type that is detected, and the report tells what does not fit.
    """
    table, found, filled = _read(Path(path), options, monitor, guess=guess, holds_types=holds_types)
    return table, found, ReadReport(filled, unfit(table, found, options))


def unfit(table: Table, found: ReadOptions, given: ReadOptions) -> Mapping[str, Misfits]:
    """Return what keeps columns from a type: one that was given, or that nearly all their cells have.

    Parameters
    ----------
    table : Table
    found : ReadOptions
        What was detected.
    given : ReadOptions
        What was asked for.
    """
    misfits = dict(nearly_all_fit(table, found, given))
    for name, data_type in given.types.items():
        column = table.column(name)
        is_same = column.data_type.kind is data_type.kind
        if not (is_same and data_type.format in ("", column.data_type.format)):
            wrong = Misfits(column, data_type)
            if wrong.n_cells:
                misfits[name] = wrong
    return misfits


def _read(
    path: Path, options: ReadOptions, monitor: Monitor, *, guess: bool, holds_types: bool = True
) -> tuple[Table, ReadOptions, tuple[int, ...]]:
    check_options(options)
    monitor.step(0, 1, f"Reading {path.name}")
    raw = _raw(path, options, monitor, guess=guess)
    table, found = tabled(raw, options, monitor, holds_types=holds_types)
    monitor.step(1, 1, f"Read {path.name}")
    return table, found, raw.filled


def tabled(
    raw: RawTable, options: ReadOptions, monitor: Monitor, *, holds_types: bool = True
) -> tuple[Table, ReadOptions]:
    """Turn raw columns into a table, and fill in what was detected.

    Parameters
    ----------
    raw : RawTable
        Its columns are given up one by one, so that they are not held twice; none are left.
    options : ReadOptions
    monitor : Monitor
    holds_types : bool
        See `read_reported`.

    Raises
    ------
    TableError
        There are no records, or a value does not fit the type given for its column.
    """
    names = {column.name: None for column in raw.columns}
    told = (
        ("to give a type", options.types),
        ("with missing values of its own", options.column_missing),
        ("to replace values in", [change.column for change in options.replacements]),
    )
    for what, named in told:
        for name in named:
            if name not in names:
                raise TableError(
                    f"'{raw.name}' has no column '{name}' {what}.",
                    hint=nearest(name, tuple(names)),
                    column=name,
                )
    if not len(raw.columns[0].codes):
        raise TableError(
            f"'{raw.name}' has a header but no records.",
            hint="Choose a file with records, or say that it has no header.",
            file=raw.name,
        )
    table, decimal, thousands = _table(raw, options, monitor, holds_types=holds_types)
    guessed = [f"types.{c.name}" for c in table.columns if c.name not in options.types and _is_ambiguous(c)]
    found = dataclasses.replace(
        options,
        delimiter=raw.delimiter or options.delimiter,
        encoding=raw.encoding or options.encoding,
        decimal=decimal,
        thousands=thousands,
        header=raw.header,
        sheet=raw.sheet,
        quote=raw.quote if options.quote is None and raw.quote != '"' else options.quote,
        types={column.name: column.data_type for column in table.columns},
        guessed=(*raw.guessed, *guessed),
    )
    return table, found


def _raw(path: Path, options: ReadOptions, monitor: Monitor, *, guess: bool) -> RawTable:
    """The columns of a file, by the reader its ending names."""
    ending = path.suffix.lower()
    if ending in EXCEL_ENDINGS:
        choices: dict[str, str | int | bool | None] = {
            "sheet": options.sheet,
            "header": options.header,
            "decimal": options.decimal,
            "trim": options.trim,
            "name_columns": options.name_columns,
            "skip_rows": options.skip_lines,
        }
        if reader_process.is_apart(path):
            return reader_process.read_apart(path, monitor, options.take, **choices)
        from engine.table.excel import read_excel

        return read_excel(path, monitor, take=options.take, **choices)  # type: ignore[arg-type]
    if ending in SPSS_ENDINGS:
        if reader_process.is_apart(path):
            return reader_process.read_apart(
                path, monitor, options.take, encoding=options.encoding, trim=options.trim
            )
        from engine.table.spss import read_spss

        return read_spss(path, monitor, encoding=options.encoding, trim=options.trim, take=options.take)
    if ending in PARQUET_ENDINGS:
        from engine.table.parquet import read_parquet

        return read_parquet(path, monitor, trim=options.trim, take=options.take)
    return read_text(
        path,
        monitor,
        delimiter=options.delimiter,
        encoding=options.encoding,
        header=options.header,
        decimal=options.decimal,
        trim=options.trim,
        guess=guess,
        name_columns=options.name_columns,
        quote=options.quote,
        comment=options.comment,
        skip_lines=options.skip_lines,
        take=options.take,
        fill=options.ragged == FILL,
    )


def _table(
    raw: RawTable, options: ReadOptions, monitor: Monitor, *, holds_types: bool
) -> tuple[Table, str, str]:
    """The columns in their order, and the marks of numbers where their texts alone tell their type."""
    left: list[RawColumn | None] = list(raw.columns)
    raw.release()
    cleaned: list[_Cleaned | None] = [_cleaned(c, raw.name, options) for c in left if c is not None]
    values = [c.values if c is not None else [] for c in cleaned]
    untyped = [
        texts for c, texts in zip(cleaned, values, strict=True) if c is not None and c.data_type is None
    ]
    decimal, thousands = number_marks(untyped, options.decimal, options.thousands, raw.delimiter)
    columns: list[Column] = []
    del untyped
    for i, own in enumerate(cleaned):
        assert own is not None, "every column is ordered once"
        monitor.step(i, len(cleaned), f"Ordering {own.name}")
        given = options.types.get(own.name)
        data_type = own.data_type
        if data_type is None:
            data_type = given or detect_type(values[i], decimal, thousands)
            data_type = _with_marks(data_type, values[i], decimal, thousands)
        else:
            data_type = given or data_type  # a number of the file itself has no decimal mark
        column, left[i] = left[i], None
        assert column is not None, "and given up then"
        codes = column.codes if own.recode is None else own.recode[column.codes]
        del column
        try:
            columns.append(make_column(own.name, own.texts, codes, data_type, own.missing))
        except TableError:
            if given is None or holds_types:
                raise
            detected = own.data_type or detect_type(values[i], decimal, thousands)
            detected = _with_marks(detected, values[i], decimal, thousands)
            columns.append(make_column(own.name, own.texts, codes, detected, own.missing))
        del codes
        values[i], cleaned[i] = [], None
        if len(own.texts) > _MANY:
            give_memory_back()
    return Table(tuple(columns)), decimal, thousands


def check_options(options: ReadOptions) -> None:
    """Check that options can be obeyed.

    Raises
    ------
    TableError
        One cannot, or two contradict each other.
    """
    delimiter, quote = options.delimiter, options.quote
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0' or delimiter == quote):
        raise TableError(
            f"The delimiter cannot be {delimiter!r}.",
            hint="It must be one character, such as ; or , or a tab.",
        )
    if options.decimal not in (None, *DECIMAL_MARKS):
        raise TableError(
            f"The decimal mark cannot be {options.decimal!r}.", hint="It must be a point or a comma."
        )
    if quote not in (None, *QUOTES):
        raise TableError(
            f"The quotation mark cannot be {quote!r}.", hint="It must be \", or ', or empty for none."
        )
    if options.thousands and (
        options.thousands not in THOUSANDS_MARKS or options.thousands == options.decimal
    ):
        raise TableError(
            f"The mark between thousands cannot be {options.thousands!r}.",
            hint="It must be a point, a comma, a blank or an apostrophe, and not the decimal mark.",
        )
    if any(mark in options.comment for mark in "\r\n\0") or options.comment.startswith(('"', quote or '"')):
        raise TableError(
            f"Comments cannot begin with {options.comment!r}.",
            hint="It must be a text without line ends and quotation marks, such as #.",
        )
    if options.skip_lines < 0:
        raise TableError(
            f"{options.skip_lines} lines cannot be skipped.", hint="The number must be zero or more."
        )
    if options.ragged not in RAGGED:
        raise TableError(
            f"There is no way to read short records called '{options.ragged}'.",
            hint=nearest(options.ragged, RAGGED),
        )
    names = [column.name for column in options.take]
    for name in names:
        if not name.strip() or names.count(name) > 1:
            raise TableError(
                f"Two of the columns taken are called '{name}'."
                if name.strip()
                else "A column that is taken has no name.",
                hint="Give every column a name of its own.",
                column=name,
            )


@dataclass(frozen=True, eq=False)
class _Cleaned:
    """The texts of a column as options make them, and where each text of the file went."""

    name: str
    texts: Sequence[str]
    recode: Codes | None  # new place of each text, at the end that of no value; None: all stay
    data_type: DataType | None  # what the file says, if that still holds
    missing: str | None

    @property
    def values(self) -> Sequence[str]:
        """The texts that are values."""
        if self.missing is None or self.missing not in self.texts:
            return self.texts
        return [text for text in self.texts if text != self.missing]


def _cleaned(column: RawColumn, file: str, options: ReadOptions) -> _Cleaned:
    """Trim where asked, write missing tokens, and what has no value, as the first one; replace values."""
    tokens = (*options.missing, *options.column_missing.get(column.name, ()))
    missing = tokens[0] if tokens else None
    wanted: Sequence[str] = [text.strip() for text in column.texts] if options.trim else column.texts
    if column.has_empty and missing is None and "" in wanted:
        raise TableError(
            f"'{file}', column '{column.name}': some cells have no value and others an empty text, "
            "and nothing is to be read as missing.",
            hint="Let empty cells be read as missing.",
            file=file,
            column=column.name,
        )
    if column.has_empty:
        wanted = [*wanted, missing or ""]
    if has_any(wanted, tokens):
        known = set(tokens)
        wanted = [tokens[0] if text in known else text for text in wanted]
    changes = [change for change in options.replacements if change.column == column.name]
    is_same = not options.trim and not column.has_empty and not has_any(column.texts, tokens[1:])
    if is_same and not changes:
        return _Cleaned(column.name, column.texts, None, column.data_type, missing)
    for change in changes:
        if change.new is None and missing is None:
            raise TableError(
                f"Column '{column.name}': '{change.old}' is to be made missing, "
                "but nothing is to be read as missing.",
                hint="Let empty cells be read as missing.",
                column=column.name,
            )
        new = missing or "" if change.new is None else change.new
        wanted = [new if text == change.old else text for text in wanted]
    index: dict[str, int] = {}
    recode = np.fromiter((index.setdefault(text, len(index)) for text in wanted), np.int32, len(wanted))
    # What has no value is an empty text where nothing is missing, and then the file's type does not hold.
    has_new = bool(changes) or (missing is None and column.has_empty)
    return _Cleaned(column.name, list(index), recode, None if has_new else column.data_type, missing)


def _with_marks(data_type: DataType, labels: Sequence[str], decimal: str, thousands: str) -> DataType:
    """A type of numbers whose marks are not said, with those of the table."""
    if not data_type.is_numeric or data_type.format:
        return data_type
    if thousands and any(thousands in label for label in labels):
        return number_type(data_type.kind, decimal, thousands)
    return number_type(data_type.kind, decimal)


def _is_ambiguous(column: Column) -> bool:
    if column.data_type.kind is not Kind.DATE:
        return False
    labels = column.labels[:-1] if column.has_missing else column.labels
    return could_exchange_day_and_month(labels, column.data_type.format)
