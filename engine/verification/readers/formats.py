"""Import of files that are not text, with cells converted to text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from engine.verification.claims import LABELS, ValueLabels
from engine.verification.findings import UnverifiableError, library
from engine.verification.plugged import is_plugged, plugged_reader
from engine.verification.readers import statistical
from engine.verification.readers.file_cells import Column, Values, texts_of, values_of
from engine.verification.readers.json_lines import json_lines
from engine.words import _

_BATCH = 2_000
_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
ROW_LABELS = re.compile(r"__index_level_\d+__")  # index labels stored by pandas; not columns


def is_text(path: Path) -> bool:
    """Return whether a file is read as text."""
    ending = _ending(path)
    return ending not in (*_SHEETS, *_STATISTICAL, *_READERS) and not is_plugged(ending)


def has_keys(path: Path) -> bool:
    """Return whether every record of a file names its columns, in any order."""
    return _ending(path) in _LINES


def _ending(path: Path) -> str:
    """Return the ending of a file; of packed JSON lines without that of packing."""
    ending = path.suffix.lower()
    inner = Path(path.stem).suffix.lower()
    return inner if ending == ".gz" and inner in _LINES else ending


def read_columns(
    path: Path,
    sheet: str,
    encoding: str,
    has_header: bool,
    progress: Callable[[float], None],
    *,
    format: str = "",
    skip: int = 0,
    labels: ValueLabels = LABELS,
) -> list[Column]:
    """Return all columns of a file, in its order.

    Parameters
    ----------
    path : Path
    sheet : str
        Sheet of a workbook; empty for the first one.
    encoding : str
        Encoding of a file of a statistical program; empty for the one the file declares.
    has_header : bool
        Whether the first row of a sheet has the names; otherwise they are empty.
    progress : callable
        Called with the fraction read; may raise to stop.
    format : str
        Ending without the point, such as "xlsx" or "parquet"; by default that of the file.
    skip : int
        Rows of a sheet before the header.
    labels : ValueLabels
        Of a file of a statistical program.

    Raises
    ------
    UnverifiableError
        If the file cannot be read.
    """
    ending = f".{format}" if format else _ending(path)
    if ending in _SHEETS:
        return _excel(path, sheet, skip, has_header, progress)
    if ending not in (*_STATISTICAL, *_READERS) and is_plugged(ending):
        return _plugged(path, ending, progress)
    if ending in _STATISTICAL:
        return _STATISTICAL[ending](path, encoding, labels, progress)
    if ending not in _READERS:
        raise UnverifiableError(
            _("Unknown format '{ending}' of the file '{name}'.").format(name=path.name, ending=ending)
        )
    return _READERS[ending](path, encoding, progress)


def _excel(
    path: Path, sheet: str, skip: int, has_header: bool, progress: Callable[[float], None]
) -> list[Column]:
    columns: list[Values] = []
    titles: list[Any] | None = None
    n_rows = 0
    for batch in _batches(path, sheet, skip):
        for row in batch:
            cells = [None if cell == "" else cell for cell in row]
            if all(cell is None for cell in cells):
                continue
            if has_header and titles is None:
                titles = cells
                continue
            for place, cell in enumerate(cells):
                if place == len(columns):
                    columns.append(Values())
                    columns[-1].places.extend(_none(columns[-1]) for _unused in range(n_rows))
                columns[place].add(cell)
            for column in columns[len(cells) :]:
                column.add(None)
            n_rows += 1
        progress(min(0.99, n_rows / (n_rows + 10 * _BATCH)))
    progress(1.0)
    names = [text or "" for text in (texts_of([cell], "TRUE", "FALSE")[0] for cell in titles or ())]
    names += [""] * (len(columns) - len(names))
    columns += [_empty(n_rows) for _unused in range(len(names) - len(columns))]
    return [
        Column(name, texts_of(column.distinct, "TRUE", "FALSE"), column.places)
        for name, column in zip(names, columns, strict=True)
        if name.strip() or any(value is not None for value in column.distinct)
    ]


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


def _none(column: Values) -> int:
    return column.known.setdefault(("NoneType", None), len(column.known))


def _empty(n_rows: int) -> Values:
    column = Values()
    for _unused in range(n_rows):
        column.add(None)
    return column


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


def _parquet(path: Path, encoding: str, progress: Callable[[float], None]) -> list[Column]:
    with library(path):
        frame = _frame(path)
    columns = []
    for done, name in enumerate(_names(frame), start=1):
        values = Values()
        values.extend(frame[name])
        columns.append(Column(name, _texts(values.distinct), values.places))
        progress(done / len(frame.columns))
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


def _feather(path: Path, encoding: str, progress: Callable[[float], None]) -> list[Column]:
    with library(path):
        frame = pd.read_feather(path, dtype_backend="pyarrow")
        labels = [name for name in frame.index.names if name is not None]
        if labels:  # pandas makes an index of columns that were one; they come last in files
            frame = frame.reset_index()[[*frame.columns, *labels]]
    columns = []
    for done, name in enumerate(_names(frame), start=1):
        values = values_of(frame[name])
        columns.append(Column(name, _texts(values.distinct), values.places))
        progress(done / len(frame.columns))
    return columns


def _plugged(path: Path, ending: str, progress: Callable[[float], None]) -> list[Column]:
    """Return the columns that the reader of a plug-in gives; its own code shares nothing with the engine."""
    reader = plugged_reader(ending)
    with library(path):
        frame = reader(path)
    columns = []
    for name in frame.columns:
        values = values_of(frame[name])
        columns.append(Column(str(name), _texts(values.distinct), values.places))
    progress(1.0)
    return columns


_LINES = (".jsonl", ".ndjson")
_SHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
_STATISTICAL: dict[str, Callable[[Path, str, ValueLabels, Callable[[float], None]], list[Column]]] = {
    ".sav": statistical.spss,
    ".por": statistical.portable,
    ".dta": statistical.stata,
    ".sas7bdat": statistical.sas,
    ".xpt": statistical.transport,
}
_READERS: dict[str, Callable[[Path, str, Callable[[float], None]], list[Column]]] = {
    ".parquet": _parquet,
    ".feather": _feather,
    ".jsonl": json_lines,
    ".ndjson": json_lines,
}
