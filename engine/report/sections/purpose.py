"""Purpose and recipient of the report, what its readers may see, and who signs it."""

from __future__ import annotations

from collections.abc import Iterator

from engine.findings.blocks import Block, Fact, Facts, Paragraph, Signatures
from engine.findings.settings import ReportSettings
from engine.monitor import SILENT, Monitor
from engine.report.sections.material import ReportedRelease, ReportInput
from engine.words import N_, _

NOT_GIVEN = N_("not given")


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield purpose, recipient, author and audience."""
    settings = material.settings
    audience = _("everyone") if settings.is_public else _("readers who may see the input")
    facts = (
        Fact("purpose", _("Purpose"), settings.purpose.strip() or _(NOT_GIVEN)),
        Fact("recipient", _("Recipient"), settings.recipient.strip() or _(NOT_GIVEN)),
        Fact("author", _("Responsible"), settings.author.strip() or _(NOT_GIVEN)),
        Fact("audience", _("Audience"), audience),
    )
    yield Facts("purpose", "", facts)
    yield Paragraph(_readable(material, settings), "note")


def _readable(material: ReportInput, settings: ReportSettings) -> str:
    if material.hides_data:
        return _("This report describes settings only: no number of it was computed from the data.")
    if not settings.is_public:
        return _(
            "This report contains values of the input, small groups and the recipe. It is as "
            "confidential as the input itself; a public report can be written instead."
        )
    words = _(
        "Counts of fewer than {threshold} people are withheld, as is anything from which they could be "
        "derived: a count is also withheld if the rest of a known total is that small, and "
        "so is a share of such a total. Distributions are shown in groups merged until each "
        "has that many records. Values computed from all records are rounded to a step of at "
        "least {threshold} records, and to three digits. This report contains no value of "
        "the data, no single record or class, and no recipe."
    ).format(threshold=settings.threshold)
    if material.disclosure.hides_kept:
        few = _(
            "Because fewer than {threshold} records are suppressed, or kept, this report shows only the "
            "smallest class and the values of the models. Average risks, records at risk, utility and the "
            "rest are withheld."
        ).format(threshold=settings.threshold)
        return f"{words} {few}"
    return words


def signatures(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield lines to sign on."""
    words = _("I have read this report, which describes the file named in it.")
    if isinstance(material, ReportedRelease):
        words = _(
            "I have read this report. The release it describes may be handed over for the stated purpose."
        )
    author = material.settings.author.strip()
    yield Paragraph(words)
    yield Signatures((author or _("Prepared by"), _("Approved by")))
