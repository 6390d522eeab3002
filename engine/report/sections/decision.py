"""First page of a report: what the person who signs decides on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from engine.findings.base import analysis_of
from engine.findings.blocks import (
    SHARE,
    Block,
    Fact,
    Facts,
    Figure,
    FigureColumn,
    FigureTable,
    Paragraph,
    Signatures,
)
from engine.findings.disclosure import WITHHELD
from engine.findings.format_value import format_value, level_words
from engine.findings.risk.attackers import AttackersFound, attackers_of, claim_about
from engine.findings.risk.population_in_classes import unknown_population
from engine.findings.risk.verdict import (
    ClassReveals,
    Clause,
    class_clause,
    most_revealing,
    rated,
    unchanged_clause,
    worst_first,
)
from engine.findings.utility.loss_by_attribute import AttributeLoss, LossByAttributeFound
from engine.findings.words import listed
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_risk, in_records
from engine.recoding.release_status import ReleaseStatus
from engine.recoding.unchanged import UnchangedColumns, k_words, unchanged_words
from engine.report.sections.material import ReportedFile, ReportedRelease, ReportInput
from engine.report.sections.purpose import NOT_GIVEN
from engine.report.sections.risks import class_sizes
from engine.report.sections.unchanged import published_counts
from engine.words import N_, _, ngettext

_MOST_ROWS, _MOST_CELLS = 12, 9  # changed columns, and columns of the invented record


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield for whom and for what, the verdict, the most important figures, what was changed, who signs."""
    settings = material.settings
    purpose = (
        Fact("recipient", _("Recipient"), settings.recipient.strip() or _(NOT_GIVEN)),
        Fact("purpose", _("Purpose"), settings.purpose.strip() or _(NOT_GIVEN)),
        Fact("author", _("Responsible"), settings.author.strip() or _(NOT_GIVEN)),
    )
    yield Facts("purpose", "", purpose, "line")
    if isinstance(material, ReportedRelease):
        yield status(material)
    if not material.hides_data:
        yield from verdict(material, monitor)
        yield Facts("figures", "", tuple(figures(material, monitor)), "tiles")
        if isinstance(material, ReportedRelease):
            yield from changed(material, monitor)
            yield from _invented(material)
            yield _verified(material)
        else:
            yield from class_sizes(material)
    yield Signatures((settings.author.strip() or _("Prepared by"), _("Approved by")))


def rests_on(material: ReportInput) -> str:
    """Return what all values rest on, and what they do not cover."""
    if material.hides_data:
        return ""
    n_columns = len(material.subject.quasi_identifying)
    return ngettext(
        "These values are based on {n} quasi-identifying column. Attackers who know more are not covered, "
        "and no "
        "value guarantees that a person cannot be re-identified.",
        "These values are based on {n} quasi-identifying columns. Attackers who know more are not covered, "
        "and no "
        "value guarantees that a person cannot be re-identified.",
        n_columns,
    ).format(n=format_value(n_columns))


def status(material: ReportedRelease) -> Paragraph:
    """Return the status of the release in the words of the law, with its basis."""
    found = ReleaseStatus.of(material.project, material.release)
    basis = _("the requirement as drawn") if material.hides_data else words_of_k(material)
    recipient = material.settings.recipient or material.project.statement.recipient
    return Paragraph(found.sentence(basis, recipient), "note")


class _Judged(NamedTuple):
    """What a verdict says, with the clauses for readers who may see the input, and what these rest on."""

    clauses: tuple[Clause, ...]
    unchanged: UnchangedColumns
    reveals: ClassReveals | None
    bases: dict[str, str]


def verdict(material: ReportInput, monitor: Monitor) -> Iterator[Paragraph]:
    """Yield the clauses of the verdict, the worst first, each with its own mark."""
    if isinstance(material, ReportedRelease):
        judged = _of_release(material, monitor)
        if not material.release.satisfies:
            yield Paragraph(_("The release does not meet the requirement."), "danger")
    else:
        judged = _of_file(material, monitor)
    clauses, bases = judged.clauses, judged.bases
    if material.settings.is_public:  # no other of these figures is published
        clauses, bases = tuple(_published(material, judged)), {}
    for clause in worst_first(clauses):
        sentence = clause.sentence.removesuffix(".")
        if clause.key != "identity" or not material.settings.is_public:  # a formula is no first word
            sentence = f"{sentence[:1].upper()}{sentence[1:]}"
        yield Paragraph(f"{sentence}.", clause.tone, bases.get(clause.key, ""))


