"""Association of all pairs of columns, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from engine.assessment.base import Analysis, utility_analyses
from engine.assessment.common_labels import common_labels
from engine.assessment.subject import Subject
from engine.assessment.utility.association import (
    correlation_after,
    correlation_before,
    cramers_v,
    crossed,
    crossed_before,
    released_pairs,
)
from engine.assessment.words import with_left_out
from engine.findings.blocks import Block, FigureColumn, FigureTable, Findings, Statement
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_decimal, as_exact_count
from engine.words import N_, _, lazy, ngettext


@dataclass(frozen=True)
class Association:
    """Association of two columns.

    Attributes
    ----------
    first, second : str
    measure : str
        "correlation" if both have numbers or dates, else "cramers_v".
    before, after : float or None
        Values of that measure; None for a column with a single value, and after for a hidden column.
    cramers_v_before, cramers_v_after : float or None
        Cramer's V with bias correction of every pair: of the input values, and of the released labels.
    """

    first: str
    second: str
    measure: str
    before: float | None
    after: float | None
    cramers_v_before: float | None
    cramers_v_after: float | None


@dataclass(frozen=True)
class AssociationsFound(Findings):
    """Association of all pairs of columns with released values.

    Attributes
    ----------
    columns : tuple of str
        Names in the order of the table.
    pairs : tuple of Association
        Each pair once, columns in that order.
    left_out : tuple of str
        Columns without values in the release.
    uncounted : tuple of str
        Those of them that are not counted together with others.
    """

    columns: tuple[str, ...]
    pairs: tuple[Association, ...]
    left_out: tuple[str, ...]
    uncounted: tuple[str, ...] = ()

    def pair(self, one: str, other: str) -> Association:
        """Return the association of two columns, in any order."""
        return next(pair for pair in self.pairs if {pair.first, pair.second} == {one, other})

    def statement(self) -> Statement:
        known = [
            (abs(p.after - p.before), p) for p in self.pairs if p.before is not None and p.after is not None
        ]
        n = len(self.pairs)
        if not known:
            text = ngettext(
                "{n} pair of columns, none with an association on both sides.",
                "{n} pairs of columns, none with an association on both sides.",
                n,
            )
            return Statement(text.format(n=as_exact_count(n)), caption=with_left_out("", self.uncounted))
        change, pair = max(known, key=lambda entry: entry[0])
        text = ngettext(
            "Of {n} pair of columns, the association of '{first}' and '{second}' changes most, by {change}.",
            "Of {n} pairs of columns, the association of '{first}' and '{second}' changes most, by {change}.",
            n,
        )
        return Statement(
            text.format(
                n=as_exact_count(n), first=pair.first, second=pair.second, change=as_decimal(change, 3)
            ),
            caption=with_left_out("", self.uncounted),
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return one row per pair."""
        rows = tuple(
            (p.first, p.second, p.measure, p.before, p.after, p.cramers_v_before, p.cramers_v_after)
            for p in self.pairs
        )
        return (FigureTable("associations", _("Associations"), _COLUMNS, rows),)


_COLUMNS = (
    FigureColumn("first", N_("Column")),
    FigureColumn("second", N_("With")),
    FigureColumn("measure", N_("Measure", "noun")),
    FigureColumn("before", N_("Before"), "", N_("From 0 (no association) to 1; correlations from -1 to 1.")),
    FigureColumn("after", N_("After"), "", N_("The same in the release.")),
    FigureColumn("cramers_v_before", N_("Cramer's V before")),
    FigureColumn("cramers_v_after", N_("Cramer's V after")),
)


@utility_analyses.register("associations")
@dataclass(frozen=True, slots=True)
class Associations(Analysis):
    """Cramer's V of all pairs of columns, and Pearson's correlation of numbers and dates.

    Cramer's V uses the values of the input before, and the labels of the release after; see
    `engine.assessment.utility.association` and `engine.assessment.common_labels`.
    """

    title: ClassVar[str] = lazy("Associations")
    summary: ClassVar[str] = lazy("Which columns are associated, and whether the release still shows it.")
    reading: ClassVar[str] = lazy(
        "0 means that two columns are not associated, 1 that one determines the other; "
        "correlations can also be negative. Associations that disappear can no longer be "
        "studied with the release."
    )
    source: ClassVar[str] = "Bergsma 2013"
    needs_kept: ClassVar[bool] = True
    is_costly: ClassVar[bool] = True
    combines_columns: ClassVar[bool] = True

    def why_not(self, subject: Subject) -> str:
        if subject.why_empty:
            return subject.why_empty
        if len(subject.comparable) < 2:
            return _("The release has values of only one column, so there are no associations.")
        return ""

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> AssociationsFound:
        self.refuse_impossible(subject)
        names = subject.comparable
        own, released = {}, {}
        for name in names:
            monitor.step(0, 1, _("Finding the labels of {name}").format(name=name))
            own[name] = common_labels(subject, name, of_input=True)
            released[name] = common_labels(subject, name)
        pairs = list(combinations(names, 2))
        found = []
        for number, (first, second) in enumerate(pairs):
            part = PartMonitor(monitor, number, len(pairs))
            part.step(0, 2, _("Counting '{first}' and '{second}'").format(first=first, second=second))
            v_before = cramers_v(crossed_before(own[first], own[second]))
            part.step(1, 2, _("Counting '{first}' and '{second}'").format(first=first, second=second))
            cells = own[first].cells, own[second].cells
            counted = released_pairs(*cells)
            v_after = cramers_v(crossed(counted, released[first], released[second], PartMonitor(part, 1, 2)))
            measure, before, after = "cramers_v", v_before, v_after
            if cells[0].axis.is_numeric and cells[1].axis.is_numeric:
                before = correlation_before(cells[0].axis, cells[1].axis)
                measure, after = "correlation", correlation_after(counted, *cells)
            found.append(Association(first, second, measure, before, after, v_before, v_after))
        left_out = tuple(name for name in subject.names if name not in names)
        return AssociationsFound(names, tuple(found), left_out, subject.uncounted)
