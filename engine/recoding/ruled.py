"""Columns as their rules release them, worked out once for the same rule, persons, hierarchy and key."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from weakref import WeakKeyDictionary, ref

from engine.errors import ExportError, InputError
from engine.files import open_regular
from engine.numbers import as_exact_count
from engine.recoding.rules.base import ColumnRule, RuleContext
from engine.recoding.transformation import ReleaseSource
from engine.table import Column, DataType, Table
from engine.table.stored import ListedColumn
from engine.table.values import make_column
from engine.words import _

_applied: WeakKeyDictionary[Column, tuple[Hashable, Column | None]] = WeakKeyDictionary()


def rule_context(source: ReleaseSource) -> RuleContext:
    """Return what rules read besides their parameters."""
    hierarchies = {name: entry.hierarchy for name, entry in source.hierarchies.items()}
    return RuleContext(source.records, source.transformation.seed, source.person, hierarchies)


def rule_of(source: ReleaseSource, name: str) -> ColumnRule | None:
    """Return the rule of a column; None if it has none."""
    return source.transformation.rule_of(name, source.role(name))


def released_column(source: ReleaseSource, name: str, table: Table | None = None) -> Column | None:
    """Return a sensitive or insensitive column as it is released, suppressed records included; None if not.

    None too for what `written_column` does not know.

    Parameters
    ----------
    source : ReleaseSource
    name : str
    table : Table, optional
        The records, or their distinct tuples, whose column it is; by default what is scored.

    Raises
    ------
    InputError
        Its rule is not defined for a value.
    """
    rule = rule_of(source, name)
    if table is None and rule is not None and rule.is_by_record and source.records.is_stored:
        return None
    column = (source.rows if table is None else table).column(name)
    return column if rule is None else written_column(rule, column, rule_context(source))


def written_column(rule: ColumnRule, column: Column, context: RuleContext) -> Column | None:
    """Return a column as a rule writes it, in its order; None if the rule drops it.

    None too if the column is not in memory and its rule writes it record by record.

    Raises
    ------
    InputError
        The rule is not defined for a value.
    """
    person = None if context.person is None else context.records.column(context.person)
    hierarchy = context.hierarchies.get(column.name)
    # Weak references: what is kept for a column must not keep its table.
    parts = [ref(part) for part in (context.records, person, hierarchy) if part is not None]
    key: Hashable = (rule, context.seed, *parts, *map(_digest, rule.paths.values()))
    known = _applied.get(column)
    if known is None or known[0] != key:
        known = _applied[column] = (key, _written(rule, column, context))
    return known[1]


def _written(rule: ColumnRule, column: Column, context: RuleContext) -> Column | None:
    if isinstance(column, ListedColumn):
        if rule.is_by_record:
            return None
        of_labels = _written(rule, column.of_labels(), context)
        return None if of_labels is None else column.like(of_labels)
    written = rule.apply(column, context)
    if written is None:
        return None
    texts, codes = written
    data_type = rule.written_type(column) if _is_ready(rule, column.name) else DataType()
    missing = column.missing_label if column.missing_label in texts else None
    return make_column(column.name, texts, codes, data_type, missing)


def _is_ready(rule: ColumnRule, name: str) -> bool:
    try:
        rule.refuse_unready(name)
    except ExportError:
        return False
    return True


def _digest(path: str) -> str:
    try:
        with open_regular(path) as file:
            return hashlib.sha256(file.read()).hexdigest()
    except OSError:
        return ""


def refuse_unmeasurable(source: ReleaseSource, name: str) -> None:
    """Refuse a sensitive column whose released values are not known yet.

    Raises
    ------
    InputError
    """
    rule = rule_of(source, name)
    if rule is None:
        return
    if rule.is_by_record and source.records.is_stored:
        raise InputError(
            _("The date shift of '{name}' needs the records in memory; {n} do not fit.").format(
                name=name, n=as_exact_count(source.records.n_records)
            ),
            hint=_("Make the column insensitive, or use another rule."),
            column=name,
        )
    try:
        rule.refuse_unready(name)
    except ExportError as error:
        raise InputError(error.problem, hint=error.hint, column=name) from None
