"""Risk from a prosecutor, a journalist and a marketer, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import ClassVar

import numpy as np

from engine.findings.base import Analysis, risk_analyses
from engine.findings.blocks import (
    INPUT,
    RELEASE,
    SHARE,
    Block,
    Chart,
    FigureColumn,
    FigureTable,
    Findings,
    Series,
    Statement,
    Tone,
)
from engine.findings.given_table import Side
from engine.findings.risk.attacker_risk import AttackerRisk, risk_of_people
from engine.findings.risk.declared import risk_threshold
from engine.findings.risk.population_in_classes import OTHERS, PopulationInClasses, population_in_classes
from engine.findings.risk.verdict import (
    ClassReveals,
    Clause,
    class_clause,
    most_revealing,
    revealed_clauses,
    unchanged_clause,
    worst,
)
from engine.findings.subject import AnySubject, Subject
from engine.findings.words import as_chance, from_columns
from engine.frequency.counted import RECORDS, Noun, either
from engine.kernels.arrays import Counts
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count, as_people, as_records, as_risk, as_risk_limit
from engine.privacy.highest_risk import TITLE
from engine.recoding.unchanged import UnchangedColumns
from engine.words import _, lazy, ngettext


@dataclass(frozen=True)
class Attacker:
    """One of the three attackers, before and after.

    Attributes
    ----------
    knows : str
        What the attacker knows or wants.
    before : AttackerRisk or None
        Risk in all records of the input; None for a given table.
    after : AttackerRisk or None
        Risk in the kept records of the release; None if no record is kept.
    """

    key: str
    title: str
    knows: str
    before: AttackerRisk | None
    after: AttackerRisk | None

    @property
    def of_input(self) -> AttackerRisk:
        """Risk in the input of a release."""
        assert self.before is not None, "a release has an input"
        return self.before


_LISTED = ("highest", "average", "records_at_risk", "n_records")  # the others follow from these


@dataclass(frozen=True)
class AttackersFound(Findings):
    """Risk from three attackers.

    Attributes
    ----------
    threshold : float
        Accepted risk; records strictly above it are at risk.
    people : str
        The population that the journalist searches, in a sentence.
    sentence : str
        The claim about the release, in one sentence.
    detail : str
        What the sentence is based on.
    is_within : bool
        Whether records are kept, none of them has a risk above the threshold, and none is identified with
        certainty.
    marketer_sentence : str
        The marketer's average risk as a number of people.
    unchanged : UnchangedColumns
        What columns released unchanged single out, which no class protects.
    counted : Noun
        What the attackers' values count: records, or people, who may have several.
    reveals : ClassReveals or None
        The kept class that reveals most; None without kept classes or sensitive columns.
    revealed : tuple of Clause
        What order and codes reveal beyond the classes.
    """

    threshold: float
    prosecutor: Attacker
    journalist: Attacker
    marketer: Attacker
    people: str
    sentence: str
    detail: str
    is_within: bool
    marketer_sentence: str
    unchanged: UnchangedColumns
    counted: Noun = RECORDS
    reveals: ClassReveals | None = None
    revealed: tuple[Clause, ...] = ()

    @property
    def attackers(self) -> tuple[Attacker, Attacker, Attacker]:
        """All three attackers."""
        return self.prosecutor, self.journalist, self.marketer

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The verdict in its parts, each with a tone of its own."""
        found = [Clause("identity", self.sentence.removesuffix("."), self._tone)]
        found += self.revealed
        if self.reveals is not None:
            found.append(class_clause(self.reveals, self.counted))
        found.append(unchanged_clause(self.unchanged))
        return tuple(found)

    def statement(self) -> Statement:
        """Return all clauses in one sentence, with the tone of the worst."""
        clauses = self.clauses
        sentence = "; ".join(clause.sentence for clause in clauses) + "."
        caption = self.counted.said(_("share of {records}, before and after"))
        return Statement(sentence, worst(clauses), caption)

    @property
    def _tone(self) -> Tone:
        """Tone of identity alone."""
        after = self.prosecutor.after
        if after is None:
            return "warn"
        return "ok" if self.is_within else "danger"

    def blocks(self) -> tuple[Block, ...]:
        """Return the attackers as three pairs of bars, and one row per attacker and side."""
        rows = []
        for attacker in self.attackers:
            sides = ((INPUT, _("Input"), attacker.before), (RELEASE, _("Release"), attacker.after))
            for side, title, found in sides:
                values = _row(attacker, found, self.threshold)
                rows.append((attacker.key, side, attacker.title, title, *values, attacker.knows))
        own, table, *columns = attacker_columns(self.counted)
        shown = [replace(column, is_listed=column.key in _LISTED) for column in columns]
        keys = (replace(own, is_listed=False), replace(table, is_listed=False))
        names = (FigureColumn("title", own.title), FigureColumn("table", table.title))
        of_all = (*keys, *names, *shown, FigureColumn("knows", _("Knowledge or wish"), is_listed=False))
        listed = FigureTable("attackers", _("Risk by attacker"), of_all, rows)
        return (self._chart(columns), listed)

    def _chart(self, columns: Sequence[FigureColumn]) -> Chart:
        of_key = {column.key: column for column in columns}
        prosecutor, journalist, marketer = self.attackers
        shown = [(_("Prosecutor: highest risk"), prosecutor, "highest")]
        if journalist.before is prosecutor.before:  # the population is unknown
            shown.append((_("Prosecutor: average risk"), prosecutor, "average"))
        else:
            shown.append((_("Journalist: highest risk"), journalist, "highest"))
        shown.append((self.counted.said(_("Marketer: {records} matched")), marketer, "average"))
        sides = ((_("input"), "before", INPUT), (_("release"), "after", RELEASE))
        series = tuple(
            Series(title, tuple(_value(getattr(one, own), key) for _text, one, key in shown), side)
            for title, own, side in sides
        )
        limit = _("accepted risk {limit}").format(limit=as_risk_limit(self.threshold))
        return Chart(
            "attacker_pairs",
            _("Attackers"),
            "rows",
            self.counted.said(_("share of {records}")),
            _("Risk"),
            series,
            tuple(text for text, _one, _key in shown),
            is_share=True,
            decimals=1,
            explanations=tuple(self._meaning(one, of_key[key]) for _text, one, key in shown),
            marks=((self.threshold, limit),),
        )

    def _meaning(self, attacker: Attacker, column: FigureColumn) -> str:
        further = self.marketer_sentence if attacker is self.marketer else column.explanation
        return "\n".join((f"{attacker.title}: {attacker.knows}", further))


