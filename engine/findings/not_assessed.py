"""Columns of a given table that an assessment does not use, and what they would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from engine.findings.blocks import Tone
from engine.findings.given_table import STAR, GivenTable
from engine.findings.words import listed, quoted
from engine.kernels.grouping import rows_alone
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, in_records
from engine.qi_detection.suggest import suggest_role
from engine.records import Column, Role, Table
from engine.records.column_selection import by_value
from engine.records.counting import rows_in_memory
from engine.words import _, ngettext

_NAMED = 3  # columns of a sentence; further ones are counted


@dataclass(frozen=True)
class NotAssessed:
    """Columns without a meaning in an assessment, those that may identify people, and their effect on k.

    Attributes
    ----------
    columns : tuple of str
        Columns that are neither quasi-identifying nor sensitive, nor used otherwise, in table order.
    n_columns : int
        Columns of the table.
    k : int
        Smallest class by the quasi-identifying columns, in people if records are of people.
    unique : tuple of str
        Those with a different value in every record.
    likely : mapping of str to int or None
        Further ones whose name or values suggest that others know them or that they identify people, each
        with the smallest class if it is quasi-identifying too; None if its values are too many to count.
    k_with_likely : int or None
        Smallest class with all of the likely ones; None if there are none.
    n_single : int or None
        Records that all the columns together single out; None for a table in files, which are not
        counted together.
    n_records : int
        Assessed records.
    """

    columns: tuple[str, ...]
    n_columns: int
    k: int
    unique: tuple[str, ...] = ()
    likely: Mapping[str, int | None] = field(default_factory=dict)
    k_with_likely: int | None = None
    n_single: int | None = None
    n_records: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the columns and counts as commands print them."""
        return {
            "columns": list(self.columns),
            "unique": list(self.unique),
            "likely_quasi_identifying": dict(self.likely),
            "k": self.k,
            "k_with_likely": self.k_with_likely,
            "singled_out": self.n_single,
        }

    @property
    def tone(self) -> Tone:
        """Return the degree to which the columns weaken the assessment; "text" if nothing is known."""
        if self.unique or self.k_with_likely == 1 or self.n_single == self.n_records:
            return "danger"
        return "warn" if self.likely or self.n_single else "text"

    @property
    def count_words(self) -> str:
        """Return, for example, "2 of 6 columns are not assessed"."""
        text = ngettext(
            "{n} of {total} columns is not assessed",
            "{n} of {total} columns are not assessed",
            len(self.columns),
        )
        return text.format(n=as_exact_count(len(self.columns)), total=as_exact_count(self.n_columns))

    def sentence(self) -> str:
        """Return, for example, "2 of 6 columns are not assessed: 'id' is different in every record."."""
        if clauses := self.clauses():
            return _("{claim}: {reasons}.").format(claim=self.count_words, reasons="; ".join(clauses))
        return f"{self.count_words}."

    def clauses(self) -> tuple[str, ...]:
        """Return what the columns that may identify people would change; nothing if there are none."""
        said = []
        if self.unique:
            text = ngettext(
                "{columns} is different in every record",
                "{columns} are different in every record",
                len(self.unique),
            )
            said.append(text.format(columns=_some(self.unique)))
        if self.likely:
            text = ngettext(
                "{columns} is likely quasi-identifying",
                "{columns} are likely quasi-identifying",
                len(self.likely),
            )
            said.append(text.format(columns=_some(tuple(self.likely))))
        if self.k_with_likely is not None:
            said.append(self._k_words(self.k_with_likely))
        if self.n_single and not self.unique and self.k_with_likely != 1:
            text = _("together they single out {n} of {records}")
            said.append(text.format(n=as_exact_count(self.n_single), records=in_records(self.n_records)))
        return tuple(said)

    def _k_words(self, k_with_likely: int) -> str:
        by_column = {name: k for name, k in self.likely.items() if k is not None}
        worst = min(by_column, key=lambda name: by_column[name])
        k, alone, together = map(as_exact_count, (self.k, by_column[worst], k_with_likely))
        if self.k == k_with_likely:
            return ngettext("k remains {k} with it", "k remains {k} with them", len(by_column)).format(k=k)
        if alone == together:
            return _("k is {k}; with '{column}' it is {alone}").format(k=k, column=worst, alone=alone)
        return _("k is {k}; with '{column}' it is {alone}, with all of them {together}").format(
            k=k, column=worst, alone=alone, together=together
        )


