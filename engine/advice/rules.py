"""Findings about columns that are released by a rule: what it needs, and what it does not protect."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.advice.findings import Finding, Severity
from engine.errors import ExportError, InputError
from engine.frequency.counted import PEOPLE
from engine.numbers import as_exact_count, as_records
from engine.project.project import Project
from engine.recoding.ruled import released_column, rule_context, rule_of, written_column
from engine.recoding.rules import ColumnRule
from engine.recoding.rules.coding import Coding
from engine.recoding.rules.date_shift import DateShift
from engine.records import Column, Role
from engine.words import _, ngettext

FEW_DAYS = 30  # below which moved dates protect little
_UNIQUE = "rule.unique:"  # begins the keys of findings on unique parts of values


def rule_findings(project: Project) -> Iterator[Finding]:
    """Yield findings on columns that are not quasi-identifying and have a rule."""
    try:
        records = project.records
    except InputError:  # no records are chosen; other findings say why
        return
    shifted: list[str] = []
    for column in records.columns:
        rule = rule_of(project, column.name)
        if rule is None:
            continue
        is_identifying = project.role(column.name) is Role.IDENTIFYING
        if is_identifying and rule.hides_values and not rule.is_true:
            continue  # what every column can have
        reason, hint = _why_not(project, column, rule)
        if reason:
            yield Finding(f"rule:{column.name}", Severity.BLOCKING, reason, hint)
            continue
        if is_identifying and rule.is_true:
            yield from _unique(project, column, rule)
        yield from _unready(column.name, rule)
        if isinstance(rule, DateShift):
            shifted.append(column.name)
            yield from _moved(column, rule)
        if isinstance(rule, Coding) and project.role(column.name) is Role.SENSITIVE:
            yield from _few_beyond(project, column, rule)
    if shifted:
        yield from _persons(project, shifted)


def rule_notes(project: Project) -> tuple[str, ...]:
    """Return notes of commands on identifying columns that are unique although a rule hides part of them."""
    found = (f for f in rule_findings(project) if f.key.startswith(_UNIQUE))
    return tuple(f"{finding.title}. {finding.detail}." for finding in found)


def _unique(project: Project, column: Column, rule: ColumnRule) -> Iterator[Finding]:
    """Yield a finding if parts of identifying values that are released single out records."""
    if column.listed_labels is None or (column.home is not None and project.person is not None):
        return  # its values are not listed, or the persons who have them not counted
    written = written_column(rule, column, rule_context(project))
    if written is None:
        return
    if project.person is None:
        is_unique = written.counts == 1
    else:
        people = project.records.column(project.person)
        pairs = np.unique(written.codes.astype(np.int64) * len(people.labels) + people.codes)
        per_label = np.bincount(pairs // len(people.labels), minlength=len(written.labels))
        is_unique = per_label == 1
    known = slice(len(written.labels) - written.has_missing)
    n_unique = int(written.counts[known][is_unique[known]].sum())
    if n_unique:
        yield Finding(
            f"{_UNIQUE}{column.name}",
            Severity.LOOK_AT,
            _("{column}: {records} unique in what the rule leaves").format(
                column=column.name, records=as_records(n_unique)
            ),
            _("An attacker who knows this part finds them; k does not cover identifying columns"),
        )


def _why_not(project: Project, column: Column, rule: ColumnRule) -> tuple[str, str]:
    """Return why a rule cannot be applied, and what helps; empty if it can."""
    try:
        if rule.is_by_record and column.home is not None:  # its records are read when they are written
            if reason := rule.why_not(column):
                return reason.removesuffix("."), ""
        elif project.role(column.name) is Role.IDENTIFYING:
            rule.apply(column, rule_context(project))
        else:
            # Of records in files, only columns that scores depend on are counted.
            counted = None if column.name in project.scored else project.records
            released_column(project, column.name, counted)
    except InputError as error:
        return error.problem.removesuffix("."), error.hint.removesuffix(".")
    return "", ""


def _unready(name: str, rule: ColumnRule) -> Iterator[Finding]:
    try:
        rule.refuse_unready(name)
    except ExportError as error:
        yield Finding(
            f"rule.key:{name}",
            Severity.BLOCKING,
            error.problem.removesuffix("."),
            error.hint.removesuffix("."),
        )


def _moved(column: Column, rule: DateShift) -> Iterator[Finding]:
    name = column.name
    if rule.days < FEW_DAYS:
        yield Finding(
            f"rule.days:{name}",
            Severity.LOOK_AT,
            ngettext(
                "{name}: dates move by up to {n} day", "{name}: dates move by up to {n} days", rule.days
            ).format(name=name, n=as_exact_count(rule.days)),
            _("Few days protect little: an attacker who knows a date roughly still finds the person"),
        )
    yield Finding(
        f"rule.known:{name}",
        Severity.NOTE,
        _("{name}: moved dates are not true").format(name=name),
        _("An attacker who knows one true date of a person gets all others. k does not cover them"),
    )
    known = ~np.isnan(column.numbers)
    if not known.any():
        return
    first, last = float(column.numbers[known].min()), float(column.numbers[known].max())
    at_edge = known & ((column.numbers < first + rule.days) | (column.numbers > last - rule.days))
    n_records = int(column.counts[at_edge].sum())
    yield Finding(
        f"rule.edge:{name}",
        Severity.NOTE,
        ngettext(
            "{name}: {n} date is near the edge of the table",
            "{name}: {n} dates are near the edge of the table",
            n_records,
        ).format(name=name, n=as_exact_count(n_records)),
        _("A date that moves beyond the first or last one shows its direction"),
    )


def _persons(project: Project, shifted: list[str]) -> Iterator[Finding]:
    names = ", ".join(shifted)
    if project.person is None:
        yield Finding(
            "rule.records",
            Severity.LOOK_AT,
            _("{names}: every record moves by its own number of days").format(names=names),
            _("Intervals between records are lost. Name the column of the persons to keep those of a person"),
        )
        return
    people = project.records.column(project.person)
    if people.has_missing:
        n_missing = int(people.counts[-1])
        yield Finding(
            "rule.missing",
            Severity.LOOK_AT,
            ngettext(
                "{names}: {n} record without a person",
                "{names}: {n} records without a person",
                n_missing,
            ).format(names=names, n=as_exact_count(n_missing)),
            _("Their dates move together, as those of one person whose text is empty"),
        )


def _few_beyond(project: Project, column: Column, rule: Coding) -> Iterator[Finding]:
    k = max((model.required_k or 0 for model in project.requirement.models), default=0)
    beyond = rule.beyond(column)
    if project.counted is PEOPLE and project.person is not None:
        n_beyond = len(np.unique(project.records.column(project.person).codes[beyond]))
    else:
        n_beyond = int(beyond.sum())
    if 0 < n_beyond < k:
        yield Finding(
            f"rule.few:{column.name}",
            Severity.LOOK_AT,
            ngettext(
                "{name}: only {n} person is beyond the limit",
                "{name}: only {n} people are beyond the limit",
                n_beyond,
            ).format(name=column.name, n=as_exact_count(n_beyond)),
            _("The label points at them. Choose a limit with at least k = {k} people beyond it").format(k=k),
        )
