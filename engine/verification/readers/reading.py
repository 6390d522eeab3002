"""Import of a file as integer codes, with one vocabulary per column shared by both files."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, compress, islice
from typing import BinaryIO, NamedTuple, TextIO, cast
from urllib.parse import unquote

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.claims import Reading
from engine.verification.findings import UnverifiableError
from engine.verification.readers.collecting import Cells, Codes, Texts, Vocabulary
from engine.verification.readers.file_cells import Column
from engine.verification.readers.formats import is_text, read_columns
from engine.verification.subsets import kept_records
from engine.words import _

Progress = Callable[[int, int, str], None]

_BATCH = 20_000
_SLICE = 250_000  # records of a piece of a file that is not text
GZIP = b"\x1f\x8b"
_LONGEST_CELL = 2**31 - 1  # the csv module refuses cells above 128 KiB by default


class Layout(NamedTuple):
    """Columns of a file: how many it has, and position and name of those that are imported."""

    width: int
    taken: list[tuple[int, str]]


def layout_of(reading: Reading) -> Layout:
    """Return the columns of a text, from its start; errors as of `read_pieces`."""
    try:
        with reading.path.open(encoding=reading.encoding, newline="") as text:
            names, _first, _rows = _begun(reading, text)
    except _UNREADABLE as error:
        raise _unreadable(reading, error) from error
    return Layout(len(names), taken_columns(reading, names))


def read_pieces(
    reading: Reading,
    vocabularies: dict[str, Vocabulary],
    progress: Callable[[float], None],
    coded: Callable[[str], bool] = lambda name: True,
) -> Iterator[pd.DataFrame]:
    """Yield the records of a file piece by piece; the first piece may be empty and has all columns, too.

    Parameters
    ----------
    vocabularies : dict of str to Vocabulary
        By column name; extended by new columns and new texts.
    progress : callable
        Called with the fraction read; may raise to stop.
    coded : callable, optional
        Returns whether a column becomes codes; others become texts.

    Raises
    ------
    UnverifiableError
        If the file cannot be read as a rectangular table with distinct column names.
    """

    def kind(name: str) -> Cells:
        clean = reading.cleaner(name)
        return Codes(vocabularies.setdefault(name, Vocabulary()), clean) if coded(name) else Texts(clean)

    if not is_text(reading):
        yield from _column_pieces(reading, kind, progress)
        return
    try:
        columns: dict[str, Cells] = {}
        for taken, part in _parts(reading, progress):
            columns = columns or {name: kind(name) for _unused, name in taken}
            found = {name: columns[name].of(part[place] if part else ()) for place, name in taken}
            yield pd.DataFrame(found, copy=False)
    except _UNREADABLE as error:
        raise _unreadable(reading, error) from error


def _column_pieces(
    reading: Reading, kind: Callable[[str], Cells], progress: Callable[[float], None]
) -> Iterator[pd.DataFrame]:
    columns = _own_columns(reading, progress)
    cells = {name: kind(name) for name, _unused in columns}
    n_records = len(columns[0][1].places) if columns else 0
    marked = [column.marked(reading.number_mark) for _unused, column in columns]
    for start in range(0, max(n_records, 1), _SLICE):
        places = [column.places[start : start + _SLICE] for _unused, column in columns]
        named = zip(columns, places, strict=True)
        own = {name: [column.texts[place] for place in some] for (name, column), some in named}
        kept = kept_records(reading, own)
        found = {}
        for (name, _column), texts, some in zip(columns, marked, places, strict=True):
            found[name] = cells[name].of([texts[place] for place in compress(some, kept)])
        yield pd.DataFrame(found, copy=False)


def read_codes(
    reading: Reading, vocabularies: dict[str, Vocabulary], progress: Callable[[float], None]
) -> pd.DataFrame:
    """Return one column of codes per column of a file, in its order; errors as of `read_pieces`."""
    return pd.concat(read_pieces(reading, vocabularies, progress), ignore_index=True)


_UNREADABLE = (OSError, EOFError, zlib.error, csv.Error, UnicodeError, LookupError, TypeError)


def _unreadable(reading: Reading, error: Exception) -> UnverifiableError:
    return UnverifiableError(
        _("The file '{name}' cannot be read: {error}.").format(name=reading.path.name, error=error)
    )


def _parts(
    reading: Reading, progress: Callable[[float], None]
) -> Iterator[tuple[list[tuple[int, str]], list[Sequence[str | None]]]]:
    """Yield the imported columns of a text with the cells of all columns, part by part."""
    size = max(1, reading.path.stat().st_size)
    with reading.path.open("rb") as raw:
        packed = raw.peek(2).startswith(GZIP)
        binary = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if packed else raw
        text = io.TextIOWrapper(binary, encoding=reading.encoding, newline="")
        names, first, rows = _begun(reading, text)
        taken = taken_columns(reading, names)
        n_records = 0
        for part in chain([first], iter(lambda: list(islice(rows, _BATCH)), [])):
            whole: list[Sequence[str | None]] = list(
                zip(*_of_width(reading, part, len(names), n_records), strict=True)
            )
            if reading.leave_out and whole:
                kept = kept_records(reading, {name: whole[place] for place, name in taken})
                whole = [tuple(compress(cells, kept)) for cells in whole]
            yield taken, whole
            n_records += len(part)
            progress(min(1.0, raw.tell() / size))


def _begun(reading: Reading, text: TextIO) -> tuple[tuple[str, ...], list[list[str]], Iterator[list[str]]]:
    """Return the column names of a text, the first record if no header is before it, and the others."""
    csv.field_size_limit(_LONGEST_CELL)
    found = _rows(text, reading)
    rows = _records_only(found) if reading.is_release else filter(None, found)
    return *_names(reading, next(rows, None)), rows


def _records_only(rows: Iterator[list[str]]) -> Iterator[list[str]]:
    """Yield rows; raise csv.Error at an empty line."""
    for row in rows:
        if not row:
            raise csv.Error(_("it has an empty line"))
        yield row


def _rows(text: TextIO, reading: Reading) -> Iterator[list[str]]:
    """Yield the rows of a text, without the lines before the header and without comments."""
    first = text.readline().removeprefix("" if reading.is_release else "\ufeff")
    lines = chain([first] if first else [], text)
    for _unused in islice(lines, reading.skip):
        pass
    may_be_comment = True

    def kept() -> Iterator[str]:
        nonlocal may_be_comment
        for line in lines:
            if not (may_be_comment and line.startswith(reading.comment)):
                may_be_comment = False  # the next line may continue a quoted cell
                yield line

    reader = csv.reader(
        kept() if reading.comment else lines,
        delimiter=reading.delimiter,
        quotechar=reading.quote or None,
        quoting=csv.QUOTE_MINIMAL if reading.quote else csv.QUOTE_NONE,
    )
    if not reading.comment:
        return reader

    def rows() -> Iterator[list[str]]:
        nonlocal may_be_comment
        for row in reader:
            may_be_comment = True
            yield row

    return rows()


def _own_columns(reading: Reading, progress: Callable[[float], None]) -> list[tuple[str, Column]]:
    """Return the imported columns of a file that is not text; they have their own names, or those claimed."""
    columns = read_columns(reading, progress)
    for folder in reading.path.parts[-1 - reading.folders : -1]:
        name, _sign, text = map(unquote, folder.partition("="))
        own = None if text == "__HIVE_DEFAULT_PARTITION__" else text
        columns.append(Column(name, [own], [0] * len(columns[0].places)))
    if reading.folders and reading.is_release:
        columns.sort(key=lambda column: (*reading.names, column.name).index(column.name))
    names = [reading.plain(reading.columns.get(column.name, column.name)) for column in columns]
    if not reading.has_header and not any(names):
        names = [] if reading.taken else list(reading.names)
        names = names or [f"column {i}" for i in range(1, len(columns) + 1)]
    names = [name.strip() if reading.trim else name for name in names]
    if len(names) != len(columns):
        raise UnverifiableError(
            _("The file '{name}' lacks some of the given columns.").format(name=reading.path.name)
        )
    return [(name, columns[place]) for place, name in taken_columns(reading, names)]


def _names(reading: Reading, row: list[str] | None) -> tuple[tuple[str, ...], list[list[str]]]:
    """Return the column names of the file, and the first record if the first row is not a header."""
    if row is None and reading.names and not reading.has_header:
        return reading.names, []  # an empty file without header is a release without records
    if row is None:
        raise UnverifiableError(_("The file '{name}' is empty.").format(name=reading.path.name))
    if not reading.has_header:
        own = () if reading.taken else reading.names
        return own or tuple(f"column {i}" for i in range(1, len(row) + 1)), [row]
    return tuple(reading.plain(name.strip() if reading.trim else name) for name in row), []


def taken_columns(reading: Reading, names: Sequence[str]) -> list[tuple[int, str]]:
    """Return position in the file and name of each imported column, in their order."""
    if not reading.taken:
        own = [(place, name) for place, name in enumerate(names) if name.strip() or not reading.is_other]
        for _place, name in own:
            if names.count(name) > 1:
                raise UnverifiableError(
                    _("The file '{name}' has two columns named '{name_2}'.").format(
                        name=reading.path.name, name_2=name
                    )
                )
        return own
    headings = [name if name.strip() else "" for name in names]
    found = []
    for column in reading.taken:
        source = column.source
        is_placed = column.occurrence > 1 or column.beside != (None, None)
        if isinstance(source, str):
            places = [place for place, own in enumerate(headings) if own == source]
            places = places[column.occurrence - 1 : column.occurrence] if is_placed else places
        else:  # a position means a column without a heading
            is_there = 0 < source <= len(headings)
            places = [source - 1] if is_there and not (reading.has_header and headings[source - 1]) else []
        if len(places) != 1:
            raise UnverifiableError(
                _("The file '{name}' does not have exactly one column {source!r}.").format(
                    name=reading.path.name, source=source
                )
            )
        whole = [None, *headings, None]
        if column.beside not in ((None, None), (whole[places[0]], whole[places[0] + 2])):
            raise UnverifiableError(
                _("The columns next to column {source!r} of the file '{name}' are not as expected.").format(
                    name=reading.path.name, source=source
                )
            )
        found.append((places[0], column.name))
    return found


def _of_width(
    reading: Reading, batch: list[list[str]], width: int, done: int
) -> Iterable[Sequence[str | None]]:
    """Return the rows, every one as wide as the header."""
    for number, row in enumerate(batch, start=done + 1):
        if len(row) != width and (len(row) > width or reading.ragged != "fill"):
            raise UnverifiableError(
                _("Record {number} of '{name}' has {n} cells for {width} columns.").format(
                    number=as_exact_count(number), name=reading.path.name, n=len(row), width=width
                )
            )
    if reading.ragged != "fill":
        return batch
    return [row if len(row) == width else [*row, *[None] * (width - len(row))] for row in batch]
