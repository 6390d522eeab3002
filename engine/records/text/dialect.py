"""Structure of text files: delimiter, quotation marks, comments, header, and plain record parsing."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from engine.errors import TableError
from engine.numbers import as_decimal
from engine.records.values import is_number
from engine.words import _

DELIMITERS = (";", "\t", ",", "|", "^", "~")
QUOTES = ('"', "'", "")
# Characters per record: 160 for each of 100,000 columns, or a picture in a cell.
LONGEST = 1 << 24
SAMPLE_BYTES = 1 << 16
SAMPLE_RECORDS = 200


@dataclass(frozen=True)
class Form:
    """Quotation mark and comment mark of a text file.

    Attributes
    ----------
    quote : str
        The quotation mark around fields, doubled inside them; empty for none.
    comment : str
        Lines that begin with it, outside of quoted fields, are not records; empty for none.
    """

    quote: str = '"'
    comment: str = ""


USUAL = Form()


def records(
    text: str | Callable[[], Iterator[str]],
    delimiter: str,
    name: str,
    form: Form = USUAL,
    *,
    first_line: int = 1,
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line where the record ends, fields) of each record; empty lines are skipped.

    Parameters
    ----------
    text : str or callable
        The text, or a function that returns its lines with their line ends; it is called again at the end.
    name : str
        Name of the file in messages.
    first_line : int
        Line of the file at which the text begins.

    Raises
    ------
    TableError
        A record has more than `LONGEST` characters, or a quotation mark is never closed.
    """
    give = partial(io.StringIO, text, newline="") if isinstance(text, str) else text
    lines = _Lines(give(), form, first_line, name)
    yield from _records(lines, delimiter, form)
    if lines.number >= first_line and _is_open(give(), delimiter, form):
        raise TableError(
            _("'{name}', line {line}: a quoted field is never closed.").format(name=name, line=lines.begin),
            hint=_("Close it, or double the quotation mark if it belongs to the text."),
            file=name,
            line=lines.begin,
        )


def long_record(name: str, line: int) -> TableError:
    """Return the error for a record that is too long."""
    return TableError(
        _("'{name}', line {line}: a record is longer than {limit} MB.").format(
            name=name, line=line, limit=as_decimal(LONGEST / 1000000.0, 0)
        ),
        hint=_("Look for a quotation mark that is not closed, or check that the file is a text table."),
        file=name,
        line=line,
    )


def _records(lines: _Lines, delimiter: str, form: Form) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(max(csv.field_size_limit(), 2 * LONGEST))  # long texts are values too
    try:
        for row in _reader(lines, delimiter, form):
            lines.end_record()
            if row:
                yield lines.number, row
    except csv.Error as error:
        raise TableError(
            _("'{name}', line {line}: {error}.").format(name=lines.name, line=lines.begin, error=error),
            hint=_("Look for a quotation mark that is never closed."),
            file=lines.name,
            line=lines.begin,
        ) from None


class _Lines:
    """Lines of a text without comments, which can begin only at the start of a record."""

    def __init__(self, lines: Iterator[str], form: Form, first_line: int = 1, name: str = "") -> None:
        self._lines = lines
        self._comment = form.comment
        self._n_characters = 0  # of the current record
        self._may_be_comment = True
        self.name = name
        self.number = first_line - 1
        self.begin = first_line  # of the current record

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        for line in self._lines:
            self.number += 1
            if self._may_be_comment:
                if self._comment and line.startswith(self._comment):
                    continue
                self.begin = self.number
            self._may_be_comment = False
            self._n_characters += len(line)
            if self._n_characters > LONGEST:
                raise long_record(self.name, self.begin)
            return line
        raise StopIteration

    def end_record(self) -> None:
        """Mark the lines so far as complete records."""
        self._n_characters, self._may_be_comment = 0, True


def without_comments(data: bytes, comment: str) -> bytes:
    """Return a text without its comment lines; no field of it can contain a line end."""
    mark = re.escape(comment.encode())
    return re.sub(rb"(?:\A|(?<=[\r\n]))" + mark + rb"[^\r\n]*(?:\r\n|\r|\n|\Z)", b"", data)


