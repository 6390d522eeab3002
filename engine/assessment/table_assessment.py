"""Complete assessment of a finished table: privacy models, attacks, risks and utility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.assessment.check import CheckReport, check_given
from engine.assessment.given_table import GivenTable
from engine.assessment.risk.of_table import THRESHOLD, RiskReport, assess_given
from engine.assessment.risk.resistance import AttackReport, Resistance, attacks_resisted
from engine.assessment.risk.survey import SurveyRisk, survey_of_given
from engine.assessment.risk.wildcards import WildcardRisk, Wildcards, wildcards_of_given
from engine.assessment.utility.of_table import UtilityReport, measure_utility
from engine.assessment.words import as_chance, from_columns
from engine.cached import cached_property
from engine.errors import AnonymizerError, InputError
from engine.findings.blocks import Statement, Tone
from engine.frequency import Measure
from engine.frequency.classes import DISTINCT
from engine.frequency.counted import PEOPLE, either
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count, as_people, as_records
from engine.table import Table
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
    given : GivenTable
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


_STEPS = 4
_FEW = 2  # class size that hardly protects


@dataclass(frozen=True, eq=False)
class TableAssessment:
    """Assessment of a given table.

    Attributes
    ----------
    given : GivenTable
        Assessed records.
    whole : GivenTable
        The same with the suppressed records that `given` excludes.
    check : CheckReport
    risk : RiskReport
    exposed : tuple of ExposedClass
        Smallest classes.
    utility : UtilityReport or None
        Utility compared with the original; None without one, or if it does not fit.
    misfit : AnonymizerError or None
    leaves_out_suppressed : bool
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
            claim = either(
                counted,
                _("{n} of {total} records can be distinguished from all others"),
                _("{n} of {total} people can be distinguished from all others"),
            ).format(n=as_exact_count(uniques), total=as_exact_count(n_people))
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
    threshold: float = THRESHOLD,
    population: float | None = None,
    wildcards: Wildcards | None = None,
    monitor: Monitor = SILENT,
) -> TableAssessment:
    """Assess a given table, and compare it with its original if there is one.

    Parameters
    ----------
    whole : GivenTable
    original : Table, optional
    leave_out_suppressed : bool
        Whether records whose quasi-identifying cells are all `*` are excluded.
    threshold : float
        Accepted risk; records above it are at risk.
    population : float, optional
        Population size.
    wildcards : Wildcards, optional
        Cells that could be anything in a second reading.
    monitor : Monitor

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
