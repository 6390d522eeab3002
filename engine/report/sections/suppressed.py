"""Number of suppressed records; an analysis of its own has the groups that lose most."""

from __future__ import annotations

from collections.abc import Iterator

from engine.findings.blocks import Block, Fact, Facts, Paragraph
from engine.monitor import SILENT, Monitor
from engine.report.material.reported import ReportedRelease
from engine.words import _


def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield suppressed records."""
    release, disclosure = material.release, material.disclosure
    n_records, n_suppressed = release.n_records, release.n_suppressed
    losses = release.losses
    allowed = (_("Allowed"), losses.allowed, "records")
    if losses.are_people:
        allowed = (_("People who may lose a record"), losses.allowed, "people")
    n_kept = n_records - n_suppressed
    facts = (
        Fact("suppressed", _("Suppressed"), n_suppressed, "records", total=n_records),
        Fact(
            "suppressed_share",
            _("Share of the input"),
            disclosure.share(n_suppressed, n_records),
            is_share=True,
        ),
        Fact("allowed", *allowed),
        Fact("kept", _("Kept"), n_kept, "records", total=n_records),
    )
    yield Facts("suppressed", "", facts)
    group, is_public = release.group_figures, material.settings.is_public
    if words := release.group_words(is_public=is_public):
        yield Paragraph(words)
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
        yield Facts("group", "", tuple(of_group))
    if not n_suppressed:
        yield Paragraph(_("No record is suppressed."))
