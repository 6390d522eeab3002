"""Pre-flight findings on persons: records of one person that count as several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

import numpy as np

from engine.advice.findings import Finding, Severity
from engine.errors import InputError
from engine.frequency.persons import is_repeated
from engine.kernels.arrays import Counts, IntArray
from engine.kernels.grouping import class_labels, records_by_code
from engine.numbers import as_exact_count, as_people, in_records
from engine.project.compile import compile_attribute
from engine.project.edits import set_person, set_roles
from engine.project.project import Project
from engine.qi_detection.suggest import may_number_people
from engine.recoding.written import MOST_COMPARED
from engine.records import Column, Role, Table
from engine.records.counting import rows_in_memory
from engine.words import _, ngettext

_MOST = 3  # columns offered, those with the most values
_REPEATS = "persons:"  # begins the keys of findings of columns that repeat
_USUAL_K = 2  # where no model asks for a size: classes of one record hold one person in any case


def person_findings(
    project: Project, levels: Mapping[str, int] | None = None, *, counts_files: bool = False
) -> Iterator[Finding]:
    """Yield findings on persons.

    Parameters
    ----------
    levels : mapping of str to int, optional
        Those of the node that is looked at, by quasi-identifying column; the lowest allowed by default.
    counts_files : bool
        Whether records that are not in memory are counted for it, which takes seconds.
    """
    try:
        records = project.records
    except InputError:
        return  # a subset that cannot be found has a finding of its own
    if project.person is not None:
        yield from _of_persons(records.column(project.person))
        return
    others = [column for column in records.columns if column.name not in project.identifying]
    repeated = [*repeated_identifying(project, records), *filter(may_number_people, others)][:_MOST]
    if not repeated:
        return
    rows = records
    if counts_files and records.n_records <= MOST_COMPARED:
        names = [*project.quasi_identifying, *(column.name for column in repeated)]
        with suppress(InputError):  # a column has more values than are listed
            rows = rows_in_memory(records, names)
    classes = _classes(project, rows, levels or {})
    for column in repeated:
        yield Finding(
            f"{_REPEATS}{column.name}",
            Severity.LOOK_AT,
            _("'{column}' repeats: {people} in {records}").format(
                column=column.name,
                people=as_people(n_persons(column)),
                records=in_records(records.n_records),
            ),
            _("Every record counts as one person. {project}").format(
                project=_smallest(project, rows.column(column.name), classes, levels)
            )
            if column.name in project.identifying
            else _("Every record counts as one person. If its values are people, it becomes identifying"),
            _("count people by {name}").format(name=column.name),
            lambda p, name=column.name: _counted_by(p, name),  # type: ignore[misc]
        )


def _counted_by(project: Project, name: str) -> Project:
    return set_person(set_roles(project, [name], Role.IDENTIFYING), name)


def repeated_identifying(project: Project, records: Table) -> list[Column]:
    """The identifying columns whose values may be people with several records, most people first."""
    identifying = [records.column(name) for name in project.identifying]
    return sorted(filter(is_repeated, identifying), key=n_persons, reverse=True)


def person_notes(
    project: Project, levels: Mapping[str, int] | None = None, *, by: str = 'person = "{}" under [roles]'
) -> tuple[str, ...]:
    """Return notes of commands if an identifying column repeats and no column names people.

    Parameters
    ----------
    by : str
        How people are counted by a column, which takes the place of the braces.
    """
    findings = person_findings(project, levels, counts_files=True)
    found = [f for f in findings if f.key.startswith(_REPEATS)]
    return tuple(
        _("{title}. {detail}. If its values are people, count by it: {by}.").format(
            title=f.title, detail=f.detail, by=by.format(f.key.removeprefix(_REPEATS))
        )
        for f in found
    )


def _of_persons(column: Column) -> Iterator[Finding]:
    known = _("{people} in {records}, by {column}").format(
        people=as_people(n_persons(column)),
        records=in_records(int(column.counts.sum())),
        column=column.name,
    )
    yield Finding("persons", Severity.READY, _("People"), known)
    n_missing = int(column.counts[-1]) if column.has_missing else 0
    if n_missing:
        yield Finding(
            "no_person",
            Severity.LOOK_AT if n_missing > 1 else Severity.NOTE,
            ngettext(
                "{column}: {n} record without a person", "{column}: {n} records without a person", n_missing
            ).format(column=column.name, n=as_exact_count(n_missing)),
            ngettext(
                "It counts as a separate person",
                "All of them count as one person, so class sizes are never overestimated",
                n_missing,
            ),
        )


def _classes(project: Project, records: Table, levels: Mapping[str, int]) -> tuple[IntArray, Counts] | None:
    """Class per record, and records per class; None if they cannot be formed, or stay in files."""
    if records.home is not None:
        return None
    codes, spans = [], []
    try:
        for column in project.columns_of(Role.QUASI_IDENTIFYING):
            entry = project.hierarchies.get(column.name)
            attribute = compile_attribute(records.column(column.name), entry)
            wanted = levels.get(column.name, attribute.minimum)
            # The node may be older than an edit of the hierarchy, such as one that was undone.
            level = attribute.hierarchy.levels[min(wanted, attribute.hierarchy.height)]
            codes.append(level.codes[attribute.leaves])
            spans.append(len(level.labels))
    except InputError:
        return None  # gaps and levels that do not exist have findings of their own
    if not codes or not records.n_records:
        return None
    labels, first, _unused = class_labels(codes, spans)
    return labels, records_by_code(labels, len(first), records.counts)


def _smallest(
    project: Project,
    column: Column,
    classes: tuple[IntArray, Counts] | None,
    levels: Mapping[str, int] | None,
) -> str:
    """Describe the number of persons in the smallest class."""
    if classes is None:
        return _("A class could consist of the records of one person")
    labels, sizes = classes
    wanted = max((model.required_k or _USUAL_K for model in project.requirement.models), default=_USUAL_K)
    n_values = len(column.labels)
    pairs = np.unique(labels * n_values + column.codes) // n_values
    persons = np.bincount(pairs, minlength=len(sizes))
    large = sizes >= wanted
    if not large.any():
        words = (
            _("On the levels shown, the smallest class has {people}")
            if levels is not None
            else _("On the lowest allowed levels, the smallest class has {people}")
        )
        return words.format(people=as_people(int(persons.min())))
    words = (
        _("On the levels shown, the smallest class with at least {records} has {people}")
        if levels is not None
        else _("On the lowest allowed levels, the smallest class with at least {records} has {people}")
    )
    return words.format(records=in_records(wanted), people=as_people(int(persons[large].min())))


def n_persons(column: Column) -> int:
    """Different values of a column, missing being one."""
    return int(np.count_nonzero(column.counts))
