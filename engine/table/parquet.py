"""Parquet files as raw columns: the types of the file say what its values are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.monitor import Monitor
from engine.table import series
from engine.table.columns_taken import taken_columns
from engine.table.options import ReadOptions
from engine.table.parquet_bounds import refuse_bomb
from engine.table.raw import RawColumn, RawTable
from engine.table.sources import checked_path, read_by_library
from engine.table.texts_at_once import listed

if TYPE_CHECKING:
    import pyarrow as pa

_WHAT = "Parquet file"
_BATCH = 1 << 16
_MOST_RECORDS = 2**31 - 1
_INDEX = re.compile(r"__index_level_[0-9]+__")  # row labels that pandas keeps beside the columns


def read_parquet(path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of a Parquet file.

    Texts are text, also where they look like numbers. Row labels without a name, which pandas keeps
    beside the columns, are left out.

    Parameters
    ----------
    path : Path
    options : ReadOptions
    monitor : Monitor

    Raises
    ------
    TableError
        The file is no Parquet file, damaged or encrypted, has no columns, names one twice, or a cell
        is no single finite value.
    """
    import pyarrow as pa

    checked_path(path)
    table, texts = _table(path, monitor)
    taken = [i for i, name in enumerate(table.column_names) if not _INDEX.fullmatch(name)]
    if not taken:
        raise TableError(f"'{path.name}' has no columns.", hint="Choose another file.", file=path.name)
    chosen = taken_columns([table.column_names[i] for i in taken], options.take, options.trim, path.name)
    columns = []
    for done, (place, name) in enumerate(chosen):
        monitor.step(done, len(chosen), f"Reading {path.name}, {name}")
        try:
            own = table.column_names[taken[place]]
            columns.append(_column(name, table.column(taken[place]), own in texts))
        except (UnicodeDecodeError, pa.ArrowException) as error:  # passed as sound until looked at
            raise TableError(
                f"Column '{name}' of '{path.name}' holds bytes that are no text.",
                hint="The file is damaged; write it again with the program that made it.",
                file=path.name,
                column=name,
            ) from error
    return RawTable(path.name, tuple(columns))


def _table(path: Path, monitor: Monitor) -> tuple[pa.Table, frozenset[str]]:
    """The table, and which of its columns hold texts."""
    import pyarrow as pa
    from pyarrow import parquet

    with read_by_library(path.name, _WHAT), parquet.ParquetFile(path, memory_map=False) as file:
        refuse_bomb(file.metadata, path.stat().st_size, f"'{path.name}'", path.name)
        schema = file.schema_arrow
        n_records = file.metadata.num_rows
        if n_records > _MOST_RECORDS:
            raise TableError(
                f"'{path.name}' has {n_records:,} records, more than a table can have.",
                hint="Open a part of it.",
                file=path.name,
            )
        texts = text_names(schema)
    with (
        read_by_library(path.name, _WHAT),
        parquet.ParquetFile(path, memory_map=False, read_dictionary=texts) as file,
    ):
        batches, done = [], 0
        for batch in file.iter_batches(_BATCH):
            batches.append(batch)
            done += batch.num_rows
            monitor.step(done, max(n_records, done), f"Reading {path.name}")
        return pa.Table.from_batches(batches, file.schema_arrow), frozenset(texts)


def text_names(schema: pa.Schema) -> list[str]:
    """The columns to read with each text once: a long one of many records would fill the memory otherwise."""
    import pyarrow as pa

    return [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)]


def coded_texts(column: pa.ChunkedArray[Any]) -> tuple[list[str], Codes]:
    """Return the different texts of a column that Arrow holds coded, and their places; -1 for missing."""
    import pyarrow as pa

    coded = column.unify_dictionaries().combine_chunks()
    texts = coded.dictionary.cast(pa.large_string()).dictionary_encode()  # a crafted file may repeat them
    places = texts.indices.take(coded.indices).fill_null(-1)
    return listed(texts.dictionary), places.to_numpy(zero_copy_only=False).astype(np.int32)


def _column(name: str, column: pa.ChunkedArray[Any], is_text: bool) -> RawColumn:
    import pyarrow as pa

    kind = column.type
    if is_text:
        if not pa.types.is_dictionary(kind):  # as of a file without records
            column = column.dictionary_encode()
        return RawColumn(name, *coded_texts(column), series.TEXT)
    if pa.types.is_time64(kind) and kind.unit == "ns":
        column, kind = _in_microseconds(name, column), pa.time64("us")
    if pa.types.is_dictionary(kind):
        return series.raw_column(name, column.to_pandas())
    return series.raw_column(name, pd.Series(pd.array(column, dtype=pd.ArrowDtype(kind))))


def _in_microseconds(name: str, column: pa.ChunkedArray[Any]) -> pa.ChunkedArray[Any]:
    """Times of day as Python has them: several nanoseconds would become one value."""
    import pyarrow as pa

    try:
        return column.cast(pa.time64("us"))
    except pa.ArrowInvalid:
        raise TableError(
            f"Column '{name}' has times of day finer than microseconds.",
            hint="Round the times to microseconds.",
            column=name,
        ) from None
