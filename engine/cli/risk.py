"""`anonymizer risk`: how likely the people of a table are found."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from engine.assessment.given import given_table
from engine.assessment.risk.attacker_risk import AttackerRisk
from engine.assessment.risk.of_table import THRESHOLD, RiskReport, assess_given
from engine.cli.columns import (
    DataArgument,
    LeaveOutOption,
    PersonOption,
    QiOption,
    check_columns,
    check_person,
    person_rows,
    tell_of_persons,
)
from engine.cli.console import Format, FormatOption, QuietOption, number, progress, show
from engine.cli.data import table_of
from engine.cli.settings import with_settings
from engine.errors import InputError
from engine.table.frames import as_table
from engine.table.options import JUDGED, ReadOptions

_ALONE = "Records that look like no other one."
TITLES = ("risk", "value", "what it means")


@with_settings
def risk(
    data: DataArgument,
    qi: QiOption,
    threshold: Annotated[
        float, typer.Option("--threshold", help="The risk that is accepted, from 0 to 1.")
    ] = THRESHOLD,
    population: Annotated[
        str | None,
        typer.Option(
            "--population",
            metavar="N",
            help="How many people the records were drawn from, or the file of their table.",
        ),
    ] = None,
    subsets: Annotated[
        int,
        typer.Option(
            "--subsets",
            min=0,
            metavar="SIZE",
            help="Tell too what each set of up to so many --qi columns tells apart.",
        ),
    ] = 0,
    person: PersonOption = None,
    leave_out_suppressed: LeaveOutOption = False,
    reading: ReadOptions = JUDGED,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Say how likely the people of a table are found, whoever made it.

    For example: anonymizer risk released.csv --qi age --qi sex --population 80000. The prosecutor knows
    that somebody is in the table, the journalist searches the population for anybody, the marketer wants
    as many as possible. Records of stars are records like others, unless they are left out.
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
    show(report.as_dict(), _rows(report), output, quiet, TITLES)


def _number(text: str) -> int | None:
    """A number of people; None where the text can only be the name of a file."""
    try:
        return int(text)
    except ValueError:
        if Path(text).exists():
            return None
        raise InputError(
            f"--population {text} is neither a whole number nor a file.",
            hint="Write how many people there are, such as 80000, or the name of their table.",
        ) from None


def _rows(report: RiskReport) -> list[tuple[str, str, str]]:
    alike = f"Sets of records that look alike in {', '.join(report.quasi_identifying)}."
    rows = [
        ("records", number(report.n_records), "Those that were judged."),
        ("classes", number(report.n_classes), alike),
        *person_rows(report.persons),
    ]
    who = "people" if report.persons else "records"
    alone = "People alone in the class of one of their records." if report.persons else _ALONE
    rows.append((f"unique {who}", number(report.sample_uniques), alone))
    who_knows, who_searches = (
        "somebody who knows that a person is in the table",
        "somebody who searches the population for anybody",
    )
    rows += _attacker("prosecutor", report.prosecutor, who_knows, who)
    rows += _attacker("journalist", report.journalist, who_searches, who)
    rows.append(
        ("marketer, average", _percent(report.marketer), "Share of the people that a search for all finds.")
    )
    if report.uniques_of_population is not None:
        for name, found in report.uniques_of_population.estimates.items():
            share = report.uniques_of_population.fraction(name)
            value = "no estimate" if found.uniques is None else f"{found.uniques:,.0f} ({_percent(share)})"
            meaning = found.reason or "People who look like nobody else in the population, estimated."
            if name != found.estimator and not found.reason:
                meaning += f" By {found.estimator}."
            rows.append((f"unique people, {name}", value, meaning))
    for subset in report.subsets:
        meaning = f"distinction {number(subset.distinction)}, separation {number(subset.separation)}"
        rows.append((", ".join(subset.columns), f"{number(subset.singletons)} unique", meaning))
    return rows


def _attacker(name: str, risk: AttackerRisk, attacker: str, who: str) -> list[tuple[str, str, str]]:
    above = f"Share of the {who} with a risk above {number(risk.threshold)}."
    average = "The chance of an average record." if who == "records" else "The chance of an average person."
    return [
        (f"{name}, highest", _percent(risk.highest), f"The best chance of {attacker}."),
        (f"{name}, average", _percent(risk.average), average),
        (f"{name}, at risk", _percent(risk.records_at_risk), above),
    ]


def _percent(share: float | None) -> str:
    return "no estimate" if share is None else f"{share * 100:.4g} %"
