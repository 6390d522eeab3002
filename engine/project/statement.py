"""Answers that de-identification statements ask for, declared once and shared by all outlines."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from engine.params import ColumnRefs, Configurable, Real, Text, describe, param
from engine.project.attack_settings import RELEASED
from engine.words import N_

_RELEASE, _EXPERT, _RISK = N_("Release"), N_("Expert"), N_("Risk")
_RECIPIENT, _GOVERNANCE = N_("Recipient and safeguards"), N_("Governance")


def _text(section: str, label: str, meaning: str) -> Any:
    return param("", Text(label=label, help=meaning, placeholder=meaning, section=section))


def _chance(label: str, meaning: str) -> Any:
    rule = N_("a fraction from 0 to 1, or empty")
    return param(None, Real(label=label, help=meaning, section=_RISK, is_share=True, rule=rule))


@dataclass(frozen=True, slots=True)
class StatementAnswers(Configurable):
    """Answers of the person responsible; an empty text, no column or None means no answer.

    Attributes
    ----------
    replicability : tuple of str
        Columns whose values recur for a person, for all others they change.
    attempt_deliberate, attempt_acquaintance, attempt_breach : float or None
        Probability that an attempt at re-identification is made.
    """

    purpose: str = _text(_RELEASE, N_("Purpose"), N_("Purpose of the release."))
    recipient: str = _text(_RELEASE, N_("Recipient"), N_("Anticipated recipient of the release."))
    origin: str = _text(_RELEASE, N_("Origin"), N_("How and by whom the data were collected."))
    responsible: str = _text(_RELEASE, N_("Responsible"), N_("Person or body responsible for the release."))
    expert: str = _text(_EXPERT, N_("Expert"), N_("Person who makes the determination."))
    qualification: str = _text(
        _EXPERT, N_("Qualification"), N_("Knowledge and experience of the expert with such determinations.")
    )
    determined: str = _text(_EXPERT, N_("Date"), N_("Day of the determination."))
    valid_until: str = _text(_EXPERT, N_("Valid until"), N_("Last day on which the determination holds."))
    ends: str = _text(
        _EXPERT, N_("Ends when"), N_("Events that end it earlier, such as another recipient or new data.")
    )
    sources: str = _text(
        _RISK, N_("Other sources"), N_("Other reasonably available information about the people.")
    )
    replicability: tuple[str, ...] = param(
        (),
        ColumnRefs(
            label=N_("Recurring columns"),
            help=N_("Columns whose values recur for a person, such as a date of birth; others change."),
            role=RELEASED,
            section=_RISK,
        ),
    )
    attempt_deliberate: float | None = _chance(
        N_("Deliberate attempt"), N_("Probability that a recipient tries to re-identify people.")
    )
    attempt_acquaintance: float | None = _chance(
        N_("Acquaintance"), N_("Probability that a recipient knows someone in the data.")
    )
    attempt_breach: float | None = _chance(
        N_("Breach"), N_("Probability that the data are lost to someone who tries.")
    )
    population_source: str = _text(
        _RISK, N_("Source of the population"), N_("Where the size of the reference population is from.")
    )
    residual: str = _text(_RISK, N_("Residual risks"), N_("Risks that remain and are accepted."))
    residual_owner: str = _text(_RISK, N_("Owner of residual risks"), N_("Who accepts the residual risks."))
    agreement: str = _text(
        _RECIPIENT, N_("Agreement"), N_("Agreement on use and against re-identification, with its date.")
    )
    controls: str = _text(
        _RECIPIENT, N_("Safeguards"), N_("Security and privacy controls where the data are used.")
    )
    key_keeping: str = _text(
        _RECIPIENT, N_("Keeping of keys"), N_("Where keys and tables of codes are kept, and who has access.")
    )
    attribution: str = _text(
        _RECIPIENT, N_("Planned attribution"), N_("Whether, when and by whom codes are led back to people.")
    )
    policies: str = _text(
        _GOVERNANCE, N_("Policies"), N_("Principles, policies, procedures and codes of conduct that apply.")
    )
    legal_basis: str = _text(_GOVERNANCE, N_("Legal basis"), N_("Legal basis and specified purposes."))
    necessity: str = _text(
        _GOVERNANCE, N_("Necessity"), N_("Why the release is necessary and proportionate to its purpose.")
    )
    rights: str = _text(_GOVERNANCE, N_("Rights"), N_("How data subjects exercise their rights."))
    transparency: str = _text(
        _GOVERNANCE, N_("Transparency"), N_("Who was informed or consulted, and with what result.")
    )
    review: str = _text(
        _GOVERNANCE,
        N_("Review", "noun"),
        N_("When the release is reviewed, what is monitored, how long it is kept."),
    )
    incident: str = _text(_GOVERNANCE, N_("Incidents"), N_("What is done if a person is re-identified."))

    def has(self, name: str) -> bool:
        """Return whether a question was answered."""
        return getattr(self, name) not in ("", (), None)

    def without(self, removed: Collection[str]) -> StatementAnswers:
        """Return the answers without columns that a table no longer has."""
        kept = tuple(name for name in self.replicability if name not in removed)
        return replace(self, replicability=kept)


QUESTIONS = {descriptor.name: descriptor for descriptor in describe(StatementAnswers)}
