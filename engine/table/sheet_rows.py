"""Rows of a sheet of a workbook since 2007: the values that openpyxl finds, without its objects per cell."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any
from xml.etree.ElementTree import TreeBuilder
from xml.parsers import expat

_BLOCK = 1 << 16
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ROW, _VALUE, _INLINE, _TEXT = f"{_MAIN}row", f"{_MAIN}v", f"{_MAIN}is", f"{{{_MAIN}t"
_DIGITS = "0123456789"
_MOST_DATES = 100_000


@dataclass(frozen=True)
class Styles:
    """What a workbook says about the cells of all its sheets.

    Attributes
    ----------
    texts : sequence of str
        Texts that cells name by number.
    epoch : datetime
        The day from which dates are counted.
    dates, durations : container of int
        Styles that show numbers as dates, and those of them that show durations.
    digits : mapping of int to int
        Least number of digits of each style that shows leading zeros.
    """

    texts: Sequence[str]
    epoch: datetime
    dates: Container[Any]
    durations: Container[Any]
    digits: Mapping[Any, int]


def sheet_rows(source: IO[bytes], styles: Styles) -> Iterator[Sequence[Any]]:
    """Yield the cells of each row, an empty row for each that the sheet leaves out.

    Parameters
    ----------
    source : binary file
        The XML of the sheet.
    styles : Styles

    Raises
    ------
    Exception
        The XML is damaged, or a cell holds something else than its kind; rows before it are yielded.
    """
    handler = _Handler(styles)
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.data
    due, failure = 1, None
    while True:
        block = source.read(_BLOCK)
        try:
            parser.Parse(block, not block)
        except Exception as error:
            failure = error
        for number, row in handler.rows:
            yield from ((),) * (number - due)
            if due <= number:
                yield row
                due = number + 1
        handler.rows.clear()
        if failure is not None:
            raise failure
        if not block:
            return


class _Handler:
    """Calls of the XML parser, and the rows that are complete; a row is as wide as its last cell says."""

    def __init__(self, styles: Styles) -> None:
        from openpyxl.cell.text import Text
        from openpyxl.utils import coordinate_to_tuple
        from openpyxl.utils.datetime import from_excel, from_ISO8601

        self.rows: list[tuple[int, Sequence[Any]]] = []
        self._styles = styles
        self._rich_text, self._place_of = Text.from_tree, coordinate_to_tuple
        self._from_number, self._from_iso = from_excel, from_ISO8601
        self._columns: dict[str, int] = {}  # by letters
        self._dates: dict[tuple[Any, str], Any] = {}
        self._depth = 0  # 1 within a row, 2 within a cell
        self._number = self._column = 0
        self._row: list[Any] = []
        self._cell: Mapping[str, str] = {}
        self._value: str | None = None
        self._is_value = False
        self._inline: Any = None  # the builder of an inline text, then its element
        self._is_inline = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Begin an element."""
        depth = self._depth
        if depth == 0:
            if name != _ROW:
                return
            self._begin_row(attributes)
        elif depth == 1:
            self._cell = attributes
            self._value = self._inline = None
        elif depth == 2:
            if name == _VALUE:
                if self._value is None:
                    self._value, self._is_value = "", True
            elif name == _INLINE and self._inline is None:
                self._inline, self._is_inline = TreeBuilder(), True
        else:
            self._is_value = False  # the text of a value ends where an element begins
        if self._is_inline:
            self._inline.start(_braced(name), {_braced(key): value for key, value in attributes.items()})
        self._depth = depth + 1

    def end(self, name: str) -> None:
        """End an element."""
        depth = self._depth - 1
        if depth < 0:
            return
        self._depth = depth
        if self._is_inline:
            self._inline.end(_braced(name))
        if depth == 1:
            self._end_cell()
        elif depth == 2:
            self._is_value = False
            if self._is_inline:
                self._inline, self._is_inline = self._inline.close(), False
        elif depth == 0:
            row = self._row
            self.rows.append((self._number, row if len(row) == self._column else row[: self._column]))

    def data(self, text: str) -> None:
        """Add to the text of a value."""
        if self._is_value:
            assert self._value is not None, "it began"
            self._value += text
        elif self._is_inline:
            self._inline.data(text)

    def _begin_row(self, attributes: Mapping[str, str]) -> None:
        self._row, self._column = [], 0
        written = attributes.get("r")
        if written is None:
            self._number += 1
            return
        try:
            self._number = int(written)
        except ValueError:
            number = float(written)
            if not number.is_integer():
                raise
            self._number = int(number)

    def _end_cell(self) -> None:
        place = self._cell.get("r")
        column = self._column = self._column_at(place) if place else self._column + 1
        value = self._found()
        row = self._row
        if column == len(row) + 1:
            row.append(value)
        else:
            row.extend([None] * (column - len(row)))
            row[column - 1] = value

    def _column_at(self, place: str) -> int:
        letters = place.rstrip(_DIGITS)
        column = self._columns.get(letters) if len(letters) < len(place) else None
        if column is None:
            column = self._place_of(place)[1]
            if letters.isalpha():
                self._columns[letters] = column
        return column

    def _found(self) -> Any:
        """Return the value of the cell that ends."""
        kind = self._cell.get("t", "n")
        if kind == "inlineStr":
            return self._inline_text()
        text = self._value
        if not text:
            return None
        if kind == "s":
            return self._styles.texts[int(text)]
        if kind == "n":
            return self._of_number(text)
        if kind == "b":
            return bool(int(text))
        return self._from_iso(text) if kind == "d" else text

    def _of_number(self, text: str) -> Any:
        style = self._cell.get("s", 0)
        style = int(style) if style else style
        if style in self._styles.dates:
            key = (style, text)
            if key not in self._dates:
                if len(self._dates) >= _MOST_DATES:
                    self._dates.clear()
                self._dates[key] = self._date(_number(text), style)
            return self._dates[key]
        value = _number(text)
        digits = self._styles.digits.get(style, 0)
        return padded(value, digits) if digits else value

    def _date(self, number: float, style: Any) -> Any:
        try:
            return self._from_number(number, self._styles.epoch, timedelta=style in self._styles.durations)
        except (OverflowError, ValueError):
            return "#VALUE!"  # as Excel shows it

    def _inline_text(self) -> str | None:
        found = self._inline
        if found is None:
            return None
        if len(found) == 1 and found[0].tag == _TEXT and not found.attrib:
            return found[0].text or ""
        content: str = self._rich_text(found).content
        return content


def padded(value: Any, digits: int) -> Any:
    """Return a whole number as its sheet shows it if that has leading zeros, otherwise the value itself."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return (
        str(int(value)).zfill(digits)
        if digits and is_number and value >= 0 and value == int(value)
        else value
    )


def _number(text: str) -> float:
    return float(text) if "." in text or "E" in text or "e" in text else int(text)


def _braced(name: str) -> str:
    """Return a name as ElementTree writes it."""
    return f"{{{name}" if "}" in name else name
