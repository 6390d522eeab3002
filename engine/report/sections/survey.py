"""Survey weights: what they stand for, and the individual, global and household risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.assessment.risk.survey_risk import SurveyRiskAnalysis, SurveyRiskFound
from engine.findings.blocks import Block, Fact, Facts, Paragraph
from engine.monitor import SILENT, Monitor
from engine.report.base import ReportSection, report_sections
from engine.report.report_input import ReportInput
from engine.words import _, lazy


@report_sections.register("survey")
@dataclass(frozen=True, slots=True)
class Survey(ReportSection):
    """Risk of the records of a weighted sample."""

    title: ClassVar[str] = lazy("Survey weights")
    place: ClassVar[int] = 112

    def blocks(self, material: ReportInput, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        weight, household = material.subject.weight, material.subject.household
        if not weight:
            return ()
        words = _(
            "The column '{weight}' has the weights of the records: each stands for as many people of the "
            "population."
        )
        blocks: list[Block] = [Paragraph(words.format(weight=weight))]
        if material.settings.is_public:
            return (*blocks, Paragraph(_("Risks by weights are only in the internal report."), "note"))
        analysis = SurveyRiskAnalysis(threshold=material.settings.accepted_risk)
        found = material.found(analysis, monitor)
        if found is None:
            return (*blocks, Paragraph(material.why_not(analysis)))
        assert isinstance(found, SurveyRiskFound), "as the analysis returns"
        if found.after is None:
            return (*blocks, Paragraph(found.statement().sentence))
        facts = [Fact("weight", _("Column of weights"), weight), *found.after.facts()]
        facts += [Fact("household", _("Column of households"), household)] if household else []
        return (*blocks, Facts("survey", "", tuple(facts)), Paragraph(analysis.reading, "note"))
