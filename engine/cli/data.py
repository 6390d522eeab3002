"""How the file of a table is opened: its sheet and its header, for every command that is given one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import InputError
from engine.monitor import Monitor
from engine.table import Table
from engine.table.options import JUDGED
from engine.table.reading import read_table
from engine.table.sources import EXCEL_ENDINGS

SheetOption = Annotated[
    str | None,
    typer.Option("--sheet", metavar="NAME", help="The sheet of a workbook; else its first visible one."),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first record holds the names of the columns; else its cells tell.",
    ),
]


def table_of(
    data: Path, sheet: str | None, header: bool | None, monitor: Monitor, named: Sequence[str] = ()
) -> Table:
    """Return the table of a file that is judged as it is.

    Parameters
    ----------
    data : Path
    sheet : str or None
    header : bool or None
        None leaves it to the cells: names that are all numbers, such as years, look like a record.
    monitor : Monitor
    named : sequence of str
        Columns somebody asks for. Where the first record of a file without header has all these
        names, it is the header.

    Raises
    ------
    InputError
        The file cannot be read, or a sheet is named of a file that has none.
    """
    if sheet is not None and data.suffix.lower() not in EXCEL_ENDINGS:
        raise InputError(
            f"'{data.name}' has no sheets.", hint="Leave --sheet out: only Excel workbooks have them."
        )
    options = replace(JUDGED, sheet=sheet, header=header)
    table, found = read_table(data, options, monitor)
    if header is None and found.header is False and named and set(named) <= set(table.record(0)):
        return read_table(data, replace(options, header=True), monitor)[0]
    return table
