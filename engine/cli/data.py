"""How the file of a table is opened: its sheet and its header, for every command that is given one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engine.errors import InputError
from engine.monitor import Monitor
from engine.table import Table
from engine.table.options import ReadOptions
from engine.table.reading import read_table
from engine.table.sources import EXCEL_ENDINGS


def table_of(data: Path, reading: ReadOptions, monitor: Monitor, named: Sequence[str] = ()) -> Table:
    """Return the table of a file that is judged as it is.

    Parameters
    ----------
    data : Path
    reading : ReadOptions
        A header of None leaves it to the cells: names that are all numbers, such as years, look like a
        record.
    monitor : Monitor
    named : sequence of str
        Columns somebody asks for. Where the first record of a file without header has all these
        names, it is the header.

    Raises
    ------
    InputError
        The file cannot be read, or a sheet is named of a file that has none.
    """
    if reading.sheet is not None and data.suffix.lower() not in EXCEL_ENDINGS:
        raise InputError(
            f"'{data.name}' has no sheets.", hint="Leave --sheet out: only Excel workbooks have them."
        )
    table, found = read_table(data, reading, monitor)
    if reading.header is None and found.header is False and named and set(named) <= set(table.record(0)):
        return read_table(data, replace(reading, header=True), monitor)[0]
    return table
