"""Attack test: risks above the control group with their intervals, and the settings of the test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.assessment.risk.attack_test import AttackTest, AttackTestFound
from engine.findings.blocks import Block, Paragraph
from engine.monitor import SILENT, Monitor
from engine.report.base import ReportSection, report_sections
from engine.report.report_input import ReportedRelease
from engine.words import _, lazy


@report_sections.register("attack_test")
@dataclass(frozen=True, slots=True)
class AttackTestSection(ReportSection):
    """The attack test of the project, if it has one; a rate of success alone is never reported."""

    title: ClassVar[str] = lazy("Attack test")
    place: ClassVar[int] = 122
    is_of_releases: ClassVar[bool] = True

    def blocks(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        if material.project.attack_test is None:
            return ()
        if material.settings.is_public:
            words = _("A test release was attacked, and people outside it for comparison.")
            return (Paragraph(words), Paragraph(_("The result is only in the internal report."), "note"))
        analysis = AttackTest.of_project(material.project)
        found = material.found(analysis, monitor)
        if found is None:
            return (Paragraph(analysis.summary), Paragraph(material.why_not(analysis)))
        assert isinstance(found, AttackTestFound), "as the analysis returns"
        risks, settings, _counts = found.tables()
        return (
            Paragraph(found.statement().sentence),
            Paragraph(found.basis),
            risks,
            settings,
            Paragraph(analysis.reading, "note"),
        )
