"""Special uniques of input and release: records that are unique in few columns (SUDA2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import SHARE, Block, Figure, FigureColumn, FigureTable, Findings, Statement
from engine.findings.identifiers.coded import TEXT
from engine.findings.risk.declared import records_listed
from engine.findings.risk.survey import SpecialUniques, fraction_of, special_uniques_of
from engine.findings.sample import sampled
from engine.findings.subject import Subject
from engine.frequency.population import weights_of_rows, why_no_weights
from engine.kernels.arrays import IntArray
from engine.kernels.grouping import class_labels
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count, as_risk
from engine.params import Integer, param
from engine.records import Column
from engine.words import N_, _, lazy, ngettext

_SETS_LISTED = 20  # records whose sets are listed; each is compared with all records


@dataclass(frozen=True, eq=False)
class SpecialUniquesFound(Findings):
    """Special uniques of both sides.

    Attributes
    ----------
    before : SpecialUniques
        Of all records of the input.
    after : SpecialUniques or None
        Of the kept records of the release; None if none is kept.
    records : ndarray of int64, shape (n_kept,)
        Number of every kept record in the input, counted from 0; if records stay in files, only of those
        with a score.
    most : int
        Records listed.
    """

    before: SpecialUniques
    after: SpecialUniques | None
    records: IntArray
    most: int

    def statement(self) -> Statement:
        n = 0 if self.after is None else self.after.n_special
        largest = self.before.largest
        if not n:
            text = ngettext(
                "No kept record is unique in one column.",
                "No kept record is unique in a set of up to {largest} columns.",
                largest,
            )
            return Statement(text.format(largest=largest), "ok")
        text = ngettext(
            "{n} kept record is unique in a set of up to {largest} columns.",
            "{n} kept records are unique in a set of up to {largest} columns.",
            n,
        )
        caption = _("{n} in the input").format(n=as_exact_count(self.before.n_special))
        if self.after is not None and self.after.dis is not None:
            caption = _("{caption}; a unique match is correct with {share}").format(
                caption=caption, share=as_risk(self.after.dis)
            )
        return Statement(text.format(n=as_exact_count(n), largest=largest), "warn", caption)

    def blocks(self) -> tuple[Block, ...]:
        """Return the contributions of columns, and the kept records of highest score."""
        after = {} if self.after is None else self.after.contributions
        rows: list[tuple[Figure, ...]] = [
            (name, _known(share), _known(after.get(name)))
            for name, share in self.before.contributions.items()
        ]
        has_share = self.after is not None and self.after.dis is not None
        return (
            FigureTable("special_columns", _("Contribution of columns"), _COLUMNS, tuple(rows)),
            FigureTable(
                "special_records",
                _("Special uniques of highest score"),
                _RECORDS if has_share else (*_RECORDS[:2], _RECORDS[3]),
                self._listed(),
                is_by_record=True,
            ),
        )

    def _listed(self) -> tuple[tuple[Figure, ...], ...]:
        found = self.after
        if found is None:
            return ()
        order = np.lexsort((self.records, -found.scores))[: min(self.most, found.n_special)].tolist()
        success, rows = found.dis_suda, []
        for place, record in enumerate(order):
            sets = found.sets_of(record) if place < _SETS_LISTED else None
            words = None if sets is None else "; ".join(", ".join(names) for names in sets)
            share = () if success is None else (float(success[record]),)
            rows.append((int(self.records[record]) + 1, float(found.scores[record]), *share, words))
        return tuple(rows)


def _known(share: float | None) -> float | None:
    return None if share is None or np.isnan(share) else share


_SHARE = N_("Share of all scores due to unique sets with the column; shares overlap.")
_COLUMNS = (
    FigureColumn("column", N_("Column")),
    FigureColumn("input", N_("Input"), SHARE, _SHARE),
    FigureColumn("release", N_("Release"), SHARE, _SHARE),
)
_RECORDS = (
    FigureColumn("record", N_("Record"), explanation=N_("Position in the input, from 1.")),
    FigureColumn("score", N_("Score"), explanation=N_("High if the record is unique in many small sets.")),
    FigureColumn(
        "success", "DIS-SUDA", SHARE, N_("Probability that a match is correct, at the sampling fraction.")
    ),
    FigureColumn(
        "sets",
        N_("Minimal unique sets"),
        explanation=N_("Sets of columns in which the record is unique, and in none of their parts."),
    ),
)


@risk_analyses.register("special_uniques")
@dataclass(frozen=True, slots=True)
class SpecialUniquesAnalysis(Analysis):
    """Find the records that are unique in few columns (SUDA2 [1]_, [2]_).

    References
    ----------
    .. [1] Elliot, Manning, Ford (2002). A Computational Algorithm for Handling the Special Uniques Problem.
       International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 493-509.
    .. [2] Manning, Haglin, Keane (2008). A Recursive Search Algorithm for Statistical Disclosure Assessment.
       Data Mining and Knowledge Discovery 16(2), 165-196.
    """

    title: ClassVar[str] = lazy("Special uniques")
    summary: ClassVar[str] = lazy(
        "Records that are unique in few columns, and these columns. Their people are likely to be unique in "
        "the population too."
    )
    reading: ClassVar[str] = lazy(
        "A minimal unique set is a set of columns in which a record is unique, and in none of its parts. The "
        "score of a record counts its sets, small ones most, so that it compares the records of one table "
        "only. The contribution of a column is the share of all scores due to sets with it; contributions "
        "add to more than 100 %. DIS is the probability that a unique match is correct, and DIS-SUDA its "
        "share for a record; both need a sampling fraction, from the weights or the population. Missing "
        "counts as a value."
    )
    source: ClassVar[str] = lazy("Elliot, Manning and Ford 2002")
    is_costly: ClassVar[bool] = True
    needs_records: ClassVar[bool] = True

    largest: int = param(
        3,
        Integer(
            minimum=1,
            maximum=10,
            label=N_("Up to"),
            help=N_("Columns of the largest sets; 3 is usual. Larger sets take longer."),
            usual=(2, 3, 4),
        ),
    )
    most: int = records_listed(N_("The records of highest score; all are counted."))

    def why_not_counted(self, subject: Subject) -> str:
        if subject.tuples is not None and not subject.counts_people:
            return ""  # only tuples of one record are unique
        return Analysis.why_not_counted(self, subject)

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> SpecialUniquesFound:
        self.refuse_impossible(subject)
        if subject.counts_people:
            subject, _unused = sampled(subject, monitor=monitor)
        rows = _rows(subject)
        names, kept = subject.quasi_identifying, subject.kept[rows]
        persons = subject.release.problem.repeated
        numbers = None if persons is None else persons.numbers.astype(np.int64)
        fraction = _fraction(subject)
        own = [_of(subject.given_input.table.column(name), rows) for name in names]
        before = special_uniques_of(
            own,
            subject.input_labels[rows],
            numbers,
            largest=self.largest,
            sampling_fraction=fraction,
            monitor=PartMonitor(monitor, 0, 2),
        )
        after = None
        records = rows[kept]
        if len(records):
            part = PartMonitor(monitor, 1, 2)
            part.step(0, 1, _(TEXT))
            released = [_of(_released(subject, name), records) for name in names]
            part.step(0, 1, _(TEXT))
            labels = class_labels([c.codes for c in released], [len(c.labels) for c in released])[0]
            after = special_uniques_of(
                released,
                labels,
                None if numbers is None else numbers[kept],
                largest=self.largest,
                sampling_fraction=fraction,
                monitor=part,
            )
            if subject.tuples is not None:
                is_special = np.zeros(len(subject.kept), dtype=np.bool_)
                is_special[records[after.scores > 0]] = True
                records = subject.tuples.first_records(is_special, _(TEXT), monitor)[records]
        return SpecialUniquesFound(before, after, records, self.most)


def _rows(subject: Subject) -> IntArray:
    """Return the rows that are compared: all; of equal records in files three, since more change nothing."""
    counts = subject.input.counts
    n_rows = len(subject.kept)
    return np.arange(n_rows) if counts is None else np.repeat(np.arange(n_rows), np.minimum(counts, 3))


def _of(column: Column, rows: IntArray) -> Column:
    if column.records is None and len(rows) == len(column.codes):
        return column
    return replace(column, records=None).take(rows)


def _released(subject: Subject, name: str) -> Column:
    column = subject.released(name)
    assert column is not None, "quasi-identifying columns are released"
    return column


def _fraction(subject: Subject) -> float | None:
    """Return the sampling fraction: by the weights, or else by the population; None if unknown."""
    name = subject.project.weight
    if name is not None and not why_no_weights(subject.input.column(name)):
        return fraction_of(weights_of_rows(subject.input.column(name)), subject.n_records)
    return subject.release.problem.sampling_fraction
