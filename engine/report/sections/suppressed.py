"""Suppressed records, and people with several records: who loses some, and what the others give away."""

from __future__ import annotations

from collections.abc import Iterator

from engine.findings.blocks import SHARE, Block, Fact, Facts, Figure, FigureColumn, FigureTable, Paragraph
from engine.findings.disclosure import WITHHELD, Disclosure
from engine.monitor import SILENT, Monitor
from engine.recoding import Release
from engine.report.sections.material import ReportedRelease, ReportInput
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
        Fact("suppressed_share", _("Share of the input"), disclosure.share(n_suppressed, n_records), SHARE),
        Fact("allowed", *allowed, is_of_choice=True),
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


def people(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the people of the release."""
    subject, disclosure = material.subject, material.disclosure
    if not subject.person:
        return
    words = _(
        "Records with the same value of '{column}' belong to one person. Risks and models count people; "
        "utility counts records."
    ).format(column=subject.person)
    after, n_records = subject.after, subject.n_records
    facts = [
        Fact("person", _("Person column"), subject.person),
        Fact("persons", _("People"), subject.n_people, "people", total=n_records),
        *(_lost(material.release, disclosure) if isinstance(material, ReportedRelease) else ()),
        Fact("k", _("Fewest people in a class (k)"), disclosure.size(after.k), "people"),
        Fact("k_records", _("Fewest records in a class"), disclosure.size(after.k_records), "records"),
    ]
    yield Paragraph(words)
    yield Facts("persons", "", tuple(facts))
    if isinstance(material, ReportedRelease):
        yield from _linked(material.release, disclosure)


def _lost(release: Release, disclosure: Disclosure) -> Iterator[Fact]:
    """Yield how many people lose a record, and how many lose all."""
    persons = release.persons
    assert persons is not None, "people are counted"
    total = persons.n_persons
    affected: Figure = persons.affected
    if disclosure.is_small(release.n_suppressed - persons.affected):
        affected = WITHHELD
    lost = WITHHELD if disclosure.is_small(persons.affected - persons.lost) else persons.lost
    yield Fact("affected", _("Lose a record"), affected, "people", total=total)
    yield Fact("lost", _("Lose all records"), lost, "people", total=total)


def _linked(release: Release, disclosure: Disclosure) -> Iterator[Block]:
    """Linkage by several records of one person, and the suggested change."""
    if release.requirement.whole_persons:
        yield Paragraph(_("A person who loses one record loses all of them, as the recipe requires."))
    if not release.links.tell_persons_apart:
        words = _("Neither a code nor the order shows which records belong to one person.")
        yield Paragraph(words, "note")
        return
    persons = release.persons
    assert persons is not None, "people are counted"
    found = (
        (_("one record"), release.k),
        (_("two records"), persons.chained(2)),
        (_("all records"), persons.chained()),
    )
    columns = (
        FigureColumn("known", _("Knowledge about a person")),
        FigureColumn("people", _("Fewest matching people"), "people"),
    )
    rows: list[tuple[Figure, ...]] = [(known, disclosure.size(n)) for known, n in found]
    reason = release.links.reason
    warning = _(
        "{reason}: this links the records of one person. An attacker who knows several of them uses them "
        "together, which no model limits. Drop the code and shuffle the records if too few people match, or "
        "accept this risk."
    ).format(reason=f"{reason[:1].upper()}{reason[1:]}")
    yield Paragraph(warning, "strong")
    yield FigureTable("chained", "", columns, rows)
    if release.k is not None and persons.why_not_chained:
        yield Paragraph(persons.why_not_chained)
