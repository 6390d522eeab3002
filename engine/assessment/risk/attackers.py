"""What a prosecutor, a journalist and a marketer can hope for, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from engine.assessment.base import Analysis, FigureColumn, FigureTable, Told, Tone, risk_analyses
from engine.assessment.risk.attacker_risk import AttackerRisk, risk_of_people
from engine.assessment.risk.declared import risk_threshold
from engine.assessment.risk.people import OTHERS, PeopleInClasses, people_in_classes
from engine.assessment.subject import Subject
from engine.assessment.words import as_chance, as_count, as_percent, as_records, these_columns
from engine.frequency.counted import PEOPLE, Noun, who
from engine.frequency.measured import MeasuredClasses
from engine.kernels.arrays import BoolArray, Counts
from engine.kernels.risks import least_size
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.recoding.unchanged import UnchangedColumns
from engine.words import _, lazy


@dataclass(frozen=True)
class AttackerFigures:
    """What an attacker can hope for in one table.

    Where people may have several records, people are counted: each is found by the record of theirs that
    is easiest to find.

    Attributes
    ----------
    risk : AttackerRisk
        Fractions from 0 to 1; `average` is the mean over records, or people.
    n_records, n_classes : int
        Records, or people, that are looked for, and classes they are in.
    n_at_risk : int
        Those whose risk is strictly above the threshold.
    smallest : int
        People, or records, that the one easiest to find hides among; its risk is one over it.
    """

    risk: AttackerRisk
    n_records: int
    n_classes: int
    n_at_risk: int
    smallest: int

    @property
    def n_expected(self) -> float:
        """How many of them somebody who guesses all is right about, on average."""
        return self.risk.average * self.n_records


@dataclass(frozen=True)
class Attacker:
    """One of the three, before and after.

    Attributes
    ----------
    key : {"prosecutor", "journalist", "marketer"}
    title : str
    knows : str
        What the attacker knows or wants, in a few words.
    before : AttackerFigures
        Of the input, every record of it.
    after : AttackerFigures or None
        Of the release, suppressed records left out; None where nothing is kept.
    """

    key: str
    title: str
    knows: str
    before: AttackerFigures
    after: AttackerFigures | None


@dataclass(frozen=True)
class AttackersFound:
    """What three attackers can hope for.

    Attributes
    ----------
    threshold : float
        Risk that is accepted; what is strictly above it is at risk.
    prosecutor, journalist, marketer : Attacker
    people : str
        Who the journalist searches, in a sentence.
    n_people_estimated : int or None
        Where only the size of the population is known: people who fit every kept record at least, as k-map
        estimates; it is in no other figure.
    sentence : str
        What can be defended about the release, in one sentence.
    detail : str
        What the sentence rests on.
    is_within : bool
        Whether records are kept, the risk of none of them is above the threshold, and none is found for
        certain.
    marketer_sentence : str
        What the marketer's average means in people.
    n_records, n_kept, n_suppressed : int
        Always of records.
    unchanged : UnchangedColumns
        What the columns give away that no class protects.
    counts_people : bool
        Whether the figures of the attackers are of people, who may have several records.
    """

    threshold: float
    prosecutor: Attacker
    journalist: Attacker
    marketer: Attacker
    people: str
    n_people_estimated: int | None
    sentence: str
    detail: str
    is_within: bool
    marketer_sentence: str
    n_records: int
    n_kept: int
    n_suppressed: int
    unchanged: UnchangedColumns
    counts_people: bool = False

    @property
    def attackers(self) -> tuple[Attacker, Attacker, Attacker]:
        """All three."""
        return self.prosecutor, self.journalist, self.marketer

    def told(self) -> Told:
        """The sentence, and what the columns that leave unchanged single out."""
        sentence = f"{self.sentence.removesuffix('.')}; {self.unchanged.words(as_count)}."
        many = who(counts_people=self.counts_people).many
        return Told(sentence, self._tone, _("share of {many}, before and after").format(many=many))

    @property
    def _tone(self) -> Tone:
        """Nothing kept is no proof, and unchanged columns may single records out."""
        after = self.prosecutor.after
        if after is None:
            return "warn"
        if self.is_within:
            return "warn" if self.unchanged.exposed.together else "ok"
        return "danger" if after.risk.highest >= 1 else "warn"

    def tables(self) -> tuple[FigureTable, ...]:
        """One row per attacker and side."""
        rows = []
        for attacker in self.attackers:
            for side, found in (("input", attacker.before), ("release", attacker.after)):
                rows.append((attacker.key, side, *_row(attacker, found)))
        columns = attacker_columns(who(counts_people=self.counts_people))
        return (FigureTable("attackers", _("Risk by attacker"), columns, tuple(rows)),)


def attacker_columns(noun: Noun) -> tuple[FigureColumn, ...]:
    """The columns of figures of an attacker, which count records or people."""
    many = noun.many
    return (
        FigureColumn("attacker", _("Attacker")),
        FigureColumn(
            "side", _("Table"), explanation=_("The input, or the release without its suppressed records.")
        ),
        FigureColumn(
            "highest",
            _("Highest risk"),
            explanation=_("Highest risk of a {one}: 1 divided by the size of its class.").format(
                one=noun.one
            ),
            is_share=True,
        ),
        FigureColumn(
            "average",
            _("Average risk"),
            explanation=_(
                "Mean over {many}: the expected share of correct guesses if all are guessed."
            ).format(many=many),
            is_share=True,
        ),
        FigureColumn(
            "records_at_risk",
            _("{many} at risk").format(many=many.capitalize()),
            explanation=_("Share of {many} whose risk is strictly above the threshold.").format(many=many),
            is_share=True,
        ),
        FigureColumn(
            "n_at_risk",
            _("{many} at risk").format(many=many.capitalize()),
            many,
            _("The same as a number of {many}.").format(many=many),
        ),
        FigureColumn(
            "n_records",
            many.capitalize(),
            many,
            _("Number of {many} the attacker searches for.").format(many=many.capitalize()),
        ),
        FigureColumn(
            "n_expected",
            _("Expected matches"),
            many,
            _("Expected number of {many} found if all are guessed.").format(many=many.capitalize()),
        ),
        FigureColumn(
            "threshold",
            _("Threshold"),
            explanation=_("Accepted risk; a {one} with exactly this risk is not at risk.").format(
                one=noun.one
            ),
            is_share=True,
        ),
    )


def _row(attacker: Attacker, found: AttackerFigures | None) -> tuple[float | int | None, ...]:
    threshold = attacker.before.risk.threshold
    if found is None:
        return (None, None, None, None, 0, None, threshold)
    if attacker.key == "marketer":
        return (None, found.risk.average, None, None, found.n_records, found.n_expected, threshold)
    return (
        found.risk.highest,
        found.risk.average,
        found.risk.records_at_risk,
        found.n_at_risk,
        found.n_records,
        found.n_expected,
        threshold,
    )


@risk_analyses.register("attackers")
@dataclass(frozen=True, slots=True)
class Attackers(Analysis):
    """Summarize the risk of being found for three attackers, in the input and in what is kept.

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
        "several records, it is 1 divided by the people in the class, and the risk of a "
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
        people = people_in_classes(subject, PartMonitor(monitor, 0, 3))
        monitor.step(1, 3, _("Counting classes of the release"))
        kept = subject.release.kept
        is_some_kept = bool(kept.any())
        given, released = subject.given_input.classes.measured, subject.release.classes
        everywhere = np.ones(len(given.sizes), dtype=np.bool_)
        before = _figures(given, everywhere, self.threshold)
        after = _figures(released, kept, self.threshold) if is_some_kept else None
        prosecutor = Attacker(
            "prosecutor", _("Prosecutor"), _("knows the person is in the table"), before, after
        )
        own, members = before, after
        if people.of_input is not None and people.of_release is not None:
            own = _figures(given, everywhere, self.threshold, people.of_input)
            members = _figures(released, kept, self.threshold, people.of_release) if is_some_kept else None
        journalist = Attacker("journalist", _("Journalist"), _searched(people), own, members)
        marketer = Attacker("marketer", _("Marketer"), _("wants as many matches as possible"), own, members)
        monitor.step(2, 3, _("Counting records that unchanged columns single out"))
        release = subject.release
        return AttackersFound(
            self.threshold,
            prosecutor,
            journalist,
            marketer,
            people.words,
            people.n_estimated,
            _sentence(subject, after),
            _detail(subject),
            after is not None and not after.n_at_risk and after.smallest > 1,
            _marketer(own, members, who(counts_people=subject.counts_people)),
            release.n_records,
            release.n_records - release.n_suppressed,
            release.n_suppressed,
            release.count_unchanged(PartMonitor(monitor, 2, 3)),
            subject.counts_people,
        )


