"""Attack test of a release: risks of three attacks above a control group that is not in the release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from engine.errors import InputError, VerificationError, nearest
from engine.findings.attack.attacks import Secret, infer, link_parts, single_out
from engine.findings.attack.cover import CoverColumn, cover_columns
from engine.findings.attack.split import (
    LEAST,
    Split,
    is_large_enough,
    random_source,
    release_of_records,
    split_records,
)
from engine.findings.attack.statistics import AttackCounts, AttackStatistics
from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import (
    SHARE,
    Block,
    Chart,
    Figure,
    FigureColumn,
    FigureTable,
    Findings,
    Paragraph,
    Series,
    Statement,
    columns_of,
    row_of,
)
from engine.findings.sample import Sample, sampled
from engine.findings.subject import Subject
from engine.findings.words import listed, quoted
from engine.kernels.arrays import IntArray
from engine.lattice import Node
from engine.monitor import SILENT, Monitor, StretchMonitor
from engine.numbers import as_exact_count, as_percent, as_risk
from engine.params import values_of
from engine.project import Project
from engine.project.attack_settings import AttackSettings
from engine.recoding import Release
from engine.recoding.ruled import released_column, rule_of
from engine.recoding.transformation import KEPT, RULED
from engine.records import Column, Role
from engine.verification.attack_test import wrong_statistics
from engine.words import N_, _, lazy, ngettext

SINGLING_OUT, LINKABILITY, INFERENCE = "singling_out", "linkability", "inference"
MEASURED, FAILED, IMPOSSIBLE = "measured", "failed", "impossible"
_TITLES = {
    SINGLING_OUT: N_("Singling out"),
    LINKABILITY: N_("Linkability"),
    INFERENCE: N_("Inference of '{column}'"),
}
_RELEASE_PART, _SINGLING_PART, _LINKING_PART = 0.2, 0.5, 0.7  # of the progress, done at the end of each
_STREAMS = {SINGLING_OUT: 1, LINKABILITY: 2, INFERENCE: 3}  # of random numbers; 0 draws the control group


@dataclass(frozen=True)
class AttackFound:
    """Result of one attack.

    Attributes
    ----------
    column : str
        Inferred column; empty for the others.
    state : {"measured", "failed", "impossible"}
        "failed" if the attack is not better than naive guesses, so that it says nothing about the risk;
        "impossible" if no attack can be made.
    reason : str
        Why no attack can be made.
    """

    attack: str
    column: str
    state: str
    counts: AttackCounts
    statistics: AttackStatistics
    reason: str = ""

    @property
    def title(self) -> str:
        """Name of the attack."""
        return _(_TITLES[self.attack]).format(column=self.column)

    @property
    def interval(self) -> tuple[float, float, float] | None:
        """Risk above the control group with the ends of its interval; None unless it was measured."""
        found = self.statistics
        return (found.risk, found.risk_low, found.risk_high) if self.state == MEASURED else None

    def as_dict(self) -> dict[str, Any]:
        """Return all values by name; a risk that was not measured is None."""
        values: dict[str, Any] = self.statistics.as_dict()
        if self.interval is None:
            values |= dict.fromkeys(("risk", "risk_low", "risk_high"))
        return {
            "attack": self.attack,
            "column": self.column,
            "state": self.state,
            "sentence": self.sentence,
            **values,
            "naive_attacks": self.counts.naive_attacks,
            "naive_successes": self.counts.naive_successes,
        }

    @property
    def sentence(self) -> str:
        """Meaning of the result."""
        if self.state == IMPOSSIBLE:
            return self.reason
        if self.state == FAILED:
            return _(
                "The attack failed and says nothing: it is not better than guesses made without the release."
            )
        found = self.statistics
        words = {"low": as_risk(found.risk_low), "high": as_risk(found.risk_high)}
        if found.risk_low > 0:
            return _(
                "The attack succeeds more often for people in the release than for others: {low} to {high}."
            ).format(**words)
        if found.control_rate > 0.5:
            return _(
                "The attack succeeds as often for people who are not in the release: it uses knowledge about "
                "people in general, not about these. The risk is {low} to {high}."
            ).format(**words)
        return _("No difference from people outside the release was found: {low} to {high}.").format(**words)

    def measured_words(self, date: str) -> str:
        """Return the risk above the control group with the day of the test, or why it was not measured."""
        if self.interval is None:
            return f"{self.title}. {self.sentence}"
        risk, low, high = map(as_risk, self.interval)
        return _("{attack}, attacked on {date}: {risk} above the control group ({low} to {high}).").format(
            attack=self.title, date=date, risk=risk, low=low, high=high
        )


@dataclass(frozen=True)
class AttackTestFound(Findings):
    """Results of an attack test.

    Attributes
    ----------
    attacks : tuple of AttackFound
        Singling out, linkability, and inference of each secret column.
    columns : tuple of str
        Columns that the attacker knows.
    n_training, n_control : int
        Records of the test release, suppressed ones included, and of the control group.
    n_suppressed : int
        Suppressed records of the test release.
    counts_people : bool
        Whether persons have several records; the groups then have no person in common.
    reads_suppressed : bool
        Whether inferences read suppressed records, whose cells cover every value.
    node, node_of_release : tuple of int or None
        Nodes of the test release and of the release; None if levels vary by record without a start.
    sample : Sample
        Records of both groups among those of the table.
    """

    attacks: tuple[AttackFound, ...]
    settings: AttackSettings
    columns: tuple[str, ...]
    n_training: int
    n_control: int
    n_suppressed: int
    counts_people: bool
    reads_suppressed: bool
    node: Node | None
    node_of_release: Node | None
    sample: Sample

    def inference_words(self, date: str) -> str:
        """Return what inferences gained above the control group, without the last full stop."""
        measured = [one.measured_words(date) for one in self.attacks if one.attack == INFERENCE]
        return " ".join(measured).removesuffix(".")

    def statement(self) -> Statement:
        measured = [found for found in self.attacks if found.state == MEASURED]
        caption = _("level {level}, seed {seed}").format(
            level=as_percent(self.settings.level), seed=self.settings.seed
        )
        if not self.sample.is_whole:
            caption = f"{caption} · {self.sample.words()}"
        if not measured:
            if any(found.state == FAILED for found in self.attacks):
                text = _("No attack is better than guesses without the release, so the test says nothing.")
            else:
                text = _("No attack can be made with these columns.")
            return Statement(text, "text", caption)
        worst = max(measured, key=lambda found: (found.statistics.risk, found.statistics.risk_high))
        found = worst.statistics
        words = {
            "title": worst.title,
            "risk": as_risk(found.risk),
            "low": as_risk(found.risk_low),
            "high": as_risk(found.risk_high),
        }
        text = _("{title} has the highest risk above the control group: {risk} ({low} to {high}).")
        is_clear = any(each.statistics.risk_low > 0 for each in measured)
        return Statement(text.format(**words), "warn" if is_clear else "text", caption)

    def as_dict(self) -> dict[str, Any]:
        """Return all values by name, for programs; a risk that was not measured is None."""
        return {
            "attacks": [found.as_dict() for found in self.attacks],
            "settings": {**values_of(self.settings), "columns": list(self.columns)},
            "n_training": self.n_training,
            "n_control": self.n_control,
            "n_suppressed": self.n_suppressed,
            "node": self.node,
            "basis": self.basis,
        }

    @property
    def basis(self) -> str:
        """Groups, knowledge and targets of the test, in sentences."""
        texts = [
            _(
                "The test release has {n_training} records, without the {n_control} records of the control "
                "group; the final release has both."
            ).format(n_training=as_exact_count(self.n_training), n_control=as_exact_count(self.n_control)),
            self._levels,
            _("Known columns: {columns}.").format(columns=listed(quoted(self.columns))),
        ]
        if not self.sample.is_whole:
            texts.insert(0, _("The test uses a {sample}.").format(sample=self.sample.words()))
        if self.counts_people:
            texts.append(_("All records of a person are in the same group."))
        if self.reads_suppressed:
            texts.append(
                _(
                    "Suppressed records could be any person, so they weaken inferences; leave them out to "
                    "attack kept records only."
                )
            )
        return " ".join(texts)

    @property
    def _levels(self) -> str:
        """Describe the choice of levels of the test release in a sentence."""
        if self.node_of_release is None:
            return _("Its levels were chosen again by the recoding method.")
        if not self.settings.choose_again:
            return _("Its levels are those of the release, which were chosen with all records.")
        if self.node == self.node_of_release:
            return _("Its levels were chosen without the control group; they are those of the release.")
        return _("Its levels were chosen without the control group; they differ from those of the release.")

    def blocks(self) -> tuple[Block, ...]:
        """Return the risks, the counts they follow from, and the settings."""
        risks: tuple[tuple[Figure, ...], ...] = tuple(
            (found.title, *(found.interval or (None, None, None)), found.sentence) for found in self.attacks
        )
        counts = tuple(
            (found.attack, found.column, found.state, *row_of(found.counts)) for found in self.attacks
        )
        return (
            Paragraph(self.basis),
            *self._charts(),
            FigureTable("attack_risks", _("Risk above the control group"), RISKS, risks),
            FigureTable("attack_settings", _("Settings of the test"), _SETTINGS, self.settings_rows()),
            FigureTable("attack_counts", _("Counts of the test"), _COUNTS, counts, is_listed=False),
        )

    def _charts(self) -> tuple[Chart, ...]:
        """Return the risks that were measured, with their intervals."""
        found = [(one.title, one.interval) for one in self.attacks if one.interval is not None]
        if not found:
            return ()
        title = _("Risk above the control group")
        risks = tuple(risk for _title, (risk, _low, _high) in found)
        intervals = tuple((low, high) for _title, (_risk, low, high) in found)
        series = (Series(title, risks, intervals=intervals),)
        axis = _("risk above the control group, with its interval")
        return (
            Chart(
                "attack_intervals",
                title,
                "rows",
                axis,
                _("Attack"),
                series,
                tuple(name for name, _interval in found),
                is_share=True,
                decimals=1,
            ),
        )

    def settings_rows(self) -> tuple[tuple[str, Figure], ...]:
        """Return the settings that make the test repeatable, with the sizes of both groups."""
        used = self.settings
        return (
            (_("Seed"), used.seed),
            (_("Share of the control group"), used.share),
            (_("Level of intervals"), used.level),
            (_("Targets"), used.targets),
            (_("Columns of a guess"), min(used.width, len(self.columns))),
            (_("Records per part"), used.nearest),
            (_("Known columns"), ", ".join(self.columns)),
            (_("Records of the test release"), self.n_training),
            (_("Suppressed records of the test release"), self.n_suppressed),
            (_("Records of the control group"), self.n_control),
        )


_RISK = N_(
    "Share of people at whom the attack succeeds among those for whom it would fail if they were not in the "
    "release."
)
RISKS = (
    FigureColumn("attack", N_("Attack")),
    FigureColumn("risk", N_("Risk above control"), SHARE, _RISK),
    FigureColumn("low", N_("From"), SHARE, N_("Lower end of the interval.")),
    FigureColumn("high", N_("To"), SHARE, N_("Upper end of the interval.")),
    FigureColumn("meaning", N_("Meaning")),
)
_SETTINGS = (FigureColumn("setting", N_("Setting")), FigureColumn("value", N_("Value")))
_COUNTS = (
    FigureColumn("attack", N_("Attack")),
    FigureColumn("column", N_("Column")),
    FigureColumn("state", N_("Result")),
    *columns_of(AttackCounts),
)


@risk_analyses.register("attack_test")
@dataclass(frozen=True, slots=True)
class AttackTest(AttackSettings, Analysis):
    """Attack a test release and compare with people who are not in it [1]_, [2]_.

    References
    ----------
    .. [1] Giomi, Boenisch, Wehmeyer, Tasnadi (2023). A Unified Framework for Quantifying Privacy Risk in
       Synthetic Data. Proceedings on Privacy Enhancing Technologies 2023(2), 312-328.
    .. [2] Article 29 Working Party (2014). Opinion 05/2014 on Anonymisation Techniques.
    """

    title: ClassVar[str] = lazy("Attack test")
    summary: ClassVar[str] = lazy(
        "Attacks a test release by singling out, linking and inferring, and compares with a control group of "
        "people who are not in it: only what attacks gain from the release counts as risk."
    )
    reading: ClassVar[str] = lazy(
        "The risk is the success rate above that of the control group, with an interval. If both rates are "
        "equally high, the attack uses knowledge about people in general. If an attack is not better than "
        "guesses made without the release, it failed and says nothing; that does not mean the release is "
        "safe. Classes of two or more records cannot be singled out by quasi-identifying columns alone, so "
        "the interest is in sensitive and insensitive columns. The test is made without the control group, "
        "at the levels of the release."
    )
    source: ClassVar[str] = lazy("Giomi, Boenisch, Wehmeyer and Tasnadi 2023")
    is_costly: ClassVar[bool] = True
    needs_records: ClassVar[bool] = True
    samples_records: ClassVar[bool] = True
    needs_kept: ClassVar[bool] = True

    report_place: ClassVar[int | None] = 122  # after the attacks
    public_words: ClassVar[str] = lazy(
        "A test release was attacked, and people outside it for comparison. The result is only in the "
        "internal report."
    )

    @classmethod
    def of_report(cls, subject: Subject) -> Mapping[str, Self]:
        return {} if subject.project.attack_test is None else {"": cls.of_project(subject.project)}

    @classmethod
    def of_project(cls, project: Project) -> Self:
        return cls(**values_of(project.attack_test or AttackSettings()))

    def why_not(self, subject: Subject) -> str:
        if reason := self.why_not_counted(subject) or subject.why_empty:
            return reason
        subject, _unused = sampled(subject, self.seed)
        if subject.n_records < 2 * LEAST or not is_large_enough(self._split(subject)):
            return _(
                "The attack test needs at least {n} records: {least} for the control group and as many for "
                "the test release."
            ).format(n=as_exact_count(2 * LEAST), least=as_exact_count(LEAST))
        released = known_columns(subject)
        for name in self.named_columns:
            if name not in released:
                return _not_known(subject, name, released)
        if self.secret and subject.project.role(self.secret) is Role.QUASI_IDENTIFYING:
            return _("'{name}' is released as labels, so it cannot be inferred as a secret.").format(
                name=self.secret
            )
        if not self._known(subject):
            return _("The release has no column that an attacker could know.")
        return ""

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> AttackTestFound:
        subject, sample = sampled(subject, self.seed, monitor)
        self.refuse_impossible(subject)
        monitor.step(0, 1, _("Making the test release"))
        split = self._split(subject)
        test = release_of_records(
            subject.project,
            subject.input,
            subject.release,
            split.training,
            StretchMonitor(monitor, 0.0, _RELEASE_PART),
            choose_again=self.choose_again,
        )
        if not test.n_classes:
            raise InputError(
                _("Every record of the test release is suppressed, so there is nothing to attack."),
                hint=_("Choose a more general node, or weaken the requirement."),
            )
        known = self._known(subject)
        secrets = [self.secret] if self.secret else list(subject.sensitive)
        attack = _Attack(self, subject, split, test, monitor)
        found = [attack.singling_out(known), attack.linkability(known)]
        for number, name in enumerate(secrets):
            found.append(attack.inference(known, name, number, len(secrets)))
        return AttackTestFound(
            tuple(found),
            self,
            known,
            len(split.training),
            len(split.control),
            test.n_suppressed,
            subject.counts_people,
            attack.reads_suppressed,
            test.node,
            subject.release.node,
            sample,
        )

    def _split(self, subject: Subject) -> Split:
        return split_records(subject.n_records, subject.release.problem.repeated, self.share, self.seed)

    def _known(self, subject: Subject) -> tuple[str, ...]:
        released = known_columns(subject)
        return tuple(name for name in released if name in self.columns) if self.columns else released


class _Attack:
    """The attacks of one test."""

    def __init__(
        self, settings: AttackTest, subject: Subject, split: Split, test: Release, monitor: Monitor
    ) -> None:
        self._settings, self._subject, self._split = settings, subject, split
        self._test, self._monitor = test, monitor
        self._is_kept = ~test.suppressed
        self._kept = np.flatnonzero(self._is_kept)

    def singling_out(self, known: Sequence[str]) -> AttackFound:
        """Guess combinations of cells that exactly one kept record has."""
        source, split = self._source(SINGLING_OUT), self._split
        size = min(len(split.control), len(split.training))
        part, control = (
            group[np.sort(source.choice(len(group), size, replace=False))]
            for group in (split.training, split.control)
        )
        used = self._settings
        counts = single_out(
            self._columns(known, self._kept),
            part,
            control,
            width=used.width,
            targets=used.targets,
            source=source,
            monitor=StretchMonitor(self._monitor, _RELEASE_PART, _SINGLING_PART),
        )
        width = min(used.width, len(known))
        text = ngettext(
            "No value of {n} known column belongs to one kept record only: none can be singled out.",
            "No values of {n} known columns belong to one kept record only: none can be singled out.",
            width,
        )
        return self._found(SINGLING_OUT, "", counts, text.format(n=width))

    def linkability(self, known: Sequence[str]) -> AttackFound:
        """Link two parts of the known columns."""
        chosen = self._settings.first
        first = [name for name in known if name in chosen] if chosen else list(known[::2])
        second = [name for name in known if name not in first]
        reason = _("Linking needs two parts with a known column each.")
        counts = AttackCounts()
        if first and second:
            source, split = self._source(LINKABILITY), self._split
            counts = link_parts(
                self._columns(first, self._kept),
                self._columns(second, self._kept),
                self._targets(split.training[self._is_kept], source),
                self._targets(split.control, source),
                nearest=self._settings.nearest,
                source=source,
                monitor=StretchMonitor(self._monitor, _SINGLING_PART, _LINKING_PART),
            )
        return self._found(LINKABILITY, "", counts, reason)

    def inference(self, known: Sequence[str], name: str, number: int, n_secrets: int) -> AttackFound:
        """Infer a secret from the other known columns."""
        others = [other for other in known if other != name]
        counts, rows = AttackCounts(), self._rows
        released = self._test.column(name)
        reason = _("Inference needs a released secret, its values, and another known column.")
        if others and released is not None:
            source, split = self._source(INFERENCE, number), self._split
            column = released_column(self._subject.project, name)  # a rule determines what can be learned
            assert column is not None, "the test release has it"
            secret = Secret.of(column, released, rows, self._subject.project.blank)
            attacked = split.training[rows]
            attacked, control = (
                self._targets(group[secret.has_value[group]], source) for group in (attacked, split.control)
            )
            if len(attacked) and len(control):
                width = (1 - _LINKING_PART) / n_secrets
                begin = _LINKING_PART + width * number
                counts = infer(
                    self._columns(others, rows),
                    secret,
                    attacked,
                    control,
                    source=source,
                    monitor=StretchMonitor(self._monitor, begin, begin + width),
                )
        return self._found(INFERENCE, name, counts, reason)

    @property
    def reads_suppressed(self) -> bool:
        """Return whether inferences read suppressed records."""
        is_hidden = self._test.cells != KEPT
        return not (is_hidden or self._settings.leave_out_suppressed or self._is_kept.all())

    @property
    def _rows(self) -> IntArray:
        """Released records that an inference reads."""
        return np.arange(len(self._is_kept)) if self.reads_suppressed else self._kept

    def _source(self, attack: str, number: int = 0) -> np.random.Generator:
        return random_source(self._settings.seed, _STREAMS[attack] + number)

    def _targets(self, group: IntArray, source: np.random.Generator) -> IntArray:
        n = min(self._settings.targets, len(group))
        return group[source.choice(len(group), n, replace=False)] if n else group

    def _columns(self, names: Sequence[str], rows: IntArray) -> list[CoverColumn]:
        subject = self._subject
        columns: list[Column] = [subject.input.column(name) for name in names]
        written = {name: released_column(subject.project, name) for name in names if name in _ruled(subject)}
        found = cover_columns(subject.release, columns, written, self._test, names, subject.project.blank)
        return [column.of(rows) for column in found]

    def _found(self, attack: str, column: str, counts: AttackCounts, reason: str) -> AttackFound:
        """Return a result whose statistics were recomputed independently."""
        level = self._settings.level
        statistics = counts.statistics(level)
        if problems := wrong_statistics(statistics.as_dict()):
            raise VerificationError(" ".join(problems))
        if not counts.attacks:
            return AttackFound(attack, column, IMPOSSIBLE, counts, statistics, reason)
        state = FAILED if counts.has_failed(level) else MEASURED
        return AttackFound(attack, column, state, counts, statistics)


def known_columns(subject: Subject) -> tuple[str, ...]:
    """Return the columns that an attacker compares: quasi-identifying ones, then others with true cells."""
    others = [name for name in _ruled(subject) if not subject.why_not_comparable(name)]
    return (*subject.quasi_identifying, *others)


def _ruled(subject: Subject) -> tuple[str, ...]:
    """Return the released columns that are neither identifying nor quasi-identifying."""
    return tuple(column.name for column in subject.release.columns if column.role in RULED)


def _not_known(subject: Subject, name: str, released: Sequence[str]) -> str:
    if name not in subject.input.names:
        return (
            _("The table has no column '{name}'. {hint}")
            .format(name=name, hint=nearest(name, released))
            .rstrip()
        )
    if subject.project.role(name) in RULED and rule_of(subject.project, name) is not None:
        return subject.why_not_comparable(name)
    return _("'{name}' is identifying or not released, so no attacker knows it from the release.").format(
        name=name
    )
