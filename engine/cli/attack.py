"""`anonymizer attack`: attack a test release of a recipe, with a control group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.assessment import Subject
from engine.assessment.attack.statistics import LEVEL, attack_statistics
from engine.assessment.risk.attack_test import AttackTest
from engine.cli.anonymize import node_of
from engine.cli.console import Format, FormatOption, QuietOption, progress, show
from engine.errors import InputError
from engine.findings.format_value import format_value, text_rows
from engine.params import describe
from engine.pipeline import anonymize as run_chain
from engine.project.attack_settings import AttackSettings
from engine.project.compile import compile_problem
from engine.project.deciding import refuse_undecided
from engine.project.recipe.files import read_recipe

_HELP = {parameter.name: parameter.help for parameter in describe(AttackSettings)}


def attack(
    recipe: Annotated[Path | None, typer.Argument(metavar="RECIPE", help="A recipe (.toml).")] = None,
    node: Annotated[
        str | None, typer.Option("--node", metavar="1,0,2", help="Attack this node instead of the optimum.")
    ] = None,
    share: Annotated[float | None, typer.Option("--share", help=_HELP["share"])] = None,
    targets: Annotated[int | None, typer.Option("--targets", help=_HELP["targets"])] = None,
    level: Annotated[float | None, typer.Option("--level", help=_HELP["level"])] = None,
    seed: Annotated[int | None, typer.Option("--seed", help=_HELP["seed"])] = None,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="COLUMN", help=f"{_HELP['columns']} Give it once per column."),
    ] = None,
    width: Annotated[int | None, typer.Option("--width", help=_HELP["width"])] = None,
    first: Annotated[
        list[str] | None,
        typer.Option("--first", metavar="COLUMN", help=f"{_HELP['first']} Give it once per column."),
    ] = None,
    nearest: Annotated[int | None, typer.Option("--nearest", help=_HELP["nearest"])] = None,
    secret: Annotated[str | None, typer.Option("--secret", metavar="COLUMN", help=_HELP["secret"])] = None,
    leave_out_suppressed: Annotated[
        bool | None,
        typer.Option("--leave-out-suppressed/--with-suppressed", help=_HELP["leave_out_suppressed"]),
    ] = None,
    choose_again: Annotated[
        bool | None,
        typer.Option("--choose-again/--same-levels", help=_HELP["choose_again"]),
    ] = None,
    counts: Annotated[
        tuple[int, int, int, int] | None,
        typer.Option(
            "--counts",
            metavar="N S M C",
            help="Without a recipe: the risk of S successes of N attacks, and C of M on a control group.",
        ),
    ] = None,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Attack a test release of a recipe, and compare with people who are not in it.

    For example: anonymizer attack recipe.toml --targets 1000. The attacks are singling out, linking and
    inferring. What succeeds for the control group too is no risk of the release. Options replace the settings
    of [attack_test] in the recipe. Exit code 1 if the requirement cannot be met.
    """
    if counts is not None:
        _show_counts(recipe, counts, LEVEL if level is None else level, output, quiet)
        return
    if recipe is None:
        raise InputError("No recipe was given.", hint="Give a recipe (.toml), or counts with --counts.")
    given = {
        "share": share,
        "targets": targets,
        "level": level,
        "seed": seed,
        "columns": None if column is None else tuple(column),
        "width": width,
        "first": None if first is None else tuple(first),
        "nearest": nearest,
        "secret": secret,
        "leave_out_suppressed": leave_out_suppressed,
        "choose_again": choose_again,
    }
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    AttackSettings(**changes)  # refuses wrong values before the table is read
    with progress(quiet) as monitor:
        project = read_recipe(recipe, monitor, may_connect=True)
        refuse_undecided(project, recipe.name)
        chosen = None if node is None else node_of(node, compile_problem(project))
        analysis = replace(AttackTest.of_project(project), **changes)
        found = analysis.run(Subject(project, run_chain(project, chosen, monitor).release), monitor)
    statement = found.statement()
    if output is Format.JSON:
        result = {"sentence": statement.sentence, "tone": statement.tone, **found.as_dict()}
        show(result, (), output, quiet, ())
        return
    show({}, [(statement.sentence,), (found.basis,)], output, quiet, (AttackTest.title,))
    for table in found.tables()[:2]:
        titles, *lines = text_rows(table)
        show({}, lines, output, quiet, titles)


def _show_counts(
    recipe: Path | None, counts: Sequence[int], level: float, output: Format, quiet: bool
) -> None:
    """Print the risk that follows from counts of attacks."""
    if recipe is not None:
        raise InputError("--counts cannot be combined with a recipe.", hint="Use only one of the two.")
    attacks, successes, control_attacks, control_successes = counts
    for n, n_successful in ((attacks, successes), (control_attacks, control_successes)):
        if not 0 <= n_successful <= n:
            raise InputError(
                f"{n_successful} of {n} attacks cannot be successful.",
                hint="Give attacks, successes, attacks on the control group, and their successes.",
            )
    found = attack_statistics(
        attacks, successes, control_attacks, control_successes, AttackSettings(level=level).level
    )
    row = [format_value(value, is_share=True) for value in (found.risk, found.risk_low, found.risk_high)]
    show(found.as_dict(), [row], output, quiet, ("risk above control", "from", "to"))
