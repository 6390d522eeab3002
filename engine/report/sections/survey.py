"""Survey weights: what they stand for, and the individual, global and household risk."""

from __future__ import annotations

from collections.abc import Iterator

from engine.assessment.risk.survey_risk import SurveyRiskAnalysis, SurveyRiskFound
from engine.findings.blocks import Block, Fact, Facts, Paragraph
from engine.monitor import SILENT, Monitor
from engine.report.material.reported import ReportInput
from engine.words import _


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the risk of the records of a weighted sample."""
    weight, household = material.subject.weight, material.subject.household
    if not weight:
        return
    words = _(
        "The column '{weight}' has the weights of the records: each stands for as many people of the "
        "population."
    )
    yield Paragraph(words.format(weight=weight))
    if material.settings.is_public:
        yield Paragraph(_("Risks by weights are only in the internal report."), "note")
        return
    analysis = SurveyRiskAnalysis(threshold=material.settings.accepted_risk)
    found = material.found(analysis, monitor)
    if not isinstance(found, SurveyRiskFound) or found.after is None:
        yield Paragraph(material.why_not(analysis) if found is None else found.statement().sentence)
        return
    facts = [Fact("weight", _("Column of weights"), weight), *found.after.facts()]
    facts += [Fact("household", _("Column of households"), household)] if household else []
    yield Facts("survey", "", tuple(facts))
    yield Paragraph(analysis.reading, "note")
