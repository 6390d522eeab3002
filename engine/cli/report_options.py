"""Options for the purpose and the readers of a report."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import InputError
from engine.report import INTERNAL, PUBLIC, ReportSettings
from engine.report.content import ACCEPTED_RISK, SMALL_COUNT
from engine.words import ENGLISH, languages


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
LanguageOption = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="CODE",
        help=f"Language of a report in PDF or HTML: {', '.join(languages())}. Default: {ENGLISH}.",
    ),
]


def settings_of(
    audience: Audience | None,
    purpose: str | None,
    recipient: str | None,
    author: str | None,
    small_count: int | None,
    accepted_risk: float | None,
    language: str | None,
) -> ReportSettings:
    """Return the options of a report, with defaults for those omitted."""
    return ReportSettings(
        purpose or "",
        recipient or "",
        author or "",
        str(audience or INTERNAL),
        SMALL_COUNT if small_count is None else small_count,
        ACCEPTED_RISK if accepted_risk is None else accepted_risk,
        language=language or ENGLISH,
    )


def refuse_translated_json(path: Path, language: str | None) -> None:
    """Raise `InputError` if a language is given for a report of values."""
    if language not in (None, ENGLISH) and path.suffix.lower() == ".json":
        raise InputError("A report in JSON is always English.", hint="Omit --language, or write PDF or HTML.")


def refuse_without_report(**options: object) -> None:
    """Raise `InputError` if an option about a report is given without a report."""
    given = next((name for name, value in options.items() if value is not None), None)
    if given is not None:
        raise InputError(
            f"--{given.replace('_', '-')} needs a report.",
            hint="Add --report FILE, or drop this option.",
        )
