"""`anonymizer singletons`: find columns to generalize until no record is unique."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.columns import DataArgument, check_columns, table_of
from engine.cli.console import Format, FormatOption, QuietOption, number, progress, show
from engine.cli.detect import names_in
from engine.cli.settings import with_settings
from engine.compat import other_program
from engine.errors import InputError, ParameterError, TableError, nearest
from engine.hierarchies import Hierarchy
from engine.hierarchies.builders.base import HierarchyBuilder
from engine.hierarchies.builders.grouping import GroupingBuilder
from engine.hierarchies.files import read_hierarchy
from engine.recoding.singleton_variants import SingletonStudy, Variant, singleton_variants
from engine.records import Table
from engine.records.options import JUDGED, ReadOptions

_MOST_SHOWN = 40  # variants in the table for people; JSON and CSV have all

TITLES = ("", "coarsened", "singletons", "%", "distinct", "changed", "")


class Scope(StrEnum):
    """Variants to try."""

    LOCAL = "local"
    GLOBAL = "global"
    BOTH = "both"


class Program(StrEnum):
    """Program whose values are shown if they differ from the definition."""

    ISISLAB = "isislab"


@with_settings
def singletons(
    data: DataArgument,
    qi: Annotated[
        list[str] | None,
        typer.Option(
            "--qi",
            metavar="COLUMN",
            help="Column that outsiders may know (may be repeated); all by default.",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="A,B,..",
            help="The same columns as a list with commas, instead of --qi. Put a name with a comma in "
            'quotation marks: a,"b,c".',
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            metavar="COLUMN:RULE",
            help="Join neighbouring values: age:values=4 or age:records=10, then optionally a comma and "
            "label=range (default), label=mean or label=set. May be repeated, also for one column.",
        ),
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            "--hierarchy",
            metavar="COLUMN=FILE",
            help="Hierarchy file; each of its levels is tried. May be repeated.",
        ),
    ] = None,
    scope: Annotated[
        Scope, typer.Option("--scope", help="local: only unique records; global: all records; or both.")
    ] = Scope.BOTH,
    max_columns: Annotated[
        int | None,
        typer.Option(
            "--max-columns", min=1, help="Largest number of columns generalized together; all by default."
        ),
    ] = None,
    drop_missing: Annotated[
        bool,
        typer.Option(
            "--drop-missing",
            help="Exclude records with a missing cell in these columns; otherwise missing is a value.",
        ),
    ] = False,
    compat: Annotated[
        Program | None,
        typer.Option(
            "--compat", help="Count as the authors' program does, which always excludes missing cells."
        ),
    ] = None,
    reading: ReadOptions = JUDGED,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Try every way to generalize columns until no record is unique, and name the best.

    For example: anonymizer singletons people.csv --qi age --qi zip --group age:values=4 --hierarchy
    zip=zip.csv. A singleton is a record with unique values. Each combination of columns is generalized for
    the singletons only, and for all records; a column with neither group nor hierarchy is hidden. The best
    variant has fewest singletons, then fewest changed records, then fewest changed cells.
    """
    if qi and columns is not None:
        raise InputError("--qi cannot be combined with --columns.", hint="Use only one of the two.")
    with progress(quiet) as monitor:
        table = table_of(data, reading, monitor, qi or ())
        names = list(check_columns(table, "--qi", qi or ())) or list(table.names)
        if columns is not None:
            names = names_in(columns, table)
        ways = _ways(table, group or [], hierarchy or [])
        if compat is None:
            study = singleton_variants(
                table,
                names,
                ways,
                scope=scope.value,
                max_columns=max_columns,
                drop_missing=drop_missing,
                monitor=monitor,
            )
        else:
            study = other_program(compat, "singletons")(
                table, names, ways, scope=scope.value, max_columns=max_columns, monitor=monitor
            )
    most = _MOST_SHOWN if output is Format.TABLE else len(study.variants)
    show(study.as_dict(), _rows(study, most), output, quiet, TITLES)


