"""`anonymizer check`: measure every privacy model on a given table."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.columns import (
    CountAllStarOption,
    DataArgument,
    LeaveOutOption,
    MatchWeightOption,
    PersonOption,
    QiOption,
    SaOption,
    WeightOption,
    WildcardMissingOption,
    WildcardOption,
    check_columns,
    check_wildcards,
    refuse_with_compat,
    table_of,
    tell_of_persons,
)
from engine.cli.console import Format, FormatOption, QuietOption, attained, fact_rows, number, progress, show
from engine.cli.required import RequireOption
from engine.cli.settings import with_settings
from engine.errors import InputError
from engine.findings.given_facts import given_facts
from engine.findings.given_table import GivenTable, given_table
from engine.findings.model_check import check_given, given_unchanged
from engine.findings.not_assessed import not_assessed
from engine.privacy import Group, PrivacyModel, Relation
from engine.privacy.individual_risk import IndividualRisk
from engine.privacy.k_map import KMap
from engine.privacy.required import required
from engine.privacy.values import measured_kinds
from engine.records import Table
from engine.records.options import JUDGED, ReadOptions
from engine.verification.containers import besides, refusal

if TYPE_CHECKING:
    from engine.recoding.unchanged import SingledOut, UnchangedColumns

_SINGLED_OUT = "Records that are unique in these columns."


class Compat(StrEnum):
    """Programs whose values can be reproduced instead of those by the definitions."""

    PYCANON = "pycanon"


@with_settings
def check(
    data: DataArgument,
    qi: QiOption,
    sa: SaOption = None,
    update_qi: Annotated[
        bool,
        typer.Option(
            "--update-qi",
            help="With several --sa columns, treat the others as known (added to --qi) when one is measured.",
        ),
    ] = False,
    person: PersonOption = None,
    leave_out_suppressed: LeaveOutOption = False,
    drop_missing: Annotated[
        bool,
        typer.Option(
            "--drop-missing", help="Exclude records with a missing --qi cell; otherwise missing is a value."
        ),
    ] = False,
    distance: Annotated[
        list[str] | None,
        typer.Option(
            "--distance",
            metavar="COLUMN=KIND",
            help="How t-closeness compares the values of a sensitive column: equal, ordered or "
            "hierarchical. Default: ordered for numbers, dates and ordered categories, equal for "
            "text.",
        ),
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            "--hierarchy",
            metavar="COLUMN=FILE",
            help="Hierarchy of a sensitive column, for its hierarchical distance.",
        ),
    ] = None,
    unchanged: Annotated[
        str | None,
        typer.Option(
            "--unchanged",
            metavar="A,B",
            help="Columns that were released unchanged: report the number of records they single out, "
            "alone, together and with the --qi columns.",
        ),
    ] = None,
    known: Annotated[
        list[str] | None,
        typer.Option(
            "--known",
            metavar="A,B",
            help="Columns of --qi that one attacker knows: report the smallest group of records that are "
            "equal in them. Repeat it for every attacker.",
        ),
    ] = None,
    any_columns: Annotated[
        int,
        typer.Option(
            "--any-columns",
            min=0,
            metavar="M",
            help="Also report the smallest group by any M of the --qi columns.",
        ),
    ] = 0,
    weight: WeightOption = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            metavar="FILE",
            help="Table with the distribution of the --sa columns for t, beta and delta: the original of a "
            "release whose suppressed records are removed or blank. Default: this table.",
        ),
    ] = None,
    wildcard: WildcardOption = None,
    wildcard_missing: WildcardMissingOption = False,
    match_weight: MatchWeightOption = None,
    count_all_star: CountAllStarOption = False,
    compat: Annotated[
        Compat | None,
        typer.Option("--compat", help="Reproduce the output of another program, including its known bugs."),
    ] = None,
    require: RequireOption = None,
    reading: ReadOptions = JUDGED,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Measure how well any table protects the people in it, without hierarchies.

    For example: anonymizer check released.csv --qi age --qi sex --sa illness. Each line is a privacy model
    with the strictest value that the table meets; with several --sa columns, the worst value counts.
    Suppressed records count like others and form one class, unless they are excluded. Rows with * in all
    columns are not counted.

    With --wildcard, records also match if each differing column has a wildcard in one of them. These
    values are printed next to those without wildcards, and are not a basis for a release.
    """
    wildcards = check_wildcards(
        wildcard, match_weight, missing=wildcard_missing, count_all_star=count_all_star
    )
    with progress(quiet) as monitor:
        further = (name for name in (person, weight) if name)
        table = table_of(data, reading, monitor, (*qi, *(sa or []), *further))
        given = given_table(
            table,
            check_columns(table, "--qi", qi),
            check_columns(table, "--sa", sa or []),
            leave_out_suppressed=leave_out_suppressed,
            drop_missing=drop_missing,
            hierarchies=_by_column("--hierarchy", "FILE", hierarchy or []),
            person=person or "",
            others_as_qi=update_qi,
            weight=weight or "",
            reference=None if reference is None else table_of(reference, reading, monitor),
        )
        distances = _by_column("--distance", "KIND", distance or [])
        further_options = {
            "--distance": distances,
            "--person": person,
            "--weight": weight,
            "--wildcard": wildcard,
            "--wildcard-missing": wildcards is not None and not wildcard,
            "--known": known,
            "--any-columns": any_columns,
            "--reference": reference,
        }
        if compat is None:
            sets = [_column_names(table, names) for names in known or []]
            result = check_given(
                given, distances=distances, known=sets, any_columns=any_columns, monitor=monitor
            ).as_dict()
        else:
            refuse_with_compat(compat, further_options)
            from engine.compat import other_program

            theirs = other_program(compat, "check")
            result = theirs(given.in_memory(f"--compat {compat}")) | {"blank_rows": given.n_blank}
            if (beside := not_assessed(given, monitor)) is not None:
                result["not_assessed"] = beside.as_dict()
        if "persons" in result:
            result["persons"]["chained"] = given.chained()
        read = None
        if wildcards is not None:
            from engine.findings.risk.wildcards import wildcards_of_given

            read = wildcards_of_given(given, wildcards, distances=distances, monitor=monitor)
            result["wildcards"] = read.as_dict()
        if extras := besides(Path(data), reading.sheet or ""):
            result["besides"] = [own.as_json() for own in extras]
            sys.stderr.write(f"Note: {refusal(Path(data).name, extras)}\n")
        singled_out: list[tuple[str, str, str]] = []
        if unchanged is not None:
            found = given_unchanged(given, _column_names(table, unchanged), monitor)
            result["unchanged"] = found.as_dict()
            singled_out = [(name, words, _SINGLED_OUT) for name, words in unchanged_rows(found)]
    conditions = required(require, result, further=_counts_of(given), totals={"suppressed": given.n_records})
    if notes := tell_of_persons(given):
        result["notes"] = list(notes)
    titles = ("model", "value" if compat is None else f"value by {compat}", "meaning")
    attackers = _attacker_rows(result.get("attackers", []))
    compared = "this table" if reference is None else Path(reference).name
    models = _rows(result, is_exact=compat is None)
    first = fact_rows(given_facts(given, result.get("persons")))
    rows = [*first, *_facts(given, compared), *singled_out, *models, *attackers]
    if read is not None:
        rows += fact_rows(read.facts())
    show(conditions.added_to(result), [*rows, *conditions.rows()], output, quiet, titles)
    conditions.refuse_unmet()


