"""Division of a text file into records: plain blocks by pandas, others by the csv module."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Generator, Iterator
from typing import BinaryIO

import pandas as pd

from engine.verification.readers.regular import is_uniform
from engine.words import _

_BYTES = 1 << 22  # parsed in some 60 ms, during which no other thread runs
# In these encodings bytes below 128 are ASCII, so delimiters and line ends are found without decoding.
_ASCII_FIRST = frozenset({"utf-8", "ascii", "iso8859-1", "iso8859-15", "cp1250", "cp1251", "cp1252"})


def can_be_divided(delimiter: str, encoding: str) -> bool:
    """Return whether `Blocks` can read such a text."""
    return (
        len(delimiter) == 1
        and delimiter.isascii()
        and not delimiter.isalnum()
        and codecs.lookup(encoding).name in _ASCII_FIRST
    )


def records_only(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    """Yield rows; raise csv.Error at an empty line."""
    for row in rows:
        if not row:
            raise csv.Error(_("it has an empty line"))
        yield row


class Blocks:
    """Reader of the records of a text file, some megabytes at a time.

    A block in which no cell can be quoted, or the same ones in all lines, and every line has as many cells
    as the header is parsed by pandas, about ten times as fast as by the csv module, which parses all others.
    Both find the same records.

    Parameters
    ----------
    binary : BinaryIO
    encoding, delimiter : str
        Values for which `can_be_divided` holds.
    quote : str
        Quotation mark; empty for none.
    has_records_only : bool
        Whether an empty line is an error; otherwise it is ignored.
    """

    def __init__(
        self, binary: BinaryIO, encoding: str, delimiter: str, quote: str, *, has_records_only: bool = False
    ) -> None:
        self._binary, self._encoding, self._has_records_only = binary, encoding, has_records_only
        self._delimiter, self._quote = delimiter, quote
        self._rest = b""
        self._is_last_line = False

    def header(self, ignored_mark: str, skip: int) -> list[str] | None:
        """Read the first record after `skip` lines; None if there is none.

        Raises
        ------
        UnicodeError, csv.Error
            The text cannot be read.
        """
        lines = self._lines(self._block())
        for number in range(skip + 1):
            line = next(lines, "")
            if number == 0:
                line = line.removeprefix(ignored_mark)
        again = iter([line] if line else [])
        found = next(filter(None, self._parsed(line for source in (again, lines) for line in source)), None)
        lines.close()
        return found

    def tables(self, width: int) -> Iterator[pd.DataFrame | list[list[str]]]:
        """Yield the remaining records: a table of texts if a block is plain, else rows.

        Parameters
        ----------
        width : int
            Number of cells in the header.
        """
        while block := self._block():
            table = self._at_once(block, width)
            yield self.rows(block) if table is None else table

    def rows(self, block: bytes) -> list[list[str]]:
        """Return the records that begin in a block, by the csv module; bytes after the last one wait."""
        lines = self._lines(block)
        found = []
        for row in self._parsed(lines):
            if row:
                found.append(row)
            if self._is_last_line:
                break
        lines.close()
        return found

    def _parsed(self, lines: Iterator[str]) -> Iterator[list[str]]:
        rows = csv.reader(
            lines,
            delimiter=self._delimiter,
            quotechar=self._quote or None,
            quoting=csv.QUOTE_MINIMAL if self._quote else csv.QUOTE_NONE,
        )
        return records_only(rows) if self._has_records_only else rows

    def _lines(self, block: bytes) -> Generator[str, None, None]:
        """Yield the lines of a block and of those after it; lines not consumed are kept when it is closed."""
        try:
            while block:
                text = block.decode(self._encoding)
                lines, block = io.StringIO(text, newline=""), b""
                while line := lines.readline():
                    self._is_last_line = lines.tell() == len(text)
                    yield line
                block = self._block()
        except GeneratorExit:
            self._rest = lines.read().encode(self._encoding) + self._rest

    def _block(self) -> bytes:
        """Return the next bytes up to the end of a line."""
        parts, self._rest = [self._rest], b""
        is_cut = False
        while not is_cut and (more := self._binary.read(_BYTES)):
            end = more.rfind(b"\n") + 1
            parts.append(more[:end] if end else more)
            self._rest, is_cut = more[end:] if end else b"", bool(end)
        return b"".join(parts)

    def _at_once(self, block: bytes, width: int) -> pd.DataFrame | None:
        """Return the texts of a block by column number; None if only the csv module can parse it."""
        if b"\r" in block:
            if block.count(b"\r") != block.count(b"\r\n"):
                return None
            block = block.replace(b"\r\n", b"\n")
        mark = self._delimiter.encode()
        quote = self._quote.encode()
        if quote and quote in block and width > 1 and is_uniform(block, mark, quote, width, b"\n"):
            block = block.replace(quote, b"")  # around whole cells only
        n_lines = block.count(b"\n") + (not block.endswith(b"\n"))
        n_first = block[: block.find(b"\n") + 1 or len(block)].count(mark)
        is_odd = b"\0" in block or (quote and quote in block)
        if is_odd or width < 2 or n_first != width - 1 or block.count(mark) != n_lines * (width - 1):
            return None
        try:
            table = pd.read_csv(
                io.BytesIO(block.decode(self._encoding).encode()),
                sep=self._delimiter,
                header=None,
                names=range(width),
                index_col=False,
                dtype=object,  # unchanged texts; categories would be read as numbers
                na_filter=False,
                quoting=csv.QUOTE_NONE,
                low_memory=False,
            )
        except pd.errors.ParserError:  # a line has more cells than those before it
            return None
        # pandas refuses longer lines; with the expected number of delimiters no line is shorter either.
        return table if len(table) == n_lines else None
