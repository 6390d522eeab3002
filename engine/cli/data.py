"""The sheet of a workbook, for every command that is given the file of a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import InputError
from engine.monitor import Monitor
from engine.table import Table
from engine.table.frames import as_table
from engine.table.reading import JUDGED
from engine.table.sources import EXCEL_ENDINGS

SheetOption = Annotated[
    str | None,
    typer.Option("--sheet", metavar="NAME", help="The sheet of a workbook; else its first visible one."),
]


def table_of(data: Path, sheet: str | None, monitor: Monitor) -> Table:
    """Return the table of a file that is judged as it is.

    Raises
    ------
    InputError
        The file cannot be read, or a sheet is named of a file that has none.
    """
    if sheet is not None and data.suffix.lower() not in EXCEL_ENDINGS:
        raise InputError(
            f"'{data.name}' has no sheets.", hint="Leave --sheet out: only Excel workbooks have them."
        )
    return as_table(data, monitor, replace(JUDGED, sheet=sheet))
