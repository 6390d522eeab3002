"""Cells that could be anything: values with wildcards beside those as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.assessment.risk.wildcard_reading import WildcardReading, WildcardReadingFound
from engine.assessment.risk.wildcards import CAUTION, WildcardRisk
from engine.findings.blocks import Block, Fact, Facts, Paragraph
from engine.monitor import SILENT, Monitor
from engine.report.base import ReportSection, report_sections
from engine.report.report_input import ReportedFile, ReportedRelease
from engine.words import _, lazy


@report_sections.register("wildcards")
@dataclass(frozen=True, slots=True)
class WildcardSection(ReportSection):
    """The second reading of starred or missing cells; the claims of a release are never made of it."""

    title: ClassVar[str] = lazy("Wildcards")
    place: ClassVar[int] = 116

    def of_release(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        if material.settings.is_public:
            return ()
        found = material.found(WildcardReading(threshold=material.settings.accepted_risk), monitor)
        if found is None:
            return ()
        assert isinstance(found, WildcardReadingFound), "as the analysis returns"
        words = _(
            "Some stars of this release are in single cells. If a star could be anything, records have these "
            "values; the release itself was made and verified with stars as values."
        )
        return (Paragraph(words), *_blocks(found.risk))

    def of_file(self, material: ReportedFile, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        if material.wildcards is None:
            return ()
        words = _("Cells that could be anything: {wildcards}.").format(wildcards=material.wildcards.words)
        if material.settings.is_public:
            note = _("Values with wildcards are only in the internal report.")
            return (Paragraph(words), Paragraph(note, "note"))
        return (Paragraph(words), *_blocks(material.read_with_wildcards(monitor)))


def _blocks(found: WildcardRisk) -> tuple[Block, ...]:
    facts = (
        Fact("records", _("Counted records"), found.n_records, "records"),
        Fact("with_wildcard", _("Records with a wildcard"), found.with_wildcard, "records"),
        Fact("all_star", _("Records of wildcards only"), found.all_star, "records"),
        Fact("match_weight", _("Weight of a match by wildcard"), found.wildcards.match_weight),
    )
    return (
        Facts("wildcards", "", facts),
        *found.tables(),
        Paragraph(_(CAUTION), "note"),
    )
