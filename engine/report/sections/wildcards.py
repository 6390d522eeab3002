"""Cells that could be anything: values with wildcards beside those as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.assessment.risk.wildcards import CAUTION
from engine.findings.blocks import Block, Paragraph
from engine.monitor import SILENT, Monitor
from engine.report.base import ReportSection, report_sections
from engine.report.report_input import ReportedRelease, ReportInput
from engine.words import _, lazy


@report_sections.register("wildcards")
@dataclass(frozen=True, slots=True)
class WildcardSection(ReportSection):
    """The second reading of starred or missing cells; the claims of a release are never made of it."""

    title: ClassVar[str] = lazy("Wildcards")
    place: ClassVar[int] = 116

    def blocks(self, material: ReportInput, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        if isinstance(material, ReportedRelease):
            words = _(
                "Some stars of this release are in single cells. If a star could be anything, records have "
                "these values; the release itself was made and verified with stars as values."
            )
        elif material.wildcards is not None:
            words = _("Cells that could be anything: {wildcards}.").format(wildcards=material.wildcards.words)
            if material.settings.is_public:
                note = _("Values with wildcards are only in the internal report.")
                return (Paragraph(words), Paragraph(note, "note"))
        if material.settings.is_public or (found := material.read_with_wildcards(monitor)) is None:
            return ()
        return (Paragraph(words), *found.blocks(), Paragraph(_(CAUTION), "note"))
