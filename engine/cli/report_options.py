"""Checks of the options of a report."""

from __future__ import annotations

from pathlib import Path

from engine.cli.settings import Typed
from engine.errors import InputError
from engine.report import ReportSettings
from engine.words import ENGLISH

ABOUT_REPORT = Typed(ReportSettings)


def refuse_translated_json(path: Path, settings: ReportSettings) -> None:
    """Raise `InputError` if a language is given for a report of values."""
    if settings.language != ENGLISH and path.suffix.lower() == ".json":
        raise InputError("A report in JSON is always English.", hint="Omit --language, or write PDF or HTML.")


def refuse_without_report(about: Typed[ReportSettings]) -> None:
    """Raise `InputError` if an option about a report is given without a report."""
    if (given := about.first) is not None:
        raise InputError(f"{given} needs a report.", hint="Add --report FILE, or drop this option.")
