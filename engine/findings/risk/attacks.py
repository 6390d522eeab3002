"""Resistance of input and release to attacks, with the deciding model, value and reason."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import Block, FigureColumn, FigureTable, Findings, Fold, Statement, Tone
from engine.findings.risk.resistance import (
    AttackReport,
    Resistance,
    attacks_resisted,
    counted,
    decided_words,
    value_words,
)
from engine.findings.subject import Subject
from engine.findings.words import as_number, listed, listed_or, quoted
from engine.frequency import Measure
from engine.frequency.classes import BASIC_GAIN, DISTINCT, EQUAL, LARGEST_SHARE
from engine.frequency.counted import PEOPLE, Noun, who
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_decimal, as_exact_count, as_risk
from engine.privacy import Attack, Group
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_map import KMap
from engine.privacy.t_closeness import TCloseness
from engine.privacy.values import MeasuredModel, measured_models
from engine.recoding.ruled import rule_of
from engine.records import Role
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

    def with_measured(self, words: str) -> AttacksFound:
        """Return them with what an attack test measured as the reason of inference; empty if it did not."""
        if not words:
            return self
        return AttacksFound(
            tuple(
                replace(own, reason=words, example="") if own.attack is Attack.INFERENCE else own
                for own in self.attacks
            )
        )

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
        table = FigureTable(
            "attacks", _("Attacks"), _COLUMNS, rows, False, True, tones, details, are_verdicts=True
        )
        of_values = tuple(i for i, verdict in enumerate(self.attacks) if verdict.attack in VALUE_ATTACKS)
        worst = min(of_values, key=lambda row: _WORST_FIRST.index(tones[row]), default=None)
        return (replace(table, folds=[Fold(_("Value attacks"), of_values, worst)]),)


VALUE_ATTACKS = (Attack.SKEWNESS, Attack.SIMILARITY)  # one line of a window
_WORST_FIRST: tuple[Tone, ...] = ("danger", "warn", "text", "ok")


_KEPT, _DECIDES = N_("Resistance of the kept records."), N_("The measured value that decides.")
_COLUMNS = (
    FigureColumn("attack", N_("Attack"), is_listed=False),
    FigureColumn("title", N_("Attack")),
    FigureColumn("before", N_("Input"), explanation=N_("Resistance of the input."), is_listed=False),
    FigureColumn("value_before", N_("Value of the input"), explanation=_DECIDES, is_listed=False),
    FigureColumn("after", N_("Release"), explanation=_KEPT, is_listed=False),
    FigureColumn("status", N_("Release"), explanation=_KEPT),
    FigureColumn("value", N_("Value"), explanation=_DECIDES),
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
    columns = dict.fromkeys(side.subject.sensitive, side)
    distances = dict(side.subject.release.distances)
    own = measured_models(side, columns, distances, monitor)
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


NOTHING_MEASURED = N_("no column is marked as sensitive, so nothing was measured")
NOTHING_KEPT = N_("no record is kept")
_CLOSE = 0.1  # numbers within this share of the range of a column are close


@dataclass(frozen=True, eq=False)
class AttackEvidence(KeptClasses):
    """The classes of one side, as evidence for the verdicts."""

    subject: Subject

    @property
    def who(self) -> Noun:
        """The counted thing: records, or people who may have several."""
        return who(counts_people=self.classes.persons is not None)

    @property
    def n_alone(self) -> int:
        """Number of records or people that are alone in a kept class."""
        return self.classes.by_size(self.kept).n_below(2)

    def largest(self, name: str, column: str) -> float:
        """Return the largest value of a measure of a sensitive column."""
        return float(self.measured(Measure(name, column)).max())


def reason_for(report: AttackReport, side: AttackEvidence) -> str:
    """Say why a side resists an attack or not, without capital and full stop."""
    if not side.kept.any():
        return _(NOTHING_KEPT)
    if report.model is None:
        return _(NOTHING_MEASURED)
    if report.model.key == DistinctLDiversity.key and report.model.value == 1:
        return _homogeneous(report, side)
    return _REASONS[report.attack](report, side)


def example_for(report: AttackReport, side: AttackEvidence) -> str:
    """Return values of the input that show the reason, such as "40 and 42"; empty if none do."""
    if report.attack is not Attack.SIMILARITY or report.model is None or report.model.kind is not TCloseness:
        return ""
    close = _closest(side, report.model.column)
    return "" if close is None or close[0] == close[1] else listed(close)


def _re_identification(report: AttackReport, side: AttackEvidence) -> str:
    smallest, is_people = int(side.sizes.min()), side.who is PEOPLE
    if smallest == 1:
        n = side.n_alone
        text = (
            ngettext(
                "{n} person shares the values of a record with no other",
                "{n} people share the values of a record with no other",
                n,
            )
            if is_people
            else ngettext(
                "{n} record shares its values with no other",
                "{n} records share their values with no other",
                n,
            )
        )
    else:
        n = smallest - 1
        text = (
            ngettext(
                "each record shares its values with at least one other person",
                "each record shares its values with at least {n} other people",
                n,
            )
            if is_people
            else ngettext(
                "each record shares its values with at least one other",
                "each record shares its values with at least {n} others",
                n,
            )
        )
    return _with_population(text.format(n=as_exact_count(n)), report)


def _linkage(report: AttackReport, side: AttackEvidence) -> str:
    n = smallest = int(side.sizes.min())
    if smallest > 1:
        text = _("linking with this file alone returns {n} or more candidates")
    else:
        n = side.n_alone
        words = _("linking with this file alone returns a single candidate for {n} of the {records}")
        text = side.who.said(words)
    return _with_earlier(_with_population(text.format(n=as_exact_count(n)), report), side.subject)


def _with_earlier(text: str, subject: Subject) -> str:
    """Add how many earlier releases a ledger has, which linking with this file alone does not count."""
    if not subject.n_earlier:
        return text
    return ngettext(
        "{text}; the ledger has {n} earlier release, which is not counted here",
        "{text}; the ledger has {n} earlier releases, which are not counted here",
        subject.n_earlier,
    ).format(text=text, n=as_exact_count(subject.n_earlier))


def _with_population(text: str, report: AttackReport) -> str:
    """Add the k-map of the population to a reason, if it is measured."""
    models = (report.model, *report.weaker)
    counted = next((model for model in models if model is not None and model.kind is KMap), None)
    if counted is None or counted.value is None:
        return text
    return _("{text}; {n} or more people of the population match each").format(
        text=text, n=as_exact_count(int(counted.value))
    )


def _homogeneous(report: AttackReport, side: AttackEvidence) -> str:
    """Say how many classes have a single value, which anyone who finds the class learns."""
    column = _column(report)
    n = int((side.measured(Measure(DISTINCT, column)) == 1).sum())
    text = (
        ngettext(
            "{n} of {total} classes has one person or a single value of '{column}'",
            "{n} of {total} classes have one person or a single value of '{column}'",
            n,
        )
        if side.who is PEOPLE
        else ngettext(
            "{n} of {total} classes has a single value of '{column}'",
            "{n} of {total} classes have a single value of '{column}'",
            n,
        )
    ).format(n=as_exact_count(n), total=as_exact_count(len(side.sizes)), column=column)
    if side.subject.release.problem.measures_parts:
        text = _("{text} for an attacker who knows the other sensitive columns").format(text=text)
    if report.attack is Attack.BACKGROUND_KNOWLEDGE:
        return _("without any knowledge: {text}").format(text=text)
    return text


def _homogeneity(report: AttackReport, side: AttackEvidence) -> str:
    if report.resistance is Resistance.RESISTED:
        return _("no class has a single value of {columns}").format(
            columns=listed_or(quoted(side.subject.sensitive))
        )
    column = _column(report)
    text = side.who.said(
        _("no class has a single value of '{column}', but in one {share} of the {records} are equal")
    )
    return text.format(column=column, share=as_risk(side.largest(LARGEST_SHARE, column)))


def _background_knowledge(report: AttackReport, side: AttackEvidence) -> str:
    column = _column(report)
    n = int(side.measured(Measure(DISTINCT, column)).min()) - 1
    text = ngettext(
        "one value of '{column}' can be excluded before one remains",
        "{n} values of '{column}' can be excluded before one remains",
        n,
    ).format(n=as_number(n), column=column)
    if report.resistance is Resistance.RESISTED:
        return text
    largest = side.who.said(_("{text}, and in one class {share} of the {records} are equal"))
    return largest.format(text=text, share=as_risk(side.largest(LARGEST_SHARE, column)))


def _skewness(report: AttackReport, side: AttackEvidence) -> str:
    if report.resistance is Resistance.RESISTED:
        return _("no class differs much from the table")
    column = _column(report)
    times = side.largest(BASIC_GAIN, column) + 1
    text = as_decimal(times, 1) if times < 10 else as_exact_count(round(times))
    return _("in one class, a value of '{column}' is {text} times as frequent as in the table").format(
        column=column, text=text
    )


def _similarity(report: AttackReport, side: AttackEvidence) -> str:
    assert report.model is not None
    column = report.model.column
    is_near = report.resistance is Resistance.RESISTED
    start = (
        _("no class differs much from the table")
        if is_near
        else _("one class differs much from the table in '{column}'").format(column=column)
    )
    if _closest(side, column) is not None:
        return _("{start}, but the values of '{column}' in a class may be close to each other").format(
            start=start, column=column
        )
    if report.model.reported.get("distance") == EQUAL:
        return _("{start}; which values of '{column}' have a similar meaning is not measured").format(
            start=start, column=column
        )
    return _("{start}; close values count as similar").format(start=start)


def _inference(report: AttackReport, side: AttackEvidence) -> str:
    assert report.model is not None
    column, value = report.model.column, float(report.model.value or 0.0)
    if math.isinf(value):
        text = _("in one class, a value of '{column}' never occurs, so it can be excluded").format(
            column=column
        )
    elif report.resistance is Resistance.RESISTED:
        text = _("each value is about as frequent in every class as in the table")
    else:
        times = math.exp(min(value, 700.0))
        text = _(
            "in one class, a value of '{column}' is {times} times as frequent as in the table, or as rare"
        ).format(column=column, times=as_decimal(times, 1))
    unchanged = [
        name
        for name in side.subject.names
        if side.subject.project.role(name) is Role.INSENSITIVE and rule_of(side.subject.project, name) is None
    ]
    if not unchanged:
        return text
    if len(unchanged) > 3:
        return _("{text}; no model covers the {n} columns released unchanged").format(
            text=text, n=as_number(len(unchanged))
        )
    return ngettext(
        "{text}; no model covers {names}, which is released unchanged",
        "{text}; no model covers {names}, which are released unchanged",
        len(unchanged),
    ).format(text=text, names=listed(quoted(unchanged)))


def _membership(report: AttackReport, side: AttackEvidence) -> str:
    assert report.model is not None
    value = report.model.value
    if value is None or math.isinf(value):
        return _("one class has records but no person of the population")
    return _("up to {value} of the people who match a class are in the table").format(
        value=as_risk(min(float(value), 1.0))
    )


_REASONS = {
    Attack.RE_IDENTIFICATION: _re_identification,
    Attack.LINKAGE: _linkage,
    Attack.HOMOGENEITY: _homogeneity,
    Attack.BACKGROUND_KNOWLEDGE: _background_knowledge,
    Attack.SKEWNESS: _skewness,
    Attack.SIMILARITY: _similarity,
    Attack.INFERENCE: _inference,
    Attack.MEMBERSHIP: _membership,
}


def _column(report: AttackReport) -> str:
    assert report.model is not None
    return report.model.column


def _closest(side: AttackEvidence, column: str) -> tuple[str, str] | None:
    """Return the smallest and the largest value of the class with the closest numbers.

    Of several such classes the largest one; None if values are not numbers, or never close.
    """
    attribute = side.subject.release.problem.sensitive_attribute(column)
    numbers = attribute.column.numbers
    if attribute.column.has_missing or not len(numbers) or np.isnan(numbers).any():
        return None
    pairs = side.classes.pairs(column)
    first = pairs.values[pairs.starts]
    last = pairs.values[np.append(pairs.starts[1:], len(pairs.values)) - 1]
    kept = np.flatnonzero(side.kept)
    widths = (numbers[last] - numbers[first])[kept]
    if widths.min() > _CLOSE * (numbers.max() - numbers.min()):
        return None
    chosen = kept[np.lexsort((-side.classes.sizes[kept], widths))[0]]
    labels = attribute.column.labels
    return labels[int(first[chosen])], labels[int(last[chosen])]
