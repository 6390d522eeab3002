"""Database rows as raw columns: read block by block, equal values of a column held once."""

from __future__ import annotations

import datetime
import uuid
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes, Counts
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.processes import give_memory_back
from engine.records.chunks import Texts, ascends, numbers
from engine.records.frames import cells
from engine.records.options import ReadOptions
from engine.records.raw import RawColumn, RawTable
from engine.records.types import DataType, Kind
from engine.records.values import detect_type
from engine.words import _

BLOCK = 5_000  # rows; reading can be stopped between two blocks
_PIECE = 20_000  # numbers
_MANY = 50_000  # values, above which Arrow may hold them


class Undecodable:
    """A text that is not in the encoding of its database."""


_NO_TEXT = (bytes, bytearray, memoryview, Undecodable)


class _Cells:
    """Distinct values of a column, and the records that have them.

    Once most cells of many are different, as in a column of identifiers, further ones are held by Arrow as
    they come, in a fraction of the memory, and compared at the end.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        # By type: True, 1 and 1.0 are equal but may be written differently.
        self._places: dict[type, dict[Any, int]] = {}
        self._values: list[Any] = []
        self._packed: _Packed | None = None
        self._told_apart: Any = None  # Arrow array of all values, at the end
        self._may_pack = True
        self._written = 0  # records whose codes are written
        self.codes = array("i")

    def add(self, values: Sequence[Any]) -> None:
        """Add the cells of further records."""
        kinds = set(map(type, values))
        for kind in kinds:
            if (change := _TO_TEXT.get(kind)) is not None:
                values = [change(value) if type(value) is kind else value for value in values]
            elif issubclass(kind, _NO_TEXT):
                self._refuse(values, kind)
        if self._packed is not None:
            if self._packed.add(values):
                return
            self._unpack()
        try:
            self._take(values)
        except TypeError:  # a list or a structure: without a hash it cannot be a value
            self._refuse(values, next(type(value) for value in values if _has_no_hash(value)))
        if self._may_pack and len(self._values) > max(_MANY, self._n_records // 2):
            self._pack()

    @property
    def _n_records(self) -> int:
        n_packed = 0 if self._packed is None else self._packed.n_further
        return self._written + len(self.codes) + n_packed

    def _take(self, values: Sequence[Any]) -> None:
        kinds = set(map(type, values)) - {type(None)}
        if len(kinds) == 1:
            places = self._known(kinds.pop(), values)
            self.codes.extend([places[value] for value in values])
            return
        by_kind = {kind: self._known(kind, [v for v in values if type(v) is kind]) for kind in kinds}
        self.codes.extend([-1 if value is None else by_kind[type(value)][value] for value in values])

    def _known(self, kind: type, values: Sequence[Any]) -> dict[Any, int]:
        """Return the positions of values of one type, and add new ones."""
        places = self._places.setdefault(kind, {None: -1})
        for value in dict.fromkeys(values):
            if value not in places:
                places[value] = len(self._values)
                self._values.append(value)
        return places

    def _pack(self) -> None:
        """Hold further cells by Arrow, if they are whole numbers or texts like all before."""
        self._may_pack = False
        if len(self._places) == 1 and (kind := next(iter(self._places))) in (int, str):
            packed = _Packed(kind)
            if packed.add(self._values):
                self._packed, self._places, self._values = packed, {kind: {}}, []
                give_memory_back()

    def _unpack(self) -> None:
        """Hold the cells as before, because one does not fit."""
        packed, self._packed, self._places = self._packed, None, {}
        assert packed is not None, "it was packed"
        pieces = packed.pieces()
        self._known(packed.kind, next(pieces))
        for piece in pieces:
            self._take(piece)

    def _settle(self) -> None:
        """Distinguish the values that Arrow holds."""
        if self._packed is not None:
            n_before = self._packed.n_first
            self._told_apart, codes = self._packed.told_apart()
            self._packed = None
            self.codes.frombytes(codes[n_before:].astype(np.intc).tobytes())

    def column(self, missing: Collection[str], declared: str, monitor: Monitor) -> RawColumn:
        """Return the column; a number and a text that look the same become one value."""
        self._settle()
        codes = np.frombuffer(self.codes, dtype=np.intc)
        if self._told_apart is not None:
            texts, data_type = _described_by_arrow(self._told_apart, missing, declared)
            return RawColumn(self._name, texts, codes, data_type)
        texts, data_type = _described(self._name, self._values, missing, declared, monitor)
        place: dict[str, int] = {}
        merged = np.fromiter((place.setdefault(text, len(place)) for text in texts), np.int32, len(texts))
        return RawColumn(self._name, list(place), np.append(merged, np.int32(-1))[codes], data_type)

    @property
    def kinds(self) -> list[str]:
        """Names of the types of the values."""
        return sorted(kind.__name__ for kind in self._places)

    def write(self, file: BinaryIO) -> None:
        """Write the codes, each the place of its value, and forget them."""
        self.codes.tofile(file)
        self._written += len(self.codes)
        self.codes = array("i")

    def write_last(self, file: BinaryIO) -> None:
        """Write the codes that are known once all cells are added."""
        self._settle()
        self.write(file)

    def take_values(self) -> None:
        """Take the values for the records, one for each."""
        n_values = len(self._values) if self._told_apart is None else len(self._told_apart)
        self.codes = array("i", range(n_values))

    def _refuse(self, values: Sequence[Any], kind: type) -> None:
        is_unusable = (lambda value: type(value) is kind) if issubclass(kind, _NO_TEXT) else _has_no_hash
        row = self._n_records + next(i for i, value in enumerate(values) if is_unusable(value)) + 1
        if issubclass(kind, Undecodable):
            problem = _("Column '{column}', row {row}: a text is not in UTF-8.")
        elif issubclass(kind, _NO_TEXT):
            problem = _(
                "Column '{column}', row {row}: the cell contains bytes, which cannot be a table value."
            )
        else:
            problem = _(
                "Column '{column}', row {row}: the cell contains a {kind}, which cannot be a table value."
            )
        raise TableError(
            problem.format(column=self._name, row=as_exact_count(row), kind=kind.__name__),
            hint=_(
                "Exclude the column with a query that names the others, or convert it to text in the query."
            ),
            column=self._name,
            row=row,
        )


class _Packed:
    """Cells of whole numbers, or of texts, as Arrow arrays; the first one has different values.

    Attributes
    ----------
    kind : type
        int or str.
    n_first, n_further : int
        Values of the first array, and cells of the others.
    """

    def __init__(self, kind: type) -> None:
        self.kind, self.n_first, self.n_further = kind, 0, 0
        self._pieces: list[Any] = []

    def add(self, values: Sequence[Any]) -> bool:
        """Return whether the cells are all of the kind, which alone are added."""
        import pyarrow as pa

        if not set(map(type, values)) <= {self.kind, type(None)}:
            return False
        try:
            piece = pa.array(values, pa.int64() if self.kind is int else pa.large_string())
        except (OverflowError, UnicodeEncodeError, pa.ArrowInvalid):
            return False
        if self._pieces:
            self.n_further += len(piece)
        else:
            self.n_first = len(piece)
        self._pieces.append(piece)
        return True

    def pieces(self) -> Iterator[list[Any]]:
        """Yield the arrays in the order of their addition."""
        return (piece.to_pylist() for piece in self._pieces)

    def told_apart(self) -> tuple[Any, Codes]:
        """Return the different values in the order in which they occur, and the place of each cell."""
        import pyarrow as pa
        from pyarrow import compute

        pieces, self._pieces = self._pieces, []
        together = pa.concat_arrays(pieces)
        del pieces
        present = together.drop_null()
        if ascends(present) or ascends(present.take(compute.sort_indices(present))):  # all are different
            is_there = numbers(together.is_valid().cast(pa.int8()))
            return present, np.where(
                is_there, np.cumsum(is_there, dtype=np.int32) - np.int32(1), np.int32(-1)
            )
        found = together.dictionary_encode()
        return found.dictionary, numbers(found.indices.fill_null(-1))


def _has_no_hash(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return True
    return False


def _moment(value: datetime.datetime) -> datetime.datetime | str:
    """Return a moment with a time zone as a text that includes it; zones may differ from row to row."""
    return value if value.tzinfo is None else value.isoformat(" ")


_TO_TEXT: dict[type, Callable[[Any], Any]] = {uuid.UUID: str, datetime.datetime: _moment}


def blocks_of_rows(
    fetch: Callable[[int], Sequence[Any]], file: str, monitor: Monitor, limit: int | None
) -> Iterator[Sequence[Any]]:
    """Yield rows block by block, at most `limit`, from what fetches that many of them."""
    done = 0
    while limit is None or done < limit:
        block = fetch(BLOCK if limit is None else min(BLOCK, limit - done))
        if not block:
            return
        done += len(block)
        monitor.step(0, 1, _("Reading {file}, row {row}").format(file=file, row=as_exact_count(done)))
        yield block


def gathered(
    names: Sequence[str],
    blocks: Iterable[Sequence[Sequence[Any]]],
    *,
    file: str,
    monitor: Monitor = SILENT,
    options: ReadOptions = ReadOptions(),
    declared: Sequence[str] = (),
) -> RawTable:
    """Return the columns of rows that come in blocks.

    Parameters
    ----------
    file : str
        Name of the database in messages.
    options : ReadOptions
        Texts that mean missing are ignored when types are detected.
    declared : sequence of str
        Declared types by position, if the database does not enforce them.

    Raises
    ------
    TableError
        A cell contains bytes or a structure, or two columns have the same name.
    """
    taken = options.columns_of(names, file)
    columns = [_Cells(name) for _unused, name in taken]
    for rows in blocks:
        by_place = list(zip(*rows, strict=True)) if rows else []
        for (place, _unused), column in zip(taken, columns, strict=True) if by_place else ():
            column.add(by_place[place])
    types = [declared[place] for place, _unused in taken] if declared else ()
    return RawTable(file, tuple(_made(columns, options.missing, types, monitor)), taken=taken)


def _made(
    cells: list[_Cells], missing: Collection[str], declared: Sequence[str], monitor: Monitor = SILENT
) -> list[RawColumn]:
    """Return columns of cells, which are let go one by one, so that values are not held twice."""
    types = list(declared) or [""] * len(cells)
    return [cells.pop(0).column(missing, kind.upper(), monitor) for kind in types]


def counted_values(
    names: Sequence[str],
    blocks: Iterable[Sequence[Sequence[Any]]],
    *,
    missing: Collection[str] = (),
    declared: Sequence[str] = (),
) -> tuple[list[RawColumn], list[list[str]], Counts]:
    """Return the values of columns by which a database has grouped its records.

    Parameters
    ----------
    blocks : iterable of sequence of tuple
        A value of each column, then the number of records.
    missing : collection of str
        Texts that are ignored when types are detected.
    declared : sequence of str
        As for `gathered`.

    Returns
    -------
    columns : list of RawColumn
        With one row per group, of which several may have the same texts.
    kinds : list of list of str
        Names of the types of the values, per column.
    counts : ndarray of int64
        Records per row.
    """
    columns, counts = [_Cells(name) for name in names], array("q")
    for rows in blocks:
        *by_column, n_records = zip(*rows, strict=True)
        for column, values in zip(columns, by_column, strict=True):
            column.add(values)
        counts.extend(n_records)
    kinds = [column.kinds for column in columns]
    return _made(columns, missing, declared), kinds, np.array(counts, dtype=np.int64)


def write_codes(
    names: Sequence[str],
    blocks: Iterable[Sequence[Sequence[Any]]],
    folder: Path,
    *,
    monitor: Monitor = SILENT,
    missing: Collection[str] = (),
    declared: Sequence[str] = (),
) -> tuple[list[RawColumn], int]:
    """Write the codes of rows that come in blocks, a file of 32-bit integers for each column.

    Parameters
    ----------
    names, blocks, monitor, declared
        As for `gathered`.
    folder : Path
        Gets the files "0", "1", ...; a code is the place of a value, or -1 for a cell without one.
    missing : collection of str
        As for `counted_values`.

    Returns
    -------
    columns : list of RawColumn
        The values, one for each row; several may have the same text.
    """
    columns, n_rows = [_Cells(name) for name in names], 0
    with ExitStack() as stack:
        files = [stack.enter_context((folder / str(place)).open("wb")) for place in range(len(names))]
        for rows in blocks:
            n_rows += len(rows)
            for column, file, values in zip(columns, files, zip(*rows, strict=True), strict=True):
                column.add(values)
                column.write(file)
        for column, file in zip(columns, files, strict=True):
            column.write_last(file)
            column.take_values()
    return _made(columns, missing, declared, monitor), n_rows


def too_large(file: str, most: int) -> TableError:
    """Return the error for a table with more records than are read."""
    return TableError(
        _("'{file}': the table has more than {n} records.").format(file=file, n=as_exact_count(most)),
        hint=_('Leave them in the database: source = "server".'),
        file=file,
        is_too_large=True,
    )


def _described(
    name: str, values: list[Any], missing: Collection[str], declared: str, monitor: Monitor
) -> tuple[list[str], DataType | None]:
    """Return the texts of distinct values, and their type if the database shows it."""
    kinds = set(map(type, values))
    if kinds == {str} or not kinds:
        return values, _of_texts([text for text in values if text not in missing], declared)
    if len(kinds) > 1 and kinds & {str, bool}:
        alone = [
            value if type(value) is str else cells.raw_column(name, [value]).texts[0] for value in values
        ]
        found = detect_type([text for text in alone if text not in missing])
        return alone, found if found.is_numeric else DataType()
    if kinds <= {int, float, Decimal}:
        return _numbers(name, values, monitor)
    own = cells.raw_column(name, values)
    return [own.texts[code] for code in own.codes], own.data_type


def _described_by_arrow(
    values: Any, missing: Collection[str], declared: str
) -> tuple[Sequence[str], DataType | None]:
    """Return the same for whole numbers or texts that Arrow holds."""
    import pyarrow as pa

    if pa.types.is_integer(values.type):
        return Texts(arrow=values.cast(pa.large_string())), DataType(Kind.INTEGER)
    texts = Texts(arrow=values)
    known = texts
    for text in missing:
        known = known.without(text)
    return texts, _of_texts(known, declared)


def _numbers(name: str, values: list[Any], monitor: Monitor) -> tuple[list[str], DataType]:
    """Return the texts of numbers, written in pieces so that it can be stopped."""
    texts: list[str] = []
    is_whole = True
    for start in range(0, len(values), _PIECE):
        monitor.step(0, 1, _("Converting column {name}").format(name=name))
        own = cells.raw_column(name, values[start : start + _PIECE])
        texts += [own.texts[code] for code in own.codes]
        is_whole &= own.data_type == DataType(Kind.INTEGER)
    return texts, DataType(Kind.INTEGER if is_whole else Kind.DECIMAL)


def _of_texts(texts: Sequence[str], declared: str) -> DataType | None:
    """Return the type of texts: dates and booleans by their form, but numbers only if so declared."""
    found = detect_type(texts)
    if found.is_numeric and not declared.startswith(("DEC", "NUM", "INT", "REAL", "DOUB", "FLOAT")):
        return DataType()
    return found
