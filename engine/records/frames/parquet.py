"""Parquet files as raw columns, with the types of the file.

The number of cells is limited by the size of the file, because run lengths let a few kilobytes fill any
memory. A record of a real table takes more than a quarter of a bit however it is packed: even the sex of a
person takes one. Tables whose cells hardly take memory are read anyway.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.records.chunks import listed, numbers
from engine.records.formats import FEATHER
from engine.records.options import ReadOptions
from engine.records.plan import CodedTexts, pieces_to_write
from engine.records.raw import RawColumn, RawTable, refuse_no_columns
from engine.records.table_files import checked_path, read_by_library, too_large
from engine.records.types import DataType
from engine.words import N_, _

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

_WHAT = N_("Parquet file")
_BATCH = 1 << 16
_MOST_RECORDS = 2**31 - 1
_INDEX = re.compile(r"__index_level_[0-9]+__")  # row labels that pandas stores next to the columns


def read_parquet(path: Path, options: ReadOptions, monitor: Monitor, most: int | None = None) -> RawTable:
    """Return the columns of a Parquet file.

    Texts are text, even if they look like numbers. Row labels without a name, which pandas stores next to the
    columns, are ignored.

    Parameters
    ----------
    most : int, optional
        Number of records that are read; all by default.

    Raises
    ------
    TableError
        The file is not a Parquet file, is damaged or encrypted, has no columns, repeats a name, or has a cell
        that is not a single finite value.
    """
    checked_path(path)
    table, texts = _table(path, monitor, most)
    return columns_of(table, texts, path, options, monitor)


def columns_of(
    table: pa.Table, texts: frozenset[str], path: Path, options: ReadOptions, monitor: Monitor
) -> RawTable:
    """Return the columns of a table of Arrow, except row labels; `texts` names those of texts."""
    import pyarrow as pa

    taken = [i for i, name in enumerate(table.column_names) if not row_labels(name)]
    refuse_no_columns(taken, path.name)
    chosen = options.columns_of([table.column_names[i] for i in taken], path.name)
    columns = []
    for done, (place, name) in enumerate(chosen):
        monitor.step(done, len(chosen), _("Reading {file}, {column}").format(file=path.name, column=name))
        try:
            own = table.column_names[taken[place]]
            columns.append(column_of_values(name, table.column(taken[place]), own in texts))
        except MemoryError:
            raise too_large(path.name) from None
        except (UnicodeDecodeError, pa.ArrowException) as error:  # not checked before it is converted
            raise TableError(
                _("Column '{column}' of '{file}' contains bytes that are not text.").format(
                    column=name, file=path.name
                ),
                hint=_("The file is damaged. Save it again with the program that created it."),
                file=path.name,
                column=name,
            ) from error
    return RawTable(path.name, tuple(columns), taken=chosen)


def _table(path: Path, monitor: Monitor, most: int | None) -> tuple[pa.Table, frozenset[str]]:
    """Return the table, and the names of its text columns."""
    import pyarrow as pa
    from pyarrow import parquet

    with read_by_library(path.name, _(_WHAT)), parquet.ParquetFile(path, memory_map=False) as file:
        refuse_bomb(file.metadata, path.stat().st_size, f"'{path.name}'", path.name)
        schema = file.schema_arrow
        n_records = file.metadata.num_rows
        if n_records > _MOST_RECORDS:
            raise TableError(
                _("'{name}' has {n_records} records, more than a table can have.").format(
                    name=path.name, n_records=as_exact_count(n_records)
                ),
                hint=_("Open a part of it."),
                file=path.name,
            )
        texts = text_names(schema)
    with (
        read_by_library(path.name, _(_WHAT)),
        parquet.ParquetFile(path, memory_map=False, read_dictionary=texts) as file,
    ):
        batches, done = [], 0
        for batch in file.iter_batches(_BATCH if most is None else min(most, _BATCH)):
            batches.append(batch)
            done += batch.num_rows
            monitor.step(done, max(n_records, done), _("Reading {file}").format(file=path.name))
            if most is not None and done >= most:
                break
        return pa.Table.from_batches(batches, file.schema_arrow), frozenset(texts)


def row_labels(name: str) -> bool:
    """Return whether a column holds row labels without a name, which pandas stores next to the columns."""
    return _INDEX.fullmatch(name) is not None


def text_names(schema: pa.Schema) -> list[str]:
    """Return the columns to read with each text once; a long text of many records would fill the memory."""
    import pyarrow as pa

    kinds = (pa.string(), pa.large_string(), pa.string_view())
    return [field.name for field in schema if field.type in kinds]


def coded_texts(column: pa.ChunkedArray[Any]) -> tuple[Sequence[str], Codes]:
    """Return the distinct texts of a column that Arrow holds coded, and their codes; -1 for missing."""
    import pyarrow as pa

    coded = column.unify_dictionaries().combine_chunks()
    texts = coded.dictionary.cast(pa.large_string()).dictionary_encode()  # a crafted file may repeat them
    places = texts.indices.take(coded.indices).fill_null(-1)
    return listed(texts.dictionary), numbers(places).astype(np.int32)


def column_of_values(name: str, column: pa.ChunkedArray[Any], is_text: bool) -> RawColumn:
    """Return a column of a Parquet file as coded texts, as people read its values."""
    import pyarrow as pa

    kind = column.type
    if is_text:
        if not pa.types.is_dictionary(kind):  # so in a file without records
            column = column.dictionary_encode()
        return RawColumn(name, *coded_texts(column), DataType())
    from engine.records.frames import series  # imports pandas: only for columns that are not text

    if pa.types.is_time64(kind) and kind.unit == "ns":
        column, kind = _in_microseconds(name, column), pa.time64("us")
    if pa.types.is_dictionary(kind):
        column.validate(full=True)  # names bytes that are not text
    return series.raw_column(name, series.of_arrow(name, column))


def _in_microseconds(name: str, column: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any]:
    """Return times of day in microseconds, as Python has them; several nanoseconds would become one value."""
    import pyarrow as pa

    try:
        return column.cast(pa.time64("us"))
    except pa.ArrowInvalid:
        raise TableError(
            _("Column '{name}' has times of day finer than microseconds.").format(name=name),
            hint=_("Round the times to microseconds."),
            column=name,
        ) from None


FEW_CELLS = 10_000_000  # 4 bytes each once they are coded; this many are read from a file of any size
RECORDS_PER_BYTE = 32
# bytes that all pages may unpack to, and the largest ratio to the size of the file
_SMALL, _MOST_RATIO = 1 << 28, 300


def refuse_bomb(metadata: parquet.FileMetaData, n_bytes: int, place: str, file: str = "") -> None:
    """Check that a file is large enough for its table, before any cell is decoded.

    Parameters
    ----------
    n_bytes : int
        Size of the file.
    place : str
        Beginning of messages, such as "'visits.parquet'".
    file : str
        Name of the file.

    Raises
    ------
    TableError
        The file is too small for its table.
    """
    n_columns = max(metadata.num_columns, 1)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    n_records = max(metadata.num_rows, sum(group.num_rows for group in groups))
    # Arrow ends the program where the details of a column are damaged, so they are asked for lists only.
    lists = [i for i in range(metadata.num_columns) if metadata.schema.column(i).max_repetition_level > 0]
    n_in_lists = sum(group.column(i).num_values for group in groups for i in lists)
    n_cells = max(n_records * n_columns, n_in_lists)
    refuse_cells(n_cells, n_columns, n_bytes, place, file)
    n_unpacked = sum(group.total_byte_size for group in groups)  # before they are packed
    if n_unpacked > max(_SMALL, _MOST_RATIO * n_bytes):
        raise TableError(
            _(
                "{place}: unpacking to {n_unpacked} MB is implausible for a table in a file of this size."
            ).format(place=place, n_unpacked=as_exact_count(n_unpacked / 1000000.0)),
            hint=_("If the file is genuine, save the table as CSV and open that."),
            file=file,
        )


def refuse_cells(n_cells: int, n_columns: int, n_bytes: int, place: str, file: str = "") -> None:
    """Raise `TableError` if a file of `n_bytes` bytes, of any format, is too small for its cells."""
    if missing_bytes(n_cells, n_columns, n_bytes):
        raise TableError(
            _("{place}: {n_cells} cells in {n_bytes} bytes are implausible for a table.").format(
                place=place, n_cells=as_exact_count(n_cells), n_bytes=as_exact_count(n_bytes)
            ),
            hint=_("If the file is genuine, save the table as CSV and open that."),
            file=file,
        )


def missing_bytes(n_cells: int, n_columns: int, n_bytes: int) -> int:
    """Return the number of bytes that a file lacks for its cells; 0 if it is large enough.

    Writers add that many bytes, so that a table of equal records can be opened again.
    """
    needed = -(-n_cells // max(n_columns, 1)) // RECORDS_PER_BYTE
    return max(0, needed - n_bytes) if n_cells > FEW_CELLS else 0


def read_feather(path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of a Feather file, as those of a Parquet file with the same table.

    Raises
    ------
    TableError
        The file is not a Feather file, is damaged, has no columns, repeats a name, or has a cell that is not
        a single finite value; or it is too small for its number of cells.
    """
    from pyarrow import dataset, feather

    checked_path(path)
    monitor.step(0, 1, _("Reading {file}").format(file=path.name))
    with read_by_library(path.name, _(FEATHER.name)):
        with path.open("rb") as file:
            may_be_packed = file.read(6) == b"ARROW1"  # so begin files of the second version
        if may_be_packed:
            records = dataset.dataset(path, format="ipc")  # counts without unpacking any
            n_columns = len(records.schema)
            n_cells = records.count_rows() * n_columns
            refuse_cells(n_cells, n_columns, path.stat().st_size, f"'{path.name}'", path.name)
        table = feather.read_table(path, memory_map=False)
        table.validate(full=True)  # places of texts in a damaged file may be outside of it
    return columns_of(table, frozenset(text_names(table.schema)), path, options, monitor)


