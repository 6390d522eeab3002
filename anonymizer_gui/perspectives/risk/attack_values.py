"""What the card of attacks shows: one line per attack with what decides, and all of it where asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonymizer_gui.models.measured_text import named, usual_text, value_text

if TYPE_CHECKING:
    from engine.assessment.risk.attacks import AttacksFound, AttackVerdict

_STATUS = {
    "RESISTED": ("Resists", "ok", "shield-check"),
    "IN_PART": ("In part", "warn", "shield"),
    "OPEN": ("Open", "danger", "circle-alert"),
    "UNKNOWN": ("Not judged", "neutral", "circle-question-mark"),
}
_COUNTED = {"ok": "resisted", "warn": "in part", "danger": "open"}


@dataclass(frozen=True)
class AttackLine:
    """An attack: how far it is resisted, what says so, and everything known in paragraphs."""

    key: str
    title: str
    reason: str
    value: str
    status: str
    tone: str
    icon: str
    paragraphs: tuple[str, ...]


def attack_lines(found: AttacksFound) -> tuple[AttackLine, ...]:
    """Every attack in the order of the findings."""
    return tuple(_line(verdict) for verdict in found.attacks)


def attack_counts(lines: tuple[AttackLine, ...]) -> dict[str, str]:
    """How many attacks are resisted, in part, or open, by tone; those of which there are none stay out."""
    counts = {tone: sum(line.tone == tone for line in lines) for tone in _COUNTED}
    return {tone: f"{count} {_COUNTED[tone]}" for tone, count in counts.items() if count}


def _line(verdict: AttackVerdict) -> AttackLine:
    status, tone, icon = _STATUS[verdict.after.name]
    paragraphs = [verdict.attack.meaning, *_decided(verdict)]
    was, _, _ = _STATUS[verdict.before.name]
    paragraphs.append(f"The input: {was.lower()}, {verdict.reason_before} ({verdict.value_before}).")
    return AttackLine(
        verdict.attack.value,
        _capital(verdict.attack.title),
        verdict.reason,
        verdict.value,
        status,
        tone,
        icon,
        tuple(paragraphs),
    )


def _decided(verdict: AttackVerdict) -> list[str]:
    model, status = verdict.model, _STATUS[verdict.after.name][0]
    told = [f"The release: {status.lower()}, {verdict.reason}."]
    if model is None:
        return told
    of_column = f" of {model.column}" if model.column else ""
    told.append(f"Decided by {named(model)}{of_column}: {verdict.value}.")
    if verdict.usual is not None:
        relation = model.kind.relation.value
        usual = usual_text(model.kind, verdict.usual)
        told[-1] += f" Usual is {model.kind.symbol} {relation} {usual} or stricter."
    if verdict.weaker:
        weaker = ", ".join(f"{other.kind.symbol} = {value_text(other)}" for other in verdict.weaker)
        told.append(f"Other models promise less: {weaker}.")
    return told


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
