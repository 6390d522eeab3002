"""The options `--qi` and `--sa`, for every command that judges a table as it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import TableError
from engine.table import Table

DataArgument = Annotated[
    Path, typer.Argument(metavar="DATA", help="The table: a CSV, Excel, SPSS or Parquet file.")
]
QiOption = Annotated[
    list[str],
    typer.Option("--qi", metavar="COLUMN", help="A column an outsider could know. Once for each of them."),
]
SaOption = Annotated[
    list[str] | None,
    typer.Option(
        "--sa", metavar="COLUMN", help="A sensitive column: what nobody should learn. May be repeated."
    ),
]
LeaveOutOption = Annotated[
    bool,
    typer.Option(
        "--leave-out-suppressed", help="Leave out the records whose --qi cells are all *; else they count."
    ),
]


def check_columns(table: Table, option: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names given to an option that may be repeated; a name may contain commas.

    Raises
    ------
    TableError
        A column does not exist; several given as one are told apart from a name that is misspelt.
    """
    for name in names:
        parts = [part.strip() for part in name.split(",")]
        if name not in table.names and len(parts) > 1 and all(part in table.names for part in parts):
            raise TableError(
                f"The table has no column '{name}'.",
                hint=f"Write {' '.join(f'{option} {_quoted(part)}' for part in parts)}.",
                column=name,
            )
        table.column(name)
    return tuple(names)


def _quoted(name: str) -> str:
    return f'"{name}"' if " " in name else name
