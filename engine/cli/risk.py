"""`anonymizer risk`: measure the re-identification risk of a given table."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from engine.cli.columns import (
    CountAllStarOption,
    DataArgument,
    HouseholdOption,
    LeaveOutOption,
    MatchWeightOption,
    PersonOption,
    QiOption,
    SaOption,
    WeightOption,
    WildcardMissingOption,
    WildcardOption,
    check_columns,
    check_wildcards,
    refuse_without_weight,
    table_of,
    tell_of_persons,
)
from engine.cli.console import Format, FormatOption, QuietOption, fact_rows, progress, show
from engine.cli.required import RequireOption
from engine.cli.settings import with_settings
from engine.errors import InputError
from engine.findings.given_facts import given_facts
from engine.findings.given_table import given_table
from engine.findings.risk.of_table import assess_given
from engine.findings.risk.survey import special_uniques_of_given, survey_of_given
from engine.findings.risk.wildcards import wildcards_of_given
from engine.findings.settings import ACCEPTED_RISK
from engine.privacy.required import required
from engine.records.databases.address import is_database
from engine.records.opening.data_frames import as_table
from engine.records.options import JUDGED, ReadOptions

TITLES = ("risk", "value", "meaning")


@with_settings
def risk(
    data: DataArgument,
    qi: QiOption,
    sa: SaOption = None,
    threshold: Annotated[
        float, typer.Option("--threshold", help="Accepted risk, from 0 to 1.")
    ] = ACCEPTED_RISK,
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
    weight: WeightOption = None,
    household: HouseholdOption = None,
    exact: Annotated[
        bool,
        typer.Option("--exact", help="Use the exact individual risk instead of the usual approximation."),
    ] = False,
    special_uniques: Annotated[
        int | None,
        typer.Option(
            "--special-uniques",
            min=0,
            metavar="SIZE",
            help="Also search special uniques (SUDA2) in sets of up to SIZE --qi columns; 0 for all sizes.",
        ),
    ] = None,
    sampling_fraction: Annotated[
        float | None,
        typer.Option(
            "--sampling-fraction",
            metavar="SHARE",
            help="Records divided by the population, for special uniques. Default: by --weight.",
        ),
    ] = None,
    person: PersonOption = None,
    leave_out_suppressed: LeaveOutOption = False,
    wildcard: WildcardOption = None,
    wildcard_missing: WildcardMissingOption = False,
    match_weight: MatchWeightOption = None,
    count_all_star: CountAllStarOption = False,
    require: RequireOption = None,
    reading: ReadOptions = JUDGED,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Measure the re-identification risk of any table.

    For example: anonymizer risk released.csv --qi age --qi sex --population 80000. The prosecutor knows that
    the person is in the table, the journalist searches the population for any person, the marketer for as
    many as possible. Suppressed records count like others, unless they are excluded. Rows with * in all
    columns are not counted.

    With --wildcard, two records also match if each differing column has a wildcard in one of them. These
    values are printed next to those without wildcards, and are not a basis for a release.
    """
    refuse_without_weight(weight, household, exact=exact)
    if special_uniques is None and sampling_fraction is not None:
        raise InputError("--sampling-fraction needs --special-uniques.", hint="Add --special-uniques 0.")
    wildcards = check_wildcards(
        wildcard, match_weight, missing=wildcard_missing, count_all_star=count_all_star
    )
    with progress(quiet) as monitor:
        named = (name for name in (person, weight, household) if name)
        table = table_of(data, reading, monitor, (*qi, *(sa or []), *named))
        given = given_table(
            table,
            check_columns(table, "--qi", qi),
            check_columns(table, "--sa", sa or []),
            leave_out_suppressed=leave_out_suppressed,
            person=person or "",
            weight=weight or "",
            household=household or "",
        )
        people = None if population is None else _number(population)
        is_table = population is not None and people is None
        report = assess_given(
            given,
            threshold=threshold,
            people=people,
            everybody=as_table(population, monitor) if population and is_table else None,
            subsets=subsets,
            monitor=monitor,
        )
        survey, special, read = None, None, None
        if weight is not None:
            survey = survey_of_given(given, exact=exact, threshold=threshold, monitor=monitor)
        if special_uniques is not None:
            special = special_uniques_of_given(
                given, largest=special_uniques or None, sampling_fraction=sampling_fraction, monitor=monitor
            )
        if wildcards is not None:
            read = wildcards_of_given(given, wildcards, threshold=threshold, monitor=monitor)
    tell_of_persons(given)
    result, facts = report.as_dict(), [*given_facts(given), *report.facts()]
    further, totals = dict(report.further_values()), dict(report.totals())
    for found in (survey, special, read):
        if found is not None:
            result[found.command_key] = found.as_dict()
            facts += found.facts()
            further |= {f"{found.command_key}.{name}": value for name, value in found.figures().items()}
            totals |= {f"{found.command_key}.{name}": total for name, total in found.totals().items()}
    conditions = required(require, result, further=further, totals=totals)
    show(conditions.added_to(result), [*fact_rows(facts), *conditions.rows()], output, quiet, TITLES)
    conditions.refuse_unmet()


def _number(text: str) -> int | None:
    """Return a number of people, None if the text can only be a file name."""
    try:
        return int(text)
    except ValueError:
        if os.path.exists(text) or is_database(text):
            return None
        raise InputError(
            f"--population {text} is neither a whole number nor a file.",
            hint="Give the number of people, such as 80000, or the file of their table.",
        ) from None