def after_lines(data: bytes, n_lines: int) -> int:
    """Return the position after a number of lines, or the length of the text if it has fewer."""
    ends = re.finditer(rb"\r\n|\r|\n", data)
    last = next(islice(ends, n_lines - 1, None), None) if n_lines else None
    return last.end() if last else len(data) if n_lines else 0


def sample(data: bytes) -> str:
    """Return the beginning of a file; a long file is cut at a line end."""
    if len(data) <= SAMPLE_BYTES:
        return data.decode("utf-8")
    piece = data[:SAMPLE_BYTES]
    end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
    return (piece[: end + 1] if end > 0 else piece).decode("utf-8", errors="ignore")


def detect_quote(text: str) -> str:
    """Return the quotation mark: an apostrophe only if all of them enclose fields, in most lines."""
    fields = re.findall(r"(?:^|(?<=[;,\t|^~]))'(?:[^'\r\n]|'')*'(?=[;,\t|^~\r\n]|\Z)", text, re.MULTILINE)
    is_all = sum(field.count("'") for field in fields) == text.count("'")
    n_lines = len(text.splitlines())
    return "'" if '"' not in text and is_all and fields and 2 * len(fields) >= n_lines else '"'


def detect_delimiter(text: str, form: Form = USUAL) -> str | None:
    """Return the delimiter that divides most records equally, None for a single column.

    Ties go to the one that leaves fewer quotation marks inside fields: `1,"a;b"` has a comma.
    """
    best: tuple[float, int] | None = None
    found = None
    for delimiter in DELIMITERS:
        rows = sample_rows(text, delimiter, form)
        widths = Counter(map(len, rows))
        if not widths:
            continue
        width, n_alike = max(widths.items(), key=lambda item: (item[1], item[0]))
        share = n_alike / widths.total()
        rank = (share, -sum(field.count(form.quote or '"') for row in rows for field in row))
        if width > 1 and (best is None or rank > best):
            best, found = rank, delimiter
    return found


def detect_header(text: str, delimiter: str, decimal: str | None, form: Form = USUAL) -> bool:
    """Return False if the first record has numbers in every column that otherwise has only numbers."""
    return has_header(sample_rows(text, delimiter, form), decimal)


def has_header(rows: Sequence[Sequence[str]], decimal: str | None) -> bool:
    """Return False if the first of these records has numbers in every column of numbers."""
    if len(rows) < 2:
        return True
    marks = (decimal,) if decimal else (".", ",")
    width = len(rows[0])
    body = [row for row in rows[1:] if len(row) == width]

    def numeric(cells: Sequence[str]) -> bool:
        return any(all(is_number(cell.strip(), mark) for cell in cells) for mark in marks)

    columns = ([row[i] for row in body if row[i].strip()] for i in range(width))
    numbers = [i for i, cells in enumerate(columns) if cells and numeric(cells)]
    return not numbers or not all(numeric([rows[0][i]]) for i in numbers)


def n_records(text: str, delimiter: str, form: Form = USUAL) -> int:
    """Return the number of records that begin in a sample, up to `SAMPLE_RECORDS`."""
    return len(sample_rows(text, delimiter, form))


def sample_rows(text: str, delimiter: str, form: Form, most: int = SAMPLE_RECORDS) -> list[list[str]]:
    """Return the fields of the first records of a text, which may be cut within a record."""
    rows = []
    lines = _Lines(io.StringIO(text, newline=""), form)
    try:
        for row in _reader(lines, delimiter, form):
            lines.end_record()
            if row:
                rows.append(row)
            if len(rows) == most:
                break
    except csv.Error:
        pass
    return rows


def _is_open(text: Iterator[str], delimiter: str, form: Form) -> bool:
    """Return whether the text ends inside quotation marks."""
    lines = _Lines(text, form)
    try:
        for _unused in _reader(lines, delimiter, form, strict=True):
            lines.end_record()
    except csv.Error as error:
        return "unexpected end of data" in str(error)
    return False


def _reader(lines: Iterator[str], delimiter: str, form: Form, *, strict: bool = False) -> Iterator[list[str]]:
    return csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=form.quote or None,
        quoting=csv.QUOTE_MINIMAL if form.quote else csv.QUOTE_NONE,
        strict=strict,
    )
