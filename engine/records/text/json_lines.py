"""JSON lines as raw columns: one object per line, its keys are the columns; numbers keep their form."""

from __future__ import annotations

import gzip
import json
import re
from array import array
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, BinaryIO, NoReturn, cast

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.records.formats import JSON_LINES, empty_file
from engine.records.frames.parquet import FEW_CELLS
from engine.records.options import ReadOptions
from engine.records.plan import CodedTexts, WrittenColumn, pieces_to_write
from engine.records.raw import RawColumn, RawTable, refuse_no_columns
from engine.records.table_files import checked_path, read_by_library, refuse_bomb
from engine.records.text.dialect import LONGEST
from engine.records.types import DataType, Kind
from engine.records.values import are_numbers, are_whole_numbers, detect_type
from engine.words import _

_BATCH = 2_000  # lines, so that cancelling takes a fraction of a second
_ISO = "%Y-%m-%d"
_MARK = b"\xef\xbb\xbf"
_PACKED = 20  # how much larger than a packed file its text may be, for the same
_CELLS_PER_BYTE = 8  # a key that few records have fills a column all the same


class _Number(str):
    """A number in its written form."""

    __slots__ = ()


class _Object(tuple[tuple[str, Any], ...]):
    """Keys and values of an object, in order."""

    __slots__ = ()


def _constant(text: str) -> NoReturn:
    raise ValueError(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_Object, parse_float=_Number, parse_int=_Number, parse_constant=_constant
)


def read_json_lines(path: Path, options: ReadOptions, monitor: Monitor, most: int | None = None) -> RawTable:
    """Return the columns of a JSON lines file, in the order in which their keys first occur.

    A missing key and null are missing values. Numbers are as written: 1.0 and 1 differ, and have all
    their digits. Texts are text, even if they look like numbers; a column of texts such as 2024-01-31 has
    dates. Empty lines are skipped.

    Parameters
    ----------
    options : ReadOptions
        An encoding is not used: JSON is UTF-8.
    most : int, optional
        Number of records that are read; all by default.

    Raises
    ------
    TableError
        A line is not an object of single values, with the number of the line; or there are no columns.
    """
    checked_path(path)
    columns: dict[str, KeyCells] = {}
    n_records, limit = 0, most_cells(path)
    with read_by_library(path.name, _(JSON_LINES.name)):
        for line, text in lines_of(path, monitor):
            add_record(columns, n_records, path, line, text)
            n_records += 1
            if n_records * len(columns) > limit:
                raise too_many_keys(path, line)
            if n_records == most:
                break
    refuse_empty(path, n_records, columns)
    taken = options.columns_of(list(columns), path.name)
    cells = list(columns.values())
    own = tuple(cells[place].column(name, n_records) for place, name in taken)
    return RawTable(path.name, own, taken=taken)


def refuse_empty(path: Path, n_records: int, columns: Collection[str]) -> None:
    """Raise `TableError` if a file has no records, or no columns."""
    if not n_records:
        raise empty_file(path.name)
    refuse_no_columns(columns, path.name)


def too_many_keys(path: Path, line: int) -> TableError:
    """Return the error for a file whose columns would be mostly empty."""
    return _refused(
        path,
        line,
        _("too many different keys, which most records lack"),
        _("Write one line per record, with the same keys in each."),
    )


def most_cells(path: Path) -> int:
    """Return how many cells the columns of a file may have; those of rare keys are mostly empty."""
    return max(FEW_CELLS, _CELLS_PER_BYTE * path.stat().st_size * (_PACKED if is_packed(path) else 1))


def is_packed(path: Path) -> bool:
    """Return whether a file is packed with gzip, by its ending."""
    return path.suffix.lower() == ".gz"