def _value(found: AttackerRisk | None, key: str) -> float:
    return nan if found is None else float(getattr(found, key))


def attacker_columns(noun: Noun) -> tuple[FigureColumn, ...]:
    """Return the columns of an attacker's values, which count records or people."""
    many = noun.unit
    return (
        FigureColumn("attacker", _("Attacker")),
        FigureColumn(
            "side", _("Table"), explanation=_("The input, or the release without its suppressed records.")
        ),
        FigureColumn(
            "highest",
            _(TITLE),
            SHARE,
            either(
                noun,
                _("Highest risk of a record: 1 divided by the size of its class."),
                _("Highest risk of a person: 1 divided by the size of their class."),
            ),
        ),
        FigureColumn(
            "average",
            _("Average risk"),
            SHARE,
            noun.said(_("Mean over {records}: the expected share of correct guesses if all are guessed.")),
        ),
        FigureColumn(
            "records_at_risk",
            noun.said(_("{Records} at risk")),
            SHARE,
            noun.said(_("Share of {records} whose risk is strictly above the threshold.")),
        ),
        FigureColumn(
            "n_at_risk",
            noun.said(_("{Records} at risk")),
            many,
            noun.said(_("The same as a number of {records}.")),
        ),
        FigureColumn(
            "n_records",
            noun.many.capitalize(),
            many,
            noun.said(_("Number of {records} the attacker searches for.")),
        ),
        FigureColumn(
            "n_expected",
            _("Expected matches"),
            many,
            noun.said(_("Expected number of {records} found if all are guessed.")),
        ),
        FigureColumn(
            "threshold",
            _("Threshold"),
            SHARE,
            either(
                noun,
                _("Accepted risk; a record with exactly this risk is not at risk."),
                _("Accepted risk; a person with exactly this risk is not at risk."),
            ),
        ),
    )


