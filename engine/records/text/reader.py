"""Text files as raw columns: delimiter and header detected or given, records parsed, texts coded.

Those of any size are read in batches of Arrow arrays, every cell exactly as written.
"""

from __future__ import annotations

import codecs
import io
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.processes import Freed, give_memory_back
from engine.records.chunks import Coded, coded_in_turn, count_in, find_in
from engine.records.options import FILL, ReadOptions
from engine.records.raw import FileColumns, RawColumn, RawTable
from engine.records.table_files import (
    Source,
    load,
    load_beginning,
    not_in_encoding,
    nul_character,
    text_blocks,
)
from engine.records.text import dialect
from engine.records.text.dialect import Form
from engine.words import _, ngettext

_BLOCK = 1 << 20
_TRIED, _MOST_TRIED = 1 << 18, 10_000  # bytes and records that tell in which columns texts repeat
_MOST_COLUMNS = 1_000_000
_LARGE = 1 << 24  # bytes above which a file is read in pieces
_BEGINNING = 1 << 18  # bytes from which the layout of a file of any size is detected
_STREAM_BLOCK = 1 << 22  # bytes of such a file that Arrow parses at a time
_RECORDS = 1 << 16  # records that the plain reader yields at once


def read_text(path: Path, options: ReadOptions, monitor: Monitor, *, guess: bool = False) -> RawTable:
    """Return the columns of a text file.

    Parameters
    ----------
    guess : bool
        Whether to fall back to a usual encoding if nothing proves one.

    Raises
    ------
    TableError
        The file cannot be read, is empty or not rectangular, or a column has no name or a repeated one.
    """
    _refuse_endless(path)
    return parsed(load(path, options.encoding, guess=guess), options, monitor)


def _refuse_endless(path: Path) -> None:
    """Refuse a file without a line end in as many bytes as a record may have, before it is held in memory."""
    n_bytes = 0
    with closing(text_blocks(path)) as blocks:
        for block in blocks:
            n_bytes += len(block)
            if b"\n" in block or b"\r" in block:
                return
            if n_bytes > dialect.LONGEST:
                raise dialect.long_record(path.name, 1)


