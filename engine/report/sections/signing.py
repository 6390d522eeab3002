"""Signatures of the persons responsible for the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.findings.blocks import Block, Paragraph, Signatures
from engine.monitor import SILENT, Monitor
from engine.report.base import ReportSection, report_sections
from engine.report.report_input import ReportedRelease, ReportInput
from engine.words import _, lazy


@report_sections.register("signing")
@dataclass(frozen=True, slots=True)
class Signing(ReportSection):
    """Lines to sign on."""

    title: ClassVar[str] = lazy("Signatures")
    place: ClassVar[int] = 180
    is_of_settings: ClassVar[bool] = True

    def blocks(self, material: ReportInput, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        words = _("I have read this report, which describes the file named in it.")
        if isinstance(material, ReportedRelease):
            words = _(
                "I have read this report. The release it describes may be handed over for the stated purpose."
            )
        author = material.settings.author.strip()
        return (Paragraph(words), Signatures((author or _("Prepared by"), _("Approved by"))))
