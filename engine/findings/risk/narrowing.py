"""Narrowing by an insider: what the order in which a local recoding fills classes excludes from labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NoReturn, Protocol, Self

import numpy as np

from engine.errors import InputError
from engine.findings.base import Analysis, risk_analyses
from engine.findings.blank_rows import blank_rows
from engine.findings.blocks import Block, FigureTable, Findings, Paragraph, Statement, as_column, figure_row
from engine.findings.subject import Subject
from engine.frequency import Attribute, Problem
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.hierarchies.remainders import with_remainders
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.kernels.grouping import class_labels
from engine.kernels.narrowing import Box, excluded_leaves
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_risk
from engine.records import Column, Table
from engine.words import N_, _, lazy, ngettext

MISLEADS = 0.05  # share of wrong cells from which a method misleads; own
_TEXT = N_("Comparing classes")


@figure_row
class Narrowed:
    """What a rule excludes; records and cells are counted in the kept records.

    Attributes
    ----------
    contradicted : int
        Records of classes that a rule leaves no value of a column; nothing is excluded from these.
    """

    rule: str = as_column(N_("Rule"))
    meaning: str = as_column(N_("An insider excludes"))
    records_narrowed: int = as_column(
        N_("Records narrowed"), N_("records"), N_("With a label from which values are excluded.")
    )
    to_half_or_less: int = as_column(
        N_("To half or less"), N_("records"), N_("At most half of the values of a label are left.")
    )
    to_one_value: int = as_column(N_("To one value"), N_("records"))
    cells_right: int = as_column(
        N_("Cells right"), N_("cells"), N_("Narrowed cells that keep the true value.")
    )
    cells_wrong: int = as_column(N_("Cells wrong"), N_("cells"), N_("Cells whose true value is excluded."))
    contradicted: int = as_column(
        N_("Contradicted"), N_("records"), N_("No value would be left, so nothing is excluded.")
    )

    @property
    def n_cells(self) -> int:
        """Narrowed cells."""
        return self.cells_right + self.cells_wrong

    @property
    def misleads(self) -> bool:
        """Return whether more than 5 % of the inferences are wrong."""
        return self.cells_wrong > MISLEADS * self.n_cells

    def named(self) -> dict[str, int]:
        """Return the counts by name."""
        return {own.name: getattr(self, own.name) for own in fields(self)[2:]}


_RULES = {
    "R1": N_("a label inside, in a class that is equal in all other columns"),
    "R1b": N_("a label of a smaller class that covers all other columns"),
    "R2": N_("all values that smaller classes cover together"),
}


@dataclass(frozen=True)
class NarrowingFound(Findings):
    """What an insider excludes by each rule.

    Attributes
    ----------
    n_kept, n_classes : int
        Records that are not written as `*` in all quasi-identifying columns, and their classes.
    """

    rules: tuple[Narrowed, ...]
    n_kept: int
    n_classes: int

    @property
    def by_order(self) -> Narrowed:
        """All that follows from the order, by which methods are compared."""
        return self.rules[-1]

    def statement(self) -> Statement:
        own = self.by_order
        if not own.records_narrowed:
            return Statement(_("Who knows the method excludes no value of any label."), "ok")
        n, share = own.records_narrowed, own.records_narrowed / self.n_kept
        text = ngettext(
            "Who knows the method excludes values of a label of {n} record ({share}).",
            "Who knows the method excludes values of a label of {n} records ({share}).",
            n,
        )
        caption = _("{share} of the inferences are right").format(
            share=as_risk(own.cells_right / own.n_cells)
        )
        if own.misleads:
            caption = _("misleads: {share} of the inferences are wrong").format(
                share=as_risk(own.cells_wrong / own.n_cells)
            )
        return Statement(text.format(n=as_exact_count(n), share=as_risk(share)), "warn", caption)

    def blocks(self) -> tuple[Block, ...]:
        """Return the counts by rule."""
        table = FigureTable.of("narrowing", _("Narrowed by who knows the method"), Narrowed, self.rules)
        if not self.by_order.misleads:
            return (table,)
        text = _("A method that misleads is not safe: who trusts the inferences is wrong about some people.")
        return table, Paragraph(text, "note")

    def named_values(self) -> Mapping[str, Any]:
        return {own.rule: own.named() for own in self.rules}


class Written(Protocol):
    """Cells of a column as written: distinct texts, and a code per row."""

    @property
    def labels(self) -> tuple[str, ...]: ...

    @property
    def codes(self) -> Codes: ...


def narrowing_of(
    problem: Problem,
    columns: Sequence[Written],
    rows: IntArray,
    counts: Counts | None = None,
    is_blank: BoolArray | None = None,
    monitor: Monitor = SILENT,
) -> NarrowingFound:
    """Count what who knows hierarchies and method excludes from written labels.

    Parameters
    ----------
    columns : sequence
        Written cells of the quasi-identifying columns, in the order of the problem.
    rows : ndarray of int64, shape (n_records,)
        Row of the problem that each written record is of.
    counts : ndarray of int64, shape (n_records,), optional
        Records that each stands for; one by default.
    is_blank : ndarray of bool, shape (n_records,), optional
        Records left out besides those with `*` in all columns.

    Raises
    ------
    InputError
        A cell is no label of the hierarchy of its column, or not one of its record.
    """
    monitor.step(0, 1, _(_TEXT))
    kept = np.zeros(len(rows), dtype=np.bool_)
    for own in columns:
        kept |= np.array([text != SUPPRESSED for text in own.labels], dtype=np.bool_)[own.codes]
    if is_blank is not None:
        kept &= ~is_blank
    weights = (np.ones(len(rows), dtype=np.int64) if counts is None else counts)[kept]
    if not kept.any():
        return NarrowingFound(tuple(_counted(rule, _Tally()) for rule in _RULES), 0, 0)
    codes, covers = [], []
    for attribute, own in zip(problem.attributes, columns, strict=True):
        used, code = np.unique(own.codes[kept], return_inverse=True)
        covers.append(_covers(attribute, [own.labels[i] for i in used.tolist()]))
        codes.append(code)
    classes, first, _sizes = class_labels(codes, [len(own) for own in covers])
    labels = np.column_stack([code[first] for code in codes])
    leaves = np.column_stack([attribute.leaves[rows[kept]] for attribute in problem.attributes])
    for q, attribute in enumerate(problem.attributes):
        others = np.flatnonzero(~covers[q][codes[q], leaves[:, q]])
        if len(others):
            _refuse_of_another(attribute.name, columns[q], int(np.flatnonzero(kept)[others[0]]))
    order = np.argsort(classes, kind="stable")
    starts = np.searchsorted(classes[order], np.arange(len(first) + 1))
    tallies = {rule: _Tally() for rule in _RULES}
    for done, (number, box, excluded) in enumerate(excluded_leaves(labels, covers)):
        monitor.step(done, len(first), _(_TEXT))
        members = order[starts[number] : starts[number + 1]]
        for tally, by_rule in zip(tallies.values(), excluded, strict=True):
            tally.add(box, by_rule, leaves[members], weights[members])
    rules = tuple(_counted(rule, tally) for rule, tally in tallies.items())
    return NarrowingFound(rules, int(weights.sum()), len(first))


def _refuse_of_another(name: str, column: Written, row: int) -> NoReturn:
    """Raise `InputError` for a label that does not cover the value of its record."""
    raise InputError(
        _(
            "Row {row} of the release is not of this record: '{text}' does not contain its value of '{name}'."
        ).format(row=as_exact_count(row + 1), text=column.labels[column.codes[row]], name=name),
        hint=_("Give a release of this recipe that has all records in their order."),
        column=name,
    )


def _counted(rule: str, tally: _Tally) -> Narrowed:
    return Narrowed(rule, _(_RULES[rule]), **vars(tally))


@dataclass
class _Tally:
    """Counts of one rule so far; see `Narrowed`."""

    records_narrowed: int = 0
    to_half_or_less: int = 0
    to_one_value: int = 0
    cells_right: int = 0
    cells_wrong: int = 0
    contradicted: int = 0

    def add(self, box: Box, excluded: Box, leaves: Codes, weights: Counts) -> None:
        """Add the records of a class, given the true leaf of each by column."""
        columns = [q for q, own in enumerate(excluded) if own]
        if not columns:
            return
        n_records = int(weights.sum())
        if any(excluded[q] == box[q] for q in columns):
            self.contradicted += n_records
            return
        before = [box[q].bit_count() for q in columns]
        after = [n - excluded[q].bit_count() for n, q in zip(before, columns, strict=True)]
        self.records_narrowed += n_records
        self.to_half_or_less += n_records * any(2 * n <= was for n, was in zip(after, before, strict=True))
        self.to_one_value += n_records * (1 in after)
        for q in columns:
            truth = zip(leaves[:, q].tolist(), weights.tolist(), strict=True)
            n_wrong = sum(n for leaf, n in truth if excluded[q] >> leaf & 1)
            self.cells_wrong += n_wrong
            self.cells_right += n_records - n_wrong


def _covers(attribute: Attribute, texts: Sequence[str]) -> BoolArray:
    """Return which leaves each text covers: those that have it on any level; `*` otherwise all."""
    hierarchy = with_remainders(attribute.hierarchy, texts)
    place = {text: code for code, text in enumerate(hierarchy.texts)}
    found = np.zeros((len(texts), hierarchy.n_leaves), dtype=np.bool_)
    for own, text in zip(found, texts, strict=True):
        if text in place:
            own[(hierarchy.text_codes == place[text]).any(axis=0)] = True
        elif text == SUPPRESSED:
            own[:] = True
        else:
            raise InputError(
                _("'{text}' is no label of the hierarchy of '{name}'.").format(
                    text=text, name=attribute.name
                ),
                hint=_("Give a release of this recipe."),
                column=attribute.name,
            )
    return found


def narrowing_of_file(problem: Problem, table: Table, monitor: Monitor = SILENT) -> NarrowingFound:
    """Count what who knows the method excludes from a written release.

    Parameters
    ----------
    problem : Problem
        Every row is a record.
    table : Table
        As many records in the same order, with all quasi-identifying columns; other columns do not matter.

    Raises
    ------
    InputError
        Also if a column is missing, or the number of records differs.
    """
    n_records = problem.n_records
    if problem.counts is not None:
        raise InputError(_("The records of this table are only counted, so no file is compared with them."))
    if table.n_records != n_records:
        raise InputError(
            _("The release has {n} records, the table of the recipe {total}.").format(
                n=as_exact_count(table.n_records), total=as_exact_count(n_records)
            ),
            hint=_("Give a release that has all records in their order, suppressed ones as *."),
        )
    if missing := [name for name in problem.names if name not in table.names]:
        raise InputError(_("The release has no column '{name}'.").format(name=missing[0]), column=missing[0])
    written = Table(tuple(table.column(name) for name in problem.names), is_typed=table.is_typed)
    columns = [
        _Cells(_texts(column, attribute), column.codes)
        for column, attribute in zip(written.columns, problem.attributes, strict=True)
    ]
    return narrowing_of(problem, columns, np.arange(n_records), None, blank_rows(written), monitor)


@dataclass(frozen=True, eq=False)
class _Cells:
    labels: tuple[str, ...]
    codes: Codes


def _texts(column: Column, attribute: Attribute) -> tuple[str, ...]:
    """Return the labels of a column, with the text for missing that the hierarchy has."""
    own = attribute.column.missing_label
    if not column.has_missing or own is None or column.labels[-1] in attribute.hierarchy.texts:
        return column.labels
    return (*column.labels[:-1], own)


@risk_analyses.register("narrowing")
@dataclass(frozen=True, slots=True)
class Narrowing(Analysis):
    """Replay the order in which a local recoding fills classes, as downcoding [1]_ does.

    References
    ----------
    .. [1] Cohen (2022). Attacks on Deidentification's Defenses. USENIX Security Symposium.
    """

    title: ClassVar[str] = lazy("Narrowing by an insider")
    summary: ClassVar[str] = lazy(
        "Values that who knows the method excludes from the labels of a release whose levels vary by record."
    )
    reading: ClassVar[str] = lazy(
        "Methods with levels by record fill fine classes first. Who knows this, and the hierarchies, "
        "excludes from a coarse label what a finer class would have taken. R1 compares classes that differ "
        "in one column, R1b any two classes, and R2 takes all finer classes together; the order is by the "
        "number of combinations that a class covers, a guess about the method. Right and wrong are by the "
        "input: an inference that is wrong misleads, and more than 5 % of them are no safety. Who is in "
        "which class, and so k and l, stay as they are. Classes of one node never overlap, so nothing is "
        "excluded."
    )
    source: ClassVar[str] = lazy("Cohen 2022")
    is_costly: ClassVar[bool] = True
    report_place: ClassVar[int | None] = 118  # after the wildcards
    public_words: ClassVar[str] = lazy(
        "Levels of this release vary by record. What who knows the method could exclude from its labels is "
        "only in the internal report."
    )

    @classmethod
    def of_report(cls, subject: Subject) -> Mapping[str, Self]:
        return {} if subject.release.recoding is None or cls().why_not(subject) else {"": cls()}

    def why_not(self, subject: Subject) -> str:
        if subject.release.aggregates:
            return _("Some columns are released as aggregates, which are no labels of a hierarchy.")
        return ""

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> NarrowingFound:
        self.refuse_impossible(subject)
        problem = subject.release.problem
        columns = [subject.release.column(name) for name in problem.names]
        written = [own for own in columns if own is not None]
        rows = np.arange(len(subject.kept))
        return narrowing_of(problem, written, rows, problem.counts, ~subject.kept, monitor)
