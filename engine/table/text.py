"""Text files as raw columns: delimiter and header detected or given, records parsed, texts coded."""

from __future__ import annotations

import io
from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.memory import Freed, give_memory_back
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.table import dialect
from engine.table.coding import Coded, coded_in_turn
from engine.table.dialect import Form
from engine.table.long_records import refuse_long_records
from engine.table.options import FILL, ReadOptions
from engine.table.raw import FileColumns, RawColumn, RawTable
from engine.table.sources import Source, load
from engine.table.text_chunks import count_in, find_in
from engine.words import _, ngettext

_BLOCK = 1 << 20
_TRIED = 1 << 18  # bytes whose texts tell in which columns texts repeat
_MOST_COLUMNS = 1_000_000
_LARGE = 1 << 24  # bytes above which a file is read in pieces


def read_text(path: Path, options: ReadOptions, monitor: Monitor, *, guess: bool = False) -> RawTable:
    """Return the columns of a text file.

    Parameters
    ----------
    path : Path
    options : ReadOptions
    monitor : Monitor
    guess : bool
        Whether to fall back to a usual encoding if nothing proves one.

    Raises
    ------
    TableError
        The file cannot be read, is empty or not rectangular, or a column has no name or a repeated one.
    """
    refuse_long_records(path, options, monitor)
    usual = "\t" if ".tsv" in path.name.lower() else ","
    return parsed(load(path, options.encoding, guess=guess), options, monitor, usual=usual)


def parsed(source: Source, options: ReadOptions, monitor: Monitor, *, usual: str = ",") -> RawTable:
    """Return the columns of a text in memory; see `read_text`.

    Parameters
    ----------
    source : Source
    options : ReadOptions
    monitor : Monitor
    usual : str
        The delimiter if none divides the records.
    """
    layout = layout_of(source, options, usual=usual)
    coded, filled = _coded_columns(
        layout.text, len(layout.names), [position for position, _unused in layout.taken], monitor
    )
    columns = (RawColumn(name, *column) for (_unused, name), column in zip(layout.taken, coded, strict=True))
    return replace(layout.empty, columns=tuple(columns), filled=filled)


@dataclass(frozen=True)
class Layout:
    """How a text file is divided into records and columns, detected from its beginning.

    Attributes
    ----------
    text : DividedText
    names : list of str
        Names of all columns as written.
    taken : FileColumns
    empty : RawTable
        What is known of the table without its columns.
    """

    text: DividedText
    names: list[str]
    taken: FileColumns
    empty: RawTable


def layout_of(source: Source, options: ReadOptions, *, usual: str = ",") -> Layout:
    """Return the layout of a text, of which the beginning is enough; raises as `read_text` does."""
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
    is_cut = len(text.source.data) - text.begin > dialect.SAMPLE_BYTES
    if is_cut:
        _refuse_many_columns(text)
    is_short = is_cut and dialect.n_records(start, text.delimiter, text.form) < 2
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
            coded = _by_arrow(text, width, places, monitor)
            if coded is not None:
                return coded, ()
        except (pa.ArrowInvalid, pa.ArrowCapacityError, OSError):
            pass  # the plain parser names the line, or reads what the fast one refuses
        if text.source.path is not None and not text.source.data:
            text.source.data = load(text.source.path, text.source.encoding).data
    return _by_records(text, width, places, monitor)


def _by_arrow(
    text: DividedText, width: int, places: Sequence[int], monitor: Monitor
) -> list[tuple[Sequence[str], Codes]] | None:
    """Parse with Arrow; None if a quotation mark may be left open, which Arrow does not report."""
    import pyarrow as pa
    from pyarrow import csv

    data, form = text.source.data, text.form
    size = len(data)
    mark = form.quote.encode()
    n_quotes = count_in(data, mark) if mark and find_in(data, mark) >= 0 else 0  # searching is faster
    if form.comment:
        data, begin = dialect.without_comments(data[text.begin :], form.comment), 0
    else:
        begin = text.begin
    while begin < len(data) and data[begin] in b"\r\n":
        begin += 1
    names = [str(i) for i in range(width)]
    wanted = [*dict.fromkeys(names[i] for i in places), *([] if width - 1 in places else names[-1:])]
    repeating = (
        _repeating(text, data[begin : begin + _TRIED], names, wanted) if size > _BLOCK else set(wanted)
    )
    if text.source.path is not None and data is text.source.data and size > _LARGE:
        text.source.data = data = b""  # the table replaces it in memory
        stream = pa.OSFile(str(text.source.path))
        stream.seek(begin)
    else:
        stream = pa.BufferReader(pa.py_buffer(data)[begin:])
    give_memory_back()
    freed = Freed()
    columns = [Coded() for _unused in wanted]
    done = 0
    for batch in csv.open_csv(stream, **arrow_options(text, names, wanted, repeating, _BLOCK)):
        for column, block in zip(columns, batch.columns, strict=True):
            column.add(block)
        done += _BLOCK
        freed.add(_BLOCK)
        monitor.step(min(done, size), size, _("Reading {file}").format(file=text.name))
        del batch
    coded = {}
    for i, texts_and_codes in coded_in_turn(columns):
        monitor.step(size, size, _("Reading {file}").format(file=text.name))
        coded[wanted[i]] = texts_and_codes
    if form.quote and (n_quotes % 2 or _may_be_open(coded[names[-1]])):
        return None
    return [coded[names[i]] for i in places]


