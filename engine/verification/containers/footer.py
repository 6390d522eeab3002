"""Metadata at the end of a Parquet file, in Thrift's compact protocol: only where its parts lie."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import BinaryIO

_MAGIC = b"PAR1"
_GROUPS = 4  # field of the metadata
_BOOLEANS, _BYTE, _DOUBLE, _TEXT, _LISTS, _MAP, _STRUCT, _UUID = (1, 2), 3, 7, 8, (9, 10), 11, 12, 13


@dataclass(frozen=True)
class Footer:
    """Metadata of a file: their bytes, where they begin in it, and where its row groups are described."""

    data: bytes
    start: int
    groups: Sequence[slice]


def footer_of(file: BinaryIO) -> Footer | None:
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
        return Footer(data, start, elements_of(data, fields[_GROUPS].start))
    except (IndexError, KeyError, ValueError, RecursionError):
        return None


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
