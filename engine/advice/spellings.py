"""Findings on persons and sensitive values that are spelled alike and count as different."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from engine.advice.findings import Finding, Severity
from engine.errors import InputError
from engine.numbers import as_values
from engine.records import Column, Table
from engine.words import _

if TYPE_CHECKING:
    from engine.project.project import Project

MOST_VALUES = 300_000  # compared, which takes half a second
_COUNTED: WeakKeyDictionary[Column, dict[Callable[[str], str], int]] = WeakKeyDictionary()
_NUMBER = re.compile(r"(?P<sign>[+-]?)(?P<whole>[0-9]+)(?:[.,](?P<decimals>[0-9]*))?")


def spelling_findings(project: Project) -> Iterator[Finding]:
    """Yield a finding for each column whose counts are too high if its values are the same."""
    try:
        records = project.records
    except InputError:
        return  # a subset that cannot be found has a finding of its own
    person = project.person
    for name in dict.fromkeys([*([] if person is None else [person]), *project.sensitive]):
        yield from _of_column(records.column(name), is_person=name == person)


def spelling_notes(project: Project) -> tuple[str, ...]:
    """Return the findings as notes of commands."""
    return tuple(f"{found.title}. {found.detail}." for found in spelling_findings(project))


def given_spelling_notes(table: Table, person: str, sensitive: Sequence[str]) -> tuple[str, ...]:
    """Return the same notes on the columns of a given table; `person` may be empty."""
    names = dict.fromkeys([*([person] if person else []), *sensitive])
    found = (own for name in names for own in _of_column(table.column(name), is_person=name == person))
    return tuple(f"{own.title}. {own.detail}." for own in found)


def _of_column(column: Column, *, is_person: bool) -> Iterator[Finding]:
    detail = (
        _("They count as different people; if they are the same, classes have fewer than counted")
        if is_person
        else _("They count as different values; if they are the same, classes have fewer than counted")
    )
    titles = (
        ("spelling", _spelled, _("{column}: {values} differ only by case, spaces or encoding of letters")),
        ("numbers", _number, _("{column}: {values} are forms of the same numbers, such as 7, 7.0 and 007")),
    )
    for key, form, title in titles:
        if n_alike := count_alike(column, form):
            title = title.format(column=column.name, values=as_values(n_alike))
            yield Finding(f"{key}:{column.name}", Severity.LOOK_AT, title, detail)


def count_alike(column: Column, form: Callable[[str], str] | None = None) -> int:
    """Return how many values have a form that others of the column have too; 0 for very many values.

    Parameters
    ----------
    form : callable, optional
        Text -> its form, empty for a text that has none; by default texts without case and spaces.
    """
    form = form or _spelled
    known = _COUNTED.setdefault(column, {})
    if form not in known:
        values = column.known_labels
        forms = Counter(map(form, () if len(values) > MOST_VALUES else values))
        known[form] = sum(n for own, n in forms.items() if n > 1 and own)
    return known[form]


def _spelled(value: str) -> str:
    text = value if value.isascii() else unicodedata.normalize("NFKC", value).replace("\u200b", "")
    return " ".join(text.casefold().split())


def _number(value: str) -> str:
    """Return a number without leading zeros, plus sign and zeros after its decimal mark; empty for a text."""
    found = _NUMBER.fullmatch(value.strip())
    if found is None:
        return ""
    sign, whole, decimals = found["sign"], found["whole"].lstrip("0"), (found["decimals"] or "").rstrip("0")
    return f"{'-' if sign == '-' and (whole or decimals) else ''}{whole or '0'}.{decimals}"
