"""Read text tables: CSV and its relatives into integer-coded columns, every choice detected or given."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import TableError, nearest
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor
from engine.table import dialect
from engine.table.sources import Source, load
from engine.table.table import Column, Table
from engine.table.types import DataType, Kind
from engine.table.values import are_numbers, day_and_month_are_ambiguous, detect_type, make_column

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 22


@dataclass(frozen=True)
class ReadOptions:
    """How a text file becomes a table; None means: detect.

    Attributes
    ----------
    delimiter, encoding, decimal : str or None
        One character; a codec name; a point or a comma.
    header : bool or None
        Whether the first record holds the column names.
    missing : tuple of str
        Tokens read as missing; written as the first of them.
    trim : bool
        Whether spaces around names and values are dropped.
    types : mapping of str to DataType
        Types by column; the others are detected from all their values.
    guessed : tuple of str
        Options that `detect` filled in without proof in the file: "encoding", "header", or
        "types.<column>" where day and month could be exchanged. Reading ignores it.
    """

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    header: bool | None = None
    missing: tuple[str, ...] = ("",)
    trim: bool = False
    types: Mapping[str, DataType] = field(default_factory=dict)
    guessed: tuple[str, ...] = field(default=(), compare=False)


def detect(path: Path | str, options: ReadOptions = ReadOptions(), monitor: Monitor = SILENT) -> ReadOptions:
    """Fill in what is left open, from all values of the file.

    An encoding that nothing proves is offered and listed in `guessed`; `read_csv` refuses to guess it.
    """
    return _read(Path(path), options, monitor, guess=True)[1]


def read_csv(path: Path | str, options: ReadOptions = ReadOptions(), monitor: Monitor = SILENT) -> Table:
    """Read a text table, or one packed with gzip.

    Parameters
    ----------
    path : Path or str
    options : ReadOptions
    monitor : Monitor

    Returns
    -------
    Table
        Texts as in the file; missing tokens become one missing value per column.

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
    source = load(path, options.encoding, guess=guess)
    start = dialect.sample(source.data)
    delimiter = options.delimiter or _delimiter(path, start)
    header = options.header
    if header is None:
        header = dialect.detect_header(start, delimiter, options.decimal)
    names = _names(source, start, delimiter, header, options.trim)
    for name in options.types:
        if name not in names:
            raise TableError(
                f"'{source.name}' has no column '{name}' to give a type.",
                hint=nearest(name, names),
                column=name,
            )
    coded = _coded_columns(source, delimiter, header, len(names), monitor)
    if not len(coded[0][1]):
        raise TableError(
            f"'{source.name}' has a header but no records.",
            hint="Choose a file with records, or say that it has no header.",
            file=source.name,
        )
    coded = [_cleaned(texts, codes, options) for texts, codes in coded]
    missing = options.missing[0] if options.missing else None
    values = [[text for text in texts if text != missing] for texts, _ in coded]
    decimal = options.decimal or _decimal(values)
    columns: list[Column] = []
    for i, (name, (texts, codes)) in enumerate(zip(names, coded, strict=True)):
        monitor.step(i, len(names), f"Ordering {name}")
        data_type = _with_mark(options.types.get(name) or detect_type(values[i], decimal), decimal)
        columns.append(make_column(name, texts, codes, data_type, missing))
    guessed = [
        *(["encoding"] if source.encoding_is_guessed else []),
        *(["header"] if options.header is None and not header else []),
        *(f"types.{c.name}" for c in columns if c.name not in options.types and _is_ambiguous(c)),
    ]
    found = dataclasses.replace(
        options,
        delimiter=delimiter,
        encoding=source.encoding,
        decimal=decimal,
        header=header,
        types={column.name: column.data_type for column in columns},
        guessed=tuple(guessed),
    )
    monitor.step(1, 1, f"Read {path.name}")
    return Table(tuple(columns)), found


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


def _delimiter(path: Path, start: str) -> str:
    usual = "\t" if ".tsv" in path.suffixes else ","
    return dialect.detect_delimiter(start) or usual


def _names(source: Source, start: str, delimiter: str, header: bool, trim: bool) -> tuple[str, ...]:
    record = next(dialect.records(start, delimiter, source.name), None)
    if record is None:
        raise TableError(f"'{source.name}' is empty.", hint="Choose a file with records.", file=source.name)
    line, fields = record
    if not header:
        return tuple(f"column {i}" for i in range(1, len(fields) + 1))
    names = [name.strip() if trim else name for name in fields]
    for i, name in enumerate(names):
        if not name.strip():
            raise TableError(
                f"'{source.name}', line {line}: column {i + 1} of {len(names)} has no name.",
                hint="Name it in the file, or say that the file has no header.",
                file=source.name,
                line=line,
                column=i + 1,
            )
        if name in names[:i]:
            raise TableError(
                f"'{source.name}', line {line}: columns {names.index(name) + 1} and {i + 1} "
                f"are both called '{name}'.",
                hint="Give every column a name of its own, or say that the file has no header.",
                file=source.name,
                line=line,
                column=name,
            )
    return tuple(names)