def _ways(
    table: Table, groups: Sequence[str], hierarchies: Sequence[str]
) -> dict[str, dict[str, Hierarchy | HierarchyBuilder]]:
    """Return the ways to generalize each column, from the options."""
    found: dict[str, dict[str, Hierarchy | HierarchyBuilder]] = {}
    for text in groups:
        column, sign, rule = text.rpartition(":")
        if not sign:
            raise InputError(
                f"--group {text} does not name a column.", hint="Write COLUMN:RULE, as in age:values=4."
            )
        table.column(column)
        found.setdefault(column, {})[rule] = _grouping(text, rule)
    for text in hierarchies:
        column, path = _file(table, text)
        found.setdefault(column, {})[path.name] = read_hierarchy(path)
    return found


def _grouping(text: str, rule: str) -> GroupingBuilder:
    settings = dict(_setting(text, part) for part in rule.split(","))
    unknown = next((name for name in settings if name not in ("values", "records", "label")), None)
    if unknown is not None:
        raise ParameterError(
            f"--group {text}: groups have no '{unknown}'.",
            hint=nearest(unknown, ("values", "records", "label")),
        )
    label = settings.get("label", "range")
    if ("values" in settings) == ("records" in settings):
        raise ParameterError(
            f"--group {text} needs exactly one group size.",
            hint="Give values=4 for groups of 4 values, or records=10 for groups of at least 10 records.",
        )
    if "values" in settings:
        return GroupingBuilder(sizes=(_whole(text, settings["values"]),), label=label)
    return GroupingBuilder(records=(_whole(text, settings["records"]),), label=label)


def _setting(text: str, part: str) -> tuple[str, str]:
    name, sign, value = part.partition("=")
    if not sign:
        raise ParameterError(
            f"--group {text}: '{part}' is not NAME=VALUE.", hint="Write, for example, age:values=4."
        )
    return name.strip(), value.strip()


def _whole(text: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise ParameterError(
            f"--group {text}: '{value}' is not a whole number.", hint="Write, for example, age:values=4."
        ) from None


def _file(table: Table, text: str) -> tuple[str, Path]:
    """Return column and file of --hierarchy; either may contain an equals sign."""
    for place in (i for i, character in enumerate(text) if character == "="):
        if text[:place] in table.names:
            return text[:place], Path(text[place + 1 :])
    column, sign, _ = text.partition("=")
    if not sign:
        raise InputError(
            f"--hierarchy {text} does not name a column.", hint="Write COLUMN=FILE, as in zip=zip.csv."
        )
    raise TableError(f"The table has no column '{column}'.", hint=nearest(column, table.names), column=column)


def _rows(study: SingletonStudy, most: int) -> list[Sequence[str]]:
    best = study.best
    left_out = f", {number(study.n_left_out)} excluded" if study.n_left_out else ""
    rows: list[Sequence[str]] = [("", f"{number(study.n_records)} records{left_out}", *[""] * 5)]
    rows.append(_row(study, study.original, "best" if best is study.original else ""))
    others = sorted(study.variants[1:], key=lambda variant: variant.merit)
    rows += [_row(study, variant, "best" if variant is best else "") for variant in others[:most]]
    if len(others) > most:
        more = f"{number(len(others) - most)} more variants: --format json or csv lists all"
        rows.append(("", more, *[""] * 5))
    return rows


def _row(study: SingletonStudy, variant: Variant, mark: str) -> Sequence[str]:
    counted = variant.counted
    return (
        variant.scope if variant.coarsened else "",
        ", ".join(f"{column} {way}" for column, way in variant.coarsened) or "nothing",
        number(counted.singletons),
        f"{100 * counted.singletons / study.n_records:.3g}",
        number(counted.distinct),
        number(counted.modified),
        mark,
    )
