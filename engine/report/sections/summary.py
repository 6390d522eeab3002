"""The report in short: what can be said of the release, and the figures that matter most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from engine.assessment.base import analysis_of
from engine.assessment.risk.attackers import AttackersFound
from engine.assessment.risk.verdict import Clause, rated, unchanged_clause
from engine.findings.blocks import Block, Fact, Facts, Paragraph
from engine.monitor import SILENT, Monitor
from engine.numbers import as_risk, in_records
from engine.recoding.unchanged import k_words, unchanged_words
from engine.report.base import ReportSection, report_sections
from engine.report.format_value import asked, format_value
from engine.report.report_input import ReportedFile, ReportedRelease
from engine.report.sections.unchanged import told_counts
from engine.words import N_, _, lazy, ngettext

_STARS = N_(
    "Suppressed records are written as rows of * and are in no class. An attacker who "
    "knows that a person is in the table, and who matches no kept class, knows that one "
    "of these rows belongs to that person, with its other cells. Suppressed records that are removed, "
    "or keep their cells only if they meet the requirement, prevent this."
)


@report_sections.register("summary")
@dataclass(frozen=True, slots=True)
class Summary(ReportSection):
    """Key facts for the person who signs."""

    title: ClassVar[str] = lazy("In short")
    place: ClassVar[int] = 20

    def of_release(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        release, disclosure = material.release, material.disclosure
        n_records, n_suppressed = release.n_records, release.n_suppressed
        counted = material.subject.counted
        titles = [
            counted.worded(model, "title")
            if not model.columns
            else _("{model} of '{column}'").format(
                model=counted.worded(model, "title"), column=model.columns[0]
            )
            for model in release.requirement.models
        ]
        asks = map(asked, release.requirement.models)
        required = "; ".join(f"{title}: {what}" for title, what in zip(titles, asks, strict=True))
        met = (
            _("The release meets the requirement.")
            if release.satisfies
            else _("The release does not meet the requirement.")
        )
        highest = None if release.k is None else 1 / release.k
        facts = [
            Fact("records", _("Records of the input"), n_records, "records"),
            Fact("suppressed", _("Suppressed"), disclosure.count(n_suppressed, n_records), "records"),
            Fact(
                "suppressed_share",
                _("Suppressed share"),
                disclosure.share(n_suppressed, n_records),
                is_share=True,
            ),
            Fact("requirement", _("Required"), required or _("nothing")),
            Fact("k", _("Smallest class (k)"), disclosure.size(release.k), counted.unit),
            Fact(
                "highest_risk",
                _("Highest re-identification risk"),
                disclosure.highest(highest),
                "",
                _("Risk of a person known to be among the kept records, by the quasi-identifying columns."),
                is_share=True,
            ),
        ]
        for name, distinct in release.l.items():
            facts.append(
                Fact(f"l.{name}", _("Distinct values of '{name}' (l)").format(name=name), distinct, "values")
            )
        whole = _("Distance of '{name}' from the whole table (t)")
        if material.hides_totals:
            whole = _("Distance of '{name}' from all kept records (t)")
        for name, distance in material.t.items():
            title = whole.format(name=name)
            facts.append(Fact(f"t.{name}", title, disclosure.of_class(distance)))
        facts.append(_verified(material))
        blocks: list[Block] = [
            Paragraph(met, "strong"),
            *_verdict(material, monitor),
            Facts("summary", "", tuple(facts)),
        ]
        if "group" in release.revealed:
            blocks.append(Paragraph(_(_STARS)))
        elif words := release.group_words(is_public=material.settings.is_public):
            blocks.append(Paragraph(words))
        return (*blocks, Paragraph(_rests_on(len(release.problem.names)), "note"))

    def of_file(self, material: ReportedFile, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        given, disclosure = material.judged, material.disclosure
        k = material.models.k
        facts = (
            Fact(
                "judged",
                _("Assessed records"),
                disclosure.count(given.n_records, material.given.n_records),
                "records",
            ),
            Fact("k", _("Smallest class (k)"), disclosure.size(k), given.counted.unit),
            Fact(
                "highest_risk", _("Highest re-identification risk"), disclosure.highest(1 / k), is_share=True
            ),
        )
        beside, note = material.models.not_assessed, _rests_on(len(given.quasi_identifying))
        told = None if material.settings.is_public else beside
        first = () if told is None else (Paragraph(told.sentence(), "strong"),)
        return (*first, Facts("summary", "", facts), Paragraph(note, "note"))


def _verdict(material: ReportedRelease, monitor: Monitor) -> Iterator[Paragraph]:
    """Yield the clauses of the verdict, each with its own mark, and the columns that k is for."""
    analysis = analysis_of("attackers", threshold=material.settings.accepted_risk)
    found = material.found(analysis, monitor)
    assert isinstance(found, AttackersFound), "it can be asked of every release"
    is_public = material.settings.is_public
    for clause in _told(material, found) if is_public else found.clauses:
        sentence = f"{clause.sentence[:1].upper()}{clause.sentence[1:]}"
        yield Paragraph(f"{sentence}.", clause.tone)
    if not is_public:  # the public's clause of identity is this one
        yield Paragraph(f"{_k_words(material)}.", "note")


def _k_words(material: ReportedRelease) -> str:
    """Return k with the number of columns it holds for, as the readers may know it."""
    release = material.release
    k = None if release.k is None else format_value(material.disclosure.size(release.k))
    return k_words(k, format_value(len(release.problem.names)), release.problem.counted)


def _told(material: ReportedRelease, found: AttackersFound) -> Iterator[Clause]:
    """Yield the clauses with the values that the public may read."""
    release, disclosure, unchanged = material.release, material.disclosure, found.unchanged
    size = disclosure.size(release.k)
    is_exact = release.k is None or isinstance(size, int)
    yield Clause("identity", _k_words(material), found.clauses[0].tone if is_exact else "warn")
    yield from _revealed(material, found)
    if found.reveals is not None:
        share = disclosure.of_class(found.reveals.share)
        if isinstance(share, float | int):
            words = _("{share} of a class have the same '{column}'").format(
                share=as_risk(share), column=found.reveals.column
            )
            yield Clause("class", words, rated(share))
        else:
            yield Clause("class", _("what a class reveals is withheld"), "warn")
    is_removed = release.transformation.suppressed_records == "remove"
    written = release.n_records - release.n_suppressed if is_removed else release.n_records
    n_written = disclosure.count(written, release.n_records)
    total = in_records(n_written) if isinstance(n_written, int) else _("the records")
    count, of_one = (format_value(figure) for figure in told_counts(disclosure, unchanged))
    words = unchanged_words(unchanged, count, total, of_one, format_value(len(unchanged.columns)))
    yield unchanged_clause(unchanged, words)


def _revealed(material: ReportedRelease, found: AttackersFound) -> Iterator[Clause]:
    """Yield what order and codes reveal, with the counts that the public may read."""
    release, disclosure, links = material.release, material.disclosure, material.release.links
    starred = _("{n} suppressed records")

    def counted(n: int) -> str:
        return format_value(disclosure.count(n, release.n_suppressed))

    def words(key: str) -> str:
        if key == "linked":
            fewest = disclosure.size(release.fewest_linked)
            if isinstance(fewest, int):
                return links.linked_words(format_value(fewest, unit="people"))
            few = _("few people match all records of a person together, because {reason}")
            return few.format(reason=links.reason)
        if key == "readable":
            return links.readable_words(starred.format(n=counted(links.readable)))
        if key == "group":
            n = format_value(disclosure.count(release.n_suppressed, release.n_records))
            return _("{n} starred rows are in no class").format(n=n)
        of_all = format_value(disclosure.count(links.starred, release.n_records))
        return links.neighbour_words(starred.format(n=of_all), counted)

    for clause in found.revealed:
        yield replace(clause, sentence=words(clause.key))


def _verified(material: ReportedRelease) -> Fact:
    found = material.verification
    if found is None:
        return Fact("verified", _("Verified"), _("no: not yet written to a file"))
    words = (
        _("yes, from the written file") if found.verdict.ok else _("no: the file does not match the claims")
    )
    return Fact("verified", _("Verified"), words, explanation=_("See the verification record."))


def _rests_on(n_columns: int) -> str:
    return ngettext(
        "These values are based on {n} quasi-identifying column. Attackers who know more are not covered, "
        "and no "
        "value guarantees that a person cannot be re-identified.",
        "These values are based on {n} quasi-identifying columns. Attackers who know more are not covered, "
        "and no "
        "value guarantees that a person cannot be re-identified.",
        n_columns,
    ).format(n=format_value(n_columns))
