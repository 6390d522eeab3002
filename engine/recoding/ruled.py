"""Columns as their rules release them, and the plan of a release whose records are not in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary, ref

import numpy as np

from engine.errors import ExportError, InputError
from engine.files import open_regular
from engine.frequency import Problem
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.kernels.arrays import BoolArray, Codes, IntArray
from engine.kernels.grouping import class_labels
from engine.lattice import Node
from engine.numbers import as_exact_count
from engine.recoding.rules.base import ColumnRule, RuleContext
from engine.recoding.transformation import RULED, ReleaseSource
from engine.recoding.written import PlannedRecords
from engine.records import Column, DataType, Role, Table
from engine.records.disk.dealing import texts_of
from engine.records.plan import PlannedColumn, PlannedSuppression, ReleasePlan
from engine.records.stored import ListedColumn, StoredColumn, refuse_cut
from engine.records.values import make_column
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
    """Return a sensitive or insensitive column as released, with suppressed records; None if it is not.

    None too for what `written_column` does not know.

    Parameters
    ----------
    table : Table, optional
        The records, or their distinct tuples, whose column it is; by default the scored table.

    Raises
    ------
    InputError
        Its rule is not defined for a value.
    """
    rule = rule_of(source, name)
    column = (source.rows if table is None else table).column(name)
    return column if rule is None else written_column(rule, column, rule_context(source))


def written_column(rule: ColumnRule, column: Column, context: RuleContext) -> Column | None:
    """Return a column as a rule writes it, in its order; None if the rule drops it.

    None too if its records are not in memory, or only counted, and its rule writes it record by record.

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
    if rule.is_by_record and (column.records is not None or column.home is not None):
        return None
    if isinstance(column, ListedColumn):
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
    if rule.is_by_record and source.rows.counts is not None:
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


def records_to_count(
    table: Table,
    unchanged: Sequence[Column],
    hidden: Sequence[Column],
    person: str | None,
    ruled: Sequence[str],
) -> PlannedRecords:
    """Return records whose release is not known yet, to count what unchanged columns single out.

    Parameters
    ----------
    table : Table
        Its records stay in files.
    unchanged : sequence of Column
        In their written form; those with more values than are listed are excluded.
    hidden : sequence of Column
        Quasi-identifying columns that are hidden completely.
    person : str or None
        Column whose values are persons.
    ruled : sequence of str
        Unchanged columns that a rule writes.
    """
    listed = Table(tuple(unchanged)).listed
    planned = [
        PlannedColumn(
            column.name, Role.INSENSITIVE, column.labels, np.arange(len(column.labels), dtype=np.int32)
        )
        for column in listed
    ] + [
        PlannedColumn(
            column.name, Role.QUASI_IDENTIFYING, (SUPPRESSED,), np.zeros(len(column.labels), dtype=np.int32)
        )
        for column in hidden
    ]
    needed = [*listed, *hidden]
    if person is not None and person not in [column.name for column in needed]:
        needed.append(table.column(person))
    plan = ReleasePlan(tuple(planned), person=person, by_rule=tuple(ruled))
    return PlannedRecords(plan, Table(tuple(needed or table.columns[:1])))


def planned_records(
    source: ReleaseSource,
    problem: Problem,
    node: Node,
    labels: IntArray,
    kept: BoolArray,
    *,
    is_blank: bool,
) -> PlannedRecords:
    """Return the records of a release, given what was decided for the distinct tuples.

    Parameters
    ----------
    source : ReleaseSource
        Its records are not in memory.
    problem : Problem
        Of the distinct tuples.
    labels : ndarray of int64, shape (n_tuples,)
        Class of every tuple.
    kept : ndarray of bool, shape (n_classes,)
    is_blank : bool
        Whether suppressed records have `*` in all columns.

    Raises
    ------
    InputError
        A column with more values than are listed is neither left out nor hidden.
    """
    is_suppressed = ~kept[labels]
    by_name = {attribute.name: place for place, attribute in enumerate(problem.attributes)}
    planned: list[PlannedColumn] = []
    by_rule = []
    context = rule_context(source)
    blank = SUPPRESSED if is_blank else None
    for column in source.records.columns:
        assert isinstance(column, ListedColumn), "all columns of such a table are"
        role = source.role(column.name)
        if role is Role.QUASI_IDENTIFYING:
            attribute = problem.attributes[by_name[column.name]]
            level = attribute.hierarchy.levels[node[by_name[column.name]]]
            code_of = _by_label(column, attribute.column.codes, level.codes[attribute.leaves])
            planned.append(_coded(column.name, role, level.labels, code_of, SUPPRESSED))
        elif role is not None:
            rule = rule_of(source, column.name)
            found = _planned(column, role, rule, context, blank)
            planned += [] if found is None else [found]
            by_rule += [] if found is None or rule is None or role not in RULED else [column.name]
    plan = ReleasePlan(
        tuple(planned),
        _suppression(source, problem, node, is_suppressed) if is_suppressed.any() else None,
        source.transformation.suppressed_records == "remove",
        None if problem.repeated is None else source.person,
        tuple(by_rule),
    )
    return PlannedRecords(plan, source.records)