def _figures(
    classes: MeasuredClasses, chosen: BoolArray, threshold: float, among: Counts | None = None
) -> AttackerFigures:
    """Of the people of chosen classes, who hide among those of their class, or among `among` of it."""
    people = classes.by_size(chosen, among)
    risk = risk_of_people(people, threshold)
    return AttackerFigures(
        risk,
        people.n_people,
        int(np.count_nonzero(chosen)),
        people.n_below(least_size(threshold)),
        int(people.sizes[0]),
    )


def _searched(people: PeopleInClasses) -> str:
    if people.key == OTHERS:
        return _("knows the whole population")
    return _("knows only the population, for which this table is used")


def _sentence(subject: Subject, after: AttackerFigures | None) -> str:
    """What can be defended, by the prosecutor's risks: nobody who knows less is more certain."""
    columns, noun = these_columns(len(subject.quasi_identifying)), who(counts_people=subject.counts_people)
    if after is None:
        return _("No record is kept, so no one can be re-identified from {columns}.").format(columns=columns)
    if not after.n_at_risk and after.smallest == 1:
        accepted = _("which a threshold of {value} accepts").format(value=as_percent(1.0))
        return _("From {columns}, {many} can be matched with certainty, {accepted}.").format(
            columns=columns, many=noun.many, accepted=accepted
        )
    if not after.n_at_risk:
        return _("From {columns}, no kept {one} can be matched with a certainty above {smallest}.").format(
            columns=columns, one=noun.one, smallest=as_chance(after.smallest)
        )
    verb = "can" if after.n_at_risk > 1 else _("can still")
    share = as_percent(after.n_at_risk / after.n_records)
    limit = as_percent(after.risk.threshold)
    worst = (
        _("some of them with certainty")
        if after.smallest == 1
        else _("the most exposed with {smallest}").format(smallest=as_chance(after.smallest))
    )
    if after.n_at_risk == 1:
        worst = _("with certainty") if after.smallest == 1 else f"with {as_chance(after.smallest)}"
    some = f"{as_count(after.n_at_risk)} {noun.of(after.n_at_risk)} of {as_count(after.n_records)} kept"
    return _(
        "From {columns}, {some} ({share}) {verb} be matched with a certainty above {limit}, {worst}."
    ).format(columns=columns, some=some, share=share, verb=verb, limit=limit, worst=worst)


