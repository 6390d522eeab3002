"""Reads a file into integer codes, one vocabulary per column shared by both files."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

import pandas as pd

from engine.verification.findings import UnjudgeableError
from engine.verification.formats import is_text, read_columns

Progress = Callable[[int, int, str], None]

_BATCH = 20_000
_GZIP = b"\x1f\x8b"
_LONGEST_CELL = 2**31 - 1  # the csv module refuses cells above 128 KiB unless told otherwise


class Vocabulary:
    """The texts of one column by number; two cells are equal if their numbers are."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._codes: dict[str, int] = {}

    def code(self, text: str) -> int:
        """The number of a text, new ones at the end."""
        code = self._codes.setdefault(text, len(self.texts))
        if code == len(self.texts):
            self.texts.append(text)
        return code


@dataclass(frozen=True)
class Reading:
    """How a file is written, and what a cell stands for once read."""

    path: Path
    delimiter: str
    encoding: str
    has_header: bool
    names: tuple[str, ...] = ()
    trim: bool = False
    missing: tuple[str, ...] = ()
    ignored_mark: str = ""  # a byte order mark that may stand before the first cell
    sheet: str = ""  # of a workbook
    quote: str = '"'
    comment: str = ""
    skip: int = 0  # lines before the header
    ragged: str = "refuse"
    taken: tuple[tuple[str | int, str], ...] = ()  # as `ReleaseClaim.taken`
    column_missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    replacements: tuple[tuple[str, str, str | None], ...] = ()
    format: str = ""  # "csv", "xlsx" or "parquet"; empty for what the ending says
    safe_cells: bool = False  # an apostrophe before what a spreadsheet would run is none of the cell

    @property
    def unreadable(self) -> str:
        """What it asks for that no reading here obeys, in words; empty where there is nothing such."""
        asked = {
            "another quotation mark": self.quote != '"',
            "comment lines": bool(self.comment),
            "lines before the header": bool(self.skip),
            "short records": self.ragged != "refuse",
            "a choice of columns": bool(self.taken),
            "missing values of single columns": bool(self.column_missing),
            "replaced values": bool(self.replacements),
            "another format than its ending says": self.format not in ("", "csv"),
            "cells made safe for spreadsheets": self.safe_cells,
        }
        return ", ".join(what for what, is_asked in asked.items() if is_asked)

    def clean(self, text: str | None) -> str:
        """The value of a cell: trimmed if asked, no value and every missing token as the first one."""
        if text is None:
            return self.missing[0] if self.missing else ""
        value = text.strip() if self.trim else text
        return self.missing[0] if value in self.missing else value


class _Cells(dict[str, int]):
    """Codes of cells as written; a cell seen for the first time is cleaned and numbered."""

    def __init__(self, vocabulary: Vocabulary, clean: Callable[[str], str]) -> None:
        super().__init__()
        self._vocabulary, self._clean = vocabulary, clean

    def __missing__(self, text: str) -> int:
        code = self[text] = self._vocabulary.code(self._clean(text))
        return code


def read_codes(
    reading: Reading, vocabularies: dict[str, Vocabulary], progress: Callable[[float], None]
) -> pd.DataFrame:
    """Read a file; one column of codes per column, in the file's order.

    Parameters
    ----------
    reading : Reading
    vocabularies : dict of str to Vocabulary
        By column name; extended by new columns and new texts.
    progress : callable
        Told the fraction read from time to time.

    Raises
    ------
    UnjudgeableError
        If the file cannot be read as a rectangular table with distinct column names.
    """
    if reading.unreadable:
        raise UnjudgeableError(f"The file '{reading.path.name}' cannot be judged with {reading.unreadable}.")
    if not is_text(reading.path):
        return _read_columns(reading, vocabularies, progress)
    try:
        return _read(reading, vocabularies, progress)
    except (OSError, EOFError, zlib.error, csv.Error, UnicodeError, LookupError, TypeError) as error:
        raise UnjudgeableError(f"The file '{reading.path.name}' cannot be read: {error}.") from error


def _read(
    reading: Reading, vocabularies: dict[str, Vocabulary], progress: Callable[[float], None]
) -> pd.DataFrame:
    csv.field_size_limit(_LONGEST_CELL)
    size = max(1, reading.path.stat().st_size)
    with reading.path.open("rb") as raw:
        binary = gzip.GzipFile(fileobj=raw) if raw.peek(2).startswith(_GZIP) else raw
        with io.TextIOWrapper(binary, encoding=reading.encoding, newline="") as text:
            rows = filter(None, csv.reader(text, delimiter=reading.delimiter))  # an empty line is no record
            names, first = _names(reading, next(rows, None))
            cells = [_Cells(vocabularies.setdefault(name, Vocabulary()), reading.clean) for name in names]
            columns = [array("q") for _ in names]
            records = chain(first, rows)
            while batch := list(islice(records, _BATCH)):
                _check_widths(reading, batch, len(names), len(columns[0]))
                for cell_codes, codes, texts in zip(cells, columns, zip(*batch, strict=True), strict=True):
                    codes.extend(map(cell_codes.__getitem__, texts))
                progress(min(1.0, raw.tell() / size))
    return pd.DataFrame(dict(zip(names, columns, strict=True)), dtype="int64")


def _read_columns(
    reading: Reading, vocabularies: dict[str, Vocabulary], progress: Callable[[float], None]
) -> pd.DataFrame:
    """Read a file that is no text; its columns have names of their own, or those claimed."""
    columns = read_columns(reading.path, reading.sheet, reading.encoding, reading.has_header, progress)
    names = [column.name for column in columns]
    if not reading.has_header and not any(names):
        names = list(reading.names) or [f"column {i}" for i in range(1, len(columns) + 1)]
    names = [name.strip() if reading.trim else name for name in names]
    if len(set(names)) != len(columns):
        raise UnjudgeableError(
            f"The file '{reading.path.name}' has not the columns named, or two of one name."
        )
    coded = {}
    for name, column in zip(names, columns, strict=True):
        vocabulary = vocabularies.setdefault(name, Vocabulary())
        codes = [vocabulary.code(reading.clean(text)) for text in column.texts]
        coded[name] = array("q", (codes[place] for place in column.places))
    return pd.DataFrame(coded, dtype="int64")


def _names(reading: Reading, row: list[str] | None) -> tuple[tuple[str, ...], list[list[str]]]:
    """The column names, and the first record if that is what the first row holds."""
    if row is None and reading.names and not reading.has_header:
        return reading.names, []  # nothing kept, and no header to say so
    if row is None:
        raise UnjudgeableError(f"The file '{reading.path.name}' is empty.")
    row[0] = row[0].removeprefix(reading.ignored_mark)
    if not reading.has_header:
        return reading.names or tuple(f"column {i}" for i in range(1, len(row) + 1)), [row]
    names = tuple(name.strip() for name in row) if reading.trim else tuple(row)
    for name in names:
        if names.count(name) > 1:
            raise UnjudgeableError(f"The file '{reading.path.name}' has two columns called '{name}'.")
    return names, []


def _check_widths(reading: Reading, batch: list[list[str]], width: int, done: int) -> None:
    for number, row in enumerate(batch, start=done + 1):
        if len(row) != width:
            raise UnjudgeableError(
                f"Record {number:,} of '{reading.path.name}' has {len(row)} cells for {width} columns."
            )
