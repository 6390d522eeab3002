"""Import of a file as integer codes, with one vocabulary per column shared by both files."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol, TextIO, cast

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.blocks import Blocks, can_be_divided
from engine.verification.file_cells import Column
from engine.verification.findings import UnverifiableError
from engine.verification.formats import is_text, read_column_pieces, read_columns
from engine.words import _

Progress = Callable[[int, int, str], None]

_BATCH = 20_000
_SLICE = 250_000  # records of a piece of a file that is not text
_PARTS = 64  # of a column, until they are joined
_CODE = "int32"  # a column of ten million records takes 40 MB
GZIP = b"\x1f\x8b"
_LONGEST_CELL = 2**31 - 1  # the csv module refuses cells above 128 KiB by default
_IGNORED, _STARTS = r"[\s\ufeff']*", r"[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]"  # of formulas
_RUNS = rf"(?:{_IGNORED}{_STARTS}|'*[\t\r\n])"
_GUARDED = re.compile(rf"\A'(?={_RUNS})")
_BARE = re.compile(rf"(?!'){_RUNS}")
_PLAIN_NUMBER = re.compile(r" *[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)? *")


class Vocabulary:
    """Texts of one column by number; two cells are equal if their numbers are."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._codes: dict[str, int] = {}

    def code(self, text: str) -> int:
        """Return the number of a text; new texts get the next one."""
        code = self._codes.setdefault(text, len(self.texts))
        if code == len(self.texts):
            self.texts.append(text)
        return code


@dataclass(frozen=True)
class Reading:
    """Import options of a file, and the conversion of its cells."""

    path: Path
    delimiter: str
    encoding: str
    has_header: bool
    names: tuple[str, ...] = ()
    trim: bool = False
    missing: tuple[str, ...] = ()
    ignored_mark: str = ""  # a byte order mark allowed before the first cell
    sheet: str = ""  # sheet of a workbook
    quote: str = '"'
    comment: str = ""
    skip: int = 0  # lines before the header
    ragged: str = "refuse"
    taken: tuple[tuple[str | int, str], ...] = ()  # as `ReleaseClaim.taken`
    column_missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    replacements: tuple[tuple[str, str, str | None], ...] = ()
    format: str = ""  # "csv", "xlsx" or "parquet"; empty to use the file's ending
    safe_cells: bool = False  # a protective apostrophe is not part of the cell
    bare: dict[str, str] = field(default_factory=dict)  # first cell without a needed apostrophe, by column

    @property
    def is_text(self) -> bool:
        """Return whether the file is read as text."""
        return self.format == "csv" or (not self.format and is_text(self.path))

    def cleaner(self, name: str) -> Callable[[str | None], str]:
        """Return what turns a cell of a column, None for no value, into its value.

        In this order: trimming if requested, missing tokens as the first one, replacements.
        """
        tokens = (*self.missing, *self.column_missing.get(name, ()))
        first = tokens[0] if tokens else ""
        changes = [(old, new) for column, old, new in self.replacements if column == name]

        def clean(text: str | None) -> str:
            if text is None:
                value = first
            else:
                value = self.plain(text.strip() if self.trim else text, name)
                value = first if value in tokens else value
            for old, new in changes:
                if value == old:
                    value = first if new is None else new
            return value

        return clean

    def plain(self, text: str, column: str = "") -> str:
        """Return a cell, or name, without the apostrophe that protects it from spreadsheets.

        If the apostrophe is needed and missing, the cell is recorded in `bare`.
        """
        if not self.safe_cells:
            return text
        if _BARE.match(text) and not _PLAIN_NUMBER.fullmatch(text):
            self.bare.setdefault(column, text)
        return _GUARDED.sub("", text)


class _Cells(Protocol):
    """Collector of the cells of a column."""

    def add_cells(self, cells: Sequence[str | None]) -> None:
        """Add the cells of further records."""
        ...

    def add_texts(self, cells: pd.Series[str]) -> None:
        """Add the cells of further records, all with a value."""
        ...


