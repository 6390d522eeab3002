"""People with several records: how many, who loses records, and what several records of one give away."""

from __future__ import annotations

from collections.abc import Iterator

from engine.findings.blocks import Block, Fact, Facts, Figure, FigureColumn, FigureTable, Paragraph
from engine.findings.disclosure import WITHHELD, Disclosure
from engine.monitor import SILENT, Monitor
from engine.recoding import Release
from engine.report.material.reported import ReportedRelease, ReportInput
from engine.words import _


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
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
        *(_losses(material.release, disclosure) if isinstance(material, ReportedRelease) else ()),
        Fact("k", _("Fewest people in a class (k)"), disclosure.size(after.k), "people"),
        Fact("k_records", _("Fewest records in a class"), disclosure.size(after.k_records), "records"),
    ]
    yield Paragraph(words)
    yield Facts("persons", "", tuple(facts))
    if isinstance(material, ReportedRelease):
        yield from _linked(material.release, disclosure)


def _losses(release: Release, disclosure: Disclosure) -> Iterator[Fact]:
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
