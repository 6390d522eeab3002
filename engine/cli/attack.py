"""`anonymizer attack`: attack a test release of a recipe, with a control group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.analyze import subject_of
from engine.cli.console import Format, FormatOption, QuietOption, progress, show, show_tables
from engine.cli.settings import Typed, with_settings
from engine.errors import InputError
from engine.findings.attack.statistics import LEVEL, attack_statistics
from engine.findings.format_value import format_value, text_rows
from engine.findings.risk.attack_test import AttackTest
from engine.project.attack_settings import AttackSettings


@with_settings
def attack(
    recipe: Annotated[Path | None, typer.Argument(metavar="RECIPE", help="A recipe (.toml).")] = None,
    node: Annotated[
        str | None, typer.Option("--node", metavar="1,0,2", help="Attack this node instead of the optimum.")
    ] = None,
    about: Typed[AttackSettings] = Typed(AttackSettings),  # noqa: B008  # immutable
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
    inferring. Success for the control group too is not a risk of the release. Options replace the settings
    of [attack_test] in the recipe. Exit code 1 if the requirement cannot be met.
    """
    if counts is not None:
        _show_counts(recipe, counts, about.values.get("level", LEVEL), output, quiet)
        return
    if recipe is None:
        raise InputError("No recipe was given.", hint="Give a recipe (.toml), or counts with --counts.")
    with progress(quiet) as monitor:
        subject = subject_of(recipe, node, monitor)
        found = replace(AttackTest.of_project(subject.project), **about.values).run(subject, monitor)
    statement = found.statement()
    result = {"sentence": statement.sentence, "tone": statement.tone, **found.as_dict()}
    words, tables = (statement.sentence, found.basis), map(text_rows, found.tables()[:2])
    show_tables(result, words, tables, output, quiet, AttackTest.title)


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
    found = attack_statistics(attacks, successes, control_attacks, control_successes, level)
    row = [format_value(value, is_share=True) for value in (found.risk, found.risk_low, found.risk_high)]
    show(found.as_dict(), [row], output, quiet, ("risk above control", "from", "to"))
