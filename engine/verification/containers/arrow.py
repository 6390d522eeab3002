"""Parquet files: metadata of file and columns, unused entries of dictionaries, bytes between the pages."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import compute, parquet

from engine.verification.containers import Explained, Extra, excerpt
from engine.verification.row_groups import elements_of, fields_of, metadata_of, read_number

_PROGRAM = re.compile(rb"[\w .,:;()/+-]{0,120}")
# Keys of a column that say nothing of its cells.
_PLAIN_FIELDS = {
    b"PARQUET:field_id": rb"-?\d*",
    b"_PL_CATEGORICAL2": rb"\d+;\d+;u\d+;",
    b"_PL_CATEGORICAL": rb".?",
}
_ENUM = b"_PL_ENUM_VALUES2"  # length, semicolon and text of each value
# Fields of the description of a column, and of what it says of the column's pages.
_COLUMNS, _ABOUT, _INDEXES = 1, 3, (4, 6)
_SIZE, _PAGE, _DICTIONARY, _BLOOM = 7, 9, 11, 14
_PANDAS_KEYS = re.compile(
    "index_columns|column_indexes|columns|kind|name|start|stop|step|field_name|pandas_type|numpy_type|metadata|"
    "num_categories|ordered|timezone|unit|precision|scale|encoding|attributes|creator|library|version|pandas_version"
)
_PANDAS_WORDS = re.compile(  # kinds of columns, versions and time zones
    r"(?:[Uu]?[Ii]nt|[Ff]loat|complex)\d+|(?:bool|date|time|decimal|mixed|unicode|bytes|empty|str|object)\w*"
    r"|categorical|range|None|UTF-8|pyarrow|fastparquet|[\d.]+\w*|UTC|[A-Z][a-z]+(?:/\w+)+|[+-]\d\d:\d\d"
    r"|\w*(?:string|int|float|double|bool|date|time|decimal|list)\w*\[[\w, :/+-]+\]"
)


def inspect_parquet(path: Path, explained: Explained) -> Iterator[Extra]:
    """Yield what a Parquet file holds besides its cells."""
    with parquet.ParquetFile(path, memory_map=False) as file:
        metadata, names = file.metadata, file.schema_arrow.names
        created = (metadata.created_by or "").encode()
        if not created.startswith(b"parquet-cpp-arrow version"):
            yield Extra("program", "created_by", excerpt(created), not _PROGRAM.fullmatch(created))
        values = {name: set[Any]() for name in names}
        yield from _loose_bytes(path)
        yield from _unused_entries(file, path, values)
        for key, value in (metadata.metadata or {}).items():
            if key == b"ARROW:schema":
                with pa.BufferReader(base64.b64decode(value)) as stream:
                    schema = pa.ipc.read_schema(stream)
                    rest = stream.read().strip(b"\0\xff")
                if schema.names != names or rest:
                    yield Extra("metadata", key.decode(), excerpt(rest or ", ".join(schema.names)))
                yield from _schema_extras(schema, values)
            elif key != b"padding" or value.strip(b"0"):  # the program itself fills small files with zeros
                yield from _key_extras(key, value, names)
        yield from _schema_extras(file.schema_arrow.remove_metadata(), values)


def _schema_extras(schema: pa.Schema, values: Mapping[str, set[Any]]) -> Iterator[Extra]:
    """Yield what a schema says besides names and types."""
    for key, value in (schema.metadata or {}).items():
        yield from _key_extras(key, value, schema.names)
    for column in schema:
        for key, value in (column.metadata or {}).items():
            at = f"{column.name}: {excerpt(key)}"
            if key == _ENUM:
                if unused := _enum_values(value) - values.get(column.name, set()):
                    yield Extra("unused_value", at, excerpt(", ".join(sorted(unused))))
            elif not re.fullmatch(_PLAIN_FIELDS.get(key, rb"(?!)"), value):
                yield Extra("metadata", at, excerpt(value))
        if column.type.num_fields or isinstance(column.type, pa.BaseExtensionType):
            yield Extra("metadata", f"{column.name}: type", excerpt(str(column.type)))


def _key_extras(key: bytes, value: bytes, names: list[str]) -> Iterator[Extra]:
    """Yield a key of the file, unless it says what pandas says of a plain table."""
    odd = _odd_texts(json.loads(value), names) if key == b"pandas" else [value]
    for said in odd:
        yield Extra("metadata", excerpt(key), excerpt(said))


def _odd_texts(own: Any, names: list[str]) -> Iterator[str]:
    """Yield texts and keys in the metadata of pandas that are neither columns nor its own words."""
    if isinstance(own, dict | list):
        keys = own if isinstance(own, dict) else ()
        yield from (key for key in keys if not _PANDAS_KEYS.fullmatch(key))
        for part in own.values() if isinstance(own, dict) else own:
            yield from _odd_texts(part, names)
    elif isinstance(own, str) and own not in names and not _PANDAS_WORDS.fullmatch(own):
        yield own


def _enum_values(value: bytes) -> set[str]:
    """Return the values of a list of polars."""
    found = set()
    while value:
        length, _unused, value = value.partition(b";")
        found.add(value[: int(length)].decode("utf-8", "replace"))
        value = value[int(length) :]
    return found


def _unused_entries(file: parquet.ParquetFile, path: Path, values: dict[str, set[Any]]) -> Iterator[Extra]:
    """Yield entries of the dictionaries of texts that no cell uses, and collect used ones of categories."""
    texts = [own.name for own in file.schema_arrow if _is_text(own.type)]
    with parquet.ParquetFile(path, memory_map=False, read_dictionary=texts) as coded:
        for number in range(coded.num_row_groups):
            for name in texts:
                (column,) = coded.read_row_group(number, [name]).columns
                for chunk in column.chunks:
                    if not isinstance(chunk, pa.DictionaryArray):
                        continue
                    used = compute.unique(chunk.indices.drop_null())
                    if pa.types.is_dictionary(file.schema_arrow.field(name).type):
                        values[name].update(chunk.dictionary.take(used).to_pylist())
                    if len(used) < len(chunk.dictionary):
                        taken = set(used.to_pylist())
                        rest = (i for i in range(len(chunk.dictionary)) if i not in taken)
                        some = [
                            str(chunk.dictionary[place])
                            for _unused, place in zip(range(5), rest, strict=False)
                        ]
                        at = f"{name} ({len(chunk.dictionary) - len(used)})"
                        yield Extra("unused_value", at, excerpt(", ".join(some)))


def _is_text(kind: pa.DataType) -> bool:
    own = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(own) or pa.types.is_large_string(own) or pa.types.is_string_view(own))


def _loose_bytes(path: Path) -> Iterator[Extra]:
    """Yield bytes that are neither pages of columns nor their indexes and filters."""
    with path.open("rb") as file:
        whole = metadata_of(file)
        if whole is None:
            yield Extra("uninspected", "encrypted metadata")
            return
        places, copies = [(whole.start, 0)], set[bytes]()
        for group in whole.groups:
            columns = dict(fields_of(whole.data, group.place.start)[0])[_COLUMNS]
            for column in elements_of(whole.data, columns.start):
                numbers = _numbers(whole.data, column.start)
                about = dict(fields_of(whole.data, column.start)[0])[_ABOUT]
                copies.add(whole.data[about])
                own = _numbers(whole.data, about.start)
                start = min(filter(None, (own.get(_PAGE), own.get(_DICTIONARY))))
                indexes = [(numbers[key], numbers[key + 1]) for key in _INDEXES if key in numbers]
                places += [(start, own[_SIZE]), *indexes]
                places += [(own[_BLOOM], own[_BLOOM + 1])] if _BLOOM in own else []
        at = 4
        for start, length in sorted(places):
            file.seek(at)
            if start != at and (start < at or file.read(start - at) not in copies):  # polars repeats metadata
                file.seek(min(at, start))
                yield Extra("bytes", f"{at} to {start}", excerpt(file.read(200)))
            at = start + length


def _numbers(data: bytes, at: int) -> dict[int, int]:
    """Return the whole numbers of a structure, by the number of the field."""
    return {key: read_number(data, own.start)[0] // 2 for key, own in fields_of(data, at)[0]}
