"""Result of the independent verification of the written file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.findings.blocks import Block, Facts, Figure, FigureColumn, FigureTable, Paragraph
from engine.findings.disclosure import WITHHELD, Disclosure
from engine.monitor import SILENT, Monitor
from engine.report.sections.data import file_facts
from engine.report.sections.material import ReportedRelease, Verification
from engine.words import N_, _

_COUNTED = {
    "records": N_("Records of the original"),
    "kept": N_("Kept records"),
    "suppressed": N_("Suppressed records"),
    "allowed": N_("Suppressed records allowed by the limit"),
    "classes": N_("Classes of kept records"),
    "k": N_("Smallest class (k)"),
}
_OF_PERSONS = {
    "k": N_("Fewest people in a class (k)"),
    "k_records": N_("Fewest records in a class"),
    "persons": N_("People of the original"),
    "affected_persons": N_("People who lose a record"),
    "lost_persons": N_("People who lose all records"),
}


def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the verification record."""
    found = material.verification
    if found is None:
        words = _(
            "The release had not been written to a file when this report was written; nothing was verified."
        )
        yield Paragraph(words, "strong")
        return
    yield Paragraph(_outcome(found), "strong")
    yield Paragraph(_how(found))
    yield Facts("file", "", tuple(file_facts("file", _("File"), found.file)))
    if not found.verdict.ok:
        note = [_("Problems are withheld in the public report.")] if material.settings.is_public else []
        yield from map(Paragraph, note or found.verdict.problems)
    elif not material.settings.is_public:
        yield from (Paragraph(words, "note") for words in found.verdict.notes)
    yield from map(Paragraph, found.verdict.unchecked)
    if found.verdict.measured:
        yield _table(material, found.verdict.measured)


def _outcome(found: Verification) -> str:
    if found.verdict.ok:
        return _("The written file matches every claim about the release.")
    return _("The written file does not match the claims: it must not be used.")


def _how(found: Verification) -> str:
    how = _(
        "Independent code, which shares nothing with the code that made the release, read "
        "the written file and the original again. It compared every cell with what its "
        "hierarchy allows, counted the classes, and recomputed every model of the "
        "requirement exactly."
    )
    if found.verdict.how:
        how = f"{how} {found.verdict.how}"
    if found.is_kept:
        return how
    unsaved = _(
        "The file was written only for this record and not stored; the same recipe and "
        "table give the same file, with this SHA-256 checksum."
    )
    return f"{how} {unsaved}"


def _table(material: ReportedRelease, measured: Mapping[str, Any]) -> FigureTable:
    release, disclosure = material.release, material.disclosure
    claimed: dict[str, Any] = {
        "records": release.n_records,
        "kept": release.n_records - release.n_suppressed,
        "suppressed": release.n_suppressed,
        "allowed": release.losses.allowed,
        "classes": release.n_classes,
        "k": release.k,
    }
    counted, persons = dict(_COUNTED), release.persons
    if persons is not None:
        counted |= _OF_PERSONS
        if release.losses.are_people:
            counted["allowed"] = N_("People who may lose a record")
        claimed |= {
            "persons": persons.n_persons,
            "affected_persons": persons.affected,
            "lost_persons": persons.lost,
            "k_records": persons.k_of_records,
        }
    rows: list[tuple[Figure, ...]] = []
    totals = dict.fromkeys(("kept", "suppressed"), release.n_records)
    if persons is not None:
        totals |= dict.fromkeys(("affected_persons", "lost_persons"), persons.n_persons)
    for key, title in counted.items():
        total = totals.get(key)
        sides = (claimed[key], measured.get(key))
        rows.append((_(title), "", *(_count(disclosure, key, value, total) for value in sides)))
    for symbol, title, own in (
        ("l", _("Distinct values in a class (l)"), release.l),
        ("t", _("Distance from the whole table (t)"), release.t),
    ):
        for name in () if symbol == "t" and material.hides_totals else own:
            values = (own[name], measured.get(symbol, {}).get(name))
            rows.append((title, name, *(_spread(disclosure, value) for value in values)))
    columns = (
        FigureColumn("figure", _("Value")),
        FigureColumn("column", _("Sensitive column")),
        FigureColumn("claimed", _("Claimed")),
        FigureColumn("recomputed", _("Recomputed from the file")),
    )
    return FigureTable("verification", "", columns, rows)


def _count(disclosure: Disclosure, key: str, value: int | None, total: int | None) -> Figure:
    if key in ("k", "k_records"):
        return disclosure.size(value)
    if key == "classes":
        return WITHHELD if disclosure.hides_classes else value
    return disclosure.count(value, total)


def _spread(disclosure: Disclosure, value: float | int | None) -> Figure:
    """Return l unchanged, because it counts values, and t as the audience may read it."""
    return value if isinstance(value, int) else disclosure.of_class(value)
