"""People with several records: how many, who loses records, and what several records of one give away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.findings.blocks import Block, Fact, Facts, Figure, FigureColumn, FigureTable, Paragraph
from engine.monitor import SILENT, Monitor
from engine.recoding import Release
from engine.recoding.persons import ReleasePersons
from engine.report.base import ReportSection, report_sections
from engine.report.disclosure import WITHHELD, Disclosure
from engine.report.report_input import ReportedFile, ReportedRelease
from engine.words import _, lazy


@report_sections.register("persons")
@dataclass(frozen=True, slots=True)
class Persons(ReportSection):
    """People of the release."""

    title: ClassVar[str] = lazy("People")
    place: ClassVar[int] = 95

    def of_release(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        release, disclosure = material.release, material.disclosure
        persons = release.persons
        if persons is None:
            return ()
        n_people, column = persons.n_persons, persons.persons.column
        words = _(
            "Records with the same value of '{column}' belong to one person. Risks and models count people; "
            "utility counts records."
        ).format(column=column)
        affected = disclosure.count(persons.affected, n_people)
        if disclosure.is_small(release.n_suppressed - persons.affected):
            affected = WITHHELD
        lost = disclosure.count(persons.lost, n_people)
        if disclosure.is_small(persons.affected - persons.lost):
            lost = WITHHELD
        facts = (
            Fact("person", _("Person column"), column),
            Fact(
                "persons", _("People of the input"), disclosure.count(n_people, release.n_records), "people"
            ),
            Fact("affected", _("Lose a record"), affected, "people"),
            Fact("lost", _("Lose all records"), lost, "people"),
            Fact("k", _("Fewest people in a class (k)"), disclosure.size(release.k), "people"),
            Fact(
                "k_records", _("Fewest records in a class"), disclosure.size(persons.k_of_records), "records"
            ),
        )
        blocks: list[Block] = [Paragraph(words), Facts("persons", "", facts)]
        if release.requirement.whole_persons:
            blocks.append(
                Paragraph(_("A person who loses one record loses all of them, as the recipe requires."))
            )
        links = release.links
        if not links.tell_persons_apart:
            words = _("Neither a code nor the order shows which records belong to one person.")
            return (*blocks, Paragraph(words, "note"))
        blocks += _chained(persons, release, disclosure)
        return tuple(blocks)

    def of_file(self, material: ReportedFile, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        given, disclosure = material.judged, material.disclosure
        if not given.person:
            return ()
        classes = given.classes.measured
        words = _(
            "Records with the same value of '{person}' belong to one person. Risks and models count people; "
            "utility counts records."
        ).format(person=given.person)
        facts = (
            Fact("person", _("Person column"), given.person),
            Fact("persons", _("People"), disclosure.count(given.n_people, given.n_records), "people"),
            Fact("k", _("Fewest people in a class (k)"), disclosure.size(int(classes.sizes.min())), "people"),
            Fact(
                "k_records",
                _("Fewest records in a class"),
                disclosure.size(int(classes.records.min())),
                "records",
            ),
        )
        return (Paragraph(words), Facts("persons", "", facts))


def _chained(persons: ReleasePersons, release: Release, disclosure: Disclosure) -> tuple[Block, ...]:
    """Linkage by several records of one person, and the suggested change."""
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
    blocks: list[Block] = [Paragraph(warning, "strong"), FigureTable("chained", "", columns, rows)]
    if release.k is not None and persons.why_not_chained:
        blocks.append(Paragraph(persons.why_not_chained))
    return tuple(blocks)
