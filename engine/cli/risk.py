"""`anonymizer risk`: measure the re-identification risk of a given table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.assessment.given_table import given_table
from engine.assessment.risk.of_table import THRESHOLD, assess_given
from engine.assessment.rows import Numbers, risk_rows
from engine.cli.columns import (
    DataArgument,
    LeaveOutOption,
    PersonOption,
    QiOption,
    check_columns,
    check_person,
    tell_of_persons,
)
from engine.cli.console import Format, FormatOption, QuietOption, number, progress, show
from engine.cli.data import table_of
from engine.cli.settings import with_settings
from engine.errors import InputError
from engine.table.frames import as_table
from engine.table.options import JUDGED, ReadOptions

TITLES = ("risk", "value", "meaning")


@with_settings
def risk(
    data: DataArgument,
    qi: QiOption,
    threshold: Annotated[float, typer.Option("--threshold", help="Accepted risk, from 0 to 1.")] = THRESHOLD,
    population: Annotated[
        str | None,
        typer.Option(
            "--population",
            metavar="N",
            help="Population size, or the file of the population table.",
        ),
    ] = None,
    subsets: Annotated[
        int,
        typer.Option(
            "--subsets",
            min=0,
            metavar="SIZE",
            help="Also report the uniqueness of every set of up to N --qi columns.",
        ),
    ] = 0,
    person: PersonOption = None,
    leave_out_suppressed: LeaveOutOption = False,
    reading: ReadOptions = JUDGED,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Measure the re-identification risk of any table.

    For example: anonymizer risk released.csv --qi age --qi sex --population 80000. The prosecutor knows that
    the person is in the table, the journalist searches the population for any person, the marketer for as
    many as possible. Suppressed records count like others, unless they are excluded.
    """
    with progress(quiet) as monitor:
        table = table_of(data, reading, monitor, (*qi, *([person] if person else [])))
        given = given_table(
            table,
            check_columns(table, "--qi", qi),
            leave_out_suppressed=leave_out_suppressed,
            person=check_person(table, person),
        )
        people = None if population is None else _number(population)
        is_table = population is not None and people is None
        report = assess_given(
            given,
            threshold=threshold,
            people=people,
            everybody=as_table(Path(population), monitor) if population and is_table else None,
            subsets=subsets,
            monitor=monitor,
        )
    tell_of_persons(given)
    rows = [row[:3] for row in risk_rows(report, Numbers(number, _percent))]
    show(report.as_dict(), rows, output, quiet, TITLES)


def _number(text: str) -> int | None:
    """Return a number of people, None if the text can only be a file name."""
    try:
        return int(text)
    except ValueError:
        if Path(text).exists():
            return None
        raise InputError(
            f"--population {text} is neither a whole number nor a file.",
            hint="Give the number of people, such as 80000, or the file of their table.",
        ) from None


def _percent(share: float | None) -> str:
    return "no estimate" if share is None else f"{share * 100:.4g} %"
