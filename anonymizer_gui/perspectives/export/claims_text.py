"""Claims of an export as sentences with values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anonymizer_gui.session.words import method_of, recoding_title
from engine.frequency.counted import PEOPLE, Noun
from engine.numbers import as_decimal, as_exact_count, as_percent
from engine.privacy.base import Group
from engine.privacy.measured_text import limit_text
from engine.recoding.release_status import ReleaseStatus
from engine.recoding.transformation import KEPT, REMOVED
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.findings.risk.selection_leak import SelectionLeakFound
    from engine.privacy import PrivacyModel
    from engine.project import Project
    from engine.recoding import Release
    from engine.recoding.unchanged import UnchangedColumns


def claims_of(
    project: Project, release: Release, leak: SelectionLeakFound | None = None
) -> list[tuple[str, str]]:
    """Return pairs of name and statement for the dialog.

    The project has the settings of the export; `leak` is what the choice of the node gives away, if known.
    """
    kept = release.n_records - release.n_suppressed
    status = ReleaseStatus.of(project, release)
    rows = [
        (_("Status"), f"{status.title} ({', '.join(status.codes)})" if status.codes else status.title),
        (
            _("Kept records"),
            _("{n} of {total}").format(n=as_exact_count(kept), total=as_exact_count(release.n_records)),
        ),
        (
            _("Suppressed"),
            f"{as_exact_count(release.n_suppressed)}, {_limit(release)}",
        ),
        (_("Smallest class (k)"), _k_of(release)),
        (_("Classes"), as_exact_count(release.n_classes)),
    ]
    persons = release.persons
    if persons is not None:
        words = _("{n}; {affected} lose a record, {lost} lose all records").format(
            n=as_exact_count(persons.n_persons),
            affected=as_exact_count(persons.affected),
            lost=as_exact_count(persons.lost),
        )
        rows.insert(3, (_("People"), words))
    if release.group_words():
        ways = {REMOVED: _("not in the file"), KEPT: _("meet the requirement as one class")}
        rows.append((_("Suppressed records"), ways.get(release.cells, _("* in all columns"))))
    if release.recoding is not None:
        rows.append((_("Levels"), _("vary by record ({release})").format(release=recoding_title(release))))
    counted = release.problem.counted
    if release.requirement.sensitive_part.models:
        text = _("not measured; the test in Analyze risk measures it") if leak is None else leak.claim
        rows.append((_("Selection leak"), text))
    return rows + [(_name_of(model, counted), _statement(model)) for model in release.requirement.models]


def _k_of(release: Release) -> str:
    """Return the size of the smallest class with its columns."""
    if release.k is None:
        return _("none kept")
    counted = release.problem.counted
    size = as_exact_count(release.k)
    if counted is PEOPLE:
        size = f"{size} {counted.of(release.k)}"
    return _("{size}, by {columns}").format(size=size, columns=", ".join(release.problem.names))


def unchanged_text(found: UnchangedColumns) -> str:
    """Return which records unchanged columns single out, and which levels they undo."""
    words = found.words()
    sentences = [f"{words[:1].upper()}{words[1:]}."]
    if found.columns:
        sentences[0] = f"{sentences[0].removesuffix('.')}: {', '.join(found.columns)}."
    sentences += [f"{one.words()}." for one in found.determines]
    return " ".join(sentences)


def _limit(release: Release) -> str:
    """Return the suppression limit with its unit."""
    if release.requirement.sampling is not None:
        return _("no limit applies to drawn records")
    losses, share = release.losses, as_percent(release.requirement.suppression_limit)
    if losses.are_people:
        return ngettext(
            "of {n} person, at most {allowed} ({share} of the people) allowed to lose one",
            "of {n} people, at most {allowed} ({share} of the people) allowed to lose one",
            losses.count,
        ).format(n=as_exact_count(losses.count), allowed=as_exact_count(losses.allowed), share=share)
    return _("at most {allowed} ({share}) allowed").format(
        allowed=as_exact_count(losses.allowed), share=share
    )


def weakness_of(release: Release) -> str:
    """Return what the claims do not cover; empty for one level per column that is not drawn at random."""
    method = method_of(release)
    if release.requirement.sampling is not None:
        private = _("The numbers of drawn and suppressed records are not covered: do not publish them.")
        return f"{release.requirement.sampling.covers} {private}"
    return "" if method is None else _("Known weakness: {weakness}").format(weakness=method.weakness)


def _name_of(model: PrivacyModel, counted: Noun) -> str:
    return f"{model.title}, {model.columns[0]}" if model.columns else counted.worded(model, "title")


def _statement(model: PrivacyModel) -> str:
    further = f" ({model.details})" if model.details else ""
    where = _("of the kept records") if model.is_table_wide else _("in every class")
    if model.group is Group.SAMPLING:
        where = _("of the release")
    return f"{model.symbol} {model.relation.value} {limit_text(model)} {where}{further}"


def verdict_text(measured: dict[str, object], release: Release) -> str:
    """Return the values verified in the written file.

    k is always reported together with the records that unchanged columns single out. The verdict holds
    only if the file matches the counts of the release, so that those values apply to the file.
    """
    parts = [release.verdict]
    for symbol in ("l", "t"):
        by_column = measured.get(symbol)
        if isinstance(by_column, dict):
            parts += [
                _("{symbol} of {column} = {value}").format(
                    symbol=symbol, column=column, value=as_decimal(value) if symbol == "t" else value
                )
                for column, value in by_column.items()
                if value is not None
            ]
    for key in ("kept", "suppressed"):
        count = measured.get(key)
        if isinstance(count, int):
            parts.append(f"{as_exact_count(count)} {key}")
    return ". ".join([parts[0], ", ".join(parts[1:])])
