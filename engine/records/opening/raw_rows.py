"""Rows of a file before they are records: the first and the last ones, titles above them, totals below."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from engine.monitor import SILENT, Monitor
from engine.records.formats import format_of
from engine.records.options import ReadOptions
from engine.records.programs.sheets import opened
from engine.records.programs.workbooks import chosen_sheet, text_of
from engine.records.table_files import load_beginning
from engine.records.text import dialect

FIRST, _LAST = 40, 3  # rows
_MOST_BYTES = 1 << 21  # of a file that is read to its end, for its last rows
_HEAD = 1 << 18  # bytes of other text files
_MOST_TITLES = 20  # rows
_MOST_ROWS = 2_000  # of larger workbooks
_TOTALS = re.compile(
    r"(?:grand |general )?(?:totals?|sums?|summe|gesamt\w*|insgesamt|averages?|means?|mittelwerte?"
    r"|durchschnitt|counts?|anzahl|totale|totali|suma|somme|media|moyenne)\b",
    re.IGNORECASE,
)
Row = tuple[int, tuple[str, ...]]  # number in the file, from 1, and its cells


@dataclass(frozen=True)
class TotalRow:
    """A last row that looks like a sum over the others: `text` is in the column of this position, from 0."""

    row: int
    place: int
    text: str


@dataclass(frozen=True)
class RawRows:
    """Rows of a file.

    Attributes
    ----------
    first, last : tuple of Row
        The last ones only if the file is small enough to be read to its end.
    n_rows : int
        All rows up to the last one with a value; 0 if the file was not read to its end.
    merged : tuple of (int, int, int, int)
        First and last row, first and last column of merged cells, from 1.
    n_titles : int
        Rows above what looks like the names of the columns; 0 if nothing looks like titles.
    """

    first: tuple[Row, ...]
    last: tuple[Row, ...] = ()
    n_rows: int = 0
    merged: tuple[tuple[int, int, int, int], ...] = ()
    n_titles: int = 0
    total: TotalRow | None = None

    def heading(self, skipped: int, place: int) -> str:
        """Return a cell of the first row with a value below the skipped ones."""
        header = next((cells for number, cells in self.first if number > skipped and any(cells)), ())
        return header[place] if place < len(header) else ""


def raw_rows(path: Path, options: ReadOptions, monitor: Monitor = SILENT) -> RawRows:
    """Return the rows of a text or workbook as they are, whatever would be skipped or left out.

    Raises
    ------
    TableError
        The file cannot be opened, has no such sheet, or cannot be read with these options.
    """
    options.refuse_impossible()
    if format_of(path) is None:
        return _of_text(path, options)
    with opened(path) as book:
        sheet = chosen_sheet(path, book, options.sheet)
        is_small = path.stat().st_size <= _MOST_BYTES
        rows = (tuple(map(text_of, row)) for row in book.rows(sheet))
        merged = tuple(sorted(book.merged(sheet)))
        return _collected(enumerate(rows, start=1), merged, monitor, is_small)


def _of_text(path: Path, options: ReadOptions) -> RawRows:
    is_small = path.stat().st_size <= _MOST_BYTES
    source, is_all = load_beginning(path, _MOST_BYTES if is_small else _HEAD, options.encoding)
    start = dialect.sample(source.data)
    form = dialect.Form(dialect.detect_quote(start) if options.quote is None else options.quote)
    delimiter = options.delimiter or dialect.detect_delimiter(start, form) or ","
    reader = csv.reader(
        io.StringIO(source.data.decode("utf-8", "replace"), newline=""),
        delimiter=delimiter,
        quotechar=form.quote or None,
        quoting=csv.QUOTE_MINIMAL if form.quote else csv.QUOTE_NONE,
    )

    def lines() -> Iterator[Row]:
        number = 1
        try:
            for cells in reader:
                if not (options.comment and cells and cells[0].startswith(options.comment)):
                    yield number, tuple(cells)
                number = reader.line_num + 1
        except csv.Error:  # which reading the file explains
            return

    return _collected(lines(), (), SILENT, is_small and is_all)


def _collected(
    rows: Iterable[Row], merged: tuple[tuple[int, int, int, int], ...], monitor: Monitor, is_small: bool
) -> RawRows:
    first: list[Row] = []
    last: deque[Row] = deque(maxlen=_LAST)
    n_rows = width = 0
    for number, cells in rows if is_small else takewhile(lambda row: row[0] <= _MOST_ROWS, rows):
        if number % _MOST_ROWS == 0:
            monitor.step(0, 1)
        n_values = sum(map(bool, cells))
        if len(first) < FIRST:
            first.append((number, cells))
            width = max(width, n_values)
        elif n_values:
            last.append((number, cells))
        n_rows = number if n_values else n_rows
    n_titles = _titles(first, width)
    ended = [row for row in (*first, *last) if any(row[1])][-1:] if is_small else []
    total = next((_total(*row) for row in ended if row[0] > n_titles + 1), None)
    shown = tuple(last) if is_small else ()
    return RawRows(tuple(first), shown, n_rows if is_small else 0, merged, n_titles, total)


def _titles(first: Sequence[Row], width: int) -> int:
    """Return the number of rows above the first one in which most of the columns have a value."""
    above = list(takewhile(lambda row: 2 * sum(map(bool, row[1])) <= width, first[: _MOST_TITLES + 1]))
    if (
        width < 2
        or len(above) in (len(first), _MOST_TITLES + 1)
        or not any(any(cells) for _n, cells in above)
    ):
        return 0
    return first[len(above)][0] - 1


def _total(number: int, cells: Sequence[str]) -> TotalRow | None:
    place = next(place for place, cell in enumerate(cells) if cell)
    text = cells[place]
    return TotalRow(number, place, text) if _TOTALS.match(text.strip()) else None
