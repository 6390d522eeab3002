"""Signatures of the persons responsible for the release."""

from __future__ import annotations

from collections.abc import Iterator

from engine.findings.blocks import Block, Paragraph, Signatures
from engine.monitor import SILENT, Monitor
from engine.report.material.reported import ReportedRelease, ReportInput
from engine.words import _


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield lines to sign on."""
    words = _("I have read this report, which describes the file named in it.")
    if isinstance(material, ReportedRelease):
        words = _(
            "I have read this report. The release it describes may be handed over for the stated purpose."
        )
    author = material.settings.author.strip()
    yield Paragraph(words)
    yield Signatures((author or _("Prepared by"), _("Approved by")))