def _of_release(material: ReportedRelease, monitor: Monitor) -> _Judged:
    analysis = analysis_of("attackers", threshold=material.settings.accepted_risk)
    found = material.found(analysis, monitor)
    assert isinstance(found, AttackersFound), "it can be asked of every release"
    bases, before = {}, found.prosecutor.before
    if before is not None:
        words = _("In the input, {share} of the {records} have a risk above {limit}.")
        bases["identity"] = found.counted.said(words).format(
            share=as_risk(before.records_at_risk), limit=as_risk(before.threshold)
        )
    if found.reveals is not None:
        column = material.project.records.column(found.reveals.column)
        share = float(np.max(column.counts)) / material.project.records.n_records
        words = _("In the whole table, the most frequent value has {share} of the records.")
        bases["class"] = words.format(share=as_risk(share))
    if found.unchanged.columns:
        words = _("Released as they are: {columns}. A class does not protect their values.")
        bases["unchanged"] = words.format(columns=listed(list(found.unchanged.columns)))
    return _Judged(found.clauses, found.unchanged, found.reveals, bases)


def _of_file(material: ReportedFile, monitor: Monitor) -> _Judged:
    subject, accepted = material.subject, material.settings.accepted_risk
    after = attackers_of(subject, unknown_population(), accepted)[0].after
    is_within = after is not None and not after.n_at_risk and after.smallest > 1
    clauses = [Clause("identity", claim_about(subject, after), "ok" if is_within else "danger")]
    classes = subject.classes.measured
    reveals = most_revealing(classes, np.ones(len(classes.sizes), dtype=np.bool_), subject.sensitive)
    if reveals is not None:
        clauses.append(class_clause(reveals, subject.counted))
    if (beside := material.models.not_assessed) is not None:
        clauses.append(Clause("not_assessed", beside.sentence(), beside.tone))
    return _Judged(tuple(clauses), material.unchanged(monitor), reveals, {})


def _published(material: ReportInput, judged: _Judged) -> Iterator[Clause]:
    """Yield the clauses with the values that the public may read."""
    disclosure, k = material.disclosure, material.subject.after.k
    size = disclosure.size(k)
    is_exact = k is None or isinstance(size, int)
    yield Clause("identity", words_of_k(material), judged.clauses[0].tone if is_exact else "warn")
    if isinstance(material, ReportedRelease):
        yield from revealed(material, (clause for clause in judged.clauses if clause.key not in _OWN))
    if judged.reveals is not None:
        share = disclosure.of_class(judged.reveals.share)
        if isinstance(share, float | int):
            words = _("{share} of a class have the same '{column}'").format(
                share=as_risk(share), column=judged.reveals.column
            )
            yield Clause("class", words, rated(share))
        else:
            yield Clause("class", _("what a class reveals is withheld"), "warn")
    n_all, n_written, unchanged = disclosure.n_records, disclosure.n_records, judged.unchanged
    if isinstance(material, ReportedRelease):
        is_removed = material.release.transformation.suppressed_records == "remove"
        n_written -= material.release.n_suppressed if is_removed else 0
    n_shown = disclosure.count(n_written, n_all)
    total = in_records(n_shown) if isinstance(n_shown, int) else _("the records")
    count, of_one = (format_value(figure) for figure in published_counts(disclosure, unchanged))
    words = unchanged_words(unchanged, count, total, of_one, format_value(len(unchanged.columns)))
    yield unchanged_clause(unchanged, words)


_OWN = ("identity", "class", "unchanged")  # clauses with words of their own for the public


def words_of_k(material: ReportInput) -> str:
    """Return k with the number of columns it holds for, as the readers may know it."""
    subject, k = material.subject, material.subject.after.k
    size = None if k is None else format_value(material.disclosure.size(k))
    return k_words(size, format_value(len(subject.quasi_identifying)), subject.counted)


def revealed(material: ReportedRelease, clauses: Iterable[Clause]) -> Iterator[Clause]:
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

    for clause in clauses:
        yield replace(clause, sentence=words(clause.key))


def figures(material: ReportInput, monitor: Monitor) -> Iterator[Fact]:
    """Yield the four figures that matter most."""
    subject, disclosure = material.subject, material.disclosure
    before, k = subject.before, subject.after.k
    title = _("highest risk")
    if before is not None and before.k:
        was = disclosure.highest(1 / before.k)
        risk = was if isinstance(was, str) or was is None else as_risk(was)
        title = _("highest risk, before {risk}").format(risk=risk)
    yield Fact("highest_risk", title, disclosure.highest(1 / k if k else None), SHARE)
    if isinstance(material, ReportedRelease):
        found, release = _losses(material, monitor), material.release
        loss: Figure = None
        if found is not None:
            loss = WITHHELD if disclosure.hides_classes else disclosure.lost(found.loss)
        detail = loss if isinstance(loss, str) or loss is None else 1 - loss
        yield Fact("detail_kept", _("of the detail kept"), detail, SHARE)
        kept = disclosure.share(release.n_records - release.n_suppressed, release.n_records)
        yield Fact("records_kept", _("of the records kept"), kept, SHARE)
    else:
        total = material.given.n_records
        yield Fact("assessed", _("records assessed"), subject.n_records, "records", total=total)
    sizes = subject.after.classes.sizes[subject.after.chosen]
    title, n_classes = _("classes"), WITHHELD if disclosure.hides_classes else len(sizes)
    smallest, largest, _unused = disclosure.sizes(k or 0, int(sizes.max(initial=0)))
    if isinstance(n_classes, int) and isinstance(smallest, int) and isinstance(largest, int) and n_classes:
        words = subject.counted.said(_("classes of {first} to {last} {records}"))
        title = words.format(first=as_exact_count(smallest), last=as_exact_count(largest))
    yield Fact("classes", title, n_classes)


