"""Excel sheets as raw columns: the values that Excel shows, from both kinds of workbook."""

from __future__ import annotations

import datetime
import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import TableError, nearest
from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.records.frames.cells import date_texts, duration_text, number_text
from engine.records.options import ReadOptions
from engine.records.programs.sheets import Workbook, opened, refuse_sparse
from engine.records.raw import FileColumns, RawColumn, RawTable
from engine.records.text.dialect import SAMPLE_RECORDS, has_header
from engine.records.types import DataType, Kind
from engine.records.values import is_number
from engine.words import _

_BATCH = 2_000  # rows, so that cancelling takes a fraction of a second
Row = Sequence[Any]


class _Truth(Enum):
    """Truth values, distinguished from the numbers 1 and 0 that they equal."""

    TRUE = "TRUE"
    FALSE = "FALSE"


def read_excel(path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of a sheet.

    Rows without any value are not records, and columns without a name and any value are not columns. A number
    and a text that look the same are the same value. Errors such as #N/A are texts.

    Parameters
    ----------
    options : ReadOptions
        Columns without a name and any value are not counted in the positions of `take`.

    Raises
    ------
    TableError
        The file is not a workbook or is protected; the sheet does not exist, is empty, has merged cells or
        formulas without a result; or a column name is repeated.
    """
    with opened(path) as book:
        name = chosen_sheet(path, book, options.sheet)
        book.check(name, monitor, options.skip_lines)
        rows = _filled(islice(book.rows(name), options.skip_lines, None), path, monitor, book.size(name))
        sample = list(islice(rows, SAMPLE_RECORDS))
        if not sample:
            raise _empty(path, book, name)
        header = options.header
        if header is None:
            header = has_header(_as_texts(sample), options.decimal)
        titles = [text_of(cell) for cell in sample[0]] if header else []
        columns = _columns(chain(sample[int(header) :], rows), partial(refuse_sparse, path, name))
    raw, taken = _named(columns, titles, path, name, header, options)
    guessed = ("header",) if options.header is None and not header else ()
    return RawTable(path.name, raw, header=header, sheet=name, guessed=guessed, taken=taken)


def sheet_names(path: Path) -> tuple[str, ...]:
    """Return the names of a workbook's sheets, the visible ones first.

    Raises
    ------
    TableError
        The file is not a workbook that can be opened.
    """
    with opened(path) as book:
        return tuple(book.sheets)


def chosen_sheet(path: Path, book: Workbook, sheet: str | None) -> str:
    """Return the name of a sheet: the given one, or by default the first."""
    if not book.sheets:
        raise TableError(
            _("'{name}' has no sheet with cells.").format(name=path.name),
            hint=_("Choose another file."),
            file=path.name,
        )
    if sheet is not None and sheet not in book.sheets:
        raise TableError(
            _("'{name}' has no sheet '{sheet}'.").format(name=path.name, sheet=sheet),
            hint=nearest(sheet, book.sheets),
            file=path.name,
            sheet=sheet,
        )
    return book.sheets[0] if sheet is None else sheet


def _empty(path: Path, book: Workbook, sheet: str) -> TableError:
    others = [f"'{name}'" for name in book.sheets if name != sheet]
    return TableError(
        _("'{name}': sheet '{sheet}' is empty.").format(name=path.name, sheet=sheet),
        hint=_("Choose another sheet: {others}.").format(others=", ".join(others))
        if others
        else _("Choose a file with records."),
        file=path.name,
        sheet=sheet,
    )


class _Cells:
    """Distinct values of a column, and the records that have them."""

    def __init__(self, n_before: int) -> None:
        self._index: dict[Any, int] = {None: -1, "": -1}
        self.codes = array("i", [-1]) * n_before

    def add(self, cells: Sequence[Any]) -> None:
        """Add the cells of further records."""
        if bool in set(map(type, cells)):
            cells = [_Truth(str(cell).upper()) if isinstance(cell, bool) else cell for cell in cells]
        index = self._index
        self.codes.extend([index.setdefault(cell, len(index) - 2) for cell in cells])

    @property
    def has_values(self) -> bool:
        """Return whether any record has a value."""
        return len(self._index) > 2

    def column(self, name: str) -> RawColumn:
        """Return the column; equal texts become one value."""
        values = [value for value in self._index if value is not None and value != ""]
        texts, data_type = _described(values)
        written = {value for value in values if isinstance(value, str)}
        are_numbers = [isinstance(value, int | float) for value in values]
        numbers = {text for text, is_number in zip(texts, are_numbers, strict=True) if is_number} - written
        codes = np.frombuffer(self.codes, dtype=np.intc).astype(np.int32)
        raw = RawColumn(name, texts, codes, data_type)
        return raw.with_texts(texts, frozenset() if all(are_numbers) else frozenset(numbers))


def _filled(rows: Iterator[Row], path: Path, monitor: Monitor, size: int) -> Iterator[Row]:
    """Yield the rows with a value; a sheet may go on for a million empty rows."""
    for number, row in enumerate(rows):
        if number % _BATCH == 0:
            monitor.step(
                number,
                max(size, number, 1),
                _("Reading {file}, row {row}").format(file=path.name, row=as_exact_count(number + 1)),
            )
        if any(cell is not None and cell != "" for cell in row):
            yield row


def _columns(rows: Iterator[Row], refuse: Callable[[int, int], None]) -> list[_Cells]:
    columns: list[_Cells] = []
    done = 0
    while batch := list(islice(rows, _BATCH)):
        width = max(len(columns), *map(len, batch))
        refuse(done + len(batch), width)
        columns += [_Cells(done) for _unused in range(width - len(columns))]
        whole = (row if len(row) == width else (*row, *[None] * (width - len(row))) for row in batch)
        for column, cells in zip(columns, zip(*whole, strict=True), strict=True):
            column.add(cells)
        done += len(batch)
    return columns


def _named(
    columns: list[_Cells],
    titles: list[str],
    path: Path,
    sheet: str,
    header: bool,
    options: ReadOptions,
) -> tuple[tuple[RawColumn, ...], FileColumns]:
    n_records = len(columns[0].codes) if columns else 0
    columns += [_Cells(n_records) for _unused in range(len(titles) - len(columns))]
    titles = titles + [""] * (len(columns) - len(titles))
    taken = [i for i, c in enumerate(columns) if c.has_values or titles[i].strip()]
    names = [titles[i] for i in taken] if header else [f"column {i}" for i in range(1, len(taken) + 1)]
    place = _("'{file}', sheet '{sheet}'").format(file=path.name, sheet=sheet)
    chosen = options.columns_of(names, path.name, place)
    return tuple(columns[taken[position]].column(name) for position, name in chosen), chosen


def _described(values: list[Any]) -> tuple[list[str], DataType | None]:
    """Return the texts of distinct values, and their type if all have the same."""
    dates = [value for value in values if isinstance(value, datetime.date)]
    written, date_format = date_texts(dates)
    as_dates = dict(zip(dates, written, strict=True))
    texts = [as_dates[v] if isinstance(v, datetime.date) else text_of(v) for v in values]
    if not values:
        return texts, None
    if len(dates) == len(values):
        return texts, DataType(Kind.DATE, date_format)
    if all(isinstance(value, _Truth) for value in values):
        return texts, DataType(Kind.BOOLEAN)
    if all(isinstance(value, int | float) for value in values) and all(map(is_number, texts)):
        whole = all(text.lstrip("-").isdigit() for text in texts)
        return texts, DataType(Kind.INTEGER if whole else Kind.DECIMAL)
    return texts, None


def _as_texts(rows: list[Row]) -> list[list[str]]:
    width = max(map(len, rows))
    return [[text_of(cell) for cell in (*row, *[None] * (width - len(row)))] for row in rows]


def text_of(value: Any) -> str:
    """Return the text that a cell shows; a date by itself, not in the format of its column."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, _Truth):
        return value.value
    if isinstance(value, int | float):
        is_finite = isinstance(value, int) or math.isfinite(value)  # an int may be beyond any float
        return number_text(value) if is_finite else str(value)
    if isinstance(value, datetime.date):
        return date_texts([value])[0][0]
    if isinstance(value, datetime.timedelta):
        return duration_text(value)
    return value.isoformat() if isinstance(value, datetime.time) else str(value)
