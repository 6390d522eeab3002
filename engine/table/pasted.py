"""What is on the clipboard as a table: cells of a spreadsheet or a page, or lines of a text file."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser
from pathlib import Path

from engine.errors import TableError
from engine.files import atomic_write
from engine.words import _

_MOST = 1 << 28  # characters


def write_pasted(text: str, path: Path, html: str = "") -> None:
    """Write pasted text to a file that is then read like any other.

    Parameters
    ----------
    text : str
    path : Path
        Its ending should be .tsv or .csv; an existing file is replaced.
    html : str
        What is pasted where there is no text.

    Raises
    ------
    TableError
        There is no text, or far too much of it.
    """
    if not text.strip() and len(html) <= _MOST:
        text = table_of_html(html)
    if not text.strip():
        raise TableError(
            _("There is nothing to paste as a table."),
            hint=_("Copy the cells of a table, with their header."),
        )
    if len(text) > _MOST:
        raise TableError(
            _("The text to paste has {n:,} characters.").format(n=len(text)),
            hint=_("Save it to a file in the program it comes from, and open that."),
        )
    content = text.replace("\0", "").encode("utf-8", errors="replace")
    with atomic_write(path) as file:
        file.write(content)


_LONGEST_SPAN = 1000
_MOST_CELLS = 20_000_000


def table_of_html(html: str) -> str:
    """Return the cells of the first table, with tabs between them; empty where there is no table.

    A cell over several columns or lines leaves the others it covers empty, so that no value is there twice.

    Parameters
    ----------
    html : str
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
    """Collects the cells of the first table; what stands in tables inside its cells belongs to those."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[list[str]] = []
        self._covered: dict[int, int] = {}  # lines for which a column is still covered from above
        self._words: list[str] | None = None  # of the cell that is open
        self._spans = (1, 1)
        self._depth = 0  # of tables
        self._is_over = False
        self._hidden = 0  # style and script, which are no text

    def rows(self) -> list[list[str]]:
        """The lines that have a cell."""
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
        """Leave cells empty that one from above covers."""
        row = self._rows[-1]
        while (left := self._covered.get(len(row), 0)) > 0:
            self._covered[len(row)] = left - 1
            row.append("")


def _span(text: str | None) -> int:
    return min(int(text), _LONGEST_SPAN) if text and text.isascii() and text.isdigit() and int(text) else 1
