"""Checks of output files and reports: a command never writes to its input, and only to a writable place."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from engine.cli.settings import Typed
from engine.errors import ExportError, InputError
from engine.files import refuse_filled
from engine.findings.settings import ReportSettings
from engine.project import Project
from engine.project.ledger.ledger_file import key_of
from engine.recoding.ruled import rule_of
from engine.records.databases.address import login_given, table_at
from engine.words import ENGLISH


def files_of(project: Project, recipe: Path) -> list[Path]:
    """Return the recipe and every file it names, including keys of rules and of its ledger."""
    paths = [recipe, project.file, *(entry.path for entry in project.hierarchies.values())]
    paths += [other.path for other in (project.population, project.subset) if other is not None]
    rules = [rule_of(project, name) for name in project.table.names]
    paths += [Path(key) for rule in rules if rule is not None for key in rule.paths.values()]
    if (earlier := project.requirement.earlier) is not None and earlier.path:
        paths += [Path(earlier.path), key_of(Path(earlier.path))]
    return [path for path in paths if path is not None]


def check_target(path: Path | str, inputs: Iterable[Path | str], *, in_parts: bool = False) -> None:
    """Refuse a target before any work is done.

    Raises
    ------
    ExportError
        The target is one of the inputs, a folder (or with `in_parts` a file, or a folder with contents), or
        in a folder that is missing or not writable; or a table of a database that exists.
    """
    if (address := table_at(path)) is not None:
        from engine.records.databases.writing import refuse_taken  # loads pandas

        refuse_taken(address, login_given(address))
        if not address.is_file:
            return
        path = address.path
    target = Path(os.path.realpath(path))
    for source in inputs:
        if target == Path(os.path.realpath(source)):
            raise ExportError(
                f"'{path}' is an input of this command and cannot be its output.",
                hint="Choose another name for the result.",
                file=str(path),
            )
    if in_parts:
        refuse_filled(target)
    elif os.path.isdir(target):
        raise ExportError(
            f"'{path}' is a folder.", hint="Choose a file name inside the folder.", file=str(path)
        )
    if not os.path.isdir(target.parent):
        raise ExportError(
            f"'{path}' could not be written: its folder does not exist.",
            hint="Create the folder, or choose another one.",
            file=str(path),
        )
    if not os.access(target.parent, os.W_OK):
        raise ExportError(
            f"'{path}' could not be written: its folder is not writable.",
            hint="Choose another folder.",
            file=str(path),
        )


ABOUT_REPORT = Typed(ReportSettings)


def refuse_translated_json(path: Path, settings: ReportSettings) -> None:
    """Raise `InputError` if a language is given for a report of values."""
    if settings.language != ENGLISH and path.suffix.lower() == ".json":
        raise InputError("A report in JSON is always English.", hint="Omit --language, or write PDF or HTML.")


def refuse_without_report(about: Typed[ReportSettings]) -> None:
    """Raise `InputError` if an option about a report is given without a report."""
    if (given := about.first) is not None:
        raise InputError(f"{given} needs a report.", hint="Add --report FILE, or drop this option.")


def check_apart(named: Mapping[str, Path | str | None]) -> None:
    """Refuse two options that name the same file."""
    seen: dict[str, str] = {}
    for option, path in named.items():
        if path is None:
            continue
        first = seen.setdefault(os.path.realpath(path), option)
        if first != option:
            raise InputError(
                f"{option} and {first} both name '{path}'.",
                hint="Choose a different file for each.",
                file=str(path),
            )
