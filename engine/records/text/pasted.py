"""Clipboard content as a table: cells of a spreadsheet or a web page, or lines of a text file."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser
from pathlib import Path

from engine.errors import TableError
from engine.files import atomic_write
from engine.numbers import as_exact_count
from engine.words import _

_MOST = 1 << 28  # characters


def write_pasted(text: str, path: Path, html: str = "") -> None:
    """Write pasted text to a file, which is then read like any other.

    Parameters
    ----------
    path : Path
        Its ending should be .tsv or .csv; an existing file is replaced.
    html : str
        Used if there is no text.

    Raises
    ------
    TableError
        There is no text, or too much of it.
    """
    if not text.strip() and len(html) <= _MOST:
        text = table_of_html(html)
    if not text.strip():
        raise TableError(
            _("The clipboard contains no table."),
            hint=_("Copy the cells of a table with their header."),
        )
    if len(text) > _MOST:
        raise TableError(
            _("The pasted text has {n} characters, which is too much to paste.").format(
                n=as_exact_count(len(text))
            ),
            hint=_("Save it to a file in the program it comes from, and open that file."),
        )
    content = text.replace("\0", "").encode("utf-8", errors="replace")
    with atomic_write(path) as file:
        file.write(content)


_LONGEST_SPAN = 1000
_MOST_CELLS = 20_000_000


def table_of_html(html: str) -> str:
    """Return the cells of the first table, separated by tabs; empty if there is no table.

    A cell over several columns or rows leaves the other places empty, so that no value occurs twice.
    """
    parser = _Cells()
    parser.feed(html)
    parser.close()
    rows = parser.rows()
    width = max((len(row) for row in rows), default=0)
    if width * len(rows) > _MOST_CELLS:
        return ""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    for row in rows:
        writer.writerow([*row, *[""] * (width - len(row))])
    return text.getvalue()


class _Cells(HTMLParser):
    """Collector of the cells of the first table; text of nested tables belongs to the cell around it."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[list[str]] = []
        self._covered: dict[int, int] = {}  # rows for which a column is still covered by a cell above
        self._words: list[str] | None = None  # of the open cell
        self._spans = (1, 1)
        self._depth = 0  # nesting of tables
        self._is_over = False
        self._hidden = 0  # nesting of style and script, whose content is not text

    def rows(self) -> list[list[str]]:
        """Return the rows that have a cell."""
        self._end_cell()
        return [row for row in self._rows if row]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("style", "script"):
            self._hidden += 1
        elif tag == "table":
            self._depth += 1
        elif self._depth != 1 or self._is_over:
            return
        elif tag == "tr":
            self._end_cell()
            self._rows.append([])
            self._cover()
        elif tag in ("td", "th"):
            self._end_cell()
            if not self._rows:
                self._rows.append([])
            given = dict(attrs)
            self._spans = _span(given.get("colspan")), _span(given.get("rowspan"))
            self._words = []
        elif tag == "br" and self._words is not None:
            self._words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("style", "script"):
            self._hidden = max(self._hidden - 1, 0)
        elif tag == "table" and self._depth:
            self._depth -= 1
            if self._depth == 0:
                self._end_cell()
                self._is_over = True
        elif self._depth == 1 and tag in ("td", "th", "tr"):
            self._end_cell()

    def handle_data(self, data: str) -> None:
        if self._words is not None and not self._hidden:
            self._words.append(data)

    def _end_cell(self) -> None:
        if self._words is None:
            return
        words, self._words = " ".join("".join(self._words).split()), None
        across, down = self._spans
        row = self._rows[-1]
        for number in range(across):
            if down > 1:
                self._covered[len(row)] = down - 1
            row.append(words if number == 0 else "")
        self._cover()

    def _cover(self) -> None:
        """Add the empty cells that a cell above covers."""
        row = self._rows[-1]
        while (left := self._covered.get(len(row), 0)) > 0:
            self._covered[len(row)] = left - 1
            row.append("")


def _span(text: str | None) -> int:
    return min(int(text), _LONGEST_SPAN) if text and text.isascii() and text.isdigit() and int(text) else 1