def _row(attacker: Attacker, found: AttackerRisk | None, threshold: float) -> tuple[float | int | None, ...]:
    if found is None:
        return (None, None, None, None, 0, None, threshold)
    if attacker.key == "marketer":
        return (None, found.average, None, None, found.n_records, found.n_expected, threshold)
    return (
        found.highest,
        found.average,
        found.records_at_risk,
        found.n_at_risk,
        found.n_records,
        found.n_expected,
        threshold,
    )


@risk_analyses.register("attackers")
@dataclass(frozen=True, slots=True)
class Attackers(Analysis):
    """Summarize the re-identification risk from three attackers, in the input and in the kept records.

    References
    ----------
    .. [1] El Emam, Dankar (2008). Protecting Privacy Using k-Anonymity. JAMIA 15(5).
    .. [2] El Emam (2013). Guide to the De-Identification of Personal Health Information. CRC Press.
    """

    title: ClassVar[str] = lazy("Attackers")
    summary: ClassVar[str] = lazy(
        "Risk from three attackers: one who knows that a person is in the table, one who "
        "searches the population, and one who wants as many matches as possible."
    )
    reading: ClassVar[str] = lazy(
        "The risk of a record is 1 divided by the size of its class. If people may have "
        "several records, it is 1 divided by the people in the class; the risk of a "
        "person is the highest risk of their records. Health research commonly accepts 0.2, "
        "classes of 5 (El Emam and Dankar 2008); the European Medicines Agency (2016) and "
        "Health Canada (2019) accept 0.09 for public data. A record exactly at the threshold "
        "is not at risk. Values for the release exclude suppressed records. All values cover "
        "only the columns marked as quasi-identifying; a column that was forgotten is not "
        "included."
    )
    source: ClassVar[str] = lazy("El Emam and Dankar 2008")

    threshold: float = risk_threshold()

    def run(self, subject: Subject, monitor: Monitor = SILENT) -> AttackersFound:
        monitor.step(0, 3, _("Counting classes of the input"))
        people = population_in_classes(subject, PartMonitor(monitor, 0, 3))
        monitor.step(1, 3, _("Counting classes of the release"))
        prosecutor, journalist, marketer = attackers_of(subject, people, self.threshold)
        monitor.step(2, 3, _("Counting records that unchanged columns single out"))
        release, after = subject.release, prosecutor.after
        return AttackersFound(
            self.threshold,
            prosecutor,
            journalist,
            marketer,
            people.words,
            claim_about(subject, after),
            _detail(subject),
            after is not None and not after.n_at_risk and after.smallest > 1,
            _marketer(journalist.of_input, journalist.after, subject.counted),
            release.count_unchanged(PartMonitor(monitor, 2, 3)),
            subject.counted,
            most_revealing(release.classes, release.kept, subject.sensitive),
            revealed_clauses(release),
        )


def attackers_of(
    subject: AnySubject, people: PopulationInClasses, threshold: float
) -> tuple[Attacker, Attacker, Attacker]:
    """Return prosecutor, journalist and marketer, who search a release with its input, or a given table."""
    before, after = (_figures(side, threshold) for side in (subject.before, subject.after))
    own, members = before, after
    if people.of_input is not None and people.of_release is not None:
        own = _figures(subject.before, threshold, people.of_input)
        members = _figures(subject.after, threshold, people.of_release)
    return (
        Attacker("prosecutor", _("Prosecutor"), _("knows the person is in the table"), before, after),
        Attacker("journalist", _("Journalist"), _searched(people), own, members),
        Attacker("marketer", _("Marketer"), _("wants as many matches as possible"), own, members),
    )


def _figures(side: Side | None, threshold: float, among: Counts | None = None) -> AttackerRisk | None:
    """Compute the risk in a table from its class sizes, or from `among` people per class."""
    if side is None or not side.chosen.any():
        return None
    people = side.people if among is None else side.classes.by_size(side.chosen, among)
    return risk_of_people(people, threshold)


