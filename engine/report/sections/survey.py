"""Survey weights: what they stand for, and the individual, global and household risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.assessment.risk.survey import SurveyRisk, survey_of_given
from engine.assessment.risk.survey_risk import SurveyRiskAnalysis, SurveyRiskFound
from engine.findings.blocks import Block, Fact, Facts, Paragraph
from engine.monitor import SILENT, Monitor
from engine.numbers import as_risk_limit
from engine.report.base import ReportSection, report_sections
from engine.report.disclosure import Disclosure
from engine.report.report_input import ReportedFile, ReportedRelease
from engine.words import _, lazy


@report_sections.register("survey")
@dataclass(frozen=True, slots=True)
class Survey(ReportSection):
    """Risk of the records of a weighted sample."""

    title: ClassVar[str] = lazy("Survey weights")
    place: ClassVar[int] = 112

    def of_release(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        project, disclosure = material.project, material.disclosure
        if project.weight is None:
            return ()
        words = _words(project.weight)
        if material.settings.is_public:
            return words, _only_internal()
        analysis = SurveyRiskAnalysis(threshold=material.settings.accepted_risk)
        found = material.found(analysis, monitor)
        if found is None:
            return words, Paragraph(material.why_not(analysis))
        assert isinstance(found, SurveyRiskFound), "as the analysis returns"
        after = found.after
        if after is None:
            return words, Paragraph(found.statement().sentence)
        facts = _facts(project.weight, project.household or "", after, disclosure)
        return words, facts, _reading()

    def of_file(self, material: ReportedFile, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        given = material.judged
        if not given.weight:
            return ()
        words = _words(given.weight)
        if material.settings.is_public:
            return words, _only_internal()
        found = survey_of_given(given, threshold=material.settings.accepted_risk)
        return words, _facts(given.weight, given.household, found, material.disclosure), _reading()


def _words(weight: str) -> Paragraph:
    words = _(
        "The column '{weight}' has the weights of the records: each stands for as many people of the "
        "population."
    )
    return Paragraph(words.format(weight=weight))


def _only_internal() -> Paragraph:
    return Paragraph(_("Risks by weights are only in the internal report."), "note")


def _reading() -> Paragraph:
    return Paragraph(SurveyRiskAnalysis.reading, "note")


def _facts(weight: str, household: str, risk: SurveyRisk, disclosure: Disclosure) -> Facts:
    limit = as_risk_limit(risk.threshold)
    facts = [
        Fact("weight", _("Column of weights"), weight),
        Fact("expected", _("Expected re-identifications"), risk.expected_reidentifications, "people"),
        Fact("global_risk", _("Global risk"), risk.global_risk, is_share=True),
        Fact("highest", _("Highest individual risk"), risk.highest, is_share=True),
        Fact(
            "at_risk",
            _("Records with a risk above {limit}").format(limit=limit),
            disclosure.count(risk.n_at_risk, risk.n_records),
            "records",
        ),
    ]
    if risk.household_risks is not None:
        facts += [
            Fact("household", _("Column of households"), household),
            Fact("household_global", _("Global household risk"), risk.household_global, is_share=True),
            Fact("household_highest", _("Highest household risk"), risk.household_highest, is_share=True),
        ]
    return Facts("survey", "", tuple(facts))
