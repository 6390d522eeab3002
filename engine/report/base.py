"""Sections of a report and their order."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from engine.assessment.base import Analysis, all_analyses
from engine.findings.blocks import Block
from engine.monitor import SILENT, Monitor
from engine.params import Configurable
from engine.registry import Registry
from engine.words import N_


class ReportSection(Configurable):
    """Section of a report; omitted if it has no blocks.

    A section for the public is built only from publishable values; nothing is added that would have to be
    removed later.

    Attributes
    ----------
    title : str
    place : int
        Position among the sections, in ascending order.
    is_of_releases : bool
        Whether files anonymized elsewhere have no such section.
    is_of_settings : bool
        Whether its public form follows from the settings alone. No other section is published if records
        are drawn at random: differential privacy covers only the released file.
    """

    __slots__ = ()
    place: ClassVar[int]
    is_of_releases: ClassVar[bool] = False
    is_of_settings: ClassVar[bool] = False

    @abstractmethod
    def blocks(self, material: Any, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        """Return the blocks for a `ReportInput`, or a `ReportedRelease` if only releases have them."""


report_sections: Registry[ReportSection] = Registry("engine.report.sections", N_("report section"))


def in_order() -> list[ReportSection | Analysis]:
    """Return all sections in report order, with the analyses that have their own section."""
    places: list[tuple[int, type[ReportSection | Analysis]]] = [
        (kind.place, kind) for kind in report_sections.values()
    ]
    places += [(kind.report_place, kind) for kind in all_analyses() if kind.report_place is not None]
    return [kind() for _, kind in sorted(places, key=lambda entry: entry[0])]
