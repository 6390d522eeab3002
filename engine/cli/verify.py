"""`anonymizer verify`: the independent verification of a released file, without making a release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.cli.anonymize import JUDGES, node_of
from engine.cli.console import Format, FormatOption, QuietOption, file_named, number, progress, show
from engine.cli.required import RequireOption
from engine.cli.sampling_key import SamplingKeyOption, with_sampling_key
from engine.cli.settings import EXPORT_AS_IN_RECIPE, Typed, with_settings
from engine.errors import InputError, RequirementNotMetError
from engine.monitor import Monitor
from engine.pipeline import verify_promises
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.deciding import refuse_undecided
from engine.project.edits import set_export
from engine.project.recipe.files import parsed, read_recipe
from engine.python.verified import Verification
from engine.records.databases.address import is_database, table_at
from engine.records.options import ExportOptions
from engine.records.table_files import exists
from engine.verification import Verdict

TITLES = ("release", "value", "meaning")


@with_settings
def verify(
    release: Annotated[
        str,
        typer.Argument(metavar="RELEASE", help="Release: a file, a folder of parts, or the URL of a table."),
    ],
    recipe: Annotated[Path, typer.Option("--recipe", help="Recipe (.toml) that the file is a release of.")],
    original: Annotated[
        Path | None,
        typer.Option(
            "--original",
            metavar="DATA",
            help="The table that the file was released from, if it is not the one that the recipe names.",
        ),
    ] = None,
    node: Annotated[
        str | None,
        typer.Option(
            "--node",
            metavar="1,0,2",
            help="Levels that the file must have. Without it, the levels are those of its labels.",
        ),
    ] = None,
    sampling_key: SamplingKeyOption = None,
    require: RequireOption = None,
    export: Typed[ExportOptions] = EXPORT_AS_IN_RECIPE,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Verify a released file by independent code against what its recipe promises.

    For example: anonymizer verify released.csv --recipe recipe.toml --require 'k >= 5'. Both files are read
    again: columns, records, every cell, suppression and every privacy model of the recipe are recomputed by
    code that shares nothing with the rest of the program. Nothing is searched or written. Exit code 1 if a
    promise is not kept or a required condition is not met, 2 if the recipe or its table cannot be read.
    """
    if table_at(release) is None and not exists(file_named(release)):
        raise InputError(
            f"The file '{release}' does not exist.", hint="Give the file of an existing release."
        )
    with progress(quiet) as monitor:
        project = with_sampling_key(_project(recipe, original, monitor), sampling_key, creates=False)
        project = set_export(project, export.over(project.export))
        refuse_undecided(project, recipe.name)
        chosen = None if node is None else node_of(node, compile_problem(project))
        verdict = verify_promises(project, release, chosen, monitor)
    found = Verification(verdict)
    result = found.as_dict()
    conditions = found.conditions(require)
    rows = [*_rows(verdict, release), *conditions.rows()]
    show(conditions.added_to(result), rows, output, quiet, TITLES)
    if not verdict.ok:
        first = f"'{Path(release).name}' does not keep what '{recipe.name}' promises."
        problems = (f"  {words}" for words in verdict.problems)
        raise RequirementNotMetError("\n".join([first, *problems, *conditions.unmet]))
    conditions.refuse_unmet()


def _project(recipe: Path, original: Path | None, monitor: Monitor) -> Project:
    """Read the recipe, with the given table instead of the one that it names."""
    if original is None:
        try:
            return read_recipe(recipe, monitor, may_connect=True)
        except InputError as error:
            if error.context.get("missing") == _named(recipe):
                raise InputError(
                    error.problem, hint="Give the table that the file was released from with --original."
                ) from None
            raise
    named = _named(recipe)
    if is_database(named):
        raise InputError(
            "--original cannot replace the database that the recipe names.", hint="Omit --original."
        )
    return read_recipe(recipe, monitor, {named: original})


def _named(recipe: Path) -> str:
    """Return the table that a recipe names."""
    named: str = parsed(recipe)[0].section("data").get("path", str, "")
    return named


def _rows(verdict: Verdict, release: str) -> list[tuple[str, str, str]]:
    measured: Mapping[str, Any] = verdict.measured
    how = JUDGES[verdict.judge, verdict.compared]
    rows = [("verified", "yes" if verdict.ok else "no", f"'{Path(release).name}'{how}.")]
    rows += [("problem", words, "") for words in verdict.problems]
    rows += [
        (name, number(measured[name]), meaning) for name, meaning in _FIGURES.items() if name in measured
    ]
    for name in ("l", "t"):
        rows += [
            (f"{name} of {column}", number(value), _BY_COLUMN[name])
            for column, value in measured.get(name, {}).items()
        ]
    rows += [("note", words, "") for words in (*verdict.notes, *verdict.revealed)]
    return [*rows, *(("not checked", words, "") for words in verdict.unchecked)]


_FIGURES = {
    "records": "Records of the original table.",
    "kept": "Records that are not suppressed.",
    "suppressed": "Suppressed records.",
    "allowed": "Suppressed records that the limit of the recipe permits.",
    "classes": "Equivalence classes of the kept records.",
    "k": "Size of the smallest class.",
}
_BY_COLUMN = {
    "l": "Fewest different values in a class.",
    "t": "Largest distance of a class from the distribution of the table.",
}
