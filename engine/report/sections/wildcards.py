"""Cells that could be anything: values with wildcards beside those as values."""

from __future__ import annotations

from collections.abc import Iterator

from engine.assessment.risk.wildcards import CAUTION
from engine.findings.blocks import Block, Paragraph
from engine.monitor import SILENT, Monitor
from engine.report.material.reported import ReportedRelease, ReportInput
from engine.words import _


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the second reading of starred or missing cells; the claims of a release are never made of it."""
    if isinstance(material, ReportedRelease):
        words = _(
            "Some stars of this release are in single cells. If a star could be anything, records have "
            "these values; the release itself was made and verified with stars as values."
        )
    elif material.wildcards is not None:
        words = _("Cells that could be anything: {wildcards}.").format(wildcards=material.wildcards.words)
        if material.settings.is_public:
            yield Paragraph(words)
            yield Paragraph(_("Values with wildcards are only in the internal report."), "note")
    if not material.settings.is_public and (found := material.read_with_wildcards(monitor)) is not None:
        yield Paragraph(words)
        yield from found.blocks()
        yield Paragraph(_(CAUTION), "note")