def _column_names(table: Table, text: str) -> tuple[str, ...]:
    """Return the columns of a list with commas; a name may contain commas if it is the only one."""
    names = [text] if text in table.names else [name.strip() for name in text.split(",")]
    for name in names:
        table.column(name)
    return tuple(names)


def _by_column(option: str, what: str, words: Sequence[str]) -> dict[str, str]:
    """Read `COLUMN=VALUE` options; the name of a column may contain an equals sign, a value may not."""
    found: dict[str, str] = {}
    for word in words:
        column, _, value = word.rpartition("=")
        if not column or not value:
            raise InputError(f"{option} {word} is not COLUMN={what}.", hint="Write = between the two.")
        if column in found:
            raise InputError(f"{option} names '{column}' twice.", hint="Give it only once.")
        found[column] = value
    return found


def _counts_of(given: GivenTable) -> dict[str, int]:
    """Return the numbers of records that conditions may name."""
    return {
        "records": given.n_records,
        "classes": len(given.classes.first),
        "suppressed": int(given.is_suppressed.sum()),
    }


def _facts(given: GivenTable, compared: str) -> list[tuple[str, str, str]]:
    """Rows of the suppressed records, and of the distribution that classes are compared with."""
    rows, stars = [], given.n_suppressed
    if stars:
        meaning = "Their --qi cells are *, so they form one class; --leave-out-suppressed excludes them."
        rows.append(("Suppressed records", number(stars), meaning))
    if given.sensitive:
        meaning = "t, beta and delta compare each class with its distribution of values."
        if given.reference is None and given.n_blank:
            meaning += " The table from which it was made has another one: see --reference."
        rows.append(("Compared with", compared, meaning))
    return rows


