"""`anonymizer detect`: find columns that distinguish people, alone and together."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import Annotated

import typer

from engine.cli.columns import DataArgument, table_of
from engine.cli.console import Format, FormatOption, QuietOption, number, progress, show
from engine.cli.settings import with_settings
from engine.errors import InputError, TableError
from engine.findings.identifiers.detect import Detection, SubsetFigures
from engine.findings.identifiers.detect import detect as run_detection
from engine.records import Table
from engine.records.options import JUDGED, ReadOptions

_MOST_SHOWN = 40  # sets in the table for people; JSON and CSV have all

TITLES = ("columns", "singletons", "distinct", "distinction", "separation", "")


@with_settings
def detect(
    data: DataArgument,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="A,B,..",
            help='Columns to examine; all by default. Put a name with a comma in quotation marks: a,"b,c".',
        ),
    ] = None,
    max_size: Annotated[
        int, typer.Option("--max-size", min=1, help="Largest number of columns in a set.")
    ] = 3,
    drop_missing: Annotated[
        bool,
        typer.Option(
            "--drop-missing",
            help="Exclude records with a missing cell in these columns; otherwise missing is a value.",
        ),
    ] = False,
    all_subsets: Annotated[
        bool,
        typer.Option(
            "--all-subsets",
            help="List every column set, including supersets of identifiers.",
        ),
    ] = False,
    best_only: Annotated[
        bool,
        typer.Option("--best-only", help="List no sets: finds identifiers among many columns much faster."),
    ] = False,
    reading: ReadOptions = JUDGED,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Find identifiers, and the columns that together single out most records.

    For example: anonymizer detect people.csv --columns age,sex,zip. A singleton is a record with unique
    values; an identifier is a set of columns in which all records differ. The best sets have the most
    singletons without being identifiers; of these, those with fewest columns.
    """
    with progress(quiet) as monitor:
        table = table_of(data, reading, monitor)
        found = run_detection(
            table,
            None if columns is None else names_in(columns, table),
            max_size,
            drop_missing,
            all_subsets,
            best_only,
            monitor,
        )
        # What nobody will see is not made: there may be very many sets.
        result = found.as_dict() if output is Format.JSON else {}
        most = _MOST_SHOWN if output is Format.TABLE else None
        rows = [] if output is Format.JSON or (most and quiet) else _rows(found, most)
    show(result, rows, output, quiet, TITLES)


def names_in(text: str, table: Table) -> list[str]:
    """Return the column names of a list with commas; blanks are trimmed unless the table has them.

    Raises
    ------
    TableError
        The table has no such column.
    InputError
        The text is not a list of names.
    """
    try:
        (names,) = csv.reader([text], strict=True)
        if not all(name in table.names for name in names):
            (names,) = csv.reader([text], strict=True, skipinitialspace=True)
            names = [name if name in table.names else name.strip() for name in names]
    except (csv.Error, ValueError):
        raise InputError(
            f"--columns {text} is not a list of names.",
            hint='Write names with commas: age,sex,"name, first".',
        ) from None
    for name in names:
        try:
            table.column(name)
        except TableError as error:
            if text in table.names:
                hint = f"""Write --columns '"{text}"' for the column of that name."""
                raise TableError(error.problem, hint=hint, column=name) from None
            raise
    return names


def _rows(found: Detection, most: int | None) -> list[Sequence[str]]:
    identifiers, best = set(found.identifiers), set(found.best_quasi_identifiers)
    rows: list[Sequence[str]] = [("records", number(found.n_records), "", "", "", "")]
    subsets = sorted(found.subsets(), key=lambda s: (-s.singletons, len(s.columns)))
    if not subsets:
        rows += [(", ".join(names), "", "", "", "", "identifier") for names in found.identifiers]
        alone = number(found.best_singletons)
        rows += [(", ".join(names), alone, "", "", "", "best") for names in found.best_quasi_identifiers]
    for subset in subsets[:most]:
        mark = "identifier" if subset.columns in identifiers else "best" if subset.columns in best else ""
        rows.append(_row(subset, mark))
    hidden = [] if most is None else subsets[most:]
    rows += [_row(subset, "best") for subset in hidden if subset.columns in best]
    if not best and not identifiers:
        rows.append(("no record is unique", "", "", "", "", ""))
    if hidden:
        rows.append((f"{number(len(hidden))} more sets: --format json or csv lists all", "", "", "", "", ""))
    return rows


def _row(subset: SubsetFigures, mark: str) -> Sequence[str]:
    return (
        ", ".join(subset.columns),
        number(subset.singletons),
        number(subset.distinct),
        _share(subset.distinction),
        _share(subset.separation),
        mark,
    )


def _share(value: float) -> str:
    """Format a share; rounding never makes it 0 or 100 %."""
    return "just below 1" if value < 1 and number(value) == "1" else number(value)