def _losses(material: ReportedRelease, monitor: Monitor) -> LossByAttributeFound | None:
    found = material.found(analysis_of("loss_by_attribute"), monitor)
    assert found is None or isinstance(found, LossByAttributeFound), "as the analysis returns"
    return found


def changed(material: ReportedRelease, monitor: Monitor) -> Iterator[Block]:
    """Yield what was done to each quasi-identifying column, those released unchanged in one row."""
    found, disclosure = _losses(material, monitor), material.disclosure
    if found is None:
        return
    columns = (
        FigureColumn("level", _("Level"), is_of_choice=True, look="steps"),
        FigureColumn("height", _("Highest level"), is_of_choice=True, look="height"),
        FigureColumn("column", _("Column")),
        FigureColumn("words", _("In the release")),
        FigureColumn("values", _("Values"), is_internal=True),
        FigureColumn("lost", _("Detail lost"), SHARE, look="bar"),
    )
    attributes = dict(zip(material.release.problem.names, material.release.problem.attributes, strict=True))

    def row(entry: AttributeLoss) -> tuple[Figure, ...]:
        words = entry.words
        if disclosure.is_public and entry.level is not None:
            levels = dict.fromkeys((entry.level, entry.last_level or 0))
            own = (level_words(attributes[entry.name], level, is_public=True) for level in levels)
            words = listed(list(own))
        values = _("{before} → {after}").format(
            before=as_exact_count(entry.values_before), after=as_exact_count(entry.values_after)
        )
        return entry.last_level, entry.height, entry.name, words, values, _lost(material, entry.loss)

    changed = [entry for entry in found.attributes if entry.last_level != 0]
    unchanged = [entry for entry in found.attributes if entry.last_level == 0]
    shown = sorted(changed, key=lambda entry: -entry.loss)[:_MOST_ROWS]
    rows = [row(entry) for entry in changed if entry in shown]
    if unchanged:
        names, most = listed([entry.name for entry in unchanged]), max(entry.loss for entry in unchanged)
        rows.append((0, 1, names, _("unchanged"), "", _lost(material, most)))
    yield FigureTable("changed", _("What was changed"), columns, rows)
    if left := len(changed) - len(shown):
        words = ngettext(
            "{n} more column is generalized; the section on the transformation has it.",
            "{n} more columns are generalized; the section on the transformation has them.",
            left,
        )
        yield Paragraph(words.format(n=as_exact_count(left)), "note")


def _lost(material: ReportedRelease, loss: float) -> Figure:
    return WITHHELD if material.disclosure.hides_classes else material.disclosure.lost(loss)


def _invented(material: ReportedRelease) -> Iterator[FigureTable]:
    """Yield a record of frequent values, before and after: no one's, and only for who may see the input."""
    release, node = material.release, material.release.node
    if node is None or release.method or release.aggregates or material.settings.is_public:
        return
    cells: list[tuple[str, str, str, int]] = []
    for attribute, level in zip(release.problem.attributes, node, strict=True):
        leaf, height = int(np.argmax(attribute.leaf_counts)), attribute.hierarchy.height
        after = attribute.hierarchy.levels[level]
        change = 0 if not level else 3 if len(after.labels) == 1 else 1 if level < height / 2 else 2
        before = attribute.hierarchy.levels[0].labels[leaf]
        cells.append((attribute.name, before, after.labels[int(after.codes[leaf])], change))
    chosen = sorted(sorted(cells, key=lambda cell: -cell[3])[:_MOST_CELLS], key=cells.index)
    columns = [FigureColumn("side", ""), *(FigureColumn(name, name) for name, *_cells in chosen)]
    rows: Sequence[tuple[Figure, ...]] = (
        (_("input"), *(before for _name, before, *_rest in chosen)),
        (_("release"), *(after for _name, _before, after, _change in chosen)),
    )
    changes = ((0,) * len(columns), (0, *(change for *_cells, change in chosen)))
    title = _("One invented record of frequent values, before and after")
    yield FigureTable("record", title, tuple(columns), rows, changes=changes)


_CHECKED = N_("Recomputed by code that shares nothing with the code that made the release.")


def _verified(material: ReportedRelease) -> Paragraph:
    found = material.verification
    if found is None:
        words = _("The release has not been written to a file, so nothing was verified.")
        return Paragraph(words, "warn", _("Export it, and write this report again."), "verification")
    if found.verdict.ok:
        words = _("The written file was read back: classes, models and suppressed records are as claimed.")
        return Paragraph(words, "ok", _(_CHECKED), "verification")
    words = _("The written file does not match the claims: it must not be used.")
    return Paragraph(words, "danger", _(_CHECKED), "verification")
