"""A table's file and the options `--qi` and `--sa`, for every command that measures a given table."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.advice.spellings import given_spelling_notes
from engine.cli.console import file_named
from engine.errors import InputError, TableError
from engine.findings.given_table import GivenTable
from engine.frequency.persons import is_repeated
from engine.monitor import Monitor
from engine.records import Role, Table
from engine.records.databases.address import is_database
from engine.records.formats import format_of
from engine.records.opening import open_table
from engine.records.opening.files import read_table
from engine.records.options import CODES, ReadOptions

if TYPE_CHECKING:
    from engine.findings.risk.wildcards import Wildcards


_MOST_LOOKED_AT = 1000  # columns of a table that is judged; of more nobody is asked whether they repeat

_TABLE = "Table: a file of any format that opens, or the URL of a table of a database."
DataArgument = Annotated[str, typer.Argument(metavar="DATA", help=_TABLE)]
QiOption = Annotated[
    list[str],
    typer.Option("--qi", metavar="COLUMN", help="Quasi-identifying column (may be repeated)."),
]
SaOption = Annotated[
    list[str] | None,
    typer.Option(
        "--sa",
        metavar="COLUMN",
        help="Sensitive column: must not be learned about a person (may be repeated).",
    ),
]
LeaveOutOption = Annotated[
    bool,
    typer.Option(
        "--leave-out-suppressed", help="Exclude records whose --qi cells are all *; otherwise they count."
    ),
]
PersonOption = Annotated[
    str | None,
    typer.Option(
        "--person",
        metavar="COLUMN",
        help="Column that names the person of each record, if a person may have several: classes then "
        "count people.",
    ),
]
WeightOption = Annotated[
    str | None,
    typer.Option(
        "--weight",
        metavar="COLUMN",
        help="Column of survey weights: the people of the population whom a record stands for.",
    ),
]
HouseholdOption = Annotated[
    str | None,
    typer.Option(
        "--household", metavar="COLUMN", help="Column of households, for their risk; needs --weight."
    ),
]
WildcardOption = Annotated[
    list[str] | None,
    typer.Option(
        "--wildcard",
        "--wildcards",
        metavar="TEXT",
        help="Also read --qi cells with this text as 'could be anything' (may be repeated), such as '*'.",
    ),
]
WildcardMissingOption = Annotated[
    bool,
    typer.Option("--wildcard-missing", help="Also read missing --qi cells as 'could be anything'."),
]
MatchWeightOption = Annotated[
    float | None,
    typer.Option(
        "--match-weight",
        metavar="WEIGHT",
        help="What a record counts that matches only by a wildcard, from 0 to 1. Default: 1.",
    ),
]
CountAllStarOption = Annotated[
    bool,
    typer.Option(
        "--count-all-star",
        "--with-all-star",
        help="With wildcards, count records with nothing else in the --qi columns; they match every person.",
    ),
]


def check_wildcards(
    values: Sequence[str] | None, weight: float | None, *, missing: bool, count_all_star: bool
) -> Wildcards | None:
    """Return which cells are wildcards, None if no option says so.

    Raises
    ------
    InputError
        An option about wildcards is given without any.
    ParameterError
        The weight is not from 0 to 1.
    """
    if values or missing:
        from engine.findings.risk.wildcards import Wildcards

        given = 1.0 if weight is None else weight
        return Wildcards(tuple(values or ()), missing, given, count_all_star)
    stray = "--match-weight" if weight is not None else "--count-all-star" if count_all_star else ""
    if stray:
        raise InputError(f"{stray} needs wildcards.", hint="Add --wildcard '*' or --wildcard-missing.")
    return None


def check_columns(table: Table, option: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names given to an option that may be repeated; a name may contain commas.

    Raises
    ------
    TableError
        A column does not exist; several names in one option are distinguished from a misspelt name.
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


def refuse_with_compat(compat: str | None, options: Mapping[str, Any]) -> None:
    """Raise `InputError` if an option is given that the values of another program do not have."""
    option = next((name for name, value in options.items() if value), None)
    if compat is not None and option is not None:
        raise InputError(
            f"{option} cannot be combined with --compat {compat}.", hint="Use only one of the two."
        )


def refuse_without_weight(weight: str | None, household: str | None, *, exact: bool = False) -> None:
    """Raise `InputError` if an option that reads survey weights is given without them."""
    if weight is None and (household is not None or exact):
        option = "--exact" if exact else "--household"
        raise InputError(f"{option} needs --weight.", hint="Name the column of survey weights.")


def tell_of_persons(given: GivenTable) -> tuple[str, ...]:
    """Note on stderr if records may belong to fewer people, or values are the same; return the notes."""
    notes = (*_notes_of(given), *given_spelling_notes(given.table, given.person, given.sensitive))
    for note in notes:
        sys.stderr.write(f"Note: {note}\n")
    return notes


def _notes_of(given: GivenTable) -> tuple[str, ...]:
    """Return notes on unnamed columns that look like identifiers and have repeated values."""
    if given.person or len(given.table.columns) > _MOST_LOOKED_AT:
        return ()
    roles = dict.fromkeys(given.quasi_identifying, Role.QUASI_IDENTIFYING)
    roles |= dict.fromkeys(given.sensitive, Role.SENSITIVE)
    repeated = [c for c in given.table.columns if c.name not in roles and is_repeated(c)]
    if not repeated:
        return ()

    from engine.qi_detection.suggest import suggest_role  # many patterns

    suggested = {c.name: suggest_role(c, given.n_records).role for c in repeated}
    identifying = [name for name, role in suggested.items() if role is Role.IDENTIFYING]
    if not identifying:
        return ()

    from engine.advice.persons import person_notes  # imports all of projects
    from engine.project.project import Project, frozen

    roles |= dict.fromkeys(identifying, Role.IDENTIFYING)
    names = given.quasi_identifying
    project = Project("", None, ReadOptions(), given.table, roles=frozen(roles), qi_order=names)
    return person_notes(project, by='--person "{}"')


def place_of(text: str) -> Path | str:
    """Return the URL of a table of a database, or the path of any other one."""
    return text if is_database(text) else file_named(text)


def table_of(data: str, reading: ReadOptions, monitor: Monitor, named: Sequence[str] = ()) -> Table:
    """Return the given table of a file or a database.

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
    place = place_of(data)
    own, name = None if isinstance(place, str) else format_of(place), Path(data).name
    if reading.sheet is not None and (own is None or not own.has_sheets):
        raise InputError(f"'{name}' has no sheets.", hint="Omit --sheet: only workbooks have sheets.")
    if reading.value_labels == CODES and (own is None or not own.has_labels):
        raise InputError(
            f"'{name}' has no value labels.",
            hint="Omit --value-labels: only files of SPSS, Stata and SAS have them.",
        )
    if reading.catalog is not None and (own is None or not own.catalog):
        raise InputError(f"'{name}' has no catalog.", hint="Omit --catalog: only SAS tables have one.")
    opened = open_table(place, reading, monitor)
    table, found = opened.table, opened.options
    if reading.header is None and found.header is False and named and set(named) <= set(table.record(0)):
        return read_table(data, replace(reading, header=True), monitor)[0]
    return table