_found: WeakKeyDictionary[GivenTable, NotAssessed | None] = WeakKeyDictionary()


def not_assessed(given: GivenTable, monitor: Monitor = SILENT) -> NotAssessed | None:
    """Find the columns of a given table that have no meaning in its assessment; None if there are none.

    Unique columns, and those that a rule of `suggest_role` recognizes with more than a guess, are named. A
    table in files is counted once more if there are such columns.
    """
    own = given.count(monitor)
    if own not in _found:
        _found[own] = _not_assessed(own, monitor)
    return _found[own]


def _not_assessed(own: GivenTable, monitor: Monitor) -> NotAssessed | None:
    whole = own.origin or own
    names = tuple(name for name in whole.table.names if name not in whole.named)
    if not names:
        return None
    columns = [column for column in by_value(whole.table, names).columns if column.name in names]
    unique = tuple(column.name for column in columns if _is_unique(column))
    likely = [column for column in columns if column.name not in unique and _is_likely(column)]
    return NotAssessed(
        names,
        len(whole.table.columns),
        int(own.classes.measured.sizes.min()),
        unique,
        *_k_with(own, likely, monitor),
        None if own.origin else _n_single(columns),
        own.n_records,
    )


def _is_unique(column: Column) -> bool:
    """Return whether every record has another value, apart from the stars of suppressed records."""
    is_value = np.array([label != STAR for label in column.labels])
    counts = column.counts[is_value]
    return not column.has_missing and len(counts) > 1 and bool((counts == 1).all())


def _is_likely(column: Column) -> bool:
    found = suggest_role(column, int(column.counts.sum()))
    may_identify = found.role in (Role.IDENTIFYING, Role.QUASI_IDENTIFYING)
    return column.n_values is None or (may_identify and found.is_likely)


def _k_with(
    given: GivenTable, likely: Sequence[Column], monitor: Monitor
) -> tuple[Mapping[str, int | None], int | None]:
    """Return the smallest class with each of some columns, and with all; None for what cannot be counted."""
    found: dict[str, int | None] = {column.name: None for column in likely}
    chosen = tuple(column.name for column in Table(tuple(likely)).listed)
    if not chosen:
        return found, None
    table = (given.origin or given).table
    for column in likely:
        table = table.replace_column(column)
    wide = replace(given.origin or given, sensitive=(), hierarchies={}, weight="", household="", table=table)
    rows = rows_in_memory(table, (*wide.named, *chosen), monitor)
    if rows is not table:
        wide = replace(wide, table=rows)
        if given.n_blank:
            wide = wide.without_stars(given.n_blank)
        for leave_out in given.filters:
            wide = leave_out(wide)
    for name in chosen:
        found[name] = _smallest(wide, (name,))
    return found, _smallest(wide, chosen)


def _smallest(given: GivenTable, further: Sequence[str]) -> int:
    return int(given.classes_by((*given.quasi_identifying, *further)).measured.sizes.min())


def _n_single(columns: Sequence[Column]) -> int:
    """Return the number of records that columns together single out."""
    is_alone = rows_alone([column.codes for column in columns], [len(column.labels) for column in columns])
    records = columns[0].records
    return int(np.count_nonzero(is_alone if records is None else is_alone & (records == 1)))


def _some(names: Sequence[str]) -> str:
    """Return the first of some names, and the number of the others."""
    if len(names) <= _NAMED + 1:
        return listed(quoted(names))
    return listed([*quoted(names[:_NAMED]), _("{n} more").format(n=as_exact_count(len(names) - _NAMED))])
