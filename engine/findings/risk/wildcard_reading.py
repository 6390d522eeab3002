"""Risk of a release with cells of `*`, which readers may take for "could be anything"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import Block, Figure, FigureColumn, FigureTable, Findings, Statement
from engine.findings.risk.declared import (
    all_star_counted,
    match_weight,
    missing_wildcards,
    records_listed,
    risk_threshold,
)
from engine.findings.risk.wildcards import CAUTION, WildcardRisk, Wildcards, whole, wildcards_of_given
from engine.findings.sample import sampled
from engine.findings.subject import Subject
from engine.kernels.arrays import IntArray
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.recoding.transformation import KEPT
from engine.words import N_, _, lazy


@dataclass(frozen=True, eq=False)
class WildcardReadingFound(Findings):
    """Values of a release with wildcards.

    Attributes
    ----------
    risk : WildcardRisk
        Of the records below.
    records : ndarray of int64, shape (n_records,)
        Number of every record in the input, counted from 0.
    most : int
        Records listed.
    """

    risk: WildcardRisk
    records: IntArray
    most: int

    def statement(self) -> Statement:
        return self.risk.statement()

    def blocks(self) -> tuple[Block, ...]:
        """Return both readings, and the records whose size differs most."""
        return (
            *self.risk.blocks(),
            FigureTable(
                "wildcard_records",
                _("Records whose size depends most on wildcards"),
                _RECORDS,
                self._listed(),
                is_by_record=True,
            ),
        )

    def _listed(self) -> tuple[tuple[Figure, ...], ...]:
        sizes, as_values = self.risk.sizes, self.risk.sizes_as_values
        counted = np.flatnonzero(np.nan_to_num(sizes) > as_values)
        order = counted[np.lexsort((as_values[counted], as_values[counted] / sizes[counted]))][: self.most]
        columns = (
            (self.records[order] + 1).tolist(),
            [whole(size) for size in sizes[order].tolist()],
            as_values[order].tolist(),
        )
        return tuple(zip(*columns, strict=True))


_RECORDS = (
    FigureColumn("record", N_("Record"), explanation=N_("Position in the input, from 1.")),
    FigureColumn(
        "size",
        N_("Matches"),
        explanation=N_("Records, or people, that match it; itself too."),
    ),
    FigureColumn("class_size", N_("Class size"), explanation=N_("Size of its class, as values.")),
)


@risk_analyses.register("wildcards")
@dataclass(frozen=True, slots=True)
class WildcardReading(Analysis):
    """Read cells of `*` in a release as wildcards, as sdcMicro and the wildcard model of ARX do."""

    title: ClassVar[str] = lazy("Wildcards")
    summary: ClassVar[str] = lazy(
        "Risk of a release with cells of * if they could be anything: every record matches all those "
        "that agree with it where neither has *."
    )
    reading: ClassVar[str] = lazy(CAUTION)
    source: ClassVar[str] = ""
    needs_records: ClassVar[bool] = True

    threshold: float = risk_threshold()
    missing: bool = missing_wildcards()
    match_weight: float = match_weight()
    count_all_star: bool = all_star_counted()
    most: int = records_listed(N_("The records whose size depends most on wildcards; all are counted."))

    def why_not(self, subject: Subject) -> str:
        if reason := self.why_not_counted(subject) or subject.why_empty:
            return reason
        subject, _unused = sampled(subject)
        cells = self._wildcards().cells(subject.given_release(np.flatnonzero(subject.kept)))
        if not (cells.any(axis=0) & ~cells.all(axis=0)).any():
            return _(
                "No column of this release has * in only some cells, so both readings are the same. "
                "Methods that change levels by record make such cells."
            )
        if cells.all(axis=1).all() and not self.count_all_star:
            return _("Every kept record has only stars, so none is left to match.")
        return ""

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> WildcardReadingFound:
        reading = _("Reading the release")
        monitor.step(0, 3, reading)
        self.refuse_impossible(subject)
        subject, _unused = sampled(subject, monitor=monitor)
        monitor.step(1, 3, reading)
        records = np.flatnonzero(subject.kept)
        if self.count_all_star and subject.release.cells == KEPT:
            records = np.arange(subject.n_records)
        given = subject.given_release(records)
        distances, part = dict(subject.release.distances), PartMonitor(monitor, 2, 3)
        found = wildcards_of_given(
            given, self._wildcards(), threshold=self.threshold, distances=distances, monitor=part
        )
        return WildcardReadingFound(found, records, self.most)

    def _wildcards(self) -> Wildcards:
        missing, weight = self.missing, self.match_weight
        return Wildcards(missing=missing, match_weight=weight, count_all_star=self.count_all_star)
