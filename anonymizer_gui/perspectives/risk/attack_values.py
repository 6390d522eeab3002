"""What the card of attacks shows: one line per attack with what decides, and all of it where asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonymizer_gui.models.measured_text import RESISTANCE_ICONS, decided_text

if TYPE_CHECKING:
    from engine.assessment.risk.attacks import AttacksFound, AttackVerdict

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
    status, tone, was = verdict.after.title, verdict.after.tone, verdict.before.title
    paragraphs = [verdict.attack.meaning, f"The release: {status.lower()}, {verdict.reason}."]
    if verdict.model is not None:
        paragraphs.append(f"Decided by {decided_text(verdict.model, verdict.usual, verdict.weaker)}")
    paragraphs.append(f"The input: {was.lower()}, {verdict.reason_before} ({verdict.value_before}).")
    return AttackLine(
        verdict.attack.value,
        _capital(verdict.attack.title),
        verdict.reason,
        verdict.value,
        status,
        tone,
        RESISTANCE_ICONS[tone],
        tuple(paragraphs),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