def _rows(result: Mapping[str, Any], *, is_exact: bool) -> list[tuple[str, str, str]]:
    """Rows of the models, one per sensitive column if there are several.

    `is_exact` is true if a strict bound is the bound itself, as by the definition, or meets it.
    """
    by_column: Mapping[str, Any] = result["by_attribute"]

    def value(kind: type[PrivacyModel], values: Mapping[str, Any]) -> str:
        return _value(kind, values[kind.key], is_exact=is_exact)

    rows = []
    for kind in measured_kinds():
        needs_column = kind.group is Group.SENSITIVE_VALUES
        lines = [value(kind, result) if by_column or not needs_column else "needs --sa"]
        if needs_column and len(by_column) > 1:
            lines += [f"{column}: {value(kind, values)}" for column, values in by_column.items()]
        rows.append((kind.title, "\n".join(lines), kind.summary))
    weighted = (kind for kind in (KMap, IndividualRisk) if kind.key in result)
    rows += [(kind.title, value(kind, result), kind.summary) for kind in weighted]
    return rows


def _attacker_rows(found: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """Rows of the groups by some of the columns, one per attacker."""
    rows = []
    for own in found:
        columns = ", ".join(own["columns"])
        value = f"k = {number(own['k'])}"
        if "l" in own:
            value += f", l = {number(own['l'])}, confidence {number(own['confidence'])}"
        if "m" in own:
            title, meaning = f"any {own['m']} columns", f"Smallest group by {columns}; the worst of all sets."
        else:
            title, meaning = f"known: {columns}", "Records that are equal in these columns."
        rows.append((title, value, meaning))
    return rows


def _value(kind: type[PrivacyModel], entry: Mapping[str, Any], *, is_exact: bool) -> str:
    """A measured value as people read it, such as "t = 0.25 (equal)"."""
    sign = ">" if is_exact and kind.relation is Relation.BELOW else "="
    if "error" in entry:
        return str(entry["error"])
    value, symbol = entry[kind.threshold_name], kind.symbol
    parameters = "".join(
        f" ({entry[name]})" if isinstance(entry[name], str) else f", {name} = {number(entry[name])}"
        for name in kind.reported
        if not isinstance(entry[name], bool)
    )
    if value is None:
        return f"{symbol} does not exist{parameters}"
    if value == "inf":
        return f"no {symbol} is met{parameters}"
    at_least = kind.relation is Relation.AT_LEAST
    return f"{symbol} {sign} {attained(value, at_least=at_least) if is_exact else number(value)}{parameters}"


def unchanged_rows(found: UnchangedColumns) -> list[tuple[str, str]]:
    """Return one row per count, and one per generalized column that an unchanged column reveals."""
    if not found.columns:
        return []
    rows = [("singled out", _counts(found))]
    if found.of_one_person is not None:
        rows.append(("of one person alone", _counts(found.of_one_person)))
    return rows + [("undone", one.words()) for one in found.determines]


def _counts(found: SingledOut) -> str:
    return ", ".join(f"{name}: {number(count)}" for name, count in found.named)