class _Codes(dict[str | None, int]):
    """Codes of a column's cells; a new cell text is cleaned and numbered once."""

    def __init__(self, vocabulary: Vocabulary, clean: Callable[[str | None], str]) -> None:
        super().__init__()
        self._vocabulary, self._clean = vocabulary, clean
        self._parts: list[pd.Series[int]] = []

    def __missing__(self, text: str | None) -> int:
        code = self[text] = self._vocabulary.code(self._clean(text))
        return code

    def add_cells(self, cells: Iterable[str | None]) -> None:
        """Add the cells of further records."""
        self._add(pd.Series(array("i", map(self.__getitem__, cells)), dtype=_CODE))

    def add_texts(self, cells: pd.Series[str]) -> None:
        """Add the cells of further records, all with a value."""
        places, texts = pd.factorize(cells)
        codes = pd.Series([self[text] for text in texts], dtype=_CODE)
        self._add(pd.Series(codes.array.take(places)))

    def _add(self, codes: pd.Series[int]) -> None:
        self._parts.append(codes)
        if len(self._parts) == _PARTS:  # many small arrays fragment the memory
            self._parts = [pd.concat(self._parts, ignore_index=True)]

    def whole(self) -> pd.Series[int]:
        """Return the codes of all records and release the parts."""
        parts, self._parts = self._parts, []
        return pd.concat(parts, ignore_index=True)


class Layout(NamedTuple):
    """Columns of a file: how many it has, and position and name of those that are imported."""

    width: int
    taken: list[tuple[int, str]]


def layout_of(reading: Reading) -> Layout:
    """Return the columns of a text that can be divided, from its start; errors as of `read_codes`."""
    try:
        with reading.path.open("rb") as raw:
            blocks = Blocks(raw, reading.encoding, reading.delimiter, reading.quote)
            names, _unused = _names(reading, blocks.header(reading.ignored_mark, reading.skip))
    except _UNREADABLE as error:
        raise _unreadable(reading, error) from error
    return Layout(len(names), taken_columns(reading, names))


class _Texts:
    """Cleaned texts of a column that is too varied to number."""

    def __init__(self, clean: Callable[[str | None], str]) -> None:
        self._clean = clean
        self._parts: list[pd.Series[str]] = []

    def add_cells(self, cells: Sequence[str | None]) -> None:
        """Add the cells of further records."""
        found = {cell: self._clean(cell) for cell in set(cells)}
        self._parts.append(pd.Series([found[cell] for cell in cells], dtype=object))

    def add_texts(self, cells: pd.Series[str]) -> None:
        """Add the cells of further records, all with a value."""
        places, texts = pd.factorize(cells)
        found = [self._clean(text) for text in texts.tolist()]
        own = pd.Series(found, dtype=object)
        is_same = found == texts.tolist()
        self._parts.append(cells if is_same else pd.Series(own.array.take(places), dtype=object))

    def whole(self) -> pd.Series[str]:
        """Return the texts that were added and release them."""
        parts, self._parts = self._parts, []
        return pd.concat(parts, ignore_index=True)


class _Skipped:
    """Number of the cells of a column that nobody asks for."""

    def __init__(self) -> None:
        self._n = 0

    def add_cells(self, cells: Sequence[str | None]) -> None:
        """Add the cells of further records."""
        self._n += len(cells)

    def add_texts(self, cells: pd.Series[str]) -> None:
        """Add the cells of further records, all with a value."""
        self._n += len(cells)

    def whole(self) -> pd.Series[int]:
        """Return a cell for each that was added, and release them."""
        n, self._n = self._n, 0
        return pd.Series(0, index=range(n), dtype="int8")


