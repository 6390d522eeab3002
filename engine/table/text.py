"""Text files as raw columns: delimiter and header detected or given, records parsed, every text coded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.monitor import Monitor
from engine.table import dialect
from engine.table.raw import RawColumn, RawTable, checked_names
from engine.table.sources import Source, load

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 22


def read_text(
    path: Path,
    monitor: Monitor,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    trim: bool = False,
    guess: bool = False,
    name_columns: bool = False,
) -> RawTable:
    """Return the columns of a text file; None stands for: detect.

    Parameters
    ----------
    path : Path
    monitor : Monitor
    delimiter, encoding, decimal : str, optional
    header : bool, optional
        Whether the first record holds the names.
    trim : bool
        Whether spaces around names are dropped.
    guess : bool
        Whether to fall back to a usual encoding where nothing proves one.
    name_columns : bool
        Whether columns that the header leaves without a name get one.

    Raises
    ------
    TableError
        The file cannot be read, is empty, not rectangular, or names columns twice or not at all.
    """
    source = load(path, encoding, guess=guess)
    start = dialect.sample(source.data)
    delimiter = delimiter or _delimiter(path, start)
    is_detected = header is None
    if header is None:
        header = dialect.detect_header(start, delimiter, decimal)
    names = _names(source, start, delimiter, header, trim, name_columns=name_columns)
    coded = _coded_columns(source, delimiter, header, len(names), monitor)
    guessed = [
        *(["encoding"] if source.encoding_is_guessed else []),
        *(["header"] if is_detected and not header else []),
    ]
    return RawTable(
        source.name,
        tuple(RawColumn(name, *column) for name, column in zip(names, coded, strict=True)),
        header=header,
        delimiter=delimiter,
        encoding=source.encoding,
        guessed=tuple(guessed),
    )


def _delimiter(path: Path, start: str) -> str:
    usual = "\t" if ".tsv" in path.name.lower() else ","
    return dialect.detect_delimiter(start) or usual


def _names(
    source: Source, start: str, delimiter: str, header: bool, trim: bool, *, name_columns: bool
) -> tuple[str, ...]:
    record = next(dialect.records(start, delimiter, source.name), None)
    if record is None:
        raise TableError(f"'{source.name}' is empty.", hint="Choose a file with records.", file=source.name)
    line, fields = record
    if not header:
        return tuple(f"column {i}" for i in range(1, len(fields) + 1))
    if name_columns:
        fields = [field if field.strip() else f"column {i}" for i, field in enumerate(fields, start=1)]
    return checked_names(fields, trim, source.name, f", line {line}", line=line)


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
