"""`anonymizer check`: what every privacy model measures of a table as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from engine.cli.columns import DataArgument, LeaveOutOption, QiOption, SaOption, check_columns
from engine.cli.console import Format, FormatOption, QuietOption, number, progress, show
from engine.errors import InputError
from engine.measuring.check import check_given
from engine.measuring.given import GivenTable, given_table
from engine.privacy import Group, PrivacyModel, Relation
from engine.privacy.values import measured_kinds
from engine.table.reading import read_csv


def check(
    data: DataArgument,
    qi: QiOption,
    sa: SaOption = None,
    update_qi: Annotated[
        bool,
        typer.Option(
            "--update-qi",
            help="Of several sensitive columns the others may be known: they join the --qi columns when "
            "one is looked at.",
        ),
    ] = False,
    leave_out_suppressed: LeaveOutOption = False,
    drop_missing: Annotated[
        bool,
        typer.Option(
            "--drop-missing", help="Leave out records with an empty --qi cell; else empty is a value."
        ),
    ] = False,
    distance: Annotated[
        list[str] | None,
        typer.Option(
            "--distance",
            metavar="COLUMN=KIND",
            help="How t-closeness compares a sensitive column: equal or ordered. By default ordered for "
            "numbers, dates and the like, equal for text.",
        ),
    ] = None,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Say how well a table protects the people in it, whoever made it; no hierarchies are needed.

    For example: anonymizer check released.csv --qi age --qi sex --sa illness. Every line is a privacy
    model with the strictest value the table meets; of several --sa the worst counts. Records of stars
    are records like others, and so one class, unless they are left out.
    """
    with progress(quiet) as monitor:
        table = read_csv(data, monitor=monitor)
        given = given_table(
            table,
            check_columns(table, "--qi", qi),
            check_columns(table, "--sa", sa or []),
            leave_out_suppressed=leave_out_suppressed,
            drop_missing=drop_missing,
        )
        result = check_given(given, others_as_qi=update_qi, distances=_distances(distance or [])).as_dict()
    show(result, [*_facts(given), *_rows(result)], output, quiet, ("model", "value", "what it means"))


def _distances(words: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        column, sign, kind = word.rpartition("=")
        if not sign or not column or not kind:
            raise InputError(
                f"--distance {word} is not COLUMN=KIND.", hint="For example: --distance salary=equal."
            )
        if column in found:
            raise InputError(f"--distance names '{column}' twice.", hint="Keep one of the two.")
        found[column] = kind
    return found


def _facts(given: GivenTable) -> list[tuple[str, str, str]]:
    """What was judged."""
    alike = f"Sets of records that look alike in {', '.join(given.quasi_identifying)}."
    rows = [
        ("records", number(given.n_records), "Those that were judged."),
        ("classes", number(len(given.classes.first)), alike),
    ]
    stars = int(given.is_suppressed.sum())
    if stars:
        meaning = "They hold nothing but * and are one class here; --leave-out-suppressed leaves them out."
        rows.append(("records of stars", number(stars), meaning))
    return rows


def _rows(result: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The models; where there are several sensitive columns with a line for each."""
    by_column: Mapping[str, Any] = result["by_attribute"]
    rows = []
    for kind in measured_kinds():
        needs_column = kind.group is Group.SENSITIVE_VALUES
        lines = [_value(kind, result[kind.key]) if by_column or not needs_column else "needs --sa"]
        if needs_column and len(by_column) > 1:
            lines += [f"{column}: {_value(kind, values[kind.key])}" for column, values in by_column.items()]
        rows.append((kind.title, "\n".join(lines), kind.summary))
    return rows


def _value(kind: type[PrivacyModel], entry: Mapping[str, Any]) -> str:
    """A measured value as people read it, such as "t = 0.25 (equal)"."""
    value, symbol = entry[kind.threshold_name], kind.symbol
    told = "".join(
        f" ({entry[name]})" if isinstance(entry[name], str) else f", {name} = {number(entry[name])}"
        for name in kind.told
    )
    if value is None:
        return f"{symbol} does not exist{told}"
    if value == "inf":
        return f"no {symbol} is met{told}"
    sign = ">" if kind.relation is Relation.BELOW else "="
    return f"{symbol} {sign} {number(value)}{told}"
