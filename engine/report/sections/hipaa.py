"""Columns that look like the identifiers HIPAA's Safe Harbor names, for those who may see the input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.assessment.risk.hipaa import HipaaFound
from engine.monitor import SILENT, Monitor
from engine.report.base import ReportSection, report_sections
from engine.report.content import Block, Paragraph
from engine.report.material import ReleaseMaterial


@report_sections.register("hipaa")
@dataclass(frozen=True, slots=True)
class HipaaSection(ReportSection):
    """The identifiers of Safe Harbor."""

    title: ClassVar[str] = "HIPAA identifiers"
    place: ClassVar[int] = 45

    def of_release(self, material: ReleaseMaterial, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        """See `ReportSection.of_release`."""
        if material.settings.is_public:
            return ()  # what was found in the values of a column may quote them
        analysis = material.analysis("hipaa")
        found = material.found(analysis, monitor)
        if not isinstance(found, HipaaFound):
            return ()
        tables = [table for table in found.tables() if table.rows]
        return (Paragraph(found.sentence), *tables, Paragraph(analysis.reading, "note"))