def _detail(subject: Subject) -> str:
    release = subject.release
    n_kept, n_classes = release.n_records - release.n_suppressed, release.n_classes
    classes = f"{as_count(n_classes)} {'class' if n_classes == 1 else 'classes'}"
    kept = _("{n_kept} kept in {classes}").format(n_kept=as_records(n_kept), classes=classes)
    if subject.counts_people and release.persons is not None:
        n_people, k = subject.people_after.n_people, release.k or 0
        k_records = as_records(release.persons.k_of_records or 0)
        smallest = _("; the smallest class has {k} {k_2}, or {k_records}").format(
            k=as_count(k), k_2=PEOPLE.of(k), k_records=k_records
        )
        kept = f"{kept}, of {as_count(n_people)} {PEOPLE.of(n_people)}{smallest if n_classes else ''}"
    if not release.n_suppressed:
        return _("{kept}, none suppressed").format(kept=kept)
    share = as_percent(release.n_suppressed / release.n_records)
    return _("{kept}, {n_suppressed} suppressed ({share}) and excluded from the values below").format(
        kept=kept, n_suppressed=as_count(release.n_suppressed), share=share
    )


def _marketer(before: AttackerFigures, after: AttackerFigures | None, noun: Noun) -> str:
    was = f"{_people(before.n_expected)} of {as_count(before.n_records)}"
    if after is None:
        return _(
            "No record is kept; in the input, an attacker who guesses would be right for about {was}."
        ).format(was=was)
    return _(
        "An attacker who guesses every {one} would be right for about {n_expected} of "
        "{n_records} people, before for {was}."
    ).format(one=noun.one, n_expected=_people(after.n_expected), n_records=as_count(after.n_records), was=was)


def _people(expected: float) -> str:
    count = int(np.rint(expected))
    return as_count(count) if count else _("less than one")
