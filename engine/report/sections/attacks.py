"""Resistance of the release to attacks, with the deciding model and value."""

from __future__ import annotations

from collections.abc import Iterator

from engine.assessment.base import analysis_of
from engine.assessment.risk.attacks import AttacksFound, AttackVerdict
from engine.assessment.risk.resistance import Resistance, attacks_resisted
from engine.findings.blocks import Block, Figure, FigureColumn, FigureTable, Paragraph
from engine.findings.disclosure import Disclosure
from engine.monitor import SILENT, Monitor
from engine.privacy import Attack
from engine.privacy.values import MeasuredModel
from engine.report.material.reported import ReportedRelease, ReportInput
from engine.report.sections.models import published_value
from engine.words import N_, _

_ATTACK = FigureColumn("attack", N_("Attack"))
_MEANING = FigureColumn("meaning", N_("What the attacker does"))
# The input's smallest class is nearly always small, and how far it resists tells how small.
_BEFORE = FigureColumn("before", N_("Input"), explanation=N_("Resistance of the input."), is_internal=True)
_VALUE = FigureColumn("value", N_("Value of the model"))
_REASON = FigureColumn("reason", N_("Reason"), is_internal=True)
_AFTER = FigureColumn("after", N_("Release"), explanation=N_("Resistance of the kept records."))
_OF_FILE = FigureColumn("resistance", N_("The file"), explanation=N_("Resistance of the file."))
_MODEL = FigureColumn(
    "model", N_("Model that decides"), explanation=N_("The strongest of the protecting models.")
)
_SENSITIVE = FigureColumn("column", N_("Sensitive column"))
_COLUMNS: tuple[FigureColumn, ...] = (_ATTACK, _BEFORE, _AFTER, _MODEL, _SENSITIVE, _VALUE, _REASON)


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the attack table."""
    analysis, disclosure = analysis_of("attacks"), material.disclosure
    if isinstance(material, ReportedRelease):
        found = material.found(analysis, monitor)
        assert isinstance(found, AttacksFound), "it can be asked of every release"
        attacks = [verdict.attack for verdict in found.attacks]
        columns = _COLUMNS
        rows: list[tuple[Figure, ...]] = [
            (
                one.attack.title,
                one.before.value,
                *_decided(disclosure, one.after, one.model),
                _value(disclosure, one),
                _sentence(one.reason),
            )
            for one in found.attacks
        ]
    else:
        reports = attacks_resisted(material.models.models)
        attacks = [attack for attack in Attack if attack is not Attack.MEMBERSHIP]
        columns = (_ATTACK, _OF_FILE, _MODEL, _SENSITIVE)
        rows = [
            (one.attack.title, *_decided(disclosure, one.resistance, one.model))
            for one in reports
            if one.attack in attacks
        ]
    yield Paragraph(analysis.summary)
    yield FigureTable("attacks", "", columns, rows)
    yield Paragraph(analysis.reading, "note")
    meanings = [(attack.title, attack.meaning) for attack in attacks]
    yield FigureTable("attack_meanings", _("What the attackers do"), (_ATTACK, _MEANING), meanings)


def _decided(
    disclosure: Disclosure, resistance: Resistance, model: MeasuredModel | None
) -> tuple[Figure, ...]:
    named = ("", "") if model is None else (model.kind.title, model.column)
    return (_resistance(disclosure, resistance), *named)


def _value(disclosure: Disclosure, verdict: AttackVerdict) -> Figure:
    if disclosure.is_public and verdict.model is not None:
        return published_value(disclosure, verdict.model)
    return verdict.value


def _resistance(disclosure: Disclosure, resistance: Resistance) -> str:
    """Return the reason for a resistance; the size of a small class is withheld from the public."""
    is_known = resistance in (Resistance.RESISTED, Resistance.UNKNOWN)
    return resistance.value if is_known or not disclosure.is_small(disclosure.smallest) else _("not resisted")


def _sentence(reason: str) -> str:
    return f"{reason[:1].upper()}{reason[1:]}." if reason else ""
