"""The report in short: what can be said of the release, and the figures that matter most."""

from __future__ import annotations

from collections.abc import Iterator

from engine.findings.blocks import SHARE, Block, Fact, Facts, Paragraph
from engine.monitor import SILENT, Monitor
from engine.report.sections.decision import words_of_k
from engine.report.sections.material import ReportedFile, ReportedRelease, ReportInput
from engine.words import N_, _

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
        counts, further = _counts(material), models(material)
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
    if isinstance(material, ReportedRelease):
        met = (
            _("The release meets the requirement.")
            if material.release.satisfies
            else _("The release does not meet the requirement.")
        )
        yield Paragraph(met, "strong")
    yield Facts("summary", "", tuple(facts))
    if isinstance(material, ReportedRelease):
        if words := _of_suppressed(material):
            yield Paragraph(words)
        if not material.settings.is_public:  # the public's clause of identity is this one
            yield Paragraph(f"{words_of_k(material)}.", "note")


def _of_suppressed(material: ReportedRelease) -> str:
    """Return what suppressed records reveal; empty if nothing."""
    if "group" in material.release.revealed:
        return _(_STARS)
    return material.release.group_words(is_public=material.settings.is_public)


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
        required.append(f"{title}: {disclosure.asked(model)}")
    share = disclosure.share(n_suppressed, n_records)
    yield Fact("records", _("Records of the input"), n_records, "records")
    yield Fact("suppressed", _("Suppressed"), n_suppressed, "records", total=n_records)
    yield Fact("suppressed_share", _("Suppressed share"), share, SHARE)
    yield Fact("requirement", _("Required"), "; ".join(required) or _("nothing"))


def models(material: ReportedRelease) -> Iterator[Fact]:
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


def _verified(material: ReportedRelease) -> Fact:
    found = material.verification
    if found is None:
        return Fact("verified", _("Verified"), _("no: not yet written to a file"))
    words = (
        _("yes, from the written file") if found.verdict.ok else _("no: the file does not match the claims")
    )
    return Fact("verified", _("Verified"), words, explanation=_("See the verification record."))
