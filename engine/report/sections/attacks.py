"""Resistance of the release to attacks, with the deciding model and value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.assessment.base import analysis_of
from engine.assessment.risk.attacks import AttacksFound, AttackVerdict
from engine.assessment.risk.resistance import Resistance, attacks_resisted
from engine.findings.blocks import Block, Figure, FigureColumn, FigureTable, Paragraph
from engine.monitor import SILENT, Monitor
from engine.privacy import Attack
from engine.report.base import ReportSection, report_sections
from engine.report.disclosure import Disclosure
from engine.report.report_input import ReportedFile, ReportedRelease
from engine.report.sections.models import told_value
from engine.words import N_, _, lazy

_ATTACK = FigureColumn("attack", N_("Attack"))
_MEANING = FigureColumn("meaning", N_("What the attacker does"))
_MODEL = FigureColumn(
    "model", N_("Model that decides"), explanation=N_("The strongest of the protecting models.")
)
_SENSITIVE = FigureColumn("column", N_("Sensitive column"))


@report_sections.register("attacks")
@dataclass(frozen=True, slots=True)
class AttacksSection(ReportSection):
    """The attack table."""

    title: ClassVar[str] = lazy("Attacks")
    place: ClassVar[int] = 120

    def of_release(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        analysis = analysis_of("attacks")
        found = material.found(analysis, monitor)
        assert isinstance(found, AttacksFound), "it can be asked of every release"
        after = (
            FigureColumn("after", _("Release"), explanation=_("Resistance of the kept records.")),
            _MODEL,
            _SENSITIVE,
            FigureColumn("value", _("Value of the model")),
        )
        # The input's smallest class is nearly always small, and how far it resists tells how small.
        columns: tuple[FigureColumn, ...] = (_ATTACK, *after)
        rows = [(verdict.attack.title, *_verdict(material.disclosure, verdict)) for verdict in found.attacks]
        if not material.settings.is_public:
            before = FigureColumn("before", _("Input"), explanation=_("Resistance of the input."))
            columns = (_ATTACK, before, *after, FigureColumn("reason", _("Reason")))
            rows = [
                (title, verdict.before.value, *row, _sentence(verdict.reason))
                for (title, *row), verdict in zip(rows, found.attacks, strict=True)
            ]
        table = FigureTable("attacks", "", columns, rows)
        meanings = _meanings([verdict.attack for verdict in found.attacks])
        return (Paragraph(analysis.summary), table, Paragraph(analysis.reading, "note"), meanings)

    def of_file(self, material: ReportedFile, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        columns = (
            _ATTACK,
            FigureColumn("resistance", _("The file"), explanation=_("Resistance of the file.")),
            _MODEL,
            _SENSITIVE,
        )
        rows = [
            (
                report.attack.title,
                _resistance(material.disclosure, report.resistance),
                "" if report.model is None else report.model.kind.title,
                "" if report.model is None else report.model.column,
            )
            for report in attacks_resisted(material.models.models)
            if report.attack is not Attack.MEMBERSHIP
        ]
        reading = analysis_of("attacks").reading
        meanings = _meanings([attack for attack in Attack if attack is not Attack.MEMBERSHIP])
        return (FigureTable("attacks", "", columns, rows), Paragraph(reading, "note"), meanings)


def _meanings(attacks: Sequence[Attack]) -> FigureTable:
    rows = [(attack.title, attack.meaning) for attack in attacks]
    return FigureTable("attack_meanings", _("What the attackers do"), (_ATTACK, _MEANING), rows)


def _verdict(disclosure: Disclosure, verdict: AttackVerdict) -> tuple[Figure, ...]:
    model = verdict.model
    value: Figure = verdict.value
    if disclosure.is_public and model is not None:
        value = told_value(disclosure, model)
    return (
        _resistance(disclosure, verdict.after),
        "" if model is None else model.kind.title,
        "" if model is None else model.column,
        value,
    )


def _resistance(disclosure: Disclosure, resistance: Resistance) -> str:
    """Return the reason for a resistance; the size of a small class is withheld from the public."""
    is_known = resistance in (Resistance.RESISTED, Resistance.UNKNOWN)
    return resistance.value if is_known or not disclosure.is_small(disclosure.smallest) else _("not resisted")


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}." if reason else ""
