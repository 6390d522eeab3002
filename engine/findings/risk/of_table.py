"""Re-identification risk of a finished table: three attackers, single records, and columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.errors import InputError
from engine.findings.blocks import SHARE, Fact, Tone
from engine.findings.given_table import GivenTable, given_table
from engine.findings.not_assessed import NotAssessed, not_assessed
from engine.findings.plot import Plot
from engine.findings.risk.attacker_risk import (
    AttackerRisk,
    RiskDistribution,
    check_among,
    check_threshold,
    record_risks,
    risk_curve,
    risk_distribution,
    risk_of_people,
)
from engine.findings.settings import ACCEPTED_RISK
from engine.frequency.counted import Noun, either, who
from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.grouping import class_labels
from engine.kernels.population.estimate import ESTIMATORS, Estimate, estimate
from engine.monitor import SILENT, Monitor, with_progress
from engine.notebook import Facts, fact
from engine.numbers import as_exact_count, as_general, as_percent
from engine.privacy.required import Measured
from engine.records import Column, Table
from engine.records.opening.data_frames import AnyTable, as_table
from engine.words import _

if TYPE_CHECKING:
    from engine.findings.identifiers.detect import SubsetFigures


@dataclass(frozen=True, eq=False)
class RiskReport(Measured):
    """Re-identification risk of a finished table; risks are fractions from 0 to 1.

    Attributes
    ----------
    n_records, n_classes : int
        Number of assessed records, and of their equivalence classes.
    prosecutor, journalist : AttackerRisk
        Risk from a prosecutor, and from a journalist, who searches the population; equal without a
        population table.
    distribution : RiskDistribution
        Records by risk; with a person column people, each by their highest risk.
    record_risks : ndarray of float64, shape (n_records,)
        Prosecutor's risk of every assessed record; of a table in files, of every distinct tuple.
    uniques_of_population : PopulationUniques or None
        None if the population size is unknown.
    subsets : tuple of SubsetFigures
        Values of sets of quasi-identifying columns; empty unless requested.
    persons : mapping of str to int or str
        See `CheckReport.persons`. Risks are then of people, each by their record of highest risk.
    not_assessed : NotAssessed or None
        See `CheckReport.not_assessed`.
    blank_rows : int
        See `CheckReport.blank_rows`.
    """

    n_records: int
    n_classes: int
    quasi_identifying: tuple[str, ...]
    prosecutor: AttackerRisk
    journalist: AttackerRisk
    distribution: RiskDistribution
    record_risks: FloatArray
    uniques_of_population: PopulationUniques | None = None
    subsets: tuple[SubsetFigures, ...] = ()
    persons: Mapping[str, int | str] = field(default_factory=dict)
    not_assessed: NotAssessed | None = None
    blank_rows: int = 0

    def _facts(self) -> Facts:
        facts = [("records", str(self.n_records)), ("unique", str(self.sample_uniques))]
        facts += [("prosecutor", f"highest {fact(self.prosecutor.highest)}")]
        facts += [
            ("journalist", f"highest {fact(self.journalist.highest)}"),
            ("marketer", fact(self.marketer)),
        ]
        return [*facts, ("not assessed", self.not_assessed.sentence() if self.not_assessed else "")]

    @property
    def sample_uniques(self) -> int:
        """Number of unique records; with a person column, of people alone in a class."""
        return self.distribution.uniques

    @property
    def marketer(self) -> float:
        """Expected share of correct matches of a marketer."""
        return self.journalist.average

    def further_values(self) -> Mapping[str, float]:
        """Return the values of the prosecutor under short names, and the size of the smallest class."""
        prosecutor = self.prosecutor
        return {
            "k": round(1 / prosecutor.highest) if prosecutor.highest else 0,
            "highest_risk": prosecutor.highest,
            "average_risk": prosecutor.average,
            "records_at_risk": prosecutor.records_at_risk,
        }

    def facts(self) -> tuple[Fact, ...]:
        """Return the values that commands and the window show; see also `given_facts`."""
        noun, risk = who(counts_people=bool(self.persons)), self.prosecutor
        alone = either(
            noun,
            _("Records that equal no other."),
            _("People who are the only ones in the class of one of their records."),
        )
        return (
            Fact(
                "unique",
                noun.said(_("Unique {records}")),
                self.sample_uniques,
                explanation=alone,
                tone="danger" if self.sample_uniques else "text",
            ),
            *_attacker_facts("prosecutor", _("Prosecutor"), risk, noun),
            *_attacker_facts("journalist", _("Journalist"), self.journalist, noun),
            Fact(
                "marketer.average",
                _("Marketer, average"),
                self.marketer,
                SHARE,
                _("Share of the people that a search for all finds."),
            ),
            *(() if self.uniques_of_population is None else self.uniques_of_population.facts()),
            *(
                Fact(
                    f"subset.{', '.join(subset.columns)}",
                    ", ".join(subset.columns),
                    _("{n} unique").format(n=as_exact_count(subset.singletons)),
                    explanation=_("distinction {distinction}, separation {separation}").format(
                        distinction=as_general(subset.distinction), separation=as_general(subset.separation)
                    ),
                )
                for subset in self.subsets
            ),
        )

    def plot(self) -> Plot:
        """Return a drawing of the share of records, or people, above each risk."""
        noun = who(counts_people=bool(self.persons))
        return Plot.of("risk", (risk_curve(((_("Table"), "release", self.distribution),), noun),))

    def as_dict(self) -> dict[str, Any]:
        """Return the report as `anonymizer risk --format json` prints it; missing values are None."""
        result: dict[str, Any] = {
            "records": self.n_records,
            "classes": self.n_classes,
            "sample_uniques": self.sample_uniques,
            "prosecutor": _figures(self.prosecutor),
            "journalist": _figures(self.journalist),
            "marketer": {"average": self.marketer},
            "blank_rows": self.blank_rows,
        }
        if self.persons:
            result["persons"] = dict(self.persons)
        if self.uniques_of_population is not None:
            result["population_uniques"] = _estimates(self.uniques_of_population)
        if self.subsets:
            result["subsets"] = [subset.as_dict() for subset in self.subsets]
        if self.not_assessed is not None:
            result["not_assessed"] = self.not_assessed.as_dict()
        return result


def _attacker_facts(key: str, title: str, risk: AttackerRisk, noun: Noun) -> Iterator[Fact]:
    known = {
        "prosecutor": _("Highest risk from an attacker who knows that a person is in the table."),
        "journalist": _("Highest risk from an attacker who searches the population."),
    }
    average = either(noun, _("Average risk of a record."), _("Average risk of a person."))
    above = noun.said(_("Share of the {records} with a risk above {threshold}.")).format(
        threshold=as_general(risk.threshold)
    )
    is_certain = risk.highest >= 1
    tone: Tone = "danger" if is_certain else "text"
    for name, words, value, meaning in (
        ("highest", _("{attacker}, highest"), risk.highest, known[key]),
        ("average", _("{attacker}, average"), risk.average, average),
        ("at_risk", _("{attacker}, at risk"), risk.records_at_risk, above),
    ):
        rating = tone if name == "highest" else "text"
        yield Fact(f"{key}.{name}", words.format(attacker=title), value, SHARE, meaning, tone=rating)


@with_progress
def assess_risk(
    data: AnyTable,
    quasi_identifying: str | Sequence[str],
    *,
    threshold: float = ACCEPTED_RISK,
    population: float | AnyTable | None = None,
    leave_out_suppressed: bool = False,
    person: str = "",
    subsets: int = 0,
    monitor: Monitor = SILENT,
    progress: bool = False,
) -> RiskReport:
    """Assess the re-identification risk of a table made by any program.

    Parameters
    ----------
    data : Table, DataFrame, Path or str
        The table or its file.
    quasi_identifying : str or sequence of str
        Columns that an attacker could know.
    threshold : float
        Accepted risk; records above it are at risk.
    population : number, Table, DataFrame, Path or str, optional
        Population: its size, for estimates of population uniques; or its table with the same columns
        and labels, also for the risk from a journalist.
    leave_out_suppressed : bool
        Whether records whose quasi-identifying cells are all `*` are excluded.
    person : str
        Column whose values are persons; risks are then of people. Empty if every record is another person.
    subsets : int
        Largest number of columns of the sets in `RiskReport.subsets`; 0 for none.

    Raises
    ------
    TableError, InputError
        If the table or a column cannot be used, the threshold is not a fraction, or the population does
        not include the records.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [30, 30, 40, 40, 50], "sex": ["f", "f", "m", "m", "m"]})
    >>> report = assess_risk(people, ["age", "sex"])
    >>> report.prosecutor.highest, report.sample_uniques
    (1.0, 1)
    """
    check_threshold(threshold)
    given = given_table(
        data, quasi_identifying, leave_out_suppressed=leave_out_suppressed, person=person, monitor=monitor
    )
    everybody = None
    if population is not None and not isinstance(population, int | float):
        everybody = as_table(population, monitor)
    size = population if isinstance(population, int | float) else None
    return assess_given(
        given, threshold=threshold, people=size, everybody=everybody, subsets=subsets, monitor=monitor
    )


def assess_given(
    given: GivenTable,
    *,
    threshold: float = ACCEPTED_RISK,
    people: float | None = None,
    everybody: Table | None = None,
    subsets: int = 0,
    monitor: Monitor = SILENT,
) -> RiskReport:
    """Assess the re-identification risk of a given table; see `assess_risk`.

    Parameters
    ----------
    people : float, optional
        Size of the population.
    everybody : Table, optional
        Population table, which also gives the population size.
    """
    given = given.count(monitor)
    classes, labels = given.classes.measured, given.classes.labels
    sizes, everywhere = classes.sizes, np.ones(len(classes.sizes), dtype=np.bool_)
    by_size = classes.by_size(everywhere)
    prosecutor = journalist = risk_of_people(by_size, threshold)
    if everybody is not None:
        people, among = n_people_of(given, everybody), people_by_class(given, everybody)
        check_among(sizes, among)
        journalist = risk_of_people(classes.by_size(everywhere, among), threshold)
    return RiskReport(
        n_records=given.n_records,
        n_classes=len(sizes),
        quasi_identifying=given.quasi_identifying,
        prosecutor=prosecutor,
        journalist=journalist,
        distribution=risk_distribution(by_size),
        record_risks=record_risks(labels, sizes),
        uniques_of_population=None if people is None else population_uniques(sizes, people, given.n_people),
        subsets=risk_by_columns(given, subsets, monitor) if subsets else (),
        persons=given.persons_as_dict() if given.person else {},
        not_assessed=not_assessed(given, monitor),
        blank_rows=given.n_blank,
    )


def n_people_of(given: GivenTable, everybody: Table) -> int:
    """Return the number of people in a population table, by the person column if it has it."""
    if given.repeated is None or given.person not in everybody.names:
        return everybody.n_records
    return int(np.count_nonzero(everybody.column(given.person).counts))


def risk_by_columns(
    given: GivenTable, most_columns: int, monitor: Monitor = SILENT
) -> tuple[SubsetFigures, ...]:
    """Measure the quasi-identifying columns, each alone and in sets up to a size.

    Parameters
    ----------
    most_columns : int
        Largest size of a set, at least 1; larger numbers mean all columns.

    Returns
    -------
    tuple of SubsetFigures
        Singletons, distinction and separation of every set of columns, small sets first.

    Raises
    ------
    InputError
        The size is below 1, or there are more sets than can be listed.
    """
    if most_columns < 1:
        raise InputError(
            _("The number of columns cannot be {most_columns}.").format(most_columns=most_columns),
            hint=_("Use 1 or more."),
        )
    from engine.findings.identifiers.detect import detect

    most = min(most_columns, len(given.quasi_identifying))
    found = detect(given.table, given.quasi_identifying, most, all_subsets=True, monitor=monitor)
    return tuple(found.subsets())


def people_by_class(given: GivenTable, everybody: Table) -> Counts:
    """Return the number of people of the population in each class of the table, by cell texts.

    Rows are people, or distinct persons if the table counts persons and the population has the column.

    Returns
    -------
    ndarray of int64, shape (n_classes,)
    """
    codes, spans = [], []
    for name in given.quasi_identifying:
        own, theirs = given.table.column(name), everybody.column(name)
        known = {_word(own, label): code for code, label in enumerate(own.labels)}
        matched = np.array([known.get(_word(theirs, label), len(known)) for label in theirs.labels])
        codes.append(np.concatenate((own.codes[given.classes.first], matched[theirs.codes])).astype(np.int32))
        spans.append(len(known) + 1)
    labels, _unused, sizes = class_labels(codes, spans)
    n_classes = len(given.classes.first)
    if given.repeated is not None and given.person in everybody.names:
        theirs = everybody.column(given.person)
        pairs = np.unique(labels[n_classes:] * len(theirs.labels) + theirs.codes) // len(theirs.labels)
        return np.asarray(np.bincount(pairs, minlength=len(sizes))[labels[:n_classes]])
    # Every class of the table is included once.
    return np.asarray(sizes[labels[:n_classes]] - 1)


def _word(column: Column, label: str) -> tuple[bool, str]:
    """Return a cell's text, the same for every missing value."""
    is_missing = label == column.missing_label
    return is_missing, "" if is_missing else label


