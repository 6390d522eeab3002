"""Feather files of both versions as raw columns, with the types of the file."""

from __future__ import annotations

from pathlib import Path

from engine.monitor import Monitor
from engine.table.formats import FEATHER
from engine.table.options import ReadOptions
from engine.table.parquet import columns_of, refuse_cells, text_names
from engine.table.raw import RawTable
from engine.table.sources import checked_path, read_by_library
from engine.words import _


def read_feather(path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of a Feather file, as those of a Parquet file with the same table.

    Parameters
    ----------
    path : Path
    options : ReadOptions
    monitor : Monitor

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
        if _is_packed(path):
            records = dataset.dataset(path, format="ipc")  # counts without unpacking any
            n_columns = len(records.schema)
            n_cells = records.count_rows() * n_columns
            refuse_cells(n_cells, n_columns, path.stat().st_size, f"'{path.name}'", path.name)
        table = feather.read_table(path, memory_map=False)
        table.validate(full=True)  # places of texts in a damaged file may be outside of it
    return columns_of(table, frozenset(text_names(table.schema)), path, options, monitor)


def _is_packed(path: Path) -> bool:
    """Return whether a file is of the second version, whose batches may be packed."""
    with path.open("rb") as file:
        return file.read(6) == b"ARROW1"