def read_pieces(
    reading: Reading,
    vocabularies: dict[str, Vocabulary],
    progress: Callable[[float], None],
    coded: Collection[str] | None,
    skipped: Collection[str] = (),
) -> Iterator[pd.DataFrame]:
    """Yield the records of a file piece by piece; the first piece may be empty and has all columns, too.

    Columns named in `coded`, all if it is None, are codes as of `read_codes`; the others are texts. Errors
    are the same. The cells of `skipped` columns are all 0.
    """

    def collector(name: str) -> _Codes | _Texts | _Skipped:
        if name in skipped:
            return _Skipped()
        clean = reading.cleaner(name)
        if coded is None or name in coded:
            return _Codes(vocabularies.setdefault(name, Vocabulary()), clean)
        return _Texts(clean)

    if not reading.is_text:
        yield from _column_pieces(reading, collector, progress)
        return
    try:
        columns: dict[str, _Codes | _Texts | _Skipped] = {}
        for taken, part in _parts(reading, progress):
            columns = columns or {name: collector(name) for _unused, name in taken}
            for place, name in taken:
                _add(columns[name], part, place)
            yield pd.DataFrame({name: cells.whole() for name, cells in columns.items()}, copy=False)
    except _UNREADABLE as error:
        raise _unreadable(reading, error) from error


def _column_pieces(
    reading: Reading,
    collector: Callable[[str], _Codes | _Texts | _Skipped],
    progress: Callable[[float], None],
) -> Iterator[pd.DataFrame]:
    cells: dict[str, _Codes | _Texts | _Skipped] = {}
    for columns in _own_pieces(reading, progress):
        cells = cells or {name: collector(name) for name, _unused in columns}
        n_records = len(columns[0][1].places) if columns else 0
        for start in range(0, max(n_records, 1), _SLICE):
            for name, column in columns:
                texts = column.texts
                cells[name].add_cells([texts[place] for place in column.places[start : start + _SLICE]])
            yield pd.DataFrame({name: own.whole() for name, own in cells.items()}, copy=False)


def read_codes(
    reading: Reading, vocabularies: dict[str, Vocabulary], progress: Callable[[float], None]
) -> pd.DataFrame:
    """Return one column of codes per column of a file, in its order.

    Parameters
    ----------
    reading : Reading
    vocabularies : dict of str to Vocabulary
        By column name; extended by new columns and new texts.
    progress : callable
        Called with the fraction read; may raise to stop.

    Raises
    ------
    UnverifiableError
        If the file cannot be read as a rectangular table with distinct column names.
    """
    if not reading.is_text:
        return _read_columns(reading, vocabularies, progress)
    try:
        return _read(reading, vocabularies, progress)
    except _UNREADABLE as error:
        raise _unreadable(reading, error) from error


_UNREADABLE = (OSError, EOFError, zlib.error, csv.Error, UnicodeError, LookupError, TypeError)


def _unreadable(reading: Reading, error: Exception) -> UnverifiableError:
    return UnverifiableError(
        _("The file '{name}' cannot be read: {error}.").format(name=reading.path.name, error=error)
    )


def _read(
    reading: Reading, vocabularies: dict[str, Vocabulary], progress: Callable[[float], None]
) -> pd.DataFrame:
    columns: list[_Codes] = []
    taken: Sequence[tuple[int, str]] = ()
    for taken, part in _parts(reading, progress):
        if not columns:
            columns = [
                _Codes(vocabularies.setdefault(name, Vocabulary()), reading.cleaner(name))
                for _unused, name in taken
            ]
        for column, (place, _unused) in zip(columns, taken, strict=True):
            _add(column, part, place)
    return pd.DataFrame(
        {name: codes.whole() for (_unused, name), codes in zip(taken, columns, strict=True)}, copy=False
    )


def _add(column: _Cells, part: pd.DataFrame | list[Sequence[str | None]], place: int) -> None:
    if isinstance(part, list):
        column.add_cells(part[place] if part else ())
    else:
        column.add_texts(part[place])


