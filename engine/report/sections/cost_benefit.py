"""Cost and benefit: the sums of money, what the publisher keeps, and the classes worth an attack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.assessment.risk.cost_benefit import CostBenefit, CostBenefitFound, payout_of
from engine.findings.blocks import Block, Fact, Facts, Paragraph
from engine.monitor import SILENT, Monitor
from engine.report.base import ReportSection, report_sections
from engine.report.report_input import ReportedRelease
from engine.words import _, lazy


@report_sections.register("cost_benefit")
@dataclass(frozen=True, slots=True)
class CostBenefitSection(ReportSection):
    """What records pay, and what attacks cost."""

    title: ClassVar[str] = lazy("Cost and benefit")
    place: ClassVar[int] = 114
    is_of_releases: ClassVar[bool] = True

    def blocks(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        if payout_of(material.subject) is None:
            return ()
        words = Paragraph(_("The release weighs what a record pays against what an attack on it costs."))
        if material.settings.is_public:
            return (words, Paragraph(_("What the publisher keeps is only in the internal report."), "note"))
        analysis, disclosure = CostBenefit(), material.disclosure
        found = material.found(analysis, monitor)
        if found is None:
            return (words, Paragraph(material.why_not(analysis)))
        assert isinstance(found, CostBenefitFound), "as the analysis returns"
        report = found.report
        attacked = disclosure.count(report.records_attacked, report.n_records)
        facts = (
            Fact("kept", _("Publisher keeps"), report.total),
            Fact("most", _("At most"), report.most),
            Fact("unchanged", _("Published unchanged"), report.unchanged),
            Fact("damage", _("Expected damage of attacks"), report.damage),
            Fact("attacked_classes", _("Classes worth an attack"), report.n_attacked, "classes"),
            Fact("attacked_records", _("Records worth an attack"), attacked, "records"),
            Fact("benefit", _("Benefit of a record"), report.payout.benefit),
            Fact("loss", _("Damage of a re-identification"), report.payout.loss),
            Fact("gain", _("Attacker's gain"), report.payout.gain),
            Fact("cost", _("Attacker's cost"), report.payout.cost),
        )
        note = report.warning() or analysis.reading
        return (words, Facts("cost_benefit", "", facts), Paragraph(note, "note"))