def _searched(people: PopulationInClasses) -> str:
    if people.key == OTHERS:
        return _("knows the whole population")
    return _("knows only the population, for which this table is used")


def claim_about(subject: AnySubject, after: AttackerRisk | None) -> str:
    """Return the claim by the prosecutor's risks in a release or table, the highest of the three."""
    n_columns, noun = len(subject.quasi_identifying), subject.counted
    if after is None:
        return _("No record is kept, so no one can be re-identified.")
    return from_columns(n_columns, _claim(after, noun))


def _claim(after: AttackerRisk, noun: Noun) -> str:
    n, is_certain, worst = after.n_at_risk, after.smallest == 1, as_chance(after.smallest)
    if not n and is_certain:
        return noun.said(
            _("{records} can be matched with certainty, which an accepted risk of {limit} allows")
        ).format(limit=as_risk(1.0))
    if not n:
        return either(
            noun,
            _("no kept record can be matched with a certainty above {limit}"),
            _("no kept person can be matched with a certainty above {limit}"),
        ).format(limit=worst)
    if is_certain:
        text = noun.said(
            ngettext(
                "{n} of {total} kept {records} ({share}) can be matched with certainty, above the "
                "accepted {limit}",
                "{n} of {total} kept {records} ({share}) can be matched with a certainty above {limit}, "
                "some of them with certainty",
                n,
            )
        )
    else:
        text = noun.said(
            ngettext(
                "{n} of {total} kept {records} ({share}) can be matched with a certainty of {worst}, "
                "above the accepted {limit}",
                "{n} of {total} kept {records} ({share}) can be matched with a certainty above {limit}, "
                "the most exposed with {worst}",
                n,
            )
        )
    return text.format(
        n=as_exact_count(n),
        total=as_exact_count(after.n_records),
        share=as_risk(n / after.n_records),
        limit=as_risk_limit(after.threshold),
        worst=worst,
    )


def _detail(subject: Subject) -> str:
    release = subject.release
    n_kept, n_classes = release.n_records - release.n_suppressed, release.n_classes
    kept = ngettext("{records} kept in {n} class", "{records} kept in {n} classes", n_classes).format(
        records=as_records(n_kept), n=as_exact_count(n_classes)
    )
    if subject.counts_people and release.persons is not None:
        kept = _("{kept}, of {people}").format(kept=kept, people=as_people(subject.after.people.n_people))
        if n_classes:
            kept = _("{kept}; the smallest class has {people}, or {records}").format(
                kept=kept,
                people=as_people(release.k or 0),
                records=as_records(release.persons.k_of_records or 0),
            )
    if not release.n_suppressed:
        return _("{kept}, none suppressed").format(kept=kept)
    text = _("{kept}, {n} suppressed ({share}) and excluded from the values below")
    if not release.is_within:
        text = _(
            "{kept}, {n} suppressed ({share}), above the limit of {most} ({limit}), and excluded from the "
            "values below"
        )
    return text.format(
        kept=kept,
        n=as_exact_count(release.n_suppressed),
        share=as_risk(release.n_suppressed / release.n_records),
        most=as_exact_count(release.losses.allowed),
        limit=as_risk_limit(release.requirement.suppression_limit),
    )


def _marketer(before: AttackerRisk, after: AttackerRisk | None, noun: Noun) -> str:
    was = _("{n} of {total}").format(n=_people(before.n_expected), total=as_exact_count(before.n_records))
    if after is None:
        return _(
            "No record is kept; in the input, an attacker who guesses would be right for about {was}."
        ).format(was=was)
    return either(
        noun,
        _(
            "An attacker who guesses every record would be right for about {n} of {total} people, "
            "before for {was}."
        ),
        _(
            "An attacker who guesses every person would be right for about {n} of {total} people, "
            "before for {was}."
        ),
    ).format(n=_people(after.n_expected), total=as_exact_count(after.n_records), was=was)


def _people(expected: float) -> str:
    count = int(np.rint(expected))
    return as_exact_count(count) if count else _("less than one")
