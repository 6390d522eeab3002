"""`anonymizer analyze`: one analysis of a recipe's release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.cli.anonymize import node_of
from engine.cli.columns import table_of
from engine.cli.console import Format, FormatOption, QuietOption, progress, show, show_tables
from engine.cli.required import RequireOption
from engine.errors import InputError
from engine.findings.base import Analysis, all_analyses, analysis_of
from engine.findings.blocks import FigureTable, Findings
from engine.findings.format_value import text_rows
from engine.findings.risk.narrowing import Narrowing, narrowing_of_file
from engine.findings.risk.stability import Stability
from engine.findings.selection_gate import anonymize as run_chain
from engine.findings.subject import Subject
from engine.monitor import Monitor
from engine.privacy.required import required
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.deciding import refuse_undecided
from engine.project.recipe.files import read_recipe
from engine.records.options import JUDGED


def analyze(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe (.toml).")],
    key: Annotated[
        str | None,
        typer.Argument(
            metavar="ANALYSIS", help="Key of an analysis, such as hipaa. Without it, list all analyses."
        ),
    ] = None,
    node: Annotated[
        str | None, typer.Option("--node", metavar="1,0,2", help="Analyze this node instead of the optimum.")
    ] = None,
    release: Annotated[
        str | None,
        typer.Option(
            "--release",
            metavar="FILE",
            help="For narrowing: a released file of the recipe instead of the optimum. It has all records in "
            "the order of the table, and the quasi-identifying columns. No requirement is checked.",
        ),
    ] = None,
    draws: Annotated[
        int | None, typer.Option("--draws", metavar="N", help="For stability: drawn tables. Default: 200.")
    ] = None,
    require: RequireOption = None,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Run one of the analyses of the window on a recipe's release.

    For example: anonymizer analyze recipe.toml hipaa. Rows may describe single records and are for people who
    may see the input. Exit code 1 if the requirement cannot be met, or a required condition on one of the
    values that the JSON has.
    """
    if key is None:
        kinds = list(all_analyses())
        listed = {kind.key: {"title": kind.title, "summary": kind.summary} for kind in kinds}
        rows = [(kind.key, kind.title, kind.summary) for kind in kinds]
        show(listed, rows, output, quiet, ("analysis", "title", "description"))
        return
    kind = type(analysis_of(key))
    _refuse_foreign(key, node, release, draws)
    found: Findings
    with progress(quiet) as monitor:
        if release is not None:
            project = _project(recipe, monitor)
            problem = compile_problem(project)
            reading = replace(JUDGED, missing=project.options.missing)  # missing values are written as read
            found = narrowing_of_file(problem, table_of(release, reading, monitor, problem.names), monitor)
        else:
            subject = subject_of(recipe, node, monitor)
            analysis = kind.of_project(subject.project) if draws is None else Stability(draws)
            found = analysis.run(subject, monitor)
    conditions = required(require, found.named_values())
    _show(kind, found, output, quiet)
    conditions.refuse_unmet()


def subject_of(recipe: Path, node: str | None, monitor: Monitor) -> Subject:
    """Return the release of a recipe at a node, or at the optimum, for an analysis."""
    project = _project(recipe, monitor)
    chosen = None if node is None else node_of(node, compile_problem(project))
    return Subject(project, run_chain(project, chosen, monitor).release)


def _project(recipe: Path, monitor: Monitor) -> Project:
    project = read_recipe(recipe, monitor, may_connect=True)
    refuse_undecided(project, recipe.name)
    return project


def _refuse_foreign(key: str, node: str | None, release: str | None, draws: int | None) -> None:
    """Refuse options that an analysis does not have."""
    if draws is not None and key != Stability.key:
        raise InputError(f"{key} draws no tables.", hint="Omit --draws, or analyze stability.")
    if release is None:
        return
    if key != Narrowing.key:
        raise InputError(f"{key} analyzes no file.", hint="Omit --release, or analyze narrowing.")
    if node is not None:
        raise InputError("--release is analyzed in place of a node.", hint="Omit --node.")


def _show(kind: type[Analysis], found: Findings, output: Format, quiet: bool) -> None:
    statement, tables = found.statement(), found.tables()
    result: dict[str, Any] = {
        "analysis": kind.key,
        "sentence": statement.sentence,
        "tone": statement.tone,
        "caption": statement.caption,
        **({"values": values} if (values := found.named_values()) else {}),
        "tables": {table.key: _records(table) for table in tables},
    }
    show_tables(result, [statement.sentence], map(text_rows, tables), output, quiet, kind.title)


def _records(table: FigureTable) -> list[dict[str, Any]]:
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rows]