def lines_of(path: Path, monitor: Monitor) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines that are not empty.

    Raises
    ------
    TableError
        The file cannot be read, a line is too long or not UTF-8, or a packed file unpacks to far more than
        the size of a table.
    """
    size = path.stat().st_size
    with ExitStack() as opened:
        raw_file = opened.enter_context(path.open("rb"))
        file: IO[bytes] = raw_file
        if is_packed(path):
            file = cast(IO[bytes], opened.enter_context(gzip.GzipFile(fileobj=raw_file)))
        number = n_bytes = 0
        while raw := file.readline(LONGEST + 1):
            if number % _BATCH == 0:
                monitor.step(
                    min(raw_file.tell(), size),
                    max(size, 1),
                    _("Reading {file}, line {line}").format(file=path.name, line=as_exact_count(number + 1)),
                )
            number += 1
            if file is not raw_file:
                n_bytes += len(raw)
                refuse_bomb(path.name, n_bytes, size)
            if len(raw) > LONGEST:
                raise _refused(
                    path,
                    number,
                    _("a record is longer than {n} MB").format(n=as_exact_count(LONGEST // 1_000_000)),
                    _("Write one line per record."),
                )
            if number == 1:
                raw = raw.removeprefix(_MARK)
            try:
                text = raw.decode("utf-8").strip(" \t\r\n")
            except UnicodeDecodeError as error:
                raise _refused(
                    path,
                    number,
                    _("byte {place} is not UTF-8").format(place=error.start + 1),
                    _("Save the file as UTF-8."),
                ) from None
            if text:
                yield number, text


def keys_of(path: Path, line: int, text: str) -> list[str]:
    """Return the keys of one record."""
    return [key for key, _unused in _object(path, line, text)]


def add_record(columns: dict[str, KeyCells], n_records: int, path: Path, line: int, text: str) -> None:
    """Add the values of one record."""
    for key, value in _object(path, line, text):
        cells = columns.get(key)
        if cells is None:
            _check_text(path, line, key)
            cells = columns[key] = KeyCells()
        if not cells.add(n_records, value):
            if isinstance(value, list | _Object):
                problem = _("'{key}' has a list or an object instead of a single value").format(key=key)
                hint = _("Write its parts as keys of the record, such as address_city.")
            else:
                problem = _("the key '{key}' occurs twice").format(key=key)
                hint = _("Give every key of a record once.")
            raise _refused(path, line, problem, hint)
        if cells.has_new:
            _check_text(path, line, value)


def _object(path: Path, line: int, text: str) -> _Object:
    try:
        found = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _refused(
            path,
            line,
            _("not valid JSON at position {place}").format(place=error.pos + 1),
            _("Write one complete object per line, such as {example}.").format(example='{"age": 34}'),
        ) from None
    except (ValueError, RecursionError) as error:
        what = _("{value} is not a number of JSON").format(value=error)
        if isinstance(error, RecursionError):
            what = _("lists or objects inside each other")
        raise _refused(path, line, what, _("Write null for a missing value.")) from None
    if not isinstance(found, _Object):
        raise _refused(
            path,
            line,
            _("not an object"),
            _("Write one complete object per line, such as {example}.").format(example='{"age": 34}'),
        )
    return found


def _check_text(path: Path, line: int, text: str) -> None:
    """Refuse characters that no text file can hold."""
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise _refused(
            path,
            line,
            _("a text has a NUL character, or half of a character"),
            _("Correct the text in the program that wrote the file."),
        )


def _refused(path: Path, line: int, problem: str, hint: str) -> TableError:
    return TableError(
        _("'{name}', line {line}: {problem}.").format(name=path.name, line=line, problem=problem),
        hint=hint,
        file=path.name,
        line=line,
    )


class KeyCells:
    """Distinct texts of a column, and the records that have them."""

    def __init__(self) -> None:
        self._index: dict[str, int] = {}
        self._codes = array("i")
        self.kinds: set[type] = set()
        self.has_new = False

    def add(self, record: int, value: Any) -> bool:
        """Add the value of a record; return whether it is a single one, and the first of this record.

        `has_new` states whether it is a text that occurs for the first time.
        """
        codes, self.has_new = self._codes, False
        if len(codes) > record or isinstance(value, list | _Object):
            return False
        codes.extend([-1] * (record - len(codes)))
        if value is None:
            codes.append(-1)
            return True
        self.kinds.add(type(value))
        text = value if isinstance(value, str) else "true" if value else "false"
        code = self._index.setdefault(text, len(self._index))
        self.has_new = type(value) is str and code == len(self._index) - 1
        codes.append(code)
        return True

    def column(self, name: str, n_records: int) -> RawColumn:
        """Return the column."""
        texts, codes = self.coded(n_records)
        return RawColumn(name, texts, codes, type_of(self.kinds, texts))

    def coded(self, n_records: int) -> tuple[list[str], Codes]:
        """Return the distinct texts, and the codes of all records, -1 for no value."""
        self._codes.extend([-1] * (n_records - len(self._codes)))
        return [str(text) for text in self._index], np.frombuffer(self._codes, dtype=np.intc).astype(np.int32)


def type_of(kinds: Collection[type], texts: Sequence[str]) -> DataType | None:
    """Return the type of a column if all values are of one kind; None to detect it from the texts."""
    if kinds == {str}:
        found = detect_type(texts)  # JSON has no dates
        return found if found.kind is Kind.DATE and found.format.startswith(_ISO) else DataType()
    if kinds == {bool}:
        return DataType(Kind.BOOLEAN)
    if kinds == {_Number} and are_numbers(texts):
        return DataType(Kind.INTEGER if are_whole_numbers(texts) else Kind.DECIMAL)
    return None


_RECORDS = 20_000
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_TRUTHS = ("true", "false")


def write_json_lines(
    file: BinaryIO,
    columns: Sequence[WrittenColumn],
    data: Sequence[CodedTexts],
    monitor: Monitor = SILENT,
) -> None:
    """Write a table into an open binary file.

    Numbers of columns of numbers are written unchanged, a missing value as null, all others as texts.

    Parameters
    ----------
    data : sequence
        Per column its distinct texts and the codes of the records, in memory or in blocks.
    """
    n_records = len(data[0][1]) if data else 0
    cells = [
        np.array([_key_and_value(column, text) for text in texts] or [""], dtype=object)
        for column, (texts, _unused) in zip(columns, data, strict=True)
    ]
    for piece in pieces_to_write(n_records, _RECORDS, monitor):
        records = [codes[piece] for _unused, codes in data]
        parts = [
            [_key_and_value(column, text) for text in own] if isinstance(own, list) else known[own].tolist()
            for column, known, own in zip(columns, cells, records, strict=True)
        ]
        file.write("".join(f"{{{', '.join(row)}}}\n" for row in zip(*parts, strict=True)).encode())


def _key_and_value(column: WrittenColumn, text: str) -> str:
    """Return the key of a column with a value."""
    return f"{json.dumps(column.name, ensure_ascii=False)}: {_value(column, text)}"


def _value(column: WrittenColumn, text: str) -> str:
    if text == column.missing:
        return "null"
    if column.data_type.is_numeric and _NUMBER.fullmatch(text):
        return text
    if column.data_type.kind is Kind.BOOLEAN and text in _TRUTHS:
        return text
    return json.dumps(text, ensure_ascii=False)
