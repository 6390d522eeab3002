"""Individual, global and household risk of a weighted sample, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.findings.base import Analysis, TableAnalysis, risk_analyses
from engine.findings.blocks import SHARE, Block, Figure, FigureColumn, FigureTable, Findings, Statement, Tone
from engine.findings.given_table import GivenTable
from engine.findings.risk.declared import records_listed, risk_threshold
from engine.findings.risk.survey import REPEATED, SurveyRisk, survey_of_given, survey_risk_of
from engine.findings.subject import AnySubject, Subject
from engine.frequency.population import weights_of_records, why_no_weights
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_decimal, as_risk
from engine.params import Flag, param
from engine.records import Column
from engine.words import N_, _, lazy


@dataclass(frozen=True, eq=False)
class SurveyRiskFound(Findings):
    """Risks of the records of input and release.

    Attributes
    ----------
    before : SurveyRisk or None
        All records, by the classes of the input; None for a given table.
    after : SurveyRisk or None
        Kept records, by the classes of the release; None if none is kept.
    records : ndarray of int64, shape (n_listed,)
        Number of the kept records of highest risk in the input, counted from 0.
    rows : ndarray of int64, shape (n_listed,)
        Their rows in `after`.
    """

    before: SurveyRisk | None
    after: SurveyRisk | None
    records: IntArray
    rows: IntArray

    def statement(self) -> Statement:
        found = self.after
        if found is None:
            return Statement(_("No record is kept, so none can be re-identified by weights."), "ok")
        tone: Tone = "warn" if found.n_at_risk else "ok"
        text = _(
            "Of the people in the release, {expected} are expected to be re-identified; the highest "
            "individual risk is {highest}."
        ).format(expected=as_decimal(found.expected_reidentifications), highest=as_risk(found.highest))
        return Statement(text, tone, _("global risk {share}").format(share=as_risk(found.global_risk)))

    def blocks(self) -> tuple[Block, ...]:
        """Return the values of both sides, and the kept records of highest risk."""
        return (
            FigureTable("survey_risk", _("Survey risk"), _VALUES, tuple(self._values())),
            FigureTable(
                "survey_records",
                _("Kept records of highest individual risk"),
                _RECORDS
                if self.after is not None and self.after.household_risks is not None
                else _RECORDS[:-1],
                self._listed(),
                is_by_record=True,
            ),
        )

    def _values(self) -> list[tuple[Figure, ...]]:
        sides = [side for side in (self.before, self.after) if side is not None]
        facts = [{fact.key: fact for fact in side.facts()} for side in sides]
        return [
            (
                fact.title,
                None if self.before is None else facts[0][key].value,
                None if self.after is None else facts[-1][key].value,
                fact.explanation,
            )
            for key, fact in facts[-1].items()
        ]

    def _listed(self) -> tuple[tuple[Figure, ...], ...]:
        found = self.after
        if found is None:
            return ()
        columns = [
            (self.records + 1).tolist(),
            found.sizes[self.rows].tolist(),
            found.people[self.rows].tolist(),
            found.risks[self.rows].tolist(),
        ]
        if found.household_risks is not None:
            columns.append(found.household_risks[self.rows].tolist())
        return tuple(zip(*columns, strict=True))


_VALUES = (
    FigureColumn("value", N_("Value")),
    FigureColumn("input", N_("Input")),
    FigureColumn("release", N_("Release")),
    FigureColumn("meaning", N_("Meaning")),
)
_RECORDS = (
    FigureColumn("record", N_("Record"), explanation=N_("Position in the input, from 1.")),
    FigureColumn("class_size", N_("Class"), N_("records"), N_("Number of equal records in the release.")),
    FigureColumn(
        "people",
        N_("People"),
        explanation=N_("People of the population in the class: the sum of its weights."),
    ),
    FigureColumn(
        "risk", N_("Individual risk"), SHARE, N_("Probability that a match in the population is correct.")
    ),
    FigureColumn(
        "household_risk",
        N_("Household risk"),
        SHARE,
        N_("Probability that any record of the household is matched correctly."),
    ),
)


@risk_analyses.register("survey_risk")
@dataclass(frozen=True, slots=True)
class SurveyRiskAnalysis(TableAnalysis):
    """Estimate the risk of the records of a weighted sample [1]_, [2]_.

    References
    ----------
    .. [1] Benedetti, Franconi (1998). Statistical and Technological Solutions for Controlled Data
       Dissemination. Pre-proceedings of New Techniques and Technologies for Statistics, 225-232.
    .. [2] Franconi, Polettini (2004). Individual Risk Estimation in mu-Argus: A Review. LNCS 3050.
    """

    title: ClassVar[str] = lazy("Survey risk")
    summary: ClassVar[str] = lazy(
        "Risk that records of a weighted survey are matched with the right people of the population: of "
        "each record, of all together, and of households."
    )
    reading: ClassVar[str] = lazy(
        "The sum of the weights of a class estimates the people of the population who match its records. "
        "The individual risk is the mean of 1 divided by their number; 1 to 10 % is usual for survey data. "
        "Global risk is its mean over records. A household is at risk if any of its records is, which "
        "gives large households a higher risk; the risks of its records are taken as independent. Suppressed "
        "records are excluded."
    )
    source: ClassVar[str] = lazy("Franconi and Polettini 2004")
    needs_records: ClassVar[bool] = True

    threshold: float = risk_threshold()
    exact: bool = param(
        False,
        Flag(
            label=N_("Exact"),
            help=N_("Use the exact mean for classes of 3 and more records instead of the approximation."),
        ),
    )
    most: int = records_listed(N_("The records of highest risk; all are counted."))

    def why_not_counted(self, subject: Subject) -> str:
        return "" if subject.tuples is not None else Analysis.why_not_counted(self, subject)

    def why_not(self, subject: AnySubject) -> str:
        if isinstance(subject, GivenTable):
            return _(REPEATED) if subject.repeated is not None else ""
        if reason := self.why_not_counted(subject):
            return reason
        name = subject.project.weight
        if name is None:
            return _("No column has survey weights. Choose one in Configure transformation.")
        if subject.counts_people:
            return _(REPEATED)
        return why_no_weights(subject.input.column(name))

    def run(self, subject: AnySubject, monitor: Monitor = SILENT) -> SurveyRiskFound:
        nothing = np.zeros(0, dtype=np.int64)
        if isinstance(subject, GivenTable):
            exact, threshold = self.exact, self.threshold
            found = survey_of_given(subject, exact=exact, threshold=threshold, monitor=monitor)
            return SurveyRiskFound(None, found, nothing, nothing)
        self.refuse_impossible(subject)
        project, kept = subject.project, subject.kept
        assert project.weight is not None, "without weights it is not possible"
        monitor.step(0, 2, _("Measuring the input"))
        weights = weights_of_records(subject.input.column(project.weight))
        home = None if project.household is None else subject.input.column(project.household)
        counts = subject.input.counts
        before = self._measured(subject.input_labels, weights, home, counts)
        if not kept.any():
            return SurveyRiskFound(before, None, nothing, nothing)
        monitor.step(1, 2, _("Measuring the release"))
        after = self._measured(
            subject.release.labels[kept],
            weights[kept],
            None if home is None else home.take(kept),
            None if counts is None else counts[kept],
        )
        rows = np.flatnonzero(kept)
        if subject.tuples is None:
            order = np.argsort(-after.risks, kind="stable")[: self.most]
            return SurveyRiskFound(before, after, rows[order], order)
        risks = np.zeros(len(kept))
        risks[rows] = -after.risks
        text = _("Sorting records by risk")
        records = subject.tuples.best_records(risks, kept, self.most, text, PartMonitor(monitor, 1, 2))
        return SurveyRiskFound(before, after, records, np.searchsorted(rows, subject.tuples.of(records)))

    def _measured(
        self, labels: IntArray, weights: FloatArray, home: Column | None, counts: Counts | None
    ) -> SurveyRisk:
        return survey_risk_of(
            labels, weights, home, counts=counts, exact=self.exact, threshold=self.threshold
        )
