"""Import of files that are not text, with cells converted to text."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.claims import Reading
from engine.verification.findings import UnverifiableError, library
from engine.verification.plugged import is_plugged, plugged_reader
from engine.verification.readers import statistical
from engine.verification.readers.file_cells import Column, Values, number, texts_of, values_of
from engine.words import _

Progress = Callable[[float], None]
_STEP = 1_000  # lines


class _Written(str):
    """A number in its written form."""

    __slots__ = ()


def json_lines(reading: Reading, progress: Progress) -> list[Column]:
    """Return the columns of a JSON lines file."""
    path, columns = reading.path, dict[str, Values]()
    n_records, done, size = 0, 0, max(1, path.stat().st_size)
    opening: Any = gzip.open if path.suffix.lower() == ".gz" else open
    with library(path), opening(path, "rt", encoding="utf-8-sig", newline="\n") as file:
        for number, line in enumerate(file, start=1):
            done += len(line)
            if number % _STEP == 0:
                progress(min(0.99, done / size))
            if not line.strip():
                continue
            record = json.loads(
                line,
                object_pairs_hook=_without_repeated,
                parse_int=_Written,
                parse_float=_Written,
                parse_constant=_Written,
            )
            if not isinstance(record, dict) or any(isinstance(cell, dict | list) for cell in record.values()):
                raise UnverifiableError(
                    _("Line {line} of '{name}' is not an object of single values.").format(
                        line=as_exact_count(number), name=path.name
                    )
                )
            for key, cell in record.items():
                columns.setdefault(key, Values()).lengthen(n_records).add(cell)
            n_records += 1
    for column in columns.values():
        column.lengthen(n_records)
    progress(1.0)
    return [
        Column(name, [_text(cell) for cell in column.distinct], column.places)
        for name, column in columns.items()
    ]


def write_rows(names: Sequence[str], rows: Iterable[Sequence[Any]], path: Path) -> None:
    """Write rows of a database into a new file of JSON lines, with every digit."""
    keys = [json.dumps(name, ensure_ascii=False) for name in names]
    with path.open("x", encoding="utf-8", newline="\n") as file:
        for row in rows:
            cells = [f"{key}: {_as_json(value)}" for key, value in zip(keys, row, strict=True)]
            file.write("{" + ", ".join(cells) + "}\n")


def _as_json(value: Any) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    return number(value) if isinstance(value, float) else json.dumps(value, default=str)


def _without_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is repeated")
    return found


def _text(cell: Any) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return str(cell)


_BATCH = 2_000
_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
ROW_LABELS = re.compile(r"__index_level_\d+__")  # index labels stored by pandas; not columns


def is_text(reading: Reading) -> bool:
    """Return whether a file is read as text."""
    ending = _format_of(reading)
    return ending == ".csv" or (not reading.format and ending not in _READERS and not is_plugged(ending))


def has_keys(path: Path) -> bool:
    """Return whether every record of a file names its columns, in any order."""
    return _ending(path) in _LINES


def _ending(path: Path) -> str:
    """Return the ending of a file; of packed JSON lines without that of packing."""
    ending = path.suffix.lower()
    inner = Path(path.stem).suffix.lower()
    return inner if ending == ".gz" and inner in _LINES else ending


def _format_of(reading: Reading) -> str:
    """Return the format of a file as an ending."""
    return f".{reading.format}" if reading.format else _ending(reading.path)


def read_columns(reading: Reading, progress: Progress) -> list[Column]:
    """Return all columns of a file, in its order; those of a sheet without a header have no names.

    Parameters
    ----------
    progress : callable
        Called with the fraction read; may raise to stop.

    Raises
    ------
    UnverifiableError
        If the file cannot be read.
    """
    ending = _format_of(reading)
    if ending not in _READERS and is_plugged(ending):
        return _plugged(reading.path, ending, progress)
    if ending not in _READERS:
        raise UnverifiableError(
            _("Unknown format '{ending}' of the file '{name}'.").format(name=reading.path.name, ending=ending)
        )
    return _READERS[ending](reading, progress)


def _excel(reading: Reading, progress: Progress) -> list[Column]:
    columns: list[Values] = []
    titles: list[Any] | None = None
    n_rows = 0
    for batch in _batches(reading.path, reading.sheet, reading.skip):
        for row in batch:
            cells = [None if cell == "" else cell for cell in row]
            if all(cell is None for cell in cells):
                continue
            if reading.has_header and titles is None:
                titles = cells
                continue
            for place, cell in enumerate(cells):
                if place == len(columns):
                    columns.append(Values().lengthen(n_rows))
                columns[place].add(cell)
            for column in columns[len(cells) :]:
                column.add(None)
            n_rows += 1
        progress(min(0.99, n_rows / (n_rows + 10 * _BATCH)))
    progress(1.0)
    names = [text or "" for text in (texts_of([cell], "TRUE", "FALSE")[0] for cell in titles or ())]
    names += [""] * (len(columns) - len(names))
    columns += [Values().lengthen(n_rows) for _unused in range(len(names) - len(columns))]
    return [
        _column(name, column)
        for name, column in zip(names, columns, strict=True)
        if name.strip() or any(value is not None for value in column.distinct)
    ]


def _column(name: str, values: Values) -> Column:
    texts = texts_of(values.distinct, "TRUE", "FALSE")
    kinds = [type(value) for value in values.distinct]
    numbers = {text for text, kind in zip(texts, kinds, strict=True) if kind in (int, float)}
    others = {text for text, kind in zip(texts, kinds, strict=True) if kind not in (int, float, type(None))}
    return Column(name, texts, values.places, numbers - others if others else ())


def _batches(path: Path, sheet: str, skip: int) -> Iterator[list[Sequence[Any]]]:
    with library(path), path.open("rb") as start:
        engine: Any = "xlrd" if start.read(2) == b"\xd0\xcf" else "openpyxl"
        engine = "calamine" if path.suffix.lower() == ".ods" else engine
        options = {"formatting_info": True} if engine == "xlrd" else {}
        file = pd.ExcelFile(path, engine=engine, engine_kwargs=options)
    try:
        rows = islice(_sheet_rows(file, sheet), skip, None)
        while True:
            with library(path):
                batch = list(islice(rows, _BATCH))
            if not batch:
                return
            yield batch
    finally:
        file.close()


def _sheet_rows(file: pd.ExcelFile, sheet: str) -> Iterator[Sequence[Any]]:
    """Yield the rows of a sheet, dates as dates, errors as their marks."""
    book: Any = file.book
    name = sheet or file.sheet_names[0]
    if hasattr(book, "worksheets"):  # by openpyxl, for workbooks since 2007
        cells = book[name]
        cells.reset_dimensions()
        for row in cells.iter_rows():
            yield [_as_shown(cell.value, cell) for cell in row]
        return
    if hasattr(book, "sheets_metadata"):  # by calamine, for OpenDocument
        yield from book.get_sheet_by_name(name).iter_rows()
        return
    old = book.sheet_by_name(name)
    for number_of_row in range(old.nrows):
        row = old.row(number_of_row)
        values = [_old_value(cell.ctype, cell.value, book.datemode) for cell in row]
        shapes = [book.format_map[book.xf_list[cell.xf_index].format_key].format_str for cell in row]
        yield [_with_zeros(value, shape) for value, shape in zip(values, shapes, strict=True)]


def _as_shown(value: Any, cell: Any) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return _with_zeros(value, cell.number_format) if is_number else value


def _with_zeros(value: Any, shape: str | None) -> Any:
    """Return the text of an integer with the leading zeros of a number format such as 00000."""
    if not shape or len(shape) < 2 or shape.strip("0") or isinstance(value, bool | str) or value is None:
        return value
    if not isinstance(value, int | float) or value < 0 or value % 1:
        return value
    return f"{int(value):0{len(shape)}d}"


def _old_value(kind: int, value: Any, datemode: int) -> Any:
    """Return a cell of the format before 2007; kind 1 text, 2 number, 3 date, 4 boolean, 5 error."""
    if kind in (0, 6):
        return None
    if kind == 4:
        return value == 1
    if kind == 5:
        return _ERRORS.get(value, "#ERROR!")
    if kind != 3:
        return value
    days = int(value)
    start = datetime(1904, 1, 1) if datemode else datetime(1899, 12, 31 if days < 60 else 30)
    try:
        moment = start + timedelta(days=days, milliseconds=round((value - days) * 86_400_000))
    except OverflowError:
        return "#VALUE!"
    return moment.time() if 0 <= value < 1 else moment


def _parquet(reading: Reading, progress: Progress) -> list[Column]:
    with library(reading.path):
        frame = _frame(reading.path)
    return _columns(frame, _names(frame), lambda cells: Values().extend(cells), progress)


def _columns(
    frame: pd.DataFrame,
    names: Collection[Any],
    collected: Callable[[pd.Series[Any]], Values],
    progress: Progress,
) -> list[Column]:
    columns = []
    for done, name in enumerate(names, start=1):
        values = collected(frame[name])
        columns.append(Column(str(name), _texts(values.distinct), values.places))
        progress(done / len(names))
    return columns


def _frame(path: Path) -> pd.DataFrame:
    settings: dict[str, Any] = {"engine": "pyarrow", "dtype_backend": "pyarrow"}
    if int(pd.__version__.partition(".")[0]) >= 3:
        return pd.read_parquet(path, **settings, to_pandas_kwargs={"ignore_metadata": True})
    frame = pd.read_parquet(path, **settings)  # its pandas makes an index again, which comes last in files
    index = [] if isinstance(frame.index, pd.RangeIndex) else [str(name) for name in frame.index.names]
    names = list(frame.columns)
    return frame.reset_index()[[*names, *index]] if index else frame


def _names(frame: pd.DataFrame) -> list[str]:
    return [name for name in frame.columns if not ROW_LABELS.fullmatch(name)]


def _texts(values: Sequence[Any]) -> list[str | None]:
    return texts_of(values, _("True"), _("False"))


def _feather(reading: Reading, progress: Progress) -> list[Column]:
    with library(reading.path):
        frame = pd.read_feather(reading.path, dtype_backend="pyarrow")
        labels = [name for name in frame.index.names if name is not None]
        if labels:  # pandas makes an index of columns that were one; they come last in files
            frame = frame.reset_index()[[*frame.columns, *labels]]
    return _columns(frame, _names(frame), values_of, progress)


def _plugged(path: Path, ending: str, progress: Progress) -> list[Column]:
    """Return the columns that the reader of a plug-in gives; its own code shares nothing with the engine."""
    reader = plugged_reader(ending)
    with library(path):
        frame = reader(path)
    return _columns(frame, frame.columns, values_of, progress)


_LINES = (".jsonl", ".ndjson")
_READERS: dict[str, Callable[[Reading, Progress], list[Column]]] = {
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".ods"), _excel),
    **dict.fromkeys(_LINES, json_lines),
    ".parquet": _parquet,
    ".feather": _feather,
    ".sav": statistical.spss,
    ".por": statistical.portable,
    ".dta": statistical.stata,
    ".sas7bdat": statistical.sas,
    ".xpt": statistical.transport,
}
