"""Parquet files as raw columns: the types of the file say what its values are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from engine.errors import TableError
from engine.monitor import Monitor
from engine.table import series
from engine.table.columns_taken import TakenColumn, taken_columns
from engine.table.raw import RawColumn, RawTable
from engine.table.sources import checked_path, read_by_library

if TYPE_CHECKING:
    import pyarrow as pa

_WHAT = "Parquet file"
_BATCH = 1 << 16
_MOST_RECORDS = 2**31 - 1
_INDEX = re.compile(r"__index_level_[0-9]+__")  # row labels that pandas keeps beside the columns


def read_parquet(
    path: Path, monitor: Monitor, *, trim: bool = False, take: Sequence[TakenColumn] = ()
) -> RawTable:
    """Return the columns of a Parquet file.

    Texts are text, also where they look like numbers. Row labels without a name, which pandas keeps
    beside the columns, are left out.

    Parameters
    ----------
    path : Path
    monitor : Monitor
    trim : bool
        Whether spaces around names are dropped.
    take : sequence of TakenColumn
        The columns taken; empty for all.

    Raises
    ------
    TableError
        The file is no Parquet file, damaged or encrypted, has no columns, names one twice, or a cell
        is no single finite value.
    """
    import pyarrow as pa

    checked_path(path)
    table = _table(path, monitor)
    taken = [i for i, name in enumerate(table.column_names) if not _INDEX.fullmatch(name)]
    if not taken:
        raise TableError(f"'{path.name}' has no columns.", hint="Choose another file.", file=path.name)
    chosen = taken_columns([table.column_names[i] for i in taken], take, trim, path.name)
    columns = []
    for done, (place, name) in enumerate(chosen):
        monitor.step(done, len(chosen), f"Reading {path.name}, {name}")
        try:
            columns.append(_column(name, table.column(taken[place])))
        except (UnicodeDecodeError, pa.ArrowException) as error:  # passed as sound until looked at
            raise TableError(
                f"Column '{name}' of '{path.name}' holds bytes that are no text.",
                hint="The file is damaged; write it again with the program that made it.",
                file=path.name,
                column=name,
            ) from error
    return RawTable(path.name, tuple(columns))


def _table(path: Path, monitor: Monitor) -> pa.Table:
    import pyarrow as pa
    from pyarrow import parquet

    with read_by_library(path.name, _WHAT), parquet.ParquetFile(path, memory_map=False) as file:
        n_records = file.metadata.num_rows
        if n_records > _MOST_RECORDS:
            raise TableError(
                f"'{path.name}' has {n_records:,} records, more than a table can have.",
                hint="Open a part of it.",
                file=path.name,
            )
        batches, done = [], 0
        for batch in file.iter_batches(_BATCH):
            batches.append(batch)
            done += batch.num_rows
            monitor.step(done, max(n_records, done), f"Reading {path.name}")
        return pa.Table.from_batches(batches, file.schema_arrow)


def _column(name: str, column: pa.ChunkedArray[Any]) -> RawColumn:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        coded = column.cast(pa.large_string()).combine_chunks().dictionary_encode()
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
        return RawColumn(name, coded.dictionary.to_pylist(), codes, series.TEXT)
    if pa.types.is_dictionary(kind):
        return series.raw_column(name, column.to_pandas())
    return series.raw_column(name, pd.Series(pd.array(column, dtype=pd.ArrowDtype(kind))))
