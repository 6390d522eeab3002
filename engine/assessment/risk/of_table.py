"""How likely the people of a table are found: by three attackers, record by record, by columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.assessment.given_table import GivenTable, given_table
from engine.assessment.identifiers.detect import SubsetFigures, detect
from engine.assessment.risk.attacker_risk import (
    AttackerRisk,
    RiskDistribution,
    check_among,
    check_threshold,
    record_risks,
    risk_distribution,
    risk_of_people,
)
from engine.errors import InputError
from engine.kernels.arrays import Counts, FloatArray
from engine.kernels.grouping import class_labels
from engine.kernels.population.estimate import ESTIMATORS, Estimate, estimate
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.table import Column, Table
from engine.table.frames import as_table
from engine.words import _

if TYPE_CHECKING:
    import pandas as pd

THRESHOLD = 0.2  # risk that is accepted where none is named: classes of 5


@dataclass(frozen=True, eq=False)
class RiskReport:
    """The risk of being found in a table as it is; risks are fractions from 0 to 1.

    Attributes
    ----------
    n_records, n_classes : int
        Records judged, and sets of them that are alike in the quasi-identifying columns.
    quasi_identifying : tuple of str
    prosecutor, journalist : AttackerRisk
        Of somebody who knows a certain person is in the table, and of somebody who searches the
        population; without a table of the population both are the same.
    distribution : RiskDistribution
        Records by risk, uniques among them; people, each by their highest risk, where a person column was
        named.
    record_risks : ndarray of float64, shape (n_records,)
        Of every record judged, the prosecutor's.
    uniques_of_population : PopulationUniques or None
        None where the size of the population is not known.
    subsets : tuple of SubsetFigures
        What some of the quasi-identifying columns tell apart; empty unless asked for.
    persons : mapping of str to int or str
        See `CheckReport.persons`. Risks are then of people, each by the most telling of their records.
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

    @property
    def sample_uniques(self) -> int:
        """Records alone in their class; people alone in one of theirs, where a person column was named."""
        return self.distribution.uniques

    @property
    def marketer(self) -> float:
        """The share of records that somebody who tries to find all of them can expect to find."""
        return self.journalist.average

    def as_dict(self) -> dict[str, Any]:
        """Return the report as `anonymizer risk --format json` prints it; what has no answer is None."""
        result: dict[str, Any] = {
            "records": self.n_records,
            "classes": self.n_classes,
            "sample_uniques": self.sample_uniques,
            "prosecutor": _figures(self.prosecutor),
            "journalist": _figures(self.journalist),
            "marketer": {"average": self.marketer},
        }
        if self.persons:
            result["persons"] = dict(self.persons)
        if self.uniques_of_population is not None:
            result["population_uniques"] = _estimates(self.uniques_of_population)
        if self.subsets:
            result["subsets"] = [
                {
                    "columns": list(subset.columns),
                    "singletons": subset.singletons,
                    "distinct": subset.distinct,
                    "distinction": subset.distinction,
                    "separation": subset.separation,
                }
                for subset in self.subsets
            ]
        return result


def assess_risk(
    data: Table | pd.DataFrame | Path | str,
    quasi_identifying: str | Sequence[str],
    *,
    threshold: float = THRESHOLD,
    population: float | Table | pd.DataFrame | Path | str | None = None,
    leave_out_suppressed: bool = False,
    person: str = "",
    subsets: int = 0,
    monitor: Monitor = SILENT,
) -> RiskReport:
    """Say how likely the people of a table are found, whoever made it.

    Parameters
    ----------
    data : Table, DataFrame, Path or str
        The table or its file.
    quasi_identifying : str or sequence of str
        The columns an outsider could know.
    threshold : float
        Risk that is accepted; records above it are at risk.
    population : number, Table, DataFrame, Path or str, optional
        The people the records were drawn from: how many they are, for estimates of unique people; or
        their table, with the same columns and words, for the risk of a journalist as well.
    leave_out_suppressed : bool
        Whether records whose quasi-identifying cells are all `*` are left out.
    person : str
        The column whose values are persons; risks are then those of people. Empty where every record is one.
    subsets : int
        Largest number of columns looked at together for what they tell apart; 0 for none.
    monitor : Monitor

    Returns
    -------
    RiskReport

    Raises
    ------
    TableError, InputError
        If the table or a column cannot be used, the threshold is no fraction, or the population does
        not hold the records.

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
    threshold: float = THRESHOLD,
    people: float | None = None,
    everybody: Table | None = None,
    subsets: int = 0,
    monitor: Monitor = SILENT,
) -> RiskReport:
    """Say how likely the people of a given table are found; see `assess_risk`.

    Parameters
    ----------
    given : GivenTable
    threshold : float
    people : float, optional
        Size of the population.
    everybody : Table, optional
        The population one by one; its size is then known too.
    subsets : int
    monitor : Monitor
    """
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
    )


def n_people_of(given: GivenTable, everybody: Table) -> int:
    """How many people a table of the population is about, by the person column where it has it."""
    if given.repeated is None or given.person not in everybody.names:
        return everybody.n_records
    return int(np.count_nonzero(everybody.column(given.person).counts))


def risk_by_columns(
    given: GivenTable, most_columns: int, monitor: Monitor = SILENT
) -> tuple[SubsetFigures, ...]:
    """Count what the quasi-identifying columns tell apart, alone and up to so many together.

    Parameters
    ----------
    given : GivenTable
    most_columns : int
        At least 1; more than there are count as all.
    monitor : Monitor

    Returns
    -------
    tuple of SubsetFigures
        Singletons, distinction and separation of every set of columns, small sets first.

    Raises
    ------
    InputError
        Sets of no column are asked for, or more than can be listed.
    """
    if most_columns < 1:
        raise InputError(
            _("The number of columns cannot be {most_columns}.").format(most_columns=most_columns),
            hint=_("Use 1 or more."),
        )
    most = min(most_columns, len(given.quasi_identifying))
    found = detect(given.table, given.quasi_identifying, most, all_subsets=True, monitor=monitor)
    return tuple(found.subsets())


def people_by_class(given: GivenTable, everybody: Table) -> Counts:
    """How many people of the population are alike each class of the table, by the words of their cells.

    Rows are people; different persons, where the table counts persons and the population has the column.

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
    # Every class of the table is there once for itself.
    return np.asarray(sizes[labels[:n_classes]] - 1)


def _word(column: Column, label: str) -> tuple[bool, str]:
    """A cell's text; whatever stands for missing is the same."""
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
    """The estimates of all estimators; see `engine.kernels.population.estimate`.

    Attributes
    ----------
    population : float
        People of the population.
    sampling_fraction : float
        Records of the table by people of the population.
    estimates : mapping of str to Estimate
        By estimator: "dankar", "pitman", "zayatz", "snb".
    """

    population: float
    sampling_fraction: float
    estimates: Mapping[str, Estimate]

    def fraction(self, estimator: str) -> float | None:
        """Estimated share of the population that is alone; None where the estimator has no answer."""
        uniques = self.estimates[estimator].uniques
        return None if uniques is None else uniques / self.population


def population_uniques(sizes: Counts, population: float, n_people: int | None = None) -> PopulationUniques:
    """Estimate population uniques from the class sizes of a table, by all estimators.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)
    population : float
        People of the population the table was drawn from.
    n_people : int, optional
        People of the table, where some are in several classes; by default all are in one, and the sum of
        sizes is their number.

    Raises
    ------
    InputError
        Where the population is smaller than the table, or the table is empty.
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
