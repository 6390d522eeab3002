"""Survey weights: what they stand for, and the individual, global and household risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.assessment.risk.survey_risk import SurveyRiskAnalysis, SurveyRiskFound
from engine.monitor import SILENT, Monitor
from engine.numbers import as_risk_limit
from engine.report.base import ReportSection, report_sections
from engine.report.content import Block, Fact, Facts, Paragraph
from engine.report.report_input import ReportedRelease
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
        words = _(
            "The column '{weight}' has the weights of the records: each stands for as many people of the "
            "population."
        ).format(weight=project.weight)
        if material.settings.is_public:
            return (
                Paragraph(words),
                Paragraph(_("Risks by weights are only in the internal report."), "note"),
            )
        analysis = SurveyRiskAnalysis(threshold=material.settings.accepted_risk)
        found = material.found(analysis, monitor)
        if found is None:
            return (Paragraph(words), Paragraph(material.why_not(analysis)))
        assert isinstance(found, SurveyRiskFound), "as the analysis returns"
        after = found.after
        if after is None:
            return (Paragraph(words), Paragraph(found.statement().sentence))
        limit = as_risk_limit(after.threshold)
        facts = [
            Fact("weight", _("Column of weights"), project.weight),
            Fact("expected", _("Expected re-identifications"), after.expected_reidentifications, "people"),
            Fact("global_risk", _("Global risk"), after.global_risk, is_share=True),
            Fact("highest", _("Highest individual risk"), after.highest, is_share=True),
            Fact(
                "at_risk",
                _("Records with a risk above {limit}").format(limit=limit),
                disclosure.count(after.n_at_risk, after.n_records),
                "records",
            ),
        ]
        if after.household_risks is not None:
            facts += [
                Fact("household", _("Column of households"), project.household or ""),
                Fact("household_global", _("Global household risk"), after.household_global, is_share=True),
                Fact(
                    "household_highest", _("Highest household risk"), after.household_highest, is_share=True
                ),
            ]
        return (Paragraph(words), Facts("survey", "", tuple(facts)), Paragraph(analysis.reading, "note"))
