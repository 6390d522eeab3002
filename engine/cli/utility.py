"""`anonymizer utility`: measure the utility loss of a released table against its original."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.cli.columns import (
    LeaveOutOption,
    PersonOption,
    QiOption,
    SaOption,
    WeightOption,
    check_columns,
    refuse_with_compat,
    table_of,
    tell_of_persons,
)
from engine.cli.console import Format, FormatOption, QuietOption, fact_rows, progress, show
from engine.cli.required import RequireOption
from engine.cli.settings import with_settings
from engine.compat import measure_utility as utility_by
from engine.findings.given_table import GivenTable
from engine.findings.utility.of_table import measure_utility, utility_facts
from engine.monitor import Monitor
from engine.privacy.required import required
from engine.project import Project
from engine.project.recipe.files import read_recipe
from engine.records import Table
from engine.records.opening import open_table
from engine.records.options import AS_IN_RECIPE, JUDGED, Placing


class Compat(StrEnum):
    """Programs whose values can be reproduced instead of those by the definitions."""

    PYCANON = "pycanon"
    PYTHON_ANONYMITY = "python-anonymity"
    ANJANA = "anjana"


@with_settings
def utility(
    raw: Annotated[str, typer.Argument(metavar="RAW", help="Original table.")],
    anonymized: Annotated[str, typer.Argument(metavar="ANON", help="Table released from it.")],
    qi: QiOption,
    sa: SaOption = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            min=1,
            help="Required class size, by which c_avg divides. Default: the one of the recipe, or else "
            "the size of the smallest class.",
        ),
    ] = None,
    recipe: Annotated[
        Path | None,
        typer.Option(
            "--recipe", help="Recipe (.toml) with the hierarchies: also measures everything that needs them."
        ),
    ] = None,
    compat: Annotated[
        Compat | None,
        typer.Option("--compat", help="Reproduce the output of another program, including its known bugs."),
    ] = None,
    person: PersonOption = None,
    weight: WeightOption = None,
    leave_out_suppressed: LeaveOutOption = False,
    require: RequireOption = None,
    placing: Placing = AS_IN_RECIPE,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Measure the utility loss of any released table against its original.

    For example: anonymizer utility people.csv released.csv --qi age --qi sex --sa illness. Records missing
    from the release are suppressed, and rows with * in all columns. Records with * in all --qi cells count
    like others, unless they are excluded; measures that use the hierarchies of a recipe always treat them as
    suppressed.
    """
    own_recipe = recipe if compat is Compat.PYCANON else None
    refuse_with_compat(compat, {"--k": k, "--recipe": own_recipe, "--person": person, "--weight": weight})
    with progress(quiet) as monitor:
        project = None if recipe is None else read_recipe(recipe, monitor, may_connect=True, placing=placing)
        named = (*qi, *(sa or []), *(name for name in (person, weight) if name))
        original, released = _tables(raw, anonymized, project, named, placing, monitor)
        names = check_columns(released, "--qi", qi), check_columns(released, "--sa", sa or [])
        shared: dict[str, Any] = {
            "hierarchies": None if project is None else _hierarchies(project, names[0]),
            "leave_out_suppressed": leave_out_suppressed,
            "monitor": monitor,
        }
        if compat is None:
            result = measure_utility(
                original,
                released,
                *names,
                k=k if k is not None or project is None else project.requirement.k,
                person=person or "",
                weight=weight or "",
                **shared,
            ).as_dict()
        else:
            result = utility_by(original, released, *names, compat=compat, **shared)
    tell_of_persons(GivenTable(released, *names, person=person or ""))
    rows = fact_rows(utility_facts(result))
    conditions = required(require, result, further={"k": result["classes"]["min"]} if compat is None else {})
    rows += conditions.rows()
    show(conditions.added_to(result), rows, output, quiet, ("figure", "value", "meaning"))
    conditions.refuse_unmet()


def _tables(
    raw: str,
    anonymized: str,
    project: Project | None,
    named: Sequence[str],
    placing: Placing,
    monitor: Monitor,
) -> tuple[Table, Table]:
    """Read both tables, as the recipe reads its own if there is one."""
    judged = JUDGED.placed(placing)
    if project is None:
        original, released = (table_of(path, judged, monitor, named) for path in (raw, anonymized))
        return original, released
    if project.source is not None and os.path.realpath(raw) == os.path.realpath(project.source):
        original = project.table
    else:
        original = open_table(raw, project.options, monitor).table
    # Numbers may have become ranges, so that types are those the release shows.
    given = project.options
    options = replace(
        judged,
        missing=given.missing,
        header=given.header,
        decimal=given.decimal,
        value_labels=given.value_labels,
    )
    return original, open_table(anonymized, options, monitor).table


def _hierarchies(project: Project, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: project.hierarchies[name].hierarchy for name in names if name in project.hierarchies}