_RECORDS = 100_000


def write_parquet_texts(
    file: BinaryIO,
    header: Sequence[str],
    columns: Sequence[CodedTexts],
    monitor: Monitor = SILENT,
) -> None:
    """Write texts into an open binary file; an empty text becomes a null.

    Parameters
    ----------
    header : sequence of str
        Column names, all different.
    columns : sequence
        Per column its distinct texts and the codes of the records, in memory or in blocks.
    """
    import pyarrow as pa
    from pyarrow import parquet

    n_records = len(columns[0][1]) if columns else 0
    texts = [pa.array([text or None for text in labels], pa.string()) for labels, _unused in columns]
    schema = pa.schema([pa.field(name, pa.string()) for name in header])
    with parquet.ParquetWriter(file, schema) as writer:
        for piece in pieces_to_write(n_records, _RECORDS, monitor):
            records = [codes[piece] for _unused, codes in columns]
            parts = [
                pa.array([text or None for text in own], pa.string())
                if isinstance(own, list)
                else known.take(pa.array(own))
                for known, own in zip(texts, records, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(parts, schema=schema))
        pad(writer, n_records, len(columns), file.tell())


def pad(writer: parquet.ParquetWriter, n_records: int, n_columns: int, n_bytes: int) -> None:
    """Pad a file of equal records to the size that `engine.records.frames.parquet` requires.

    Parameters
    ----------
    writer : pyarrow.parquet.ParquetWriter
        All records are written, and the file is not closed.
    n_bytes : int
        Bytes written so far.
    """
    if n_lacking := missing_bytes(n_records * n_columns, n_columns, n_bytes):
        writer.add_key_value_metadata({"padding": "0" * n_lacking})
