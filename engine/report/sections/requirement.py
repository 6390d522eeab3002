"""Requirement of the release, with the sources of usual thresholds."""

from __future__ import annotations

from collections.abc import Iterator

from engine.findings.blocks import Block, Fact, Facts, FigureColumn, FigureTable, Paragraph
from engine.findings.format_value import asked
from engine.monitor import SILENT, Monitor
from engine.privacy import PrivacyModel, Requirement
from engine.project.presets import PRESETS, Preset
from engine.report.material.reported import ReportedRelease
from engine.words import N_, _


def blocks(material: ReportedRelease, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield models, limit and presets."""
    requirement, counted = material.release.requirement, material.subject.counted
    columns = (
        FigureColumn("model", _("Model")),
        FigureColumn("column", _("Sensitive column")),
        FigureColumn("asked", _("Required")),
        FigureColumn("meaning", _("Meaning")),
        FigureColumn("source", _("Definition")),
    )
    rows = [
        (
            counted.worded(model, "title"),
            ", ".join(model.columns) or "",
            asked(model),
            model.summary,
            model.source,
        )
        for model in requirement.models
    ]
    counts_people = material.release.losses.are_people
    limit = Fact(
        "suppression_limit",
        _("People who may lose a record") if counts_people else _("Records that may be suppressed"),
        requirement.suppression_limit,
        "",
        _("At most this share; records whose class fails a model are suppressed."),
        is_share=True,
    )
    if rows:
        yield Paragraph(_("Every kept class meets all of these models at once."))
        yield FigureTable("models_required", "", columns, rows)
    else:
        yield Paragraph(_("No privacy model was required. The release has no measured protection."))
    if requirement.sampling is None:
        yield Facts("limit", "", (limit,))
    else:
        yield Paragraph(_("No suppression limit applies, since it would depend on the data."))
    found = _presets(requirement)
    yield _preset_table(found) if found else Paragraph(_(_UNPUBLISHED), "note")


_UNPUBLISHED = N_(
    "The thresholds of class sizes match no published recommendation known to this "
    "program; the person responsible must explain why they are sufficient."
)


def _presets(requirement: Requirement) -> list[Preset]:
    """Published recommendations that the required class sizes meet."""
    return [preset for preset in PRESETS if all(_covers(requirement, model) for model in preset.models)]


def _covers(requirement: Requirement, wanted: PrivacyModel) -> bool:
    return any(type(own) is type(wanted) and own.limit == wanted.limit for own in requirement.models)


def _preset_table(presets: list[Preset]) -> FigureTable:
    columns = (
        FigureColumn("preset", _("Publisher")),
        FigureColumn("says", _("Recommendation")),
        FigureColumn("source", _("Source")),
        FigureColumn("year", _("Year")),
        FigureColumn("caution", _("Limits")),
    )
    rows = [(p.title, p.says, p.source, str(p.year), p.caution) for p in presets]
    return FigureTable("presets", _("Published thresholds that the requirement meets"), columns, rows)