def parsed(source: Source, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of a text in memory; see `read_text`."""
    layout = layout_of(source, options)
    coded, filled = _coded_columns(
        layout.text, len(layout.names), [position for position, _unused in layout.taken], monitor
    )
    columns = (RawColumn(name, *column) for (_unused, name), column in zip(layout.taken, coded, strict=True))
    return replace(layout.empty, columns=tuple(columns), filled=filled)


@dataclass(frozen=True)
class Layout:
    """Division of a text file into records and columns, detected from its beginning.

    Attributes
    ----------
    names : list of str
        Names of all columns as written.
    empty : RawTable
        Properties of the table without its columns.
    """

    text: DividedText
    names: list[str]
    taken: FileColumns
    empty: RawTable


def layout_of(source: Source, options: ReadOptions, path: str = "") -> Layout:
    """Return the layout of a text, of which the beginning is enough; raises as `read_text` does.

    If no delimiter divides the records, the path, by default the name of the source, gives the usual one.
    """
    usual = "\t" if ".tsv" in (path or source.name).lower() else ","
    quote, header = options.quote, options.header
    begin = dialect.after_lines(source.data, options.skip_lines)
    start = dialect.sample(source.data[begin : begin + dialect.SAMPLE_BYTES + 1])
    form = Form(dialect.detect_quote(start) if quote is None else quote, options.comment)
    delimiter = options.delimiter or dialect.detect_delimiter(start, form) or usual
    is_detected = header is None
    if header is None:
        header = dialect.detect_header(start, delimiter, options.decimal, form)
    fill = options.ragged == FILL
    text = DividedText(source, begin, options.skip_lines + 1, delimiter, form, header, fill)
    line, names = _names(text, start)
    place = _("'{file}', line {line}").format(file=source.name, line=line)
    taken = options.columns_of(names, source.name, place, line=line)
    guessed = [
        *(["encoding"] if source.encoding_is_guessed else []),
        *(["header"] if is_detected and not header else []),
    ]
    empty = RawTable(
        source.name,
        (),
        header=header,
        delimiter=delimiter,
        encoding=source.encoding,
        guessed=tuple(guessed),
        quote=form.quote,
        taken=taken,
    )
    return Layout(text, names, taken, empty)


def get_ready() -> None:
    """Load the text parser, which takes longer than reading a small file."""
    parsed(Source("", b"a,b\n1,2\n", "utf-8"), ReadOptions(), SILENT)


@dataclass(frozen=True)
class DividedText:
    """A text file and how it is divided into records."""

    source: Source
    begin: int  # first byte after the skipped lines
    first_line: int
    delimiter: str
    form: Form
    header: bool
    fill: bool

    @property
    def name(self) -> str:
        return self.source.name

    def records(self, text: str | None = None) -> Iterator[tuple[int, list[str]]]:
        given = self._lines if text is None else text
        return dialect.records(given, self.delimiter, self.name, self.form, first_line=self.first_line)

    def _lines(self) -> Iterator[str]:
        data = io.BytesIO(self.source.data)  # shares the bytes without a copy
        data.seek(self.begin)
        return io.TextIOWrapper(data, "utf-8", newline="")


def _names(text: DividedText, start: str) -> tuple[int, list[str]]:
    """Return the line and the names of the header; positions if there is no header."""
    is_partial = len(text.source.data) - text.begin > dialect.SAMPLE_BYTES
    if is_partial:
        _refuse_many_columns(text)
    is_short = is_partial and dialect.n_records(start, text.delimiter, text.form) < 2
    record = next(text.records(None if is_short else start), None)
    if record is None:
        raise TableError(
            _("'{name}' is empty after the skipped lines.").format(name=text.name)
            if text.begin
            else _("'{name}' is empty.").format(name=text.name),
            hint=_("Choose a file with records."),
            file=text.name,
        )
    line, fields = record
    if not text.header:
        return line, [f"column {i}" for i in range(1, len(fields) + 1)]
    return line, fields


def _refuse_many_columns(text: DividedText) -> None:
    data = text.source.data
    ends = [place for end in (b"\n", b"\r") if (place := data.find(end, text.begin)) >= 0]
    n_columns = data.count(text.delimiter.encode(), text.begin, min(ends, default=len(data))) + 1
    if n_columns > _MOST_COLUMNS:
        raise TableError(
            _("'{name}', line {line}: {n} fields, more than a table can have.").format(
                name=text.name, line=text.first_line, n=as_exact_count(n_columns)
            ),
            hint=_("Check the delimiter, and that the file is a text table."),
            file=text.name,
            line=text.first_line,
        )


def _coded_columns(
    text: DividedText, width: int, places: Sequence[int], monitor: Monitor
) -> tuple[list[tuple[Sequence[str], Codes]], tuple[int, ...]]:
    """Return distinct texts and codes of the selected columns, and the records that were too short."""
    import pyarrow as pa

    form = text.form
    may_hold_lines = bool(form.quote) and find_in(text.source.data, form.quote.encode(), text.begin) >= 0
    if len(text.delimiter.encode()) == 1 and not (form.comment and may_hold_lines):
        try:
            return _by_arrow(text, width, places, monitor), ()
        except (UnlikeError, pa.ArrowInvalid, pa.ArrowCapacityError, OSError):
            pass  # the plain parser names the line, or reads what the fast one refuses
        if text.source.path is not None and not text.source.data:
            text.source.data = load(text.source.path, text.source.encoding).data
    return _by_records(text, width, places, monitor)


class UnlikeError(Exception):
    """Arrow reads a file differently from the csv module, or not at all."""


def _by_arrow(
    text: DividedText, width: int, places: Sequence[int], monitor: Monitor
) -> list[tuple[Sequence[str], Codes]]:
    """Parse with Arrow; raise `UnlikeError` if a quotation mark is left open, which Arrow does not report."""
    import pyarrow as pa

    data, form = text.source.data, text.form
    size, mark = len(data), form.quote.encode()
    if mark and find_in(data, mark) >= 0 and count_in(data, mark) % 2:  # searching is faster
        raise UnlikeError
    if form.comment:
        data, begin = dialect.without_comments(data[text.begin :], form.comment), 0
    else:
        begin = text.begin
    while begin < len(data) and data[begin] in b"\r\n":
        begin += 1
    names = [str(i) for i in range(width)]
    repeating = repeating_columns(text, names) if size > _BLOCK else names
    if text.source.path is not None and data is text.source.data and size > _LARGE:
        text.source.data = data = b""  # the table replaces it in memory
        stream = pa.OSFile(str(text.source.path))
        stream.seek(begin)
    else:
        stream = pa.BufferReader(pa.py_buffer(data)[begin:])
    give_memory_back()
    freed = Freed()
    columns = [Coded() for _unused in places]
    done = 0
    for blocks in _arrow_batches(text, names, places, repeating, stream, _BLOCK):
        for column, block in zip(columns, blocks, strict=True):
            column.add(block)
        done += _BLOCK
        freed.add(_BLOCK)
        monitor.step(min(done, size), size, _("Reading {file}").format(file=text.name))
    coded = {}
    for i, texts_and_codes in coded_in_turn(columns):
        monitor.step(size, size, _("Reading {file}").format(file=text.name))
        coded[i] = texts_and_codes
    return [coded[i] for i in range(len(places))]


def _arrow_batches(
    text: DividedText,
    names: Sequence[str],
    places: Sequence[int],
    repeating: Collection[str],
    stream: Any,
    block: int,
) -> Iterator[list[Any]]:
    """Yield the selected columns as Arrow reads every field unchanged, one array each, batch by batch.

    Parameters
    ----------
    names : sequence of str
        A name for every column of the file.
    repeating : collection of str
        Those whose texts are coded, each text once within a batch.
    stream : file
        The records in UTF-8, the header included.
    block : int
        Bytes that are parsed at a time.

    Raises
    ------
    UnlikeError
        Arrow reads the records differently from the csv module; what was yielded does not count.
    """
    import pyarrow as pa
    from pyarrow import csv

    quote, coded = text.form.quote, pa.dictionary(pa.int32(), pa.string())
    asked = list(dict.fromkeys([*(names[i] for i in places), names[-1]]))
    kinds = {name: coded if name in repeating else pa.string() for name in asked}
    last = ""
    try:
        batches = csv.open_csv(
            stream,
            csv.ReadOptions(column_names=names, skip_rows_after_names=int(text.header), block_size=block),
            csv.ParseOptions(
                delimiter=text.delimiter, quote_char=quote or False, newlines_in_values=bool(quote)
            ),
            csv.ConvertOptions(
                column_types=kinds, include_columns=asked, null_values=[], strings_can_be_null=False
            ),
        )
        for batch in batches:
            if batch.num_rows:
                last = batch.column(asked.index(names[-1]))[-1].as_py()
            columns = dict(zip(asked, batch.columns, strict=True))
            yield [columns[names[i]] for i in places]
            del batch, columns
    except (pa.ArrowInvalid, pa.ArrowCapacityError, OSError) as error:
        raise UnlikeError from error
    # Arrow does not report a quotation mark that is left open: it reads the rest as one value.
    if quote and ("\n" in last or "\r" in last):
        raise UnlikeError


def repeating_columns(text: DividedText, names: Sequence[str]) -> set[str]:
    """Return the columns, which all have a name here, in which texts repeat at the beginning."""
    beginning = text.source.data[text.begin : text.begin + _TRIED]
    end = max(beginning.rfind(b"\n"), beginning.rfind(b"\r")) + 1
    whole = beginning[:end].decode("utf-8", errors="ignore")
    rows = dialect.sample_rows(whole, text.delimiter, text.form, _MOST_TRIED)
    columns = zip(*(row for row in rows if len(row) == len(names)), strict=True)
    found = zip(names, columns, strict=False)  # without columns if there is no record
    return {name for name, cells in found if 2 * len(set(cells)) <= len(cells)}


def _by_records(
    text: DividedText, width: int, places: Sequence[int], monitor: Monitor
) -> tuple[list[tuple[Sequence[str], Codes]], tuple[int, ...]]:
    indexes: list[dict[str | None, int]] = [{None: -1} for _unused in places]
    codes = [array("i") for _unused in places]
    short: list[int] = []
    for number, (line, cells) in enumerate(whole_records(text, text.records(), width, short)):
        if number % 10_000 == 0:
            monitor.step(
                0, 1, _("Reading {file}, line {line}").format(file=text.name, line=as_exact_count(line))
            )
        for place, index, column in zip(places, indexes, codes, strict=True):
            column.append(index.setdefault(cells[place], len(index) - 1))
    coded: list[tuple[Sequence[str], Codes]] = [
        ([value for value in index if value is not None], np.array(column, dtype=np.int32))
        for index, column in zip(indexes, codes, strict=True)
    ]
    return coded, tuple(short)


def whole_records(
    text: DividedText, records: Iterator[tuple[int, list[str]]], width: int, short: list[int]
) -> Iterator[tuple[int, list[str | None]]]:
    """Yield line and cells of the records below the header; short ones are padded if the text allows it.

    Parameters
    ----------
    short : list of int
        Gets the numbers of the records, from 0, that were padded.

    Raises
    ------
    TableError
        A record has another number of fields than the header.
    """
    for number, (line, fields) in enumerate(records, start=-int(text.header)):
        n_lacking = width - len(fields)
        if n_lacking < 0 or (n_lacking and not text.fill):
            raise ragged(text, line, len(fields), width)
        if n_lacking:
            short.append(number)
        if number >= 0:
            yield line, [*fields, *[None] * n_lacking]


def ragged(text: DividedText, line: int, found: int, expected: int) -> TableError:
    """Return the error for a record with another number of fields than expected."""
    if text.header:
        problem = ngettext(
            "'{name}', line {line}: {n} field, but the header has {expected}.",
            "'{name}', line {line}: {n} fields, but the header has {expected}.",
            found,
        )
    else:
        problem = ngettext(
            "'{name}', line {line}: {n} field, but the first record has {expected}.",
            "'{name}', line {line}: {n} fields, but the first record has {expected}.",
            found,
        )
    hint = _("Look for a missing or extra delimiter, or a quotation mark that is not closed.")
    if found < expected:
        hint += " " + _("Short records can also be padded with missing cells.")
    return TableError(
        problem.format(name=text.name, line=line, n=found, expected=expected),
        hint=hint,
        file=text.name,
        line=line,
        found=found,
        expected=expected,
    )


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

    text, places = layout.text, [place for place, _unused in layout.taken]
    names = [str(i) for i in range(len(layout.names))]
    stream = _TextStream(path, text.source.encoding, text.form.quote)
    stream.skip(text.begin)
    file = pa.PythonFile(io.BufferedReader(stream, _STREAM_BLOCK), mode="r")
    for blocks in _arrow_batches(text, names, places, repeating_columns(text, names), file, _STREAM_BLOCK):
        monitor.step(stream.n_read, stream.n_bytes, _("Reading {file}").format(file=path.name))
        if len(blocks[0]):
            yield blocks
    if text.form.quote and stream.n_quotes % 2:
        raise UnlikeError


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
        return io.TextIOWrapper(io.BufferedReader(stream, _STREAM_BLOCK), "utf-8", newline="")

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