def _planned(
    column: ListedColumn, role: Role, rule: ColumnRule | None, context: RuleContext, blank: str | None
) -> PlannedColumn | None:
    """Return how a column that is not generalized is written; None if its rule drops it."""
    if column.listed_labels is None and not (rule is not None and rule.is_constant):
        return _passed(column, role, rule, context, blank)
    if rule is not None and rule.is_by_record:
        return _by_record(column, role, rule, context, blank)
    own: Column | None = column.of_labels()
    if rule is not None and role is Role.IDENTIFYING:
        written = rule.apply(column.of_labels(), context)
        return None if written is None else _coded(column.name, role, *written, blank)
    if rule is not None:
        own = written_column(rule, column.of_labels(), context)
    return None if own is None else _coded(column.name, role, own.labels, own.codes, blank)


def _coded(name: str, role: Role, texts: tuple[str, ...], codes: Codes, blank: str | None) -> PlannedColumn:
    """Return how a column is written, given the text of each label and what suppressed records get."""
    if blank is None:
        return PlannedColumn(name, role, texts, codes)
    texts = texts if blank in texts else (*texts, blank)
    return PlannedColumn(name, role, texts, codes, texts.index(blank))


def _passed(
    column: ListedColumn,
    role: Role,
    rule: ColumnRule | None,
    context: RuleContext,
    blank: str | None,
) -> PlannedColumn:
    """Return how a column with more values than are listed is written, from its place in the files.

    Raises
    ------
    InputError
        Its rule needs all its values.
    """
    if rule is not None:
        rule.refuse_many_values(column.name, column.n_rows)
    if not isinstance(column, StoredColumn) or column.place is None:
        refuse_cut(column)

    def written(own: Column) -> list[str]:
        found = (own.labels, own.codes) if rule is None else rule.apply(own, context)
        assert found is not None, "dropped columns are not planned"
        return texts_of(*found)

    labels = () if blank is None else (blank,)
    return PlannedColumn(column.name, role, labels, np.zeros(0, dtype=np.int32), len(labels) - 1, written)


def _by_record(
    column: ListedColumn, role: Role, rule: ColumnRule, context: RuleContext, blank: str | None
) -> PlannedColumn:
    """Return how a column is written whose rule reads the record or its person too.

    Raises
    ------
    InputError
        The rule is not defined for the column.
    TableError
        The persons are more than are listed.
    """
    name, person = column.name, context.person
    if reason := rule.why_not(column):
        raise InputError(reason, hint=_("Use another rule, or set the type of the column."), column=name)
    if person is not None:
        refuse_cut(context.records.column(person))

    def written(table: Table, records: slice | IntArray) -> list[str]:
        numbers = np.arange(records.start, records.stop) if isinstance(records, slice) else records
        own = table.column(name).take(numbers)
        # what the rule reads of these records alone, at least one column
        some = Table((own,) if person is None else (own, table.column(person).take(numbers)))
        found = rule.apply(own, replace(context, records=some, numbers=numbers))
        assert found is not None, "dropped columns are not planned"
        return texts_of(*found)

    labels = () if blank is None else (blank,)
    return PlannedColumn(name, role, labels, np.zeros(0, dtype=np.int32), len(labels) - 1, by_record=written)


def _by_label(column: Column, codes: Codes, values: Codes) -> Codes:
    """Return the value of each label of a column, given the codes and values of its tuples."""
    found = np.zeros(len(column.labels), dtype=np.int32)
    found[codes] = values
    return found


def _suppression(
    source: ReleaseSource, problem: Problem, node: Node, is_suppressed: BoolArray
) -> PlannedSuppression:
    """Distinguish suppressed tuples by their released labels, or by all their values if these differ."""
    levels = [
        attribute.hierarchy.levels[level] for attribute, level in zip(problem.attributes, node, strict=True)
    ]
    columns = [
        level.codes[attribute.leaves] for attribute, level in zip(problem.attributes, levels, strict=True)
    ]
    spans = [len(level.labels) for level in levels]
    names = problem.names
    codes = [attribute.column.codes for attribute in problem.attributes]
    classes, first, _sizes = class_labels(columns, spans)
    if (is_suppressed[first][classes] != is_suppressed).any():  # persons, or attackers who know a value
        own = source.rows.columns
        columns = [column.codes for column in own]
        spans = [len(column.labels) for column in own]
        names = tuple(column.name for column in own)
        codes = columns
        first = np.arange(len(is_suppressed))
    suppressed = is_suppressed[first]
    are_kept = 2 * int(suppressed.sum()) > len(suppressed)
    chosen = first[suppressed != are_kept]
    return PlannedSuppression(
        names,
        tuple(
            _by_label(source.records.column(name), own, values)
            for name, own, values in zip(names, codes, columns, strict=True)
        ),
        tuple(spans),
        tuple(column[chosen] for column in columns),
        are_kept,
    )
