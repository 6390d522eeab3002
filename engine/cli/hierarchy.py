"""`anonymizer hierarchy`: build the hierarchy of a column, or check one against it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.cli.columns import DataArgument, table_of
from engine.cli.console import Format, FormatOption, QuietOption, number, progress, show
from engine.cli.settings import with_settings
from engine.cli.targets import check_target
from engine.errors import HierarchyError, InputError, ParameterError
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import BuilderContext, builders
from engine.hierarchies.files import read_hierarchy, write_hierarchy
from engine.records import Column
from engine.records.options import JUDGED, ReadOptions

_EXAMPLES = 3  # labels shown per level
_LISTED = 50  # problems of a file


@with_settings
def hierarchy(
    data: DataArgument,
    column: Annotated[str, typer.Option("--column", help="Name of the column.")],
    builder: Annotated[str | None, typer.Option("--builder", help="Key of a builder.")] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Parameter of the builder; its value is TOML. May be repeated.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Where to write the hierarchy (.csv).")] = None,
    check: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Check this hierarchy file instead of building one."),
    ] = None,
    reading: ReadOptions = JUDGED,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Build the hierarchy of a column and write it, or check an existing one against the column.

    For example: anonymizer hierarchy people.csv --column age --builder intervals --set width=5 --set
    'merge=[2, 2]' --out age.csv. A check ends with 0 if the file is a tree that covers every value of
    the column, else with 2 and every problem, line by line.
    """
    _check_words(builder, settings, out, check)
    if out is not None:
        check_target(out, [data])
    made = None if builder is None else builders.create(builder, **_parameters(settings or []))
    named = [column, *(made.looks_at if made is not None else ())]
    unplaced: tuple[str, ...] = ()
    with progress(quiet) as monitor:
        table = table_of(data, reading, monitor, named)
        values = table.column(column)
        if check is not None:
            found = _checked(check)
            found.covering(values)  # refuses gaps, naming the values
        else:
            assert made is not None, "asked for where nothing is checked"
            found = made.build(values, BuilderContext(table))
            unplaced = made.unplaced(values, BuilderContext(table))
            write_hierarchy(found, out or Path())
    groups = [len(level.labels) for level in found.levels]
    result: dict[str, Any] = {
        "column": column,
        "builder": builder,
        "values": found.n_leaves,
        "levels": groups,
    }
    if unplaced:
        result["unplaced"] = list(unplaced)
    show(result, _rows(found), output, quiet, ("level", "groups", "for example"))
    if unplaced and not quiet and output is Format.TABLE:
        typer.echo(_without_group(unplaced))
    if check is not None and not quiet and output is Format.TABLE:
        typer.echo(
            f"{check.name} is a hierarchy that covers every value of '{column}'{_extra(found, values)}."
        )


def _checked(path: Path) -> Hierarchy:
    """Read the hierarchy of a file; all problems of its lines are reported at once.

    Raises
    ------
    HierarchyError
        The file cannot be read, or is not a tree.
    """
    try:
        return read_hierarchy(path)
    except HierarchyError as error:
        problems = error.context.get("problems")
        if not isinstance(problems, tuple) or len(problems) < 2:
            raise
        lines = [f"{path.name} has {number(len(problems))} problems:"]
        lines += [problem.sentence(path.name) for problem in problems[:_LISTED]]
        if len(problems) > _LISTED:
            lines.append(f"... and {number(len(problems) - _LISTED)} more.")
        hints = dict.fromkeys(problem.hint for problem in problems)
        raise HierarchyError("\n".join(lines), hint="\n".join(hints), **error.context) from error


def _check_words(
    builder: str | None, settings: list[str] | None, out: Path | None, check: Path | None
) -> None:
    if check is None and (builder is None or out is None):
        raise InputError(
            "Give a builder and an output file, or a file to check.",
            hint=f"Add --builder ({', '.join(builders)}) and --out, or --check FILE.",
        )
    if check is not None and (builder or settings or out):
        raise InputError(
            "--check cannot be combined with --builder, --set or --out.",
            hint="Omit --builder, --set and --out, or omit --check.",
        )


def _parameters(settings: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for setting in settings:
        name, sign, text = setting.partition("=")
        name = name.strip()
        try:
            values = tomllib.loads(f"value = {text}")
        except (ValueError, RecursionError):
            values = {}
        if not sign or not name or list(values) != ["value"]:
            raise ParameterError(
                f"--set {setting} is not NAME=VALUE with a value in TOML.",
                hint="Write numbers and lists plainly, and texts in quotation marks: --set "
                "'direction=\"right_to_left\"'.",
            )
        if name in found:
            raise ParameterError(f"--set gives '{name}' twice.", hint="Give each parameter only once.")
        found[name] = values["value"]
    return found


def _rows(found: Hierarchy) -> list[tuple[str, str, str]]:
    return [
        (
            str(number_of_level),
            number(len(level.labels)),
            ", ".join(level.labels[:_EXAMPLES]) + (", ..." if len(level.labels) > _EXAMPLES else ""),
        )
        for number_of_level, level in enumerate(found.levels)
    ]


def _without_group(values: tuple[str, ...]) -> str:
    shown = ", ".join(f"'{value}'" for value in values[:_EXAMPLES])
    names = shown + (", ..." if len(values) > _EXAMPLES else "")
    if len(values) == 1:
        return f"1 value has no group and is unchanged: {names}."
    return f"{number(len(values))} values have no group and are unchanged: {names}."


def _extra(found: Hierarchy, column: Column) -> str:
    extra = set(found.values).difference(column.labels)
    return f", and {len(extra)} values that do not occur" if extra else ""
