"""Import of Excel, SPSS and Parquet originals by pandas, with cells converted to text."""

from __future__ import annotations

import math
import re
import warnings
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from engine.verification.findings import UnverifiableError
from engine.verification.row_groups import frames
from engine.words import _

_BATCH = 2_000
_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
_DAYS = "%Y-%m-%d"
ROW_LABELS = re.compile(r"__index_level_\d+__")  # index labels stored by pandas; not columns


@dataclass
class Column:
    """Distinct values of a column as texts, None for no value, and the position of each record's value."""

    name: str
    texts: Sequence[str | None]
    places: Sequence[int]


@dataclass
class _Values:
    """Values distinguished by type and equality, since 1, 1.0 and True are equal in Python."""

    known: dict[tuple[str, Any], int] = field(default_factory=dict)
    places: array[int] = field(default_factory=lambda: array("q"))

    def add(self, value: Any) -> None:
        if value != value:  # nan
            value = None
        self.places.append(self._place(value))

    def extend(self, cells: pd.Series[Any]) -> None:
        """Add cells of one type."""
        places, distinct = pd.factorize(cells)  # -1 for no value
        known = [self._place(None if value != value else value) for value in _as_objects(pd.Series(distinct))]
        known.append(self._place(None) if (places < 0).any() else -1)
        self.places.frombytes(pd.Series(known, dtype="int64").array.take(places).to_numpy().tobytes())

    def _place(self, value: Any) -> int:
        return self.known.setdefault((type(value).__name__, value), len(self.known))

    @property
    def distinct(self) -> list[Any]:
        return [value for _unused, value in self.known]


def is_text(path: Path) -> bool:
    """Return whether a file is read as text."""
    return path.suffix.lower() not in (*_SHEETS, *_READERS)


def read_columns(
    path: Path,
    sheet: str,
    encoding: str,
    has_header: bool,
    progress: Callable[[float], None],
    *,
    format: str = "",
    skip: int = 0,
) -> list[Column]:
    """Return all columns of a file, in its order.

    Parameters
    ----------
    path : Path
    sheet : str
        Sheet of a workbook; empty for the first one.
    encoding : str
        Encoding of an SPSS file; empty for the one the file declares.
    has_header : bool
        Whether the first row of a sheet has the names; otherwise they are empty.
    progress : callable
        Called with the fraction read; may raise to stop.
    format : str
        "xlsx" or "parquet"; by default derived from the file's ending.
    skip : int
        Rows of a sheet before the header.

    Raises
    ------
    UnverifiableError
        If the file cannot be read.
    """
    ending = f".{format}" if format else path.suffix.lower()
    if ending in _SHEETS:
        return _excel(path, sheet, skip, has_header, progress)
    if ending not in _READERS:
        raise UnverifiableError(
            _("Unknown format '{ending}' of the file '{name}'.").format(name=path.name, ending=ending)
        )
    return _READERS[ending](path, encoding, progress)


def read_column_pieces(
    path: Path,
    sheet: str,
    encoding: str,
    has_header: bool,
    progress: Callable[[float], None],
    *,
    format: str = "",
    skip: int = 0,
) -> Iterator[list[Column]]:
    """Yield all columns of a file, some of its records at a time; parameters and errors as of `read_columns`.

    Only of Parquet is not everything in memory at once.
    """
    if (f".{format}" if format else path.suffix.lower()) == ".parquet":
        yield from _parquet_pieces(path, progress)
    else:
        yield read_columns(path, sheet, encoding, has_header, progress, format=format, skip=skip)


def _excel(
    path: Path, sheet: str, skip: int, has_header: bool, progress: Callable[[float], None]
) -> list[Column]:
    columns: list[_Values] = []
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
                    columns.append(_Values())
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
    with _library(path), path.open("rb") as start:
        is_old = start.read(2) == b"\xd0\xcf"
        options = {"formatting_info": True} if is_old else {}
        file = pd.ExcelFile(path, engine="xlrd" if is_old else "openpyxl", engine_kwargs=options)
    try:
        rows = islice(_sheet_rows(file, sheet), skip, None)
        while True:
            with _library(path):
                batch = list(islice(rows, _BATCH))
            if not batch:
                return
            yield batch
    finally:
        file.close()


def _none(column: _Values) -> int:
    return column.known.setdefault(("NoneType", None), len(column.known))


def _empty(n_rows: int) -> _Values:
    column = _Values()
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


def _spss(path: Path, encoding: str, progress: Callable[[float], None]) -> list[Column]:
    options: dict[str, Any] = {"encoding": encoding} if encoding else {}
    with _library(path):
        frame = pd.read_spss(path, convert_categoricals=False, **options)
        all_labels: dict[str, dict[Any, str]] = frame.attrs["variable_value_labels"]
    columns = []
    for done, name in enumerate(frame.columns, start=1):
        values = _values(frame[name])
        texts = texts_of(values.distinct, _("True"), _("False"))
        labels = {_as_read(code): label for code, label in all_labels.get(name, {}).items() if label}
        columns.append(Column(name, _with_labels(values.distinct, texts, labels), values.places))
        progress(done / len(frame.columns))
    return columns


def _with_labels(
    values: Sequence[Any], texts: Sequence[str | None], labels: dict[Any, str]
) -> list[str | None]:
    """Replace codes by labels; an ambiguous label is followed by its code."""
    codes = [_as_read(value) for value in values]
    if not any(code in labels for code in codes):
        return list(texts)
    others = {
        text for code, text in zip(codes, texts, strict=True) if text is not None and code not in labels
    }
    meant = list(labels.values())
    shown: list[str | None] = []
    for code, text in zip(codes, texts, strict=True):
        label = labels.get(code)
        if label is None:
            shown.append(text)
        elif label in others or meant.count(label) > 1:
            shown.append(f"{label} ({code if isinstance(code, str) else number(code)})")
        else:
            shown.append(label)
    return shown