def _coded_columns(
    source: Source, delimiter: str, header: bool, width: int, monitor: Monitor
) -> list[tuple[list[str], Codes]]:
    """Distinct texts and codes per column, in order of appearance."""
    import pyarrow as pa

    if len(delimiter.encode()) == 1:
        try:
            coded = _by_arrow(source, delimiter, header, width, monitor)
            if not _may_be_open(source.data, coded):
                return coded
        except pa.ArrowInvalid:
            pass  # the plain parser names the line, or reads what the fast one refuses
    return _by_records(source, delimiter, header, width, monitor)


def _by_arrow(
    source: Source, delimiter: str, header: bool, width: int, monitor: Monitor
) -> list[tuple[list[str], Codes]]:
    import pyarrow as pa
    from pyarrow import csv

    names = [str(i) for i in range(width)]
    data = source.data.lstrip(b"\r\n")
    reader = csv.open_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(
            column_names=names, skip_rows_after_names=int(header), block_size=_BLOCK
        ),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types={name: pa.dictionary(pa.int32(), pa.string()) for name in names},
            null_values=[],
            strings_can_be_null=False,
        ),
    )
    batches, done = [], 0
    for batch in reader:
        batches.append(batch)
        done += _BLOCK
        monitor.step(min(done, len(data)), len(data), f"Reading {source.name}")
    table = pa.Table.from_batches(batches, reader.schema).unify_dictionaries()
    return [_from_arrow(table.column(i)) for i in range(width)]


def _may_be_open(data: bytes, coded: list[tuple[list[str], Codes]]) -> bool:
    """Whether a quotation mark may be left open: the fast parser then takes the rest as one value."""
    texts, codes = coded[-1]
    last = texts[codes[-1]] if len(codes) else ""
    return data.count(b'"') % 2 == 1 or "\n" in last or "\r" in last


def _from_arrow(column: pa.ChunkedArray[Any]) -> tuple[list[str], Codes]:
    chunks = column.chunks
    if not chunks:
        return [], np.zeros(0, dtype=np.int32)
    codes = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in chunks]
    return chunks[-1].dictionary.to_pylist(), np.concatenate(codes).astype(np.int32, copy=False)


def _by_records(
    source: Source, delimiter: str, header: bool, width: int, monitor: Monitor
) -> list[tuple[list[str], Codes]]:
    indexes: list[dict[str, int]] = [{} for _ in range(width)]
    codes: list[list[int]] = [[] for _ in range(width)]
    for number, (line, fields) in enumerate(
        dialect.records(source.data.decode("utf-8"), delimiter, source.name)
    ):
        if len(fields) != width:
            where = "the header" if header else "the first record"
            raise TableError(
                f"'{source.name}', line {line}: {len(fields)} field{'s' if len(fields) != 1 else ''} "
                f"where {where} has {width}.",
                hint="Look for a missing or extra delimiter, or a quotation mark that is not closed.",
                file=source.name,
                line=line,
                found=len(fields),
                expected=width,
            )
        if number == 0 and header:
            continue
        if number % 10_000 == 0:
            monitor.step(0, 1, f"Reading {source.name}, line {line}")
        for text, index, column in zip(fields, indexes, codes, strict=True):
            column.append(index.setdefault(text, len(index)))
    return [
        (list(index), np.array(column, dtype=np.int32)) for index, column in zip(indexes, codes, strict=True)
    ]


def _cleaned(texts: list[str], codes: Codes, options: ReadOptions) -> tuple[list[str], Codes]:
    """Trim where asked and write every missing token as the first one."""
    tokens = set(options.missing)
    if not options.trim and tokens.isdisjoint(texts):
        return texts, codes
    wanted: Sequence[str] = [text.strip() for text in texts] if options.trim else texts
    if tokens:
        wanted = [options.missing[0] if text in tokens else text for text in wanted]
    index: dict[str, int] = {}
    recode = np.fromiter((index.setdefault(text, len(index)) for text in wanted), np.int32, len(wanted))
    return list(index), recode[codes] if len(codes) else codes


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
