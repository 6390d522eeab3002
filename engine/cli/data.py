"""Opening of a table's file, with its sheet and header, for every command that takes one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engine.errors import InputError
from engine.monitor import Monitor
from engine.records import Table
from engine.records.formats import format_of
from engine.records.opening import open_table
from engine.records.opening.files import read_table
from engine.records.options import CODES, ReadOptions


def table_of(data: Path, reading: ReadOptions, monitor: Monitor, named: Sequence[str] = ()) -> Table:
    """Return the given table of a file.

    Parameters
    ----------
    reading : ReadOptions
        With a header of None, the cells decide: names that are all numbers, such as years, look like a
        record.
    named : sequence of str
        Requested columns. If the first record of a file without header has all these
        names, it is the header.

    Raises
    ------
    InputError
        The file cannot be read, or a sheet, codes or a catalog are given for a file without them.
    """
    own = format_of(data)
    if reading.sheet is not None and (own is None or not own.has_sheets):
        raise InputError(f"'{data.name}' has no sheets.", hint="Omit --sheet: only workbooks have sheets.")
    if reading.value_labels == CODES and (own is None or not own.has_labels):
        raise InputError(
            f"'{data.name}' has no value labels.",
            hint="Omit --value-labels: only files of SPSS, Stata and SAS have them.",
        )
    if reading.catalog is not None and (own is None or not own.catalog):
        raise InputError(f"'{data.name}' has no catalog.", hint="Omit --catalog: only SAS tables have one.")
    opened = open_table(data, reading, monitor)
    table, found = opened.table, opened.options
    if reading.header is None and found.header is False and named and set(named) <= set(table.record(0)):
        return read_table(data, replace(reading, header=True), monitor)[0]
    return table
