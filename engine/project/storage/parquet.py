"""A table as Parquet inside a project file: texts as read, missing values as nulls."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.records import Column, DataType, Table
from engine.records.frames.parquet import pad, refuse_bomb
from engine.records.types import ValueCoding
from engine.records.values import make_column
from engine.words import _

if TYPE_CHECKING:
    import pyarrow as pa

_MISSING, _CODING = b"missing", b"coding"
_MOST_RECORDS = 2**31 - 1
_PIECE = 20_000  # texts
_RECORDS = 1 << 17  # written at once
_LONG = 10_000  # texts of a column


def write_parquet(table: Table) -> bytes:
    """Return the table as a Parquet file; the text for missing is stored with each column."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = [_Texts(column) for column in table.columns]
    buffer = io.BytesIO()
    schema = pa.schema([column.field for column in columns])
    with parquet.ParquetWriter(buffer, schema, compression="zstd") as writer:
        for start in range(0, table.n_records, _RECORDS):
            arrays = [column.records(start, start + _RECORDS) for column in columns]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
        pad(writer, table.n_records, len(columns), buffer.tell())
    return buffer.getvalue()


class _Texts:
    """A column as Parquet stores it; its records are converted some at a time."""

    def __init__(self, column: Column) -> None:
        import pyarrow as pa

        known = column.known_labels
        # In pieces, because one call would block every other thread until all texts are copied.
        pieces = [pa.array(known[at : at + _PIECE], pa.string()) for at in range(0, len(known), _PIECE)]
        self._texts = pa.chunked_array(pieces, pa.string()).combine_chunks()
        self._column, self._n_known = column, len(known)
        self._is_long = len(known) > _LONG  # each piece of the table would repeat all texts
        kind = pa.string() if self._is_long else pa.dictionary(pa.int32(), pa.string())
        token = column.missing_label
        about = {} if token is None else {_MISSING: token.encode("utf-8")}
        if column.coding is not None:
            about[_CODING] = column.coding.as_json().encode("utf-8")
        self.field = pa.field(column.name, kind, metadata=about)

    def records(self, start: int, stop: int) -> pa.Array[Any]:
        """Return some of the records."""
        import pyarrow as pa

        own = self._column.codes[start:stop]
        codes = pa.array(own, mask=own == self._n_known)
        if self._is_long:
            return self._texts.take(codes)
        return pa.DictionaryArray.from_arrays(codes, self._texts)


def read_parquet(data: bytes, types: Mapping[str, DataType]) -> Table:
    """Return the table of `write_parquet`; labels are ordered by their types again.

    Raises
    ------
    TableError
        A value does not fit the type of its column, or the bytes are far too few for the table.
    ValueError, KeyError, TypeError, OSError
        The bytes are not such a table.
    """
    import pyarrow as pa
    from pyarrow import parquet

    # imported here: it needs pandas, and the window opens before that
    from engine.records.frames.parquet import text_names

    packed = parquet.ParquetFile(pa.BufferReader(data))
    # completes "'{file}' cannot be opened: {problem}"
    refuse_bomb(packed.metadata, len(data), _("its table"))
    packed = parquet.ParquetFile(pa.BufferReader(data), read_dictionary=text_names(packed.schema_arrow))
    if packed.metadata.num_rows > _MOST_RECORDS:
        raise ValueError("more records than a table can have")
    table = packed.read()
    if not table.num_columns or not table.num_rows:
        raise ValueError("a table without columns or records")
    if len(set(table.column_names)) != table.num_columns:
        raise ValueError("a column name is repeated")
    columns = (table.column(i) for i in range(table.num_columns))
    return Table(
        tuple(
            _column(field.name, field.metadata or {}, column, types.get(field.name, DataType()))
            for field, column in zip(table.schema, columns, strict=True)
        )
    )


def _column(
    name: str, about: Mapping[bytes, bytes], column: pa.ChunkedArray[Any], data_type: DataType
) -> Column:
    import pyarrow as pa

    from engine.records.frames.parquet import coded_texts

    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    labels, codes = coded_texts(column)
    missing = about[_MISSING].decode("utf-8") if codes.min() < 0 else None
    if missing is not None:
        codes[codes < 0] = len(labels)
        labels = [*labels, missing]
    made = make_column(name, labels, codes, data_type, missing)
    if _CODING not in about:
        return made
    return replace(made, coding=ValueCoding.of_json(about[_CODING].decode("utf-8")))
