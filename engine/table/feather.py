"""Feather files of both versions as raw columns, with the types of the file."""

from __future__ import annotations

from pathlib import Path

from engine.monitor import Monitor
from engine.table.formats import FEATHER
from engine.table.options import ReadOptions
from engine.table.parquet import columns_of, text_names
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
        a single finite value.
    """
    from pyarrow import feather

    checked_path(path)
    monitor.step(0, 1, _("Reading {file}").format(file=path.name))
    with read_by_library(path.name, _(FEATHER.name)):
        table = feather.read_table(path, memory_map=False)
        table.validate(full=True)  # places of texts in a damaged file may be outside of it
    return columns_of(table, frozenset(text_names(table.schema)), path, options, monitor)
