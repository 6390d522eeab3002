"""Findings on persons and sensitive values that are spelled alike and count as different."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from weakref import WeakKeyDictionary

from engine.advice.findings import Finding, Severity
from engine.errors import InputError
from engine.numbers import as_values
from engine.project.project import Project
from engine.table import Column
from engine.words import _

MOST_VALUES = 300_000  # compared, which takes half a second
_COUNTED: WeakKeyDictionary[Column, int] = WeakKeyDictionary()


def spelling_findings(project: Project) -> Iterator[Finding]:
    """Yield a finding for each column whose counts are too high if its values are the same."""
    try:
        records = project.records
    except InputError:
        return  # a subset that cannot be found has a finding of its own
    person = project.person
    for name in dict.fromkeys([*([] if person is None else [person]), *project.sensitive]):
        n_alike = count_alike(records.column(name))
        if not n_alike:
            continue
        yield Finding(
            f"spelling:{name}",
            Severity.LOOK_AT,
            _("{column}: {values} differ only by case, spaces or encoding of letters").format(
                column=name, values=as_values(n_alike)
            ),
            _("They count as different people; if they are the same, classes have fewer than counted")
            if name == person
            else _("They count as different values; if they are the same, classes have fewer than counted"),
        )


def spelling_notes(project: Project) -> tuple[str, ...]:
    """Return the findings as notes of commands."""
    return tuple(f"{found.title}. {found.detail}." for found in spelling_findings(project))


def count_alike(column: Column) -> int:
    """Return the number of values that others of the column are spelled alike to; 0 for very many values."""
    if column not in _COUNTED:
        values = column.labels[:-1] if column.has_missing else column.labels
        many = len(values) > MOST_VALUES
        forms = Counter(() if many else _forms(values))
        _COUNTED[column] = sum(n for n in forms.values() if n > 1)
    return _COUNTED[column]


def _forms(values: Iterable[str]) -> Iterator[str]:
    for value in values:
        text = value if value.isascii() else unicodedata.normalize("NFKC", value).replace("\u200b", "")
        yield " ".join(text.casefold().split())