def _figures(risk: AttackerRisk) -> dict[str, float]:
    return {"highest": risk.highest, "average": risk.average, "records_at_risk": risk.records_at_risk}


def _estimates(found: PopulationUniques) -> Mapping[str, Any]:
    return {
        name: {
            "count": estimate.uniques,
            "fraction": found.fraction(name),
            "estimator": estimate.estimator,
            "reason": estimate.reason,
        }
        for name, estimate in found.estimates.items()
    }


@dataclass(frozen=True)
class PopulationUniques:
    """Estimates of all estimators; see `engine.kernels.population.estimate`.

    Attributes
    ----------
    population : float
        Population size.
    sampling_fraction : float
        Records of the table divided by population size.
    estimates : mapping of str to Estimate
        Estimates by estimator: "dankar", "pitman", "zayatz", "snb".
    """

    population: float
    sampling_fraction: float
    estimates: Mapping[str, Estimate]

    def fraction(self, estimator: str) -> float | None:
        """Return the estimated share of population uniques; None if the estimator has no result."""
        uniques = self.estimates[estimator].uniques
        return None if uniques is None else uniques / self.population

    def facts(self) -> Iterator[Fact]:
        """Yield the estimate of each estimator, or why it has none."""
        for name, found in self.estimates.items():
            value, meaning = (
                _("no estimate"),
                found.reason or _("People who are unique in the population, estimated."),
            )
            if found.uniques is not None:
                value = f"{as_exact_count(round(found.uniques))} ({as_percent(self.fraction(name))})"
            if name != found.estimator and not found.reason:
                meaning = _("People who are unique in the population, estimated by {estimator}.")
            title = _("Unique people, {name}").format(name=name)
            meaning = meaning.format(estimator=found.estimator)
            yield Fact(f"population_uniques.{name}", title, value, explanation=meaning)


def population_uniques(sizes: Counts, population: float, n_people: int | None = None) -> PopulationUniques:
    """Estimate population uniques from the class sizes of a table, by all estimators.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
    population : float
        Population size.
    n_people : int, optional
        Number of people in the table, if some are in several classes; by default the sum of sizes.

    Raises
    ------
    InputError
        If the population is smaller than the table, or the table is empty.
    """
    n_records = int(sizes.sum()) if n_people is None else n_people
    if not n_records:
        raise InputError(_("No record to measure."), hint=_("Risk is measured on kept records."))
    if not population >= n_records:
        raise InputError(
            _("A population of {population} is smaller than the {n_records} records of the table.").format(
                population=as_exact_count(population), n_records=as_exact_count(n_records)
            ),
            hint=_("Give the number of people from whom the records were sampled."),
        )
    distinct, counts = np.unique(sizes, return_counts=True)
    found = {name: estimate(name, distinct, counts, population, n_records) for name in ESTIMATORS}
    return PopulationUniques(population, n_records / population, found)
