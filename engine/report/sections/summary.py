"""The report in short: what can be said of the release, and the figures that matter most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.findings.base import analysis_of
from engine.findings.blocks import SHARE, Block, Fact, Facts, Paragraph
from engine.findings.format_value import asked, format_value
from engine.findings.risk.attackers import AttackersFound
from engine.findings.risk.verdict import Clause, rated, unchanged_clause
from engine.monitor import SILENT, Monitor
from engine.numbers import as_risk, in_records
from engine.recoding.unchanged import k_words, unchanged_words
from engine.report.sections.material import ReportedFile, ReportedRelease, ReportInput
from engine.report.sections.unchanged import published_counts
from engine.words import N_, _, ngettext

_STARS = N_(
    "Suppressed records are written as rows of * and are in no class. If an "
    "attacker knows that a person is in the table, and no kept class matches, then one "
    "of these rows belongs to that person, with its other cells. Suppressed records that are removed, "
    "or keep their cells only if they meet the requirement, prevent this."
)


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield key facts for the person who signs."""
    disclosure, subject = material.disclosure, material.subject
    if isinstance(material, ReportedRelease):
        counts, further = _counts(material), _models(material)
    else:
        counts, further = _judged(material), iter(())
    k = subject.after.k
    facts = [
        *counts,
        Fact("k", _("Smallest class (k)"), disclosure.size(k), subject.counted.unit),
        Fact(
            "highest_risk",
            _("Highest re-identification risk"),
            disclosure.highest(None if k is None else 1 / k),
            SHARE,
            _("Risk of a person known to be among the kept records, by the quasi-identifying columns."),
        ),
        *further,
    ]
    first, last = _claims(material, monitor)
    yield from first
    yield Facts("summary", "", tuple(facts))
    yield from last
    yield Paragraph(_rests_on(len(subject.quasi_identifying)), "note")


def _claims(material: ReportInput, monitor: Monitor) -> tuple[list[Block], list[Block]]:
    """Return what is said before and after the facts."""
    is_public = material.settings.is_public
    if not isinstance(material, ReportedRelease):
        beside = None if is_public else material.models.not_assessed
        return ([] if beside is None else [Paragraph(beside.sentence(), "strong")]), []
    release = material.release
    met = (
        _("The release meets the requirement.")
        if release.satisfies
        else _("The release does not meet the requirement.")
    )
    words = _(_STARS) if "group" in release.revealed else release.group_words(is_public=is_public)
    return [Paragraph(met, "strong"), *_verdict(material, monitor)], [Paragraph(words)] if words else []


def _judged(material: ReportedFile) -> Iterator[Fact]:
    n_judged, total = material.subject.n_records, material.given.n_records
    yield Fact("judged", _("Assessed records"), n_judged, "records", total=total)


def _counts(material: ReportedRelease) -> Iterator[Fact]:
    """Yield what was suppressed, and what was required."""
    release, disclosure, counted = material.release, material.disclosure, material.subject.counted
    n_records, n_suppressed = release.n_records, release.n_suppressed
    required = []
    for model in release.requirement.models:
        title = counted.worded(model, "title")
        if model.columns:
            title = _("{model} of '{column}'").format(model=title, column=model.columns[0])
        required.append(f"{title}: {asked(model)}")
    share = disclosure.share(n_suppressed, n_records)
    yield Fact("records", _("Records of the input"), n_records, "records")
    yield Fact("suppressed", _("Suppressed"), n_suppressed, "records", total=n_records)
    yield Fact("suppressed_share", _("Suppressed share"), share, SHARE)
    yield Fact("requirement", _("Required"), "; ".join(required) or _("nothing"))


def _models(material: ReportedRelease) -> Iterator[Fact]:
    """Yield l and t of the sensitive columns, and whether the written file was verified."""
    for name, distinct in material.release.l.items():
        title = _("Distinct values of '{name}' (l)").format(name=name)
        yield Fact(f"l.{name}", title, distinct, "values")
    whole = (
        _("Distance of '{name}' from all kept records (t)")
        if material.hides_totals
        else _("Distance of '{name}' from the whole table (t)")
    )
    for name, distance in material.t.items():
        yield Fact(f"t.{name}", whole.format(name=name), material.disclosure.of_class(distance))
    yield _verified(material)


def _verdict(material: ReportedRelease, monitor: Monitor) -> Iterator[Paragraph]:
    """Yield the clauses of the verdict, each with its own mark, and the columns that k is for."""
    analysis = analysis_of("attackers", threshold=material.settings.accepted_risk)
    found = material.found(analysis, monitor)
    assert isinstance(found, AttackersFound), "it can be asked of every release"
    is_public = material.settings.is_public
    for clause in _published_clauses(material, found) if is_public else found.clauses:
        sentence = f"{clause.sentence[:1].upper()}{clause.sentence[1:]}"
        yield Paragraph(f"{sentence}.", clause.tone)
    if not is_public:  # the public's clause of identity is this one
        yield Paragraph(f"{_k_words(material)}.", "note")


def _k_words(material: ReportedRelease) -> str:
    """Return k with the number of columns it holds for, as the readers may know it."""
    release = material.release
    k = None if release.k is None else format_value(material.disclosure.size(release.k))
    return k_words(k, format_value(len(release.problem.names)), release.problem.counted)


def _published_clauses(material: ReportedRelease, found: AttackersFound) -> Iterator[Clause]:
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
    count, of_one = (format_value(figure) for figure in published_counts(disclosure, unchanged))
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
            return _("{n} rows of * are in no class").format(n=n)
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
