"""Why the report was written, for whom, and what its audience is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.monitor import SILENT, Monitor
from engine.report.base import ReportSection, report_sections
from engine.report.content import Block, Fact, Facts, Paragraph, ReportSettings
from engine.report.material import FileMaterial, ReleaseMaterial
from engine.words import N_, _, lazy

NOT_GIVEN = N_("not given")


@report_sections.register("purpose")
@dataclass(frozen=True, slots=True)
class Purpose(ReportSection):
    """Purpose, recipient, author and audience."""

    title: ClassVar[str] = lazy("Purpose and recipient")
    place: ClassVar[int] = 10

    def of_release(self, material: ReleaseMaterial, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        return _blocks(material.settings, material.disclosure.hides_kept)

    def of_file(self, material: FileMaterial, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        return _blocks(material.settings, material.disclosure.hides_kept)


def _blocks(settings: ReportSettings, hides_kept: bool) -> tuple[Block, ...]:
    audience = "everybody" if settings.is_public else _("those who may see the input")
    facts = (
        Fact("purpose", _("Purpose"), settings.purpose.strip() or _(NOT_GIVEN)),
        Fact("recipient", _("Recipient"), settings.recipient.strip() or _(NOT_GIVEN)),
        Fact("author", _("Answered for by"), settings.author.strip() or _(NOT_GIVEN)),
        Fact("audience", _("Written for"), audience),
    )
    return (Facts("purpose", "", facts), Paragraph(_told(settings, hides_kept), "note"))


def _told(settings: ReportSettings, hides_kept: bool) -> str:
    if not settings.is_public:
        return _(
            "This report names values of the input, small groups and the recipe. It is as confidential as "
            "the input itself; a report for the public can be written instead."
        )
    few = _("fewer than {threshold}").format(threshold=settings.threshold)
    words = _(
        "Counts of {few} people are not told, nor what they could be worked out of: a count "
        "is also withheld where the rest of a known total is that small, and so is a share "
        "of such a total. Distributions are told in groups joined until each has that many "
        "records. Figures made of all records are rounded to a step of at least {threshold} "
        "records, and to three digits. No value of the data, no single record or class, and "
        "no recipe is in this report."
    ).format(few=few, threshold=settings.threshold)
    if hides_kept:
        words += _(
            " As {few} records are suppressed, or kept, nothing is told of classes but the "
            "smallest one and the values of the models: average risks, records at risk, utility "
            "and the rest are left out."
        ).format(few=few)
    return words