def _as_read(code: Any) -> Any:
    return code.rstrip(" ") if isinstance(code, str) else code


def _parquet(path: Path, encoding: str, progress: Callable[[float], None]) -> list[Column]:
    found: dict[str, _Values] = {}
    for part, frame in _frames(path):
        for name in _names(frame):
            found.setdefault(name, _Values()).extend(frame[name])
        progress(part)
    return [Column(name, _texts(values.distinct), values.places) for name, values in found.items()]


def _parquet_pieces(path: Path, progress: Callable[[float], None]) -> Iterator[list[Column]]:
    shapes: dict[str, str] | None = None
    for part, frame in _frames(path):
        if shapes is None:
            shapes = _shapes(path, [name for name in _names(frame) if frame[name].dtype.kind == "M"])
        found = []
        for name in _names(frame):
            values = _Values()
            values.extend(frame[name])
            found.append(Column(name, _texts(values.distinct, shapes.get(name)), values.places))
        yield found
        progress(part)


def _shapes(path: Path, moments: list[str]) -> dict[str, str]:
    """Return the format of the dates of some columns, which all their dates decide."""
    shapes = dict.fromkeys(moments, _DAYS)
    for _unused, frame in _frames(path, moments) if moments else ():
        for name in moments:
            values = _Values()
            values.extend(frame[name])
            shapes[name] = max(shapes[name], _date_shape(filter(None, values.distinct)), key=len)
    return shapes


def _frames(path: Path, columns: list[str] | None = None) -> Iterator[tuple[float, pd.DataFrame]]:
    parts = frames(path, columns)
    while True:
        with _library(path):
            part = next(parts, None)
        if part is None:
            return
        yield part


def _names(frame: pd.DataFrame) -> list[str]:
    return [name for name in frame.columns if not ROW_LABELS.fullmatch(name)]


def _texts(values: Sequence[Any], shape: str | None = None) -> list[str | None]:
    return texts_of(values, _("True"), _("False"), shape)


def _values(cells: pd.Series[Any]) -> _Values:
    values = _Values()
    for value in _as_objects(cells):
        values.add(value)
    return values


def _as_objects(cells: pd.Series[Any]) -> Iterator[Any]:
    """Return Python values; single-precision numbers keep their type, times lose their time zone."""
    own: Any = getattr(cells.dtype, "numpy_dtype", cells.dtype)
    empty = cells.isna().tolist()
    if own.kind == "f" and own.itemsize < 8:
        found: Sequence[Any] = list(cells.to_numpy(dtype=own, na_value=0))
    else:
        found = cells.astype(object).tolist()
    for value, is_empty in zip(found, empty, strict=True):
        if is_empty:
            yield None
        else:
            yield value.replace(tzinfo=None) if isinstance(value, datetime) else value


@contextmanager
def _library(path: Path) -> Iterator[None]:
    """Convert any error that a library raises for a file into one sentence, and silence its warnings."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception as error:
        raise UnverifiableError(
            _("The file '{name}' cannot be read: {error}.").format(name=path.name, error=error)
        ) from error


_SHEETS = (".xlsx", ".xlsm", ".xls")
_READERS = {".sav": _spss, ".parquet": _parquet}


def texts_of(values: Sequence[Any], true: str, false: str, shape: str | None = None) -> list[str | None]:
    """Return the text of each value of a column, None for no value.

    Parameters
    ----------
    values : sequence
        None, missing marks of pandas, texts, booleans, numbers, dates, times, durations.
    true, false : str
        Texts of boolean values in the format.
    shape : str, optional
        Format of dates; by default the shortest that shows these completely.
    """
    if shape is None:
        shape = _date_shape(value for value in values if isinstance(value, date) and not _is_missing(value))
    return [_text(value, shape, true, false) for value in values]


def number(value: Any) -> str:
    """Return the text of a number: integers without a point, others with the fewest unique digits."""
    if value in (math.inf, -math.inf):
        return str(value)
    if value == int(value):
        return str(int(value))
    if isinstance(value, Decimal):
        digits = format(value, "f")
        return digits.rstrip("0")
    digits, _unused, exponent = str(value).partition("e")
    # Only exponents of two digits are read as numbers.
    return format(Decimal(f"{digits}e{exponent}"), "f") if len(exponent) > 3 else str(value)


def duration(value: timedelta) -> str:
    """Return hours, minutes and seconds; hours may exceed a day."""
    total = abs(value) // timedelta(microseconds=1)
    minutes, rest = divmod(total, 60_000_000)
    seconds, parts = divmod(rest, 1_000_000)
    text = f"{minutes // 60}:{minutes % 60:02}:{seconds:02}" + (f".{parts:06}" if parts else "")
    return f"-{text}" if value.days < 0 else text


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NaT or value is pd.NA or value != value  # nan


def _date_shape(dates: Iterable[date]) -> str:
    """Return the shortest format that shows the dates of a column completely."""
    shape = _DAYS
    for moment in dates:
        if isinstance(moment, datetime):
            if moment.microsecond:
                return "%Y-%m-%d %H:%M:%S.%f"
            if moment.hour or moment.minute or moment.second:
                shape = "%Y-%m-%d %H:%M:%S"
    return shape


def _text(value: Any, shape: str, true: str, false: str) -> str | None:
    if _is_missing(value):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return true if value else false
    if isinstance(value, date):
        return f"{value.year:04}" + value.strftime(shape.removeprefix("%Y"))
    if isinstance(value, time):
        return str(value)
    if isinstance(value, pd.Timedelta):
        return str(value)
    return duration(value) if isinstance(value, timedelta) else number(value)
