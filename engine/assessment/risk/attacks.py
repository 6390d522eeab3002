"""Resistance of input and release to attacks, with the deciding model and value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.assessment.base import Analysis, risk_analyses
from engine.assessment.risk.attack_reasons import AttackEvidence, example_for, reason_for
from engine.assessment.risk.resistance import (
    AttackReport,
    Resistance,
    attacks_resisted,
    counted,
    decided_words,
    value_words,
)
from engine.assessment.subject import Subject
from engine.findings.blocks import Block, FigureColumn, FigureTable, Findings, Statement, Tone
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.privacy import Attack, Group
from engine.privacy.values import MeasuredModel, measured_models
from engine.scoring.nodes.kept import KeptClasses, values_of_kept
from engine.words import N_, _, lazy, ngettext


@dataclass(frozen=True)
class AttackVerdict:
    """Resistance of input and release to an attack.

    Attributes
    ----------
    attack : Attack
        Attack with its title and meaning.
    before, after : Resistance
        Resistance of the input with all its records, and of the kept records; `UNKNOWN` if no measured
        model protects against the attack, or no record is kept.
    model : MeasuredModel or None
        Deciding model of the release: the strongest of those that protect.
    value : str
        Its value in a few characters, such as "k = 5"; "none" without one.
    usual : float or None
        Least strict usual threshold of that model.
    weaker : tuple of MeasuredModel
        Weaker models that also protect.
    reason : str
        Reason in one plain sentence without capital and full stop, with column names and counts but
        without cell values.
    example : str
        Values of the input that show the reason, such as "40 and 42"; empty for none.
    value_before, reason_before : str
        The same for the input.
    """

    attack: Attack
    before: Resistance
    after: Resistance
    model: MeasuredModel | None
    value: str
    usual: float | None
    weaker: tuple[MeasuredModel, ...]
    reason: str
    example: str
    value_before: str
    reason_before: str

    @property
    def details(self) -> str:
        """Meaning of the attack, what decides, and the same of the input, one paragraph each."""
        paragraphs = [
            self.attack.meaning,
            _("The release: {status}, {reason}.").format(status=self.after.title.lower(), reason=self.reason),
        ]
        if self.model is not None:
            decided = decided_words(self.model, self.usual, self.weaker)
            paragraphs.append(_("Decided by {model}").format(model=decided))
        paragraphs.append(
            _("The input: {was}, {reason_before} ({value_before}).").format(
                was=self.before.title.lower(),
                reason_before=self.reason_before,
                value_before=self.value_before,
            )
        )
        return "\n".join(paragraphs)


@dataclass(frozen=True)
class AttacksFound(Findings):
    """Verdicts on all attacks.

    Attributes
    ----------
    attacks : tuple of AttackVerdict
        Attacks of the pyCANON paper in its order; membership last, if there is a population table.
    """

    attacks: tuple[AttackVerdict, ...]

    def count(self, resistance: Resistance) -> int:
        """Return the number of attacks that the release resists to this degree."""
        return sum(verdict.after is resistance for verdict in self.attacks)

    def statement(self) -> Statement:
        n_open, n_resisted = self.count(Resistance.OPEN), self.count(Resistance.RESISTED)
        text = _("The release resists {n_resisted} of {n} attacks").format(
            n_resisted=n_resisted, n=len(self.attacks)
        )
        tone: Tone = "danger" if n_open else "ok" if n_resisted == len(self.attacks) else "warn"
        sentence = ngettext("{text}; {n} is open.", "{text}; {n} are open.", n_open)
        return Statement(
            sentence.format(text=text, n=n_open), tone, counted([verdict.after for verdict in self.attacks])
        )

    def blocks(self) -> tuple[Block, ...]:
        """Return one row per attack."""
        rows = tuple(
            (
                verdict.attack.title,
                verdict.attack.title[:1].upper() + verdict.attack.title[1:],
                verdict.before.value,
                verdict.value_before,
                verdict.after.value,
                verdict.after.title,
                verdict.value,
                "" if verdict.model is None else verdict.model.kind.title,
                "" if verdict.model is None else verdict.model.column,
                verdict.usual,
                verdict.reason,
            )
            for verdict in self.attacks
        )
        tones = [verdict.after.tone for verdict in self.attacks]
        details = [verdict.details for verdict in self.attacks]
        return (FigureTable("attacks", _("Attacks"), _COLUMNS, rows, tones=tones, details=details),)


_KEPT = N_("Resistance of the kept records.")
_COLUMNS = (
    FigureColumn("attack", N_("Attack"), is_listed=False),
    FigureColumn("title", N_("Attack")),
    FigureColumn("before", N_("Input"), explanation=N_("Resistance of the input."), is_listed=False),
    FigureColumn(
        "value_before",
        N_("Value of the input"),
        explanation=N_("The measured value that decides."),
        is_listed=False,
    ),
    FigureColumn("after", N_("Release"), explanation=_KEPT, is_listed=False),
    FigureColumn("status", N_("Release"), explanation=_KEPT),
    FigureColumn("value", N_("Value"), explanation=N_("The measured value that decides.")),
    FigureColumn("model", N_("Model"), explanation=N_("What the value measures."), is_listed=False),
    FigureColumn(
        "column",
        N_("Sensitive column"),
        explanation=N_("Of several columns, the least protected one."),
        is_listed=False,
    ),
    FigureColumn(
        "usual",
        N_("Usual"),
        explanation=N_("The least strict usual threshold of that model."),
        is_listed=False,
    ),
    FigureColumn("reason", N_("Reason")),
)


@risk_analyses.register("attacks")
@dataclass(frozen=True, slots=True)
class Attacks(Analysis):
    """Evaluate the attacks of [1]_ by the models that protect against them.

    References
    ----------
    .. [1] Sáinz-Pardo Díaz, López García (2022). A Python library to check the level of anonymity of a
       dataset. Scientific Data 9, 785.
    """

    title: ClassVar[str] = lazy("Attacks")
    summary: ClassVar[str] = lazy(
        "Which known attacks the release resists, by which model and value, and why."
    )
    reading: ClassVar[str] = lazy(
        "Resists: every model that protects from the attack meets the least strict usual "
        "threshold: k of 5, l of 2, t of 0.3. Partly: some models do not, or protect weakly, "
        "or a class has numbers close to each other. Open: no model protects. No model "
        "protects from everything: these verdicts do not cover attackers who know more than "
        "the marked columns, or use columns released unchanged."
    )
    source: ClassVar[str] = lazy("Sáinz-Pardo Díaz and López García 2022")

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> AttacksFound:
        release = subject.release
        classes = subject.input_classes
        before = AttackEvidence(classes, np.ones(len(classes.sizes), dtype=np.bool_), subject)
        after = AttackEvidence(release.classes, release.kept, subject)
        reports_before = attacks_resisted(_models(before, PartMonitor(monitor, 0, 2)))
        models = _models(after, PartMonitor(monitor, 1, 2)) if after.kept.any() else ()
        verdicts = [
            _verdict(was, now, before, after)
            for was, now in zip(reports_before, attacks_resisted(models), strict=True)
            if now.attack is not Attack.MEMBERSHIP or release.classes.knows_members
        ]
        return AttacksFound(tuple(verdicts))


def _models(side: AttackEvidence, monitor: Monitor) -> tuple[MeasuredModel, ...]:
    """Return the values of one side's models that need only the table or a population table."""
    some = KeptClasses(side.classes, side.kept)
    columns = dict.fromkeys(side.subject.sensitive, some)
    distances = dict(side.subject.release.distances)
    own = measured_models(some, columns, distances, monitor)
    if not side.classes.knows_members:
        return own
    people = values_of_kept(side.classes, side.kept, (), {})
    return (*own, *(model for model in people if model.kind.group is Group.POPULATION))


def _verdict(
    was: AttackReport, now: AttackReport, before: AttackEvidence, after: AttackEvidence
) -> AttackVerdict:
    return AttackVerdict(
        now.attack,
        _resistance(was, before),
        _resistance(now, after),
        now.model,
        value_words(now.model),
        now.usual,
        now.weaker,
        reason_for(now, after),
        example_for(now, after),
        value_words(was.model),
        reason_for(was, before),
    )


def _resistance(report: AttackReport, side: AttackEvidence) -> Resistance:
    """Return the resistance by the models, except against similarity if a class has close values.

    t-closeness bounds the distance from the table, whose own values may be close.
    """
    if report.resistance is Resistance.RESISTED and example_for(report, side):
        return Resistance.IN_PART
    return report.resistance
