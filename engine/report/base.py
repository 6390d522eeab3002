"""What a section of a report is, and what stands in a report in which order."""

from __future__ import annotations

from typing import ClassVar

from engine.assessment.base import Analysis, all_analyses
from engine.monitor import SILENT, Monitor
from engine.params import Configurable
from engine.registry import Registry
from engine.report.content import Block
from engine.report.report_input import ReportedFile, ReportedRelease
from engine.words import N_


class ReportSection(Configurable):
    """Writes one part of a report; a part without blocks is left out.

    A section for the public is written from what may be told, one thing after another: nothing is put in
    that would have to be taken out.

    Attributes
    ----------
    title : str
    place : int
        Sections stand in the order of these numbers.
    """

    __slots__ = ()
    place: ClassVar[int]

    def of_release(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        """Write it of a release."""
        return ()

    def of_file(self, material: ReportedFile, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        """Write it of a file that somebody else made."""
        return ()


report_sections: Registry[ReportSection] = Registry("engine.report.sections", N_("report section"))


def in_order() -> list[ReportSection | Analysis]:
    """All sections as they stand in a report, with the analyses that are a section by themselves."""
    places: list[tuple[int, type[ReportSection | Analysis]]] = [
        (kind.place, kind) for kind in report_sections.values()
    ]
    places += [(kind.report_place, kind) for kind in all_analyses() if kind.report_place is not None]
    return [kind() for _, kind in sorted(places, key=lambda entry: entry[0])]
