"""The options by which somebody says what a report is for and who may read it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from engine.errors import InputError
from engine.report import INTERNAL, PUBLIC, ReportSettings
from engine.report.content import ACCEPTED_RISK, SMALL_COUNT


class Audience(StrEnum):
    """Who may read a report."""

    INTERNAL = INTERNAL
    PUBLIC = PUBLIC


AudienceOption = Annotated[
    Audience | None,
    typer.Option(
        "--audience",
        help="Who may read the report: internal tells everything, public nothing that helps an attacker. "
        "By default internal.",
    ),
]
PurposeOption = Annotated[
    str | None, typer.Option("--purpose", help="Why the table is released, as the report says it.")
]
RecipientOption = Annotated[
    str | None, typer.Option("--recipient", help="Who receives the table, as the report says it.")
]
AuthorOption = Annotated[str | None, typer.Option("--author", help="Who answers for the report.")]
SmallCountOption = Annotated[
    int | None,
    typer.Option(
        "--small-count",
        metavar="N",
        help=f"A public report withholds counts of fewer people than these. By default {SMALL_COUNT}.",
    ),
]
AcceptedRiskOption = Annotated[
    float | None,
    typer.Option(
        "--accepted-risk",
        help="Records above this risk of being found are at risk, from 0 to 1. "
        f"By default {ACCEPTED_RISK:g}.",
    ),
]


def settings_of(
    audience: Audience | None,
    purpose: str | None,
    recipient: str | None,
    author: str | None,
    small_count: int | None,
    accepted_risk: float | None,
) -> ReportSettings:
    """What the options say; what is left away is as usual."""
    return ReportSettings(
        purpose or "",
        recipient or "",
        author or "",
        str(audience or INTERNAL),
        SMALL_COUNT if small_count is None else small_count,
        ACCEPTED_RISK if accepted_risk is None else accepted_risk,
    )


def refuse_without_report(**options: object) -> None:
    """Raise `InputError` where an option about a report is given and no report is asked for."""
    given = next((name for name, value in options.items() if value is not None), None)
    if given is not None:
        raise InputError(
            f"--{given.replace('_', '-')} is about a report, and none is asked for.",
            hint="Add --report FILE, or leave it away.",
        )
