"""How the lines of a text file divide into fields: delimiter, header, and plain record parsing."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence

from engine.errors import TableError
from engine.table.values import is_number

DELIMITERS = (";", "\t", ",", "|")
SAMPLE_BYTES = 1 << 16
SAMPLE_RECORDS = 200


def records(text: str, delimiter: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line in the file where the record ends, fields); empty lines are skipped.

    Raises
    ------
    TableError
        A quotation mark is never closed.
    """
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # long texts are values too
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    line = 0
    try:
        for row in reader:
            first, line = line + 1, reader.line_num
            if row:
                yield line, row
    except csv.Error as error:
        raise TableError(
            f"'{name}', line {line + 1}: {error}.",
            hint="Look for a quotation mark that is never closed.",
            file=name,
            line=line + 1,
        ) from None
    if line and _is_open(text, delimiter):
        raise TableError(
            f"'{name}', line {first}: a quotation mark opens a field that never ends.",
            hint="Close it, or double it where it belongs to the text.",
            file=name,
            line=first,
        )


def sample(data: bytes) -> str:
    """Return the beginning of a file, cut at a line where it is long."""
    if len(data) <= SAMPLE_BYTES:
        return data.decode("utf-8")
    piece = data[:SAMPLE_BYTES]
    end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
    return (piece[: end + 1] if end > 0 else piece).decode("utf-8", errors="ignore")


def detect_delimiter(text: str) -> str | None:
    """Return the delimiter that divides most records alike, None for a single column.

    Among equals the one that leaves fewer quotation marks inside fields: `1,"a;b"` has a comma.
    """
    best: tuple[float, int] | None = None
    found = None
    for delimiter in DELIMITERS:
        rows = _sample_rows(text, delimiter)
        widths = Counter(map(len, rows))
        if not widths:
            continue
        width, n_alike = max(widths.items(), key=lambda item: (item[1], item[0]))
        share = n_alike / widths.total()
        rank = (share, -sum(field.count('"') for row in rows for field in row))
        if width > 1 and (best is None or rank > best):
            best, found = rank, delimiter
    return found


def detect_header(text: str, delimiter: str, decimal: str | None) -> bool:
    """Return False if the first record has numbers wherever the rest has only numbers."""
    return has_header(_sample_rows(text, delimiter), decimal)


def has_header(rows: Sequence[Sequence[str]], decimal: str | None) -> bool:
    """Return False if the first of these records has numbers wherever the rest has only numbers."""
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


def _sample_rows(text: str, delimiter: str) -> list[list[str]]:
    rows = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if row:
                rows.append(row)
            if len(rows) == SAMPLE_RECORDS:
                break
    except csv.Error:
        pass
    return rows


def _is_open(text: str, delimiter: str) -> bool:
    """Whether the text ends inside quotation marks."""
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        return "unexpected end of data" in str(error)
    return False
