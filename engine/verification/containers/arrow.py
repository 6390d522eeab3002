"""Parquet files: metadata of file and columns, unused dictionary entries, bytes between the pages."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
from pyarrow import compute, parquet

from engine.verification.containers import Explained, Extra, excerpt
from engine.verification.containers.layout import uncovered

_MAGIC = b"PAR1"
_GROUPS = 4  # field of the metadata
_BOOLEANS, _BYTE, _DOUBLE, _TEXT, _LISTS, _MAP, _STRUCT, _UUID = (1, 2), 3, 7, 8, (9, 10), 11, 12, 13


@dataclass(frozen=True)
class Footer:
    """Metadata of a file: their bytes, their start in it, and where its row groups are described."""

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
    """Return number and place of each field of a structure, and its end."""
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
    """Return the end of a value."""
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
    """Return a number of variable length, and its end."""
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


_PROGRAM = re.compile(rb"[\w .,:;()/+-]{0,120}")
# Keys that say nothing of cells; the program itself fills small files with zeros.
_PLAIN_KEYS = {
    b"PARQUET:field_id": rb"-?\d*",
    b"_PL_CATEGORICAL2": rb"\d+;\d+;u\d+;",
    b"_PL_CATEGORICAL": rb".?",
    b"padding": rb"0*",
}
_ENUM = b"_PL_ENUM_VALUES2"  # length, semicolon and text of each value
# Fields of the description of a column, and of what it says of the column's pages.
_COLUMNS, _ABOUT, _INDEXES = 1, 3, (4, 6)
_SIZE, _PAGE, _DICTIONARY, _BLOOM = 7, 9, 11, 14
_QUOTED = re.compile(rb'"(?:[^"\\]|\\.)*"')
_PANDAS_WORDS = re.compile(  # keys, kinds of columns, versions and time zones
    r"index_columns|column_indexes|columns|kind|name|start|stop|step|field_name|pandas_type|numpy_type|metadata"
    r"|num_categories|ordered|timezone|unit|precision|scale|encoding|attributes|creator|library|version|pandas_version"
    r"|(?:[Uu]?[Ii]nt|[Ff]loat|complex)\d+|(?:bool|date|time|decimal|mixed|unicode|bytes|empty|str|object)\w*"
    r"|categorical|range|None|UTF-8|pyarrow|fastparquet|[\d.]+\w*|UTC|[A-Z][a-z]+(?:/\w+)+|[+-]\d\d:\d\d"
    r"|\w*(?:string|int|float|double|bool|date|time|decimal|list)\w*\[[\w, :/+-]+\]"
)


def inspect_parquet(path: Path, explained: Explained) -> Iterator[Extra]:
    """Yield what a Parquet file holds besides its cells."""
    with parquet.ParquetFile(path, memory_map=False) as file:
        metadata, schema = file.metadata, file.schema_arrow
        created = (metadata.created_by or "").encode()
        if not created.startswith(b"parquet-cpp-arrow version"):
            yield Extra("program", "created_by", excerpt(created), not _PROGRAM.fullmatch(created))
        used = {name: set[Any]() for name in schema.names}
        yield from _loose_bytes(path)
        yield from _unused_entries(schema, path, used)
        keys = dict(metadata.metadata or {})
        arrow, said = keys.pop(b"ARROW:schema", None), [("", *pair) for pair in keys.items()]
        if arrow is not None:
            with pa.BufferReader(base64.b64decode(arrow)) as stream:
                own = pa.ipc.read_schema(stream)
                rest = stream.read().strip(b"\0\xff")
            if own.names != schema.names or rest:
                yield Extra("metadata", "ARROW:schema", excerpt(rest or ", ".join(own.names)))
            said += [("", *pair) for pair in (own.metadata or {}).items()]
            said += [(column.name, *pair) for column in own for pair in (column.metadata or {}).items()]
        for column in schema:
            said += [(column.name, *pair) for pair in (column.metadata or {}).items()]
            if column.type.num_fields or isinstance(column.type, pa.BaseExtensionType):
                yield Extra("metadata", f"{column.name}: type", excerpt(str(column.type)))
        for name, key, value in said:
            at = f"{name}: {excerpt(key)}" if name else excerpt(key)
            for odd in _odd(key, value, used.get(name, set()), schema.names):
                yield Extra("unused_value" if key == _ENUM else "metadata", at, excerpt(odd))


def _odd(key: bytes, value: bytes, used: set[Any], names: list[str]) -> Iterator[str | bytes]:
    """Yield what a key of metadata says that neither cells and names of columns say, nor any program."""
    if key == b"pandas":
        json.loads(value)  # texts and keys are looked at below, and nothing else may be between them
        texts = (json.loads(text) for text in _QUOTED.findall(value))
        yield from (own for own in texts if own not in names and not _PANDAS_WORDS.fullmatch(own))
    elif key == _ENUM:
        for own in used:
            value = value.replace(f"{len(own.encode())};{own}".encode(), b"", 1)
        yield from [value] if value else []
    elif not re.fullmatch(_PLAIN_KEYS.get(key, rb"(?!)"), value):
        yield value


def _unused_entries(schema: pa.Schema, path: Path, values: dict[str, set[Any]]) -> Iterator[Extra]:
    """Yield entries of the dictionaries of texts that no cell uses, and collect used ones of categories."""
    texts = [own.name for own in schema if _is_text(own.type)]
    with parquet.ParquetFile(path, memory_map=False, read_dictionary=texts) as coded:
        for number, name in product(range(coded.num_row_groups), texts):
            for chunk in coded.read_row_group(number, [name]).column(0).chunks:
                if not isinstance(chunk, pa.DictionaryArray):
                    continue
                used = compute.unique(chunk.indices.drop_null())
                if pa.types.is_dictionary(schema.field(name).type):
                    values[name].update(chunk.dictionary.take(used).to_pylist())
                places = pa.array(range(len(chunk.dictionary)), used.type)
                unused = chunk.dictionary.filter(compute.invert(compute.is_in(places, used)))
                if len(unused):
                    some = ", ".join(map(str, unused.slice(0, 5).to_pylist()))
                    yield Extra("unused_value", f"{name} ({len(unused)})", excerpt(some))


def _is_text(kind: pa.DataType) -> bool:
    own = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(own) or pa.types.is_large_string(own) or pa.types.is_string_view(own))


def _loose_bytes(path: Path) -> Iterator[Extra]:
    """Yield bytes that are neither pages of columns nor their indexes, filters and metadata."""
    with path.open("rb") as file:
        whole = footer_of(file)
        if whole is None:
            yield Extra("uninspected", "encrypted metadata")
            return
        spans, copies = [(0, 4), (whole.start, whole.start + len(whole.data) + 8)], set[bytes]()
        for group in whole.groups:
            columns = dict(fields_of(whole.data, group.start)[0])[_COLUMNS]
            for column in elements_of(whole.data, columns.start):
                numbers = _numbers(whole.data, column.start)
                about = dict(fields_of(whole.data, column.start)[0])[_ABOUT]
                copies.add(whole.data[about])  # which polars repeats between pages
                own = _numbers(whole.data, about.start)
                start = min(filter(None, (own.get(_PAGE), own.get(_DICTIONARY))))
                parts = [(start, own[_SIZE]), (own.get(_BLOOM, 0), own.get(_BLOOM + 1, 0))]
                parts += [(numbers.get(key, 0), numbers.get(key + 1, 0)) for key in _INDEXES]
                spans += [(start, start + length) for start, length in parts if start]
        yield from uncovered(file, spans, plain=copies)


def _numbers(data: bytes, at: int) -> dict[int, int]:
    """Return the whole numbers of a structure, by the number of the field."""
    return {key: read_number(data, own.start)[0] // 2 for key, own in fields_of(data, at)[0]}