def _parts(
    reading: Reading, progress: Callable[[float], None]
) -> Iterator[tuple[list[tuple[int, str]], pd.DataFrame | list[Sequence[str | None]]]]:
    """Yield the imported columns of a text with its records, part by part.

    A part is a table of texts by column number, or a list of the cells of each column.
    """
    csv.field_size_limit(_LONGEST_CELL)
    size = max(1, reading.path.stat().st_size)
    with reading.path.open("rb") as raw:
        packed = raw.peek(2).startswith(GZIP)
        binary = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if packed else raw
        parts: Iterator[pd.DataFrame | list[list[str]]]
        if reading.comment or not can_be_divided(reading.delimiter, reading.encoding):
            text = io.TextIOWrapper(binary, encoding=reading.encoding, newline="")
            rows = filter(None, _rows(text, reading))  # an empty line is not a record
            names, first = _names(reading, next(rows, None))
            parts = iter(lambda: list(islice(rows, _BATCH)), [])
        else:
            blocks = Blocks(binary, reading.encoding, reading.delimiter, reading.quote)
            names, first = _names(reading, blocks.header(reading.ignored_mark, reading.skip))
            parts = blocks.tables(len(names))
        taken = taken_columns(reading, names)
        n_records = 0
        for part in chain([first], parts):
            if isinstance(part, list):
                whole = _of_width(reading, part, len(names), n_records)
                yield taken, list(zip(*whole, strict=True))
            else:
                yield taken, part
            n_records += len(part)
            progress(min(1.0, raw.tell() / size))


def _rows(text: TextIO, reading: Reading) -> Iterator[list[str]]:
    """Yield the rows of a text, without the lines before the header and without comments."""
    lines = chain([text.readline().removeprefix(reading.ignored_mark)], text)
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


def _read_columns(
    reading: Reading, vocabularies: dict[str, Vocabulary], progress: Callable[[float], None]
) -> pd.DataFrame:
    """Read a file that is not text."""
    coded = {}
    for name, column in _own_columns(reading, progress):
        clean, vocabulary = reading.cleaner(name), vocabularies.setdefault(name, Vocabulary())
        codes = [vocabulary.code(clean(text)) for text in column.texts]
        coded[name] = pd.Series(array("i", (codes[place] for place in column.places)), dtype=_CODE)
    return pd.DataFrame(coded, copy=False)


def _own_columns(reading: Reading, progress: Callable[[float], None]) -> list[tuple[str, Column]]:
    """Return the imported columns of a file that is not text; they have their own names, or those claimed."""
    return _imported(
        reading, read_columns(*_how(reading), progress, format=reading.format, skip=reading.skip)
    )


def _own_pieces(reading: Reading, progress: Callable[[float], None]) -> Iterator[list[tuple[str, Column]]]:
    """Yield the same, some records at a time."""
    how = _how(reading)
    for columns in read_column_pieces(*how, progress, format=reading.format, skip=reading.skip):
        yield _imported(reading, columns)


def _how(reading: Reading) -> tuple[Path, str, str, bool]:
    return reading.path, reading.sheet, reading.encoding, reading.has_header


def _imported(reading: Reading, columns: Sequence[Column]) -> list[tuple[str, Column]]:
    names = [reading.plain(column.name) for column in columns]
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
        for name in names:
            if names.count(name) > 1:
                raise UnverifiableError(
                    _("The file '{name}' has two columns named '{name_2}'.").format(
                        name=reading.path.name, name_2=name
                    )
                )
        return list(enumerate(names))
    found = []
    for source, name in reading.taken:
        if isinstance(source, str):
            places = [place for place, own in enumerate(names) if own == source]
        else:
            places = [source - 1] if 0 < source <= len(names) else []
        if len(places) != 1:
            raise UnverifiableError(
                _("The file '{name}' does not have exactly one column {source!r}.").format(
                    name=reading.path.name, source=source
                )
            )
        found.append((places[0], name))
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
