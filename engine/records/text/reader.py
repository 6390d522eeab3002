"""Text files as raw columns: delimiter and header detected or given, records parsed, texts coded."""

from __future__ import annotations

import io
from array import array
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.memory import Freed, give_memory_back
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.records.chunks import Coded, coded_in_turn, count_in, find_in
from engine.records.options import FILL, ReadOptions
from engine.records.raw import FileColumns, RawColumn, RawTable
from engine.records.table_files import Source, load, text_blocks
from engine.records.text import dialect
from engine.records.text.dialect import Form
from engine.words import _, ngettext

_BLOCK = 1 << 20
_TRIED, _MOST_TRIED = 1 << 18, 10_000  # bytes and records that tell in which columns texts repeat
_MOST_COLUMNS = 1_000_000
_LARGE = 1 << 24  # bytes above which a file is read in pieces


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
    repeating = repeating_columns(text, names) if size > _BLOCK else set(wanted)
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


def repeating_columns(text: DividedText, names: Sequence[str]) -> set[str]:
    """Return the columns, which all have a name here, in which texts repeat at the beginning."""
    beginning = text.source.data[text.begin : text.begin + _TRIED]
    end = max(beginning.rfind(b"\n"), beginning.rfind(b"\r")) + 1
    whole = beginning[:end].decode("utf-8", errors="ignore")
    rows = dialect.sample_rows(whole, text.delimiter, text.form, _MOST_TRIED)
    columns = zip(*(row for row in rows if len(row) == len(names)), strict=True)
    found = zip(names, columns, strict=False)  # without columns if there is no record
    return {name for name, cells in found if 2 * len(set(cells)) <= len(cells)}


def arrow_options(
    text: DividedText, names: Sequence[str], wanted: Sequence[str], repeating: Collection[str], block: int
) -> dict[str, Any]:
    """Return options by which Arrow reads every field unchanged, repeated texts coded within each block.

    Parameters
    ----------
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
