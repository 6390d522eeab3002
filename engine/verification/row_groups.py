"""Parquet files, some row groups at a time: pandas reads files in which the others are not listed."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

RECORDS = 250_000  # of row groups that are read together, unless one alone has more
_MAGIC = b"PAR1"
_N_ROWS, GROUPS = 3, 4  # fields of the metadata
_N_ROWS_OF_GROUP = 3
_BOOLEANS, _BYTE, _DOUBLE, _TEXT, _LISTS, _MAP, _STRUCT, _UUID = (1, 2), 3, 7, 8, (9, 10), 11, 12, 13


@dataclass(frozen=True)
class _Group:
    """A row group: its records, and where its description lies in the metadata."""

    n_records: int
    place: slice


@dataclass(frozen=True)
class _Metadata:
    """Metadata at the end of a file, and where what differs for fewer row groups lies in them."""

    data: bytes
    start: int
    n_records: slice
    listed: slice
    groups: Sequence[_Group]

    def of(self, groups: Sequence[_Group]) -> bytes:
        """Return the end of a file that has only some of the row groups."""
        n_records = _number(2 * sum(group.n_records for group in groups))  # zigzag: no sign
        listed = bytes([0xF0 | _STRUCT]) + _number(len(groups))
        listed += b"".join(self.data[group.place] for group in groups)
        changed = sorted(
            [(self.n_records, n_records), (self.listed, listed)], key=lambda change: change[0].start
        )
        parts, done = [], 0
        for place, own in changed:
            parts += [self.data[done : place.start], own]
            done = place.stop
        whole = b"".join((*parts, self.data[done:]))
        return whole + len(whole).to_bytes(4, "little") + _MAGIC


class _Part(io.RawIOBase):
    """A file whose end is another one."""

    def __init__(self, file: BinaryIO, start: int, end: bytes) -> None:
        self._file, self._start, self._end, self._at = file, start, end, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        begin = (0, self._at, self._start + len(self._end))[whence]
        self._at = begin + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        n = len(buffer)
        if self._at < self._start:
            self._file.seek(self._at)
            found = self._file.read(min(n, self._start - self._at))
        else:
            found = self._end[self._at - self._start :][:n]
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)


def frames(path: Path, columns: list[str] | None = None) -> Iterator[tuple[float, pd.DataFrame]]:
    """Yield the records of a file, all or some columns, with the part of them that is then read.

    Not more row groups than `RECORDS` records are in memory, unless one alone has more.

    Parameters
    ----------
    path : Path
    columns : list of str, optional
        By default all in their order, those that pandas wrote as an index included.
    """
    with path.open("rb") as file:
        metadata = metadata_of(file)
        if metadata is None or len(metadata.groups) < 2:
            yield 1.0, _read(path, columns)
            return
        n_records = max(1, sum(group.n_records for group in metadata.groups))
        done, waiting = 0, list[_Group]()
        for group in [*metadata.groups, None]:
            n_waiting = sum(own.n_records for own in waiting)
            if waiting and (group is None or n_waiting + group.n_records > RECORDS):
                part = io.BufferedReader(_Part(file, metadata.start, metadata.of(waiting)))
                done += n_waiting
                yield done / n_records, _read(part, columns)
                waiting = []
            waiting += [] if group is None else [group]


def _read(source: Any, columns: list[str] | None) -> pd.DataFrame:
    settings: dict[str, Any] = {"engine": "pyarrow", "dtype_backend": "pyarrow", "columns": columns}
    if int(pd.__version__.partition(".")[0]) >= 3:
        return pd.read_parquet(source, **settings, to_pandas_kwargs={"ignore_metadata": True})
    frame = pd.read_parquet(source, **settings)  # its pandas makes an index again, which comes last in files
    index = [] if isinstance(frame.index, pd.RangeIndex) else [str(name) for name in frame.index.names]
    names = list(frame.columns)
    return frame.reset_index()[[*names, *index]] if index else frame


def metadata_of(file: BinaryIO) -> _Metadata | None:
    """Return the metadata of a file; None if they cannot be read, as those that are encrypted."""
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - 8))
    end = file.read(8)
    n_bytes = int.from_bytes(end[:4], "little")
    if end[4:] != _MAGIC or n_bytes + 8 > size:
        return None
    start = size - 8 - n_bytes
    file.seek(start)
    data = file.read(n_bytes)
    try:
        fields = dict(fields_of(data, 0)[0])
        elements = elements_of(data, fields[GROUPS].start)
        groups = []
        for place in elements:
            own = dict(fields_of(data, place.start)[0])
            n_records, _unused = read_number(data, own[_N_ROWS_OF_GROUP].start)
            groups.append(_Group(n_records // 2, place))
        return _Metadata(data, start, fields[_N_ROWS], fields[GROUPS], groups)
    except (IndexError, KeyError, ValueError, RecursionError):
        return None


# Metadata are in Thrift's compact protocol, of which only the lengths of values are of interest here.


def fields_of(data: bytes, at: int) -> tuple[list[tuple[int, slice]], int]:
    """Return number and place of each field of a structure, and where it ends."""
    found, number = list[tuple[int, slice]](), 0
    while head := data[at]:
        at += 1
        if head >> 4:
            number += head >> 4
        else:
            typed, at = read_number(data, at)
            number = typed >> 1
        start, at = at, _end(data, at, head & 15)
        found.append((number, slice(start, at)))
    return found, at + 1


def _end(data: bytes, at: int, kind: int) -> int:
    """Return where a value ends."""
    if kind in _BOOLEANS:
        return at
    if kind in (_BYTE, _DOUBLE, _UUID):
        return at + {_BYTE: 1, _DOUBLE: 8, _UUID: 16}[kind]
    if kind == _TEXT:
        length, at = read_number(data, at)
        return at + length
    if kind in _LISTS:
        places = elements_of(data, at)
        return places[-1].stop if places else at + 1
    if kind == _STRUCT:
        return fields_of(data, at)[1]
    if kind == _MAP:
        n, at = read_number(data, at)
        kinds, at = (data[at], at + 1) if n else (0, at)
        if n > len(data):
            raise ValueError("more elements than bytes")
        for _unused in range(n):
            at = _end(data, _end(data, at, kinds >> 4), kinds & 15)
        return at
    if kind in (4, 5, 6):
        return read_number(data, at)[1]
    raise ValueError("unknown kind of value")


def elements_of(data: bytes, at: int) -> list[slice]:
    """Return the places of the elements of a list."""
    n, kind, at = data[at] >> 4, data[at] & 15, at + 1
    if n == 15:
        n, at = read_number(data, at)
    if n > len(data):
        raise ValueError("more elements than bytes")
    found = []
    for _unused in range(n):
        end = at + 1 if kind in _BOOLEANS else _end(data, at, kind)
        found.append(slice(at, end))
        at = end
    return found


def read_number(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, and where it ends."""
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def _number(value: int) -> bytes:
    found = []
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])
