"""Complete assessment of a finished table: privacy models, attacks, risks and utility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.cached import cached_property
from engine.errors import AnonymizerError, InputError
from engine.findings.blocks import (
    SHARE,
    Block,
    Facts,
    Figure,
    FigureColumn,
    FigureTable,
    Findings,
    Paragraph,
    Statement,
    Tone,
)
from engine.findings.format_value import format_fact, text_rows
from engine.findings.given_facts import given_facts
from engine.findings.given_table import GivenTable
from engine.findings.model_check import CheckReport, check_given
from engine.findings.risk.of_table import RiskReport, assess_given
from engine.findings.risk.resistance import (
    AttackReport,
    Resistance,
    attacks_resisted,
    counted,
    decided_words,
)
from engine.findings.risk.survey import SurveyRisk, survey_of_given
from engine.findings.risk.wildcards import CAUTION, WildcardRisk, Wildcards, wildcards_of_given
from engine.findings.settings import ACCEPTED_RISK
from engine.findings.utility.class_sizes import size_chart
from engine.findings.utility.of_table import UtilityReport, measure_utility, utility_facts
from engine.findings.words import as_chance, from_columns
from engine.frequency import Measure
from engine.frequency.classes import DISTINCT
from engine.frequency.counted import PEOPLE, either
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count, as_people, as_records
from engine.records import Table
from engine.words import _, ngettext


@dataclass(frozen=True)
class ExposedClass:
    """Class of a table, as listed among the smallest ones.

    Attributes
    ----------
    size : int
        Number of records.
    record : int
        First record in the table, counted from 0.
    values : tuple of str
        Values in the quasi-identifying columns.
    n_values : tuple of int
        Number of distinct values in each sensitive column.
    """

    size: int
    record: int
    values: tuple[str, ...]
    n_values: tuple[int, ...] = ()

    @property
    def risk(self) -> float:
        """Re-identification risk, from 0 to 1."""
        return 1 / self.size


def exposed_classes(given: GivenTable, most: int = 200) -> tuple[ExposedClass, ...]:
    """Return the smallest classes in ascending order of size, then by their first record.

    Parameters
    ----------
    most : int
        Largest number of classes, >= 0.

    Raises
    ------
    InputError
        `most` is negative.
    """
    if most < 0:
        raise InputError(
            _("The number of classes cannot be {most}.").format(most=most), hint=_("Use 0 or more.")
        )
    classes = given.classes
    sizes = np.asarray(classes.measured.sizes)
    first = given.first_records()
    chosen = np.lexsort((first, sizes))[:most]
    distinct = [classes.measured.measured(Measure(DISTINCT, name)) for name in given.sensitive]
    return tuple(
        ExposedClass(
            int(sizes[i]),
            int(first[i]),
            given.table.record(int(classes.first[i]), given.quasi_identifying),
            tuple(int(counts[i]) for counts in distinct),
        )
        for i in chosen.tolist()
    )


_SHOWN = (
    "blank_rows",
    "unique",
    "prosecutor.highest",
    "prosecutor.at_risk",
    "marketer.average",
    "population_uniques.dankar",  # the rule that chooses among the estimators
)
_STEPS = 4
_FEW = 2  # class size that hardly protects


@dataclass(frozen=True, eq=False)
class TableAssessment(Findings):
    """Assessment of a given table.

    Attributes
    ----------
    given : GivenTable
        Assessed records.
    whole : GivenTable
        The same with the suppressed records that `given` excludes.
    exposed : tuple of ExposedClass
        Smallest classes.
    utility : UtilityReport or None
        Utility compared with the original; None without one, or if it does not fit.
    survey : SurveyRisk or None
        Risks by survey weights; None without weights.
    wildcards : WildcardRisk or None
        Second reading of the table, in which some cells could be anything; only to compare.
    """

    given: GivenTable
    whole: GivenTable
    check: CheckReport
    risk: RiskReport
    exposed: tuple[ExposedClass, ...]
    utility: UtilityReport | None = None
    misfit: AnonymizerError | None = None
    leaves_out_suppressed: bool = False
    survey: SurveyRisk | None = None
    wildcards: WildcardRisk | None = None

    @cached_property
    def attacks(self) -> tuple[AttackReport, ...]:
        """Resistance of the table against each attack."""
        return attacks_resisted(self.check.models)

    def statement(self) -> Statement:
        """Return the claim about the table, its tone, and what it is based on."""
        n, n_columns, counted = self.given.n_records, len(self.given.quasi_identifying), self.given.counted
        n_people, uniques = self.risk.distribution.n_records, self.risk.sample_uniques
        tone: Tone = "danger"
        if uniques:
            claim = counted.said(_("{n} of {total} {records} can be distinguished from all others")).format(
                n=as_exact_count(uniques), total=as_exact_count(n_people)
            )
        else:
            claim = either(
                counted,
                _("no record can be matched with a certainty above {limit}"),
                _("no person can be matched with a certainty above {limit}"),
            ).format(limit=as_chance(self.check.k))
            is_open = any(report.resistance is Resistance.OPEN for report in self.attacks)
            tone = "warn" if self.check.k <= _FEW or is_open else "ok"  # not "ok" if a class reveals values
        n_classes = self.check.n_classes
        basis = (
            ngettext("{records} of {people} in {n} class", "{records} of {people} in {n} classes", n_classes)
            if counted is PEOPLE
            else ngettext("{records} in {n} class", "{records} in {n} classes", n_classes)
        ).format(records=as_records(n), people=as_people(n_people), n=as_exact_count(n_classes))
        left_out = self.whole.n_records + self.whole.n_blank - n
        if left_out:
            basis = _("{basis}, {n} suppressed and excluded").format(basis=basis, n=as_exact_count(left_out))
        names = ", ".join(self.given.sensitive)
        caption = (
            _("{basis}; sensitive: {names}").format(basis=basis, names=names)
            if names
            else _("{basis}; no sensitive column").format(basis=basis)
        )
        sentence, beside = from_columns(n_columns, claim), self.check.not_assessed
        if beside is not None and beside.clauses():
            sentence = _("{first} {then}").format(first=beside.sentence(), then=sentence)
            tone = "danger" if "danger" in (tone, beside.tone) else "warn"
        elif beside is not None:
            caption = _("{caption}; {beside}").format(caption=caption, beside=beside.count_words)
        return Statement(sentence, tone, caption)

    def blocks(self) -> tuple[Block, ...]:
        """Return everything that was measured, in the order of the page."""
        return (
            self.models,
            self.attack_table,
            *self.risks,
            self.exposed_table,
            *self.second_reading,
            *self.lost,
        )

    @property
    def models(self) -> FigureTable:
        """Value of every privacy model."""
        return self.check.table(self.given.counted)

    @property
    def attack_table(self) -> FigureTable:
        """Resistance against each attack, with what decides on it."""
        rows: list[tuple[Figure, ...]] = []
        tones: list[Tone] = []
        for report in self.attacks:
            model, reason = report.model, _("No model measured here protects against it.")
            if model is not None:
                reason = decided_words(model, report.usual, report.weaker)
            title = report.attack.title
            rows.append((f"{title[:1].upper()}{title[1:]}", report.resistance.title, reason))
            tones.append(report.resistance.tone)
        columns = (
            FigureColumn("attack", _("Attack")),
            FigureColumn("resistance", _("Resistance")),
            FigureColumn("reason", _("Reason")),
        )
        meanings = [report.attack.meaning for report in self.attacks]
        return FigureTable(
            "attacks", _("Attacks"), columns, rows, False, True, tones, meanings, are_verdicts=True
        )

    @property
    def attack_counts(self) -> str:
        """Return how many attacks the table resists, and how many not, in a few words."""
        return counted([report.resistance for report in self.attacks])

    @property
    def risks(self) -> tuple[Block, ...]:
        """Main risks, those by survey weights, and the records by class size."""
        found = [*given_facts(self.given), *self.risk.facts()]
        facts = [fact for fact in found if fact.key in _SHOWN]
        if self.survey is not None:
            facts += self.survey.facts()
        return (
            Facts("risks", "", tuple(facts)),
            size_chart(self.risk.distribution, self.given.counted),
        )

    @property
    def exposed_table(self) -> FigureTable:
        """Smallest classes with their values."""
        known = self.given.quasi_identifying
        counts = {name: _("{name}: values").format(name=name) for name in self.given.sensitive}
        columns = (
            FigureColumn("size", self.given.counted.many.capitalize(), "", _("Class size")),
            FigureColumn("risk", _("Risk"), SHARE, _("Probability that a guess among them is right")),
            *(FigureColumn(name, name) for name in known),
            *(FigureColumn(f"{name}.values", title, "values") for name, title in counts.items()),
            FigureColumn("record", _("First record"), "", _("Position of the first of them in the table")),
        )
        rows: list[tuple[Figure, ...]] = [
            (
                one.size,
                one.risk,
                *(value or _("(missing)") for value in one.values),
                *one.n_values,
                one.record + 1,
            )
            for one in self.exposed
        ]
        tones: list[Tone] = ["danger" if one.size < 2 else "text" for one in self.exposed]
        return FigureTable("exposed", _("Most exposed"), columns, rows, is_by_record=True, tones=tones)

    @property
    def second_reading(self) -> tuple[Block, ...]:
        """Values with wildcards and with them as values; none without wildcards."""
        return () if self.wildcards is None else (Paragraph(_(CAUTION), "warn"), *self.wildcards.blocks())

    @property
    def lost(self) -> tuple[Block, ...]:
        """Utility compared with the original; none without one that fits."""
        if self.utility is None:
            return ()
        return (
            Facts("utility", _("Compared with the original"), tuple(utility_facts(self.utility.as_dict()))),
        )

    def as_text(self) -> str:
        """Return everything as plain text: the sentence, then the values, separated by tabs."""
        statement, known = self.statement(), ", ".join(self.given.quasi_identifying)
        lines = [statement.sentence, statement.caption, _("Known: {names}").format(names=known)]
        for block in self.blocks():
            match block:
                case Facts():
                    lines += ["", *(f"{one.title}\t{format_fact(one)}" for one in block.facts)]
                case FigureTable():
                    lines += ["", *("\t".join(row) for row in text_rows(block))]
                case Paragraph():
                    lines += ["", block.text]
        return "\n".join(lines) + "\n"

    def as_dict(self) -> dict[str, Any]:
        """Return the answers as the commands `check`, `risk` and `utility` print them."""
        found: dict[str, Any] = {
            "quasi_identifying": list(self.given.quasi_identifying),
            "sensitive": list(self.given.sensitive),
            "leave_out_suppressed": self.leaves_out_suppressed,
            "person": self.given.person,
            "weight": self.given.weight,
            "household": self.given.household,
            "check": self.check.as_dict(),
            "risk": self.risk.as_dict(),
        }
        if self.survey is not None:
            found["survey"] = self.survey.as_dict()
        if self.wildcards is not None:
            found["wildcards"] = self.wildcards.as_dict()
        if self.utility is not None:
            found["utility"] = self.utility.as_dict()
        return found


def assess_table(
    whole: GivenTable,
    original: Table | None = None,
    *,
    leave_out_suppressed: bool = False,
    threshold: float = ACCEPTED_RISK,
    population: float | None = None,
    wildcards: Wildcards | None = None,
    monitor: Monitor = SILENT,
) -> TableAssessment:
    """Assess a given table, and compare it with its original if there is one.

    Parameters
    ----------
    leave_out_suppressed : bool
        Whether records whose quasi-identifying cells are all `*` are excluded.
    threshold : float
        Accepted risk; records above it are at risk.
    population : float, optional
        Population size.
    wildcards : Wildcards, optional
        Cells that could be anything in a second reading.

    Raises
    ------
    AnonymizerError
        The table cannot be assessed. An original that does not fit is reported in `misfit` instead.
    """
    given = whole.count(monitor)
    given = given.without_suppressed() if leave_out_suppressed else given
    monitor.step(0, _STEPS, _("Measuring privacy models"))
    check = check_given(given, monitor=monitor)
    monitor.step(1, _STEPS, _("Measuring risks"))
    risk = assess_given(given, threshold=threshold, people=population, monitor=monitor)
    survey = None
    if given.weight:
        survey = survey_of_given(given, threshold=threshold, monitor=PartMonitor(monitor, 1, _STEPS))
    exposed = exposed_classes(given)
    monitor.step(2, _STEPS, _("Matching records with wildcards"))
    read = None
    if wildcards is not None:
        part = PartMonitor(monitor, 2, _STEPS)
        read = wildcards_of_given(given, wildcards, threshold=threshold, monitor=part)
    monitor.step(3, _STEPS, _("Comparing with the original"))
    utility, misfit = None, None
    if original is not None:
        try:
            utility = measure_utility(
                original,
                whole.table,
                whole.quasi_identifying,
                whole.sensitive,
                leave_out_suppressed=leave_out_suppressed,
                person=whole.person,
                monitor=monitor,
            )
        except AnonymizerError as error:
            misfit = error
    return TableAssessment(
        given, whole, check, risk, exposed, utility, misfit, leave_out_suppressed, survey, read
    )
