"""Number of suppressed records, and the groups that lose most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.assessment.base import analysis_of
from engine.findings.blocks import Block, Fact, Facts, Paragraph
from engine.monitor import SILENT, Monitor
from engine.report.base import ReportSection, report_sections
from engine.report.report_input import ReportedRelease
from engine.words import _, lazy


@report_sections.register("suppressed")
@dataclass(frozen=True, slots=True)
class Suppressed(ReportSection):
    """Suppressed records."""

    title: ClassVar[str] = lazy("Suppressed records")
    place: ClassVar[int] = 90
    is_of_releases: ClassVar[bool] = True

    def blocks(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        release, disclosure = material.release, material.disclosure
        n_records, n_suppressed = release.n_records, release.n_suppressed
        losses = release.losses
        title, unit = (
            (_("People who may lose a record"), "people") if losses.are_people else (_("Allowed"), "records")
        )
        allowed = (title, disclosure.count(losses.allowed), unit)
        facts = (
            Fact("suppressed", _("Suppressed"), disclosure.count(n_suppressed, n_records), "records"),
            Fact(
                "suppressed_share",
                _("Share of the input"),
                disclosure.share(n_suppressed, n_records),
                is_share=True,
            ),
            Fact("allowed", *allowed),
            Fact("kept", _("Kept"), disclosure.count(n_records - n_suppressed, n_records), "records"),
        )
        blocks: list[Block] = [Facts("suppressed", "", facts)]
        group, is_public = release.group_figures, material.settings.is_public
        if words := release.group_words(is_public=is_public):
            blocks.append(Paragraph(words))
        if group is not None and not is_public:
            of_group = [
                Fact("group.cells", _("Their cells"), release.cells),
                Fact("group.records", _("Records as one class"), group["records"], "records"),
                Fact("group.k", _("Size of this class (k)"), group["k"], material.subject.counted.unit),
                Fact("group.held", _("Meets the requirement"), _("yes") if group["held"] else _("no")),
            ]
            for symbol in ("l", "t"):
                for name, value in group[symbol].items():
                    of_group.append(Fact(f"group.{symbol}.{name}", f"{symbol}, {name}", value))
            blocks.append(Facts("group", "", tuple(of_group)))
        if not n_suppressed:
            return (*blocks, Paragraph(_("No record is suppressed.")))
        if material.settings.is_public:
            words = _("Withheld in the public report, because it would describe small groups of the input.")
            return (*blocks, Paragraph(words, "note"))
        analysis = analysis_of("suppressed_groups")
        blocks.append(Paragraph(f"{analysis.summary} {analysis.reading}"))
        tables = [table for table in material.tables(analysis, monitor).values() if table.rows]
        if not tables:
            blocks.append(Paragraph(_("No group of sufficient size loses more than others.")))
        return (*blocks, *tables)