def _repeating(text: DividedText, beginning: bytes, names: Sequence[str], wanted: Sequence[str]) -> set[str]:
    """Return the columns in which texts repeat at the beginning of the records."""
    import pyarrow as pa
    from pyarrow import csv

    whole = beginning[: beginning.rfind(b"\n") + 1]
    try:
        found = csv.read_csv(
            pa.BufferReader(whole), **arrow_options(text, names, wanted, set(wanted), len(whole) + 1)
        )
    except pa.ArrowInvalid:  # cut within a record, or an error that reading everything will name
        return set(wanted)
    columns = zip(wanted, found.columns, strict=True)
    return {name for name, cells in columns if 2 * len(cells.chunk(0).dictionary) <= len(cells)}


def arrow_options(
    text: DividedText, names: Sequence[str], wanted: Sequence[str], repeating: Collection[str], block: int
) -> dict[str, Any]:
    """Return options by which Arrow reads every field as it is, repeated texts coded within each block.

    Parameters
    ----------
    text : DividedText
    names : sequence of str
        A name for every column of the file.
    wanted, repeating : sequence of str
        Columns that are read, and those of them whose texts are coded.
    block : int
        Bytes that are parsed at a time.
    """
    import pyarrow as pa
    from pyarrow import csv

    quote = text.form.quote
    coded = pa.dictionary(pa.int32(), pa.string())
    return {
        "read_options": csv.ReadOptions(
            column_names=names, skip_rows_after_names=int(text.header), block_size=block
        ),
        "parse_options": csv.ParseOptions(
            delimiter=text.delimiter, quote_char=quote or False, newlines_in_values=bool(quote)
        ),
        "convert_options": csv.ConvertOptions(
            column_types={name: coded if name in repeating else pa.string() for name in wanted},
            include_columns=wanted,
            null_values=[],
            strings_can_be_null=False,
        ),
    }


def _may_be_open(last: tuple[Sequence[str], Codes]) -> bool:
    """Return whether a quotation mark may be left open: Arrow then reads the rest as one value."""
    texts, codes = last
    text = texts[codes[-1]] if len(codes) else ""
    return "\n" in text or "\r" in text


def _by_records(
    text: DividedText, width: int, places: Sequence[int], monitor: Monitor
) -> tuple[list[tuple[Sequence[str], Codes]], tuple[int, ...]]:
    indexes: list[dict[str | None, int]] = [{None: -1} for _unused in places]
    codes = [array("i") for _unused in places]
    filled: list[int] = []
    for number, (line, fields) in enumerate(text.records()):
        if len(fields) != width:
            if len(fields) > width or not text.fill:
                raise ragged(text, line, len(fields), width)
            filled.append(number - int(text.header))
        if number == 0 and text.header:
            continue
        if number % 10_000 == 0:
            monitor.step(
                0, 1, _("Reading {file}, line {line}").format(file=text.name, line=as_exact_count(line))
            )
        whole: list[str | None] = [*fields, *[None] * (width - len(fields))]
        for place, index, column in zip(places, indexes, codes, strict=True):
            column.append(index.setdefault(whole[place], len(index) - 1))
    coded: list[tuple[Sequence[str], Codes]] = [
        ([value for value in index if value is not None], np.frombuffer(column, dtype=np.int32).copy())
        if len(column)
        else ([], np.zeros(0, dtype=np.int32))
        for index, column in zip(indexes, codes, strict=True)
    ]
    return coded, tuple(filled)


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
