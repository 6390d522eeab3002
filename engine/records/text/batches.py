"""Records of a text file of any size, as Arrow arrays in batches, every cell exactly as written."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from engine.monitor import Monitor
from engine.records.options import ReadOptions
from engine.records.table_files import load_beginning, not_in_encoding, nul_character, text_blocks
from engine.records.text import dialect
from engine.records.text.reader import Layout, arrow_options, layout_of, repeating_columns, whole_records
from engine.words import _

_BEGINNING = 1 << 18  # bytes from which the layout is detected
_BLOCK = 1 << 22  # bytes that Arrow parses at a time
_RECORDS = 1 << 16  # records in a batch of the plain reader


def layout_of_file(path: Path, options: ReadOptions, *, guess: bool = False) -> Layout:
    """Return the layout of a text file, detected from its beginning as for a table in memory.

    With `guess`, so is an encoding that nothing proves; otherwise it is UTF-8.

    Raises
    ------
    TableError
        See `engine.records.text.reader.read_text`.
    """
    source, _is_all = load_beginning(path, _BEGINNING, options.encoding)
    if source.encoding_is_guessed and options.encoding is None and not guess:
        source.encoding_is_guessed = False  # proved, or refused, by reading everything
        source.encoding = "utf-8"
    return layout_of(source, options)


def text_batches(path: Path, layout: Layout, monitor: Monitor) -> Iterator[list[Any]]:
    """Yield the selected columns of a text file as one Arrow array each, batch by batch.

    Parameters
    ----------
    layout : Layout
        Of this file.

    Raises
    ------
    UnlikeError
        Arrow reads the file differently from the csv module; what was yielded does not count.
    TableError
        Bytes are not text in the encoding, or there is a NUL character.
    """
    import pyarrow as pa
    from pyarrow import csv

    text, places = layout.text, [place for place, _unused in layout.taken]
    names = [str(i) for i in range(len(layout.names))]
    wanted = list(dict.fromkeys(names[i] for i in places))
    asked = [*wanted, *([] if names[-1] in wanted else names[-1:])]
    stream = _TextStream(path, text.source.encoding, text.form.quote)
    stream.skip(text.begin)
    last = ""
    try:
        options = arrow_options(text, names, asked, repeating_columns(text, names), _BLOCK)
        for batch in csv.open_csv(pa.PythonFile(io.BufferedReader(stream, _BLOCK), mode="r"), **options):
            monitor.step(stream.n_read, stream.n_bytes, _("Reading {file}").format(file=path.name))
            if batch.num_rows:
                last = batch.column(asked.index(names[-1]))[-1].as_py()
                columns = dict(zip(asked, batch.columns, strict=True))
                yield [columns[names[i]] for i in places]
    except (pa.ArrowInvalid, pa.ArrowCapacityError, OSError) as error:
        raise UnlikeError from error
    # Arrow does not report a quotation mark that is left open: it reads the rest as one value.
    if text.form.quote and (stream.n_quotes % 2 or "\n" in last or "\r" in last):
        raise UnlikeError


class UnlikeError(Exception):
    """Arrow reads a file differently from the csv module, or not at all."""


def may_be_fast(layout: Layout) -> bool:
    """Return whether Arrow can read records that are divided so."""
    text = layout.text
    return len(text.delimiter.encode()) == 1 and not text.form.comment and not text.fill


def plain_batches(
    path: Path, layout: Layout, monitor: Monitor, short: list[int] | None = None
) -> Iterator[list[Any]]:
    """Yield the same as `text_batches` by the csv module, which is slower and names the line of an error.

    `short` gets the numbers of the records in the file that were too short.

    Raises
    ------
    TableError
        See `engine.records.text.reader.read_text`.
    """
    import pyarrow as pa

    text = layout.text
    places = [place for place, _unused in layout.taken]
    stream = _TextStream(path, text.source.encoding, text.form.quote)

    def lines() -> Iterator[str]:
        nonlocal stream
        stream = _TextStream(path, text.source.encoding, text.form.quote)
        stream.skip(text.begin)
        return io.TextIOWrapper(io.BufferedReader(stream, _BLOCK), "utf-8", newline="")

    records = dialect.records(lines, text.delimiter, text.name, text.form, first_line=text.first_line)
    rows = whole_records(text, records, len(layout.names), [] if short is None else short)
    while some := list(islice(rows, _RECORDS)):
        monitor.step(stream.n_read, stream.n_bytes, _("Reading {file}").format(file=path.name))
        yield [pa.array([cells[i] for _line, cells in some], pa.string()) for i in places]


class _TextStream(io.RawIOBase):
    """The text of a file in UTF-8 without byte order mark, unpacked and decoded while it is read.

    Parameters
    ----------
    quote : str
        Mark that is counted.
    """

    def __init__(self, path: Path, encoding: str, quote: str) -> None:
        super().__init__()
        self._name, self._encoding = path.name, encoding
        self._quote = quote.encode()
        self._blocks = text_blocks(path)
        self._decode = _decoder(encoding)
        self._left = memoryview(b"")
        self._n_lines = 1
        self._is_over = False
        self.n_bytes = path.stat().st_size
        self.n_read = 0
        self.n_quotes = 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def skip(self, n_bytes: int) -> None:
        """Skip bytes, and the line ends behind them."""
        while len(self._left) <= n_bytes and self._fill():
            pass
        self._left = self._left[n_bytes:]
        while True:
            if not len(self._left) and not self._fill():
                return
            if self._left[0] not in b"\r\n":
                return
            self._left = self._left[1:]

    def readinto(self, target: Any) -> int:
        """Fill a buffer; 0 at the end."""
        if not len(self._left) and not self._fill():
            return 0
        n = min(len(target), len(self._left))
        target[:n] = self._left[:n]
        self._left = self._left[n:]
        return n

    def close(self) -> None:
        """Close the file."""
        self._blocks.close()
        super().close()

    def _fill(self) -> bool:
        """Add the next block to the unread rest; False at the end."""
        while not self._is_over:
            block = next(self._blocks, b"")
            self._is_over = not block
            self.n_read = min(self.n_read + len(block), self.n_bytes)  # of a packed file about
            try:
                text = self._decode(block, self._is_over)
            except UnicodeDecodeError as error:
                raise not_in_encoding(
                    self._name, bytes(error.object), self._encoding, error.start, self._n_lines
                ) from None
            if b"\0" in text:
                line = self._n_lines + text.count(b"\n", 0, text.find(b"\0"))
                raise nul_character(self._name, line)
            if text:
                self._n_lines += text.count(b"\n")
                self.n_quotes += text.count(self._quote) if self._quote else 0
                self._left = memoryview(bytes(self._left) + text)
                return True
        return False


def _decoder(encoding: str) -> Callable[[bytes, bool], bytes]:
    name = codecs.lookup(encoding).name
    decoder = codecs.getincrementaldecoder("utf-8-sig" if name == "utf-8" else name)()
    return lambda block, is_over: decoder.decode(block, is_over).encode("utf-8")
