"""Read table files of every format into integer-coded columns, every choice detected or given."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine.errors import TableError, nearest
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor
from engine.table.raw import RawColumn, RawTable
from engine.table.sources import EXCEL_ENDINGS, PARQUET_ENDINGS, SPSS_ENDINGS
from engine.table.table import Column, Table
from engine.table.text import read_text
from engine.table.types import DataType, Kind
from engine.table.values import are_numbers, day_and_month_are_ambiguous, detect_type, make_column

REFUSE, FILL = "refuse", "fill"
RAGGED = (REFUSE, FILL)


@dataclass(frozen=True)
class TakenColumn:
    """A column of the file that is taken, and what it is called in the table.

    Attributes
    ----------
    source : str or int
        Its name in the file, or its place, counted from 1.
    name : str
    """

    source: str | int
    name: str


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
        What groups the digits of numbers in columns of numbers; empty for nothing.
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


# What options say that no reader obeys yet: refused with that reason, never ignored.
_LATER: Mapping[str, str] = {
    "quote": "another quotation mark",
    "comment": "comment lines",
    "skip_lines": "lines before the header",
    "thousands": "a mark between thousands",
    "take": "a choice of columns",
    "column_missing": "missing values of single columns",
    "replacements": "replaced values",
    "ragged": "records that are too short",
}

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
    return _read(Path(path), options, monitor, guess=False)


def _read(path: Path, options: ReadOptions, monitor: Monitor, *, guess: bool) -> tuple[Table, ReadOptions]:
    _check_options(options)
    monitor.step(0, 1, f"Reading {path.name}")
    raw = _raw(path, options, monitor, guess=guess)
    names = tuple(column.name for column in raw.columns)
    for name in options.types:
        if name not in names:
            raise TableError(
                f"'{raw.name}' has no column '{name}' to give a type.",
                hint=nearest(name, names),
                column=name,
            )
    if not len(raw.columns[0].codes):
        raise TableError(
            f"'{raw.name}' has a header but no records.",
            hint="Choose a file with records, or say that it has no header.",
            file=raw.name,
        )
    table, decimal = _table(raw, options, monitor)
    guessed = [f"types.{c.name}" for c in table.columns if c.name not in options.types and _is_ambiguous(c)]
    found = dataclasses.replace(
        options,
        delimiter=raw.delimiter or options.delimiter,
        encoding=raw.encoding or options.encoding,
        decimal=decimal,
        header=raw.header,
        sheet=raw.sheet,
        types={column.name: column.data_type for column in table.columns},
        guessed=(*raw.guessed, *guessed),
    )
    monitor.step(1, 1, f"Read {path.name}")
    return table, found


def _raw(path: Path, options: ReadOptions, monitor: Monitor, *, guess: bool) -> RawTable:
    """The columns of a file, by the reader its ending names."""
    ending = path.suffix.lower()
    if ending in EXCEL_ENDINGS:
        from engine.table.excel import read_excel

        return read_excel(
            path,
            monitor,
            sheet=options.sheet,
            header=options.header,
            decimal=options.decimal,
            trim=options.trim,
            name_columns=options.name_columns,
        )
    if ending in SPSS_ENDINGS:
        from engine.table.spss import read_spss

        return read_spss(path, monitor, encoding=options.encoding, trim=options.trim)
    if ending in PARQUET_ENDINGS:
        from engine.table.parquet import read_parquet

        return read_parquet(path, monitor, trim=options.trim)
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
    )


def _table(raw: RawTable, options: ReadOptions, monitor: Monitor) -> tuple[Table, str]:
    """The columns in their order, and the decimal mark of those whose texts alone tell their type."""
    coded = [_cleaned(column, raw.name, options) for column in raw.columns]
    missing = options.missing[0] if options.missing else None
    values = [[text for text in texts if text != missing] for texts, _ in coded]
    # What has no value is an empty text where nothing is missing, and then the file's type does not hold.
    known = [None if missing is None and column.has_empty else column.data_type for column in raw.columns]
    untyped = [texts for kind, texts in zip(known, values, strict=True) if kind is None]
    decimal = options.decimal or _decimal(untyped)
    columns: list[Column] = []
    for i, (own, (texts, codes)) in enumerate(zip(raw.columns, coded, strict=True)):
        monitor.step(i, len(coded), f"Ordering {own.name}")
        given = options.types.get(own.name)
        data_type = known[i]
        if data_type is None:
            data_type = _with_mark(given or detect_type(values[i], decimal), decimal)
        else:
            data_type = given or data_type  # a number of the file itself has no decimal mark
        columns.append(make_column(own.name, texts, codes, data_type, missing))
    return Table(tuple(columns)), decimal


def _check_options(options: ReadOptions) -> None:
    if options.delimiter is not None and (len(options.delimiter) != 1 or options.delimiter in '"\r\n\0'):
        raise TableError(
            f"The delimiter cannot be {options.delimiter!r}.",
            hint="It must be one character, such as ; or , or a tab.",
        )
    if options.decimal not in (None, ".", ","):
        raise TableError(
            f"The decimal mark cannot be {options.decimal!r}.", hint="It must be a point or a comma."
        )
    usual = ReadOptions()
    for name, what in _LATER.items():
        if getattr(options, name) != getattr(usual, name):
            raise TableError(
                f"This version cannot read tables with {what}.", hint=f"Leave '{name}' out.", option=name
            )


def _cleaned(column: RawColumn, file: str, options: ReadOptions) -> tuple[Sequence[str], Codes]:
    """Trim where asked and write every missing token, and what has no value, as the first one."""
    tokens = set(options.missing)
    texts, codes = column.texts, column.codes
    if column.has_empty:
        texts, codes = _with_blank(column, file, options)
    if not options.trim and tokens.isdisjoint(texts):
        return texts, codes
    wanted: Sequence[str] = [text.strip() for text in texts] if options.trim else texts
    if tokens:
        wanted = [options.missing[0] if text in tokens else text for text in wanted]
    index: dict[str, int] = {}
    recode = np.fromiter((index.setdefault(text, len(index)) for text in wanted), np.int32, len(wanted))
    return list(index), recode[codes] if len(codes) else codes


def _with_blank(column: RawColumn, file: str, options: ReadOptions) -> tuple[list[str], Codes]:
    """Give cells without a value the text that stands for missing; without any such, an empty text."""
    blank = options.missing[0] if options.missing else ""
    texts = list(column.texts)
    if not options.missing and blank in texts:
        raise TableError(
            f"'{file}', column '{column.name}': some cells have no value and others an empty text, "
            "and nothing is to be read as missing.",
            hint="Let empty cells be read as missing.",
            file=file,
            column=column.name,
        )
    if blank not in texts:
        texts.append(blank)
    return texts, np.where(column.codes < 0, np.int32(texts.index(blank)), column.codes)


def _decimal(values: Sequence[Sequence[str]]) -> str:
    """The decimal mark of the table: the one most columns of broken numbers are written with."""
    votes = {".": 0, ",": 0}
    for labels in values:
        for mark in votes:
            if are_numbers(labels, mark) and any(mark in label for label in labels):
                votes[mark] += 1
    return "," if votes[","] > votes["."] else "."


def _with_mark(data_type: DataType, decimal: str) -> DataType:
    if data_type.kind is Kind.DECIMAL and not data_type.format and decimal == ",":
        return dataclasses.replace(data_type, format=",")
    return data_type


def _is_ambiguous(column: Column) -> bool:
    if column.data_type.kind is not Kind.DATE or "/" not in column.data_type.format:
        return False
    return day_and_month_are_ambiguous(column.labels[:-1] if column.has_missing else column.labels)
