"""Signatures of the persons responsible for the release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.findings.blocks import Block, Paragraph, Signatures
from engine.monitor import SILENT, Monitor
from engine.report.base import ReportSection, report_sections
from engine.report.content import ReportSettings
from engine.report.report_input import ReportedFile, ReportedRelease
from engine.words import _, lazy


@report_sections.register("signing")
@dataclass(frozen=True, slots=True)
class Signing(ReportSection):
    """Lines to sign on."""

    title: ClassVar[str] = lazy("Signatures")
    place: ClassVar[int] = 180
    is_of_settings: ClassVar[bool] = True

    def of_release(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        words = _(
            "I have read this report. The release it describes may be handed over for the stated purpose."
        )
        return _blocks(material.settings, words)

    def of_file(self, material: ReportedFile, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        return _blocks(material.settings, _("I have read this report, which describes the file named in it."))


def _blocks(settings: ReportSettings, words: str) -> tuple[Block, ...]:
    author = settings.author.strip()
    return (Paragraph(words), Signatures((author or _("Prepared by"), _("Approved by"))))
