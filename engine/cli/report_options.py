"""Options for the purpose and the readers of a report."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from engine.errors import InputError
from engine.report import INTERNAL, PUBLIC, ReportSettings
from engine.report.content import ACCEPTED_RISK, SMALL_COUNT


class Audience(StrEnum):
    """Readers of a report."""

    INTERNAL = INTERNAL
    PUBLIC = PUBLIC


AudienceOption = Annotated[
    Audience | None,
    typer.Option(
        "--audience",
        help="Readers of the report: internal contains everything, public nothing that helps an "
        "attacker. Default: internal.",
    ),
]
PurposeOption = Annotated[
    str | None, typer.Option("--purpose", help="Purpose of the release, for the report.")
]
RecipientOption = Annotated[
    str | None, typer.Option("--recipient", help="Recipient of the table, for the report.")
]
AuthorOption = Annotated[
    str | None, typer.Option("--author", help="Person responsible for the release, for the report.")
]
SmallCountOption = Annotated[
    int | None,
    typer.Option(
        "--small-count",
        metavar="N",
        help=f"A public report withholds counts below this number. Default: {SMALL_COUNT}.",
    ),
]
AcceptedRiskOption = Annotated[
    float | None,
    typer.Option(
        "--accepted-risk",
        help="Accepted risk of re-identification, from 0 to 1; records above it are at risk. "
        f"Default: {ACCEPTED_RISK:g}.",
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
    """Return the options of a report, with defaults for those omitted."""
    return ReportSettings(
        purpose or "",
        recipient or "",
        author or "",
        str(audience or INTERNAL),
        SMALL_COUNT if small_count is None else small_count,
        ACCEPTED_RISK if accepted_risk is None else accepted_risk,
    )


def refuse_without_report(**options: object) -> None:
    """Raise `InputError` if an option about a report is given without a report."""
    given = next((name for name, value in options.items() if value is not None), None)
    if given is not None:
        raise InputError(
            f"--{given.replace('_', '-')} needs a report.",
            hint="Add --report FILE, or drop this option.",
        )
