"""Risks of a table with survey weights: of records, of households, and of special uniques."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.errors import InputError
from engine.findings.blocks import SHARE, Fact
from engine.findings.given_table import GivenTable, given_table
from engine.findings.identifiers.minimal_uniques import MinimalUniques, find_minimal_uniques
from engine.findings.risk.attacker_risk import check_threshold
from engine.findings.settings import ACCEPTED_RISK
from engine.frequency.classes import WEIGHT, WEIGHTED_PEOPLE, Measure
from engine.frequency.population import weights_of_records
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.distinct_rows import distinct_rows
from engine.kernels.grouping import records_by_code
from engine.kernels.survey import household_risks, individual_risks, intruder_success, success_by_score
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_risk_limit
from engine.privacy.required import Measured
from engine.records import Column
from engine.records.counting import tuple_rows
from engine.records.opening.data_frames import AnyTable
from engine.words import N_, _

REPEATED = N_("Individual risk needs one record per person, but the person column repeats a value.")
REPEATED_HINT = N_("Count records instead of people, or keep one record of each person.")


@dataclass(frozen=True, eq=False)
class SurveyRisk(Measured):
    """Risk of the records of a weighted sample; arrays are by row: a record, or counted equal ones.

    Attributes
    ----------
    sizes : ndarray of int64, shape (n_rows,)
        Records f of the class of each row.
    people : ndarray of float64, shape (n_rows,)
        Estimated people F of the population in the class: the sum of its weights.
    risks : ndarray of float64, shape (n_rows,)
        Individual risks.
    threshold : float
        Accepted risk.
    household_risks : ndarray of float64, shape (n_rows,), or None
        Risk that any record of the household is re-identified; None without a household column.
    n_households : int
        Number of households; a record without one is a household.
    counts : ndarray of int64, shape (n_rows,), or None
        Equal records of each row; None if each row is a record.
    """

    command_key: ClassVar[str] = "survey"

    sizes: Counts
    people: FloatArray
    risks: FloatArray
    threshold: float
    household_risks: FloatArray | None = None
    n_households: int = 0
    counts: Counts | None = None

    def totals(self) -> Mapping[str, int]:
        """Return the number of records that those at risk are some of."""
        return {"records_at_risk": self.n_records}

    @property
    def n_records(self) -> int:
        """Number of records."""
        return len(self.risks) if self.counts is None else int(self.counts.sum())

    @cached_property
    def expected_reidentifications(self) -> float:
        """Sum of the individual risks."""
        return self._sum(self.risks)

    @property
    def global_risk(self) -> float:
        """Mean of the individual risks; nan without records."""
        return self.expected_reidentifications / self.n_records if self.n_records else float("nan")

    @property
    def household_expected(self) -> float | None:
        """Sum of the household risks over records; None without a household column."""
        return None if self.household_risks is None else self._sum(self.household_risks)

    @property
    def household_global(self) -> float | None:
        """Mean of the household risks over records; None without a household column or records."""
        expected = self.household_expected
        return None if expected is None or not self.n_records else expected / self.n_records

    @property
    def n_at_risk(self) -> int:
        """Records with an individual risk above the threshold."""
        is_at_risk = self.risks > self.threshold
        return int(np.count_nonzero(is_at_risk) if self.counts is None else self.counts[is_at_risk].sum())

    @property
    def highest(self) -> float:
        """Highest individual risk; 0 without records."""
        return float(self.risks.max(initial=0.0))

    @property
    def household_highest(self) -> float | None:
        """Highest household risk; None without a household column."""
        return None if self.household_risks is None else float(self.household_risks.max(initial=0.0))

    def facts(self) -> tuple[Fact, ...]:
        """Return its values, of which windows, reports and commands show some."""
        found = [
            Fact(
                "expected",
                _("Expected re-identifications"),
                self.expected_reidentifications,
                "people",
                _("Sum of individual risks"),
            ),
            Fact("global_risk", _("Global risk"), self.global_risk, SHARE, _("Mean of individual risks")),
            Fact("highest", _("Highest individual risk"), self.highest, SHARE),
            Fact(
                "at_risk",
                _("Records with a risk above {limit}").format(limit=as_risk_limit(self.threshold)),
                self.n_at_risk,
                "records",
            ),
        ]
        if self.household_risks is not None:
            alone = _("A record without one counts as a household")
            highest = self.household_highest
            found += [
                Fact("households", _("Households"), self.n_households, "", alone),
                Fact(
                    "household_expected",
                    _("Expected, by household"),
                    self.household_expected,
                    "people",
                    _("Sum of household risks over records"),
                ),
                Fact(
                    "household_global",
                    _("Global household risk"),
                    self.household_global,
                    SHARE,
                    _("Mean of household risks"),
                ),
                Fact("household_highest", _("Highest household risk"), highest, SHARE),
            ]
        return tuple(found)

    def _sum(self, values: FloatArray) -> float:
        """Return the sum of values over records, whatever the order of rows and which of them are counted."""
        distinct, places = np.unique(values, return_inverse=True)
        return math.fsum((distinct * records_by_code(places, len(distinct), self.counts)).tolist())

    def as_dict(self) -> dict[str, Any]:
        """Return the values as `anonymizer risk --format json` prints them.

        The lists have every record; they are missing if equal records were counted.
        """
        is_by_record = self.counts is None
        found: dict[str, Any] = {
            "expected_reidentifications": self.expected_reidentifications,
            "global_risk": self.global_risk,
            "highest": self.highest,
            "threshold": self.threshold,
            "records_at_risk": self.n_at_risk,
        }
        if is_by_record:
            found |= {
                "individual_risk": self.risks.tolist(),
                "f": self.sizes.tolist(),
                "F": self.people.tolist(),
            }
        if self.household_risks is not None:
            found["households"] = self.n_households
            found["household_expected"] = self.household_expected
            found["household_global"] = self.household_global
            if is_by_record:
                found["household_risk"] = self.household_risks.tolist()
        return found


def survey_risk_of(
    labels: IntArray,
    weights: FloatArray,
    household: Column | None = None,
    *,
    counts: Counts | None = None,
    exact: bool = False,
    threshold: float = ACCEPTED_RISK,
) -> SurveyRisk:
    """Return the risk of records, given the class of each.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_rows,)
        Class of every row.
    weights : ndarray of float64, shape (n_rows,)
        Of each of its records.
    household : Column, optional
        Household of every row; a record without one is a household.
    counts : ndarray of int64, shape (n_rows,), optional
        Equal records of each row; by default each row is a record.
    exact : bool
        See `individual_risks`.
    """
    of_rows = weights if counts is None else weights * counts
    people: FloatArray = np.asarray(np.bincount(labels, weights=of_rows), dtype=np.float64)
    numbers = None if household is None else household_numbers(household)
    return _of_rows(_Rows(labels, numbers, counts), people, exact=exact, threshold=threshold)


class _Rows(NamedTuple):
    """Class and number of the household of every row, and its equal records; None for one each."""

    labels: IntArray
    households: IntArray | None
    counts: Counts | None


def _of_rows(rows: _Rows, people: FloatArray, *, exact: bool, threshold: float) -> SurveyRisk:
    """Return the risk of rows, given the sum of the weights of every class."""
    labels, numbers, counts = rows
    sizes = records_by_code(labels, len(people), counts)
    risks = np.zeros(len(sizes))
    occurs = sizes > 0
    risks[occurs] = individual_risks(sizes[occurs], people[occurs], exact=exact)
    own = risks[labels]
    of_households, n_households = None, 0
    if numbers is not None:
        of_households = household_risks(own, numbers, counts)
        n_alone = np.count_nonzero(numbers < 0) if counts is None else counts[numbers < 0].sum()
        n_households = len(np.unique(numbers[numbers >= 0])) + int(n_alone)
    return SurveyRisk(sizes[labels], people[labels], own, threshold, of_households, n_households, counts)


def household_numbers(column: Column) -> IntArray:
    """Return the number of the household of every record; -1 for records without one."""
    numbers = column.codes.astype(np.int64)
    return np.where(numbers == len(column.labels) - 1, -1, numbers) if column.has_missing else numbers


def assess_survey(
    data: AnyTable,
    quasi_identifying: str | Sequence[str],
    weight: str,
    household: str = "",
    *,
    exact: bool = False,
    threshold: float = ACCEPTED_RISK,
    monitor: Monitor = SILENT,
) -> SurveyRisk:
    """Assess the individual, global and household risk of a weighted sample.

    Records whose quasi-identifying cells are all `*` are excluded.

    Parameters
    ----------
    data : Table, DataFrame, Path or str
        The table or its file.
    quasi_identifying : str or sequence of str
        Columns that an attacker could know.
    weight : str
        Numeric column with the number of people of the population whom a record stands for.
    household : str
        Column whose values are households; empty for no household risk.
    exact : bool
        Whether classes of 3 and more records have the exact risk instead of the usual approximation.
    threshold : float
        Accepted risk; records above it are at risk.

    Raises
    ------
    TableError, InputError
        If the table or a column cannot be used, a weight is missing or not above 0, or the threshold is not a
        fraction.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = pd.DataFrame({"age": [30, 30, 40], "w": [180, 180, 215]})
    >>> found = assess_survey(sample, "age", "w")
    >>> found.risks.round(6).tolist()
    [0.005425, 0.005425, 0.025096]
    """
    given = given_table(data, quasi_identifying, weight=weight, household=household, monitor=monitor)
    return survey_of_given(given, exact=exact, threshold=threshold)


def survey_of_given(
    given: GivenTable,
    *,
    exact: bool = False,
    threshold: float = ACCEPTED_RISK,
    monitor: Monitor = SILENT,
) -> SurveyRisk:
    """Assess a given table with weights; see `assess_survey`."""
    check_threshold(threshold)
    if given.repeated is not None:
        raise InputError(_(REPEATED), hint=_(REPEATED_HINT), column=given.person)
    parts = [PartMonitor(monitor, part, 2) for part in range(2)]
    given = given.read_or_counted(_("Survey risk"), parts[0])
    counted = given if given.is_suppressed.all() else given.without_suppressed()
    people = counted.classes.measured.measured(Measure(WEIGHTED_PEOPLE, WEIGHT))
    return _of_rows(
        _rows_of(counted, parts[1]), np.asarray(people, dtype=np.float64), exact=exact, threshold=threshold
    )


def _rows_of(given: GivenTable, monitor: Monitor) -> _Rows:
    """Return the records; of distinct tuples classes, or the records of a household in a class."""
    labels, name = given.classes.labels, given.household
    if not name:
        sizes = given.classes.measured.records
        return (
            _Rows(labels, None, None) if given.origin is None else _Rows(np.arange(len(sizes)), None, sizes)
        )
    if given.origin is None or name in given.table.names:
        return _Rows(labels, household_numbers(given.table.column(name)), given.table.counts)
    whole, tuples = given.origin.table, given.origin.count().table
    column, left_out = whole.column(name), len(given.classes.first)
    class_of = np.full(tuples.n_rows, left_out, dtype=np.int64)
    class_of[slice(None) if given.rows is None else given.rows] = labels

    def blocks() -> Iterator[list[NDArray[Any]]]:
        for start, rows in tuple_rows(whole, tuples).blocks(_("Counting households"), monitor):
            yield [column.codes[start : start + len(rows)], class_of[rows]]

    (codes, classes), counts = distinct_rows(blocks, (len(column.labels), left_out + 1))
    chosen = classes < left_out
    numbers = codes[chosen].astype(np.int64)
    if column.has_missing:
        numbers[numbers == len(column.labels) - 1] = -1
    return _Rows(classes[chosen].astype(np.int64), numbers, counts[chosen])


@dataclass(frozen=True, eq=False)
class SpecialUniques(Measured):
    """Special uniques of a table (SUDA2 [1]_) with their scores; arrays are by counted record.

    Attributes
    ----------
    columns : tuple of str
        Examined columns.
    n_uniques, n_pairs : int
        Records that are unique in all columns, and records in classes of two.
    sampling_fraction : float or None
        Records / population; without it there is no probability of a correct match.

    References
    ----------
    .. [1] Elliot, Manning, Ford (2002). A Computational Algorithm for Handling the Special Uniques Problem.
       International Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 493-509.
    """

    command_key: ClassVar[str] = "special_uniques"

    columns: tuple[str, ...]
    found: MinimalUniques
    n_uniques: int
    n_pairs: int
    sampling_fraction: float | None = None

    @property
    def largest(self) -> int:
        """Columns of the largest sets that were searched."""
        return self.found.largest

    @property
    def n_records(self) -> int:
        """Number of records."""
        return len(self.scores)

    @property
    def scores(self) -> FloatArray:
        """Score per record; 0 if it has no minimal unique set."""
        return self.found.scores

    def facts(self) -> Iterator[Fact]:
        """Yield its values; the share of each column is missing without scores."""
        most = _("Records that are unique in a set of up to {n} columns.").format(n=self.largest)
        yield Fact("special_uniques", _("Special uniques"), self.n_special, "records", most)
        highest, many = (
            float(self.scores.max(initial=0.0)),
            _("A record unique in many small sets has a high score."),
        )
        yield Fact("highest_score", _("Highest SUDA score"), highest, explanation=many)
        for name, part in self.contributions.items():
            yield Fact(
                f"score.{name}",
                _("SUDA score, {name}").format(name=name),
                None if math.isnan(part) else part,
                SHARE,
                _("Share of all scores due to sets with this column."),
            )
        if self.dis is not None:
            meaning = _("Probability that a unique match is correct, at a sampling fraction of {fraction:g}.")
            words = meaning.format(fraction=self.sampling_fraction)
            yield Fact("dis", "DIS", self.dis, SHARE, words)

    @property
    def n_special(self) -> int:
        """Records with a score."""
        return int(np.count_nonzero(self.scores))

    @property
    def contributions(self) -> dict[str, float]:
        """Share of all scores due to sets with a column; nan without scores."""
        return dict(zip(self.columns, self.found.contributions.tolist(), strict=True))

    def sets_of(self, record: int) -> tuple[tuple[str, ...], ...]:
        """Return the minimal unique sets of one record."""
        return tuple(tuple(self.columns[n] for n in subset) for subset in self.found.sets_of(record))

    @property
    def dis(self) -> float | None:
        """Probability that a unique match is correct; None without a sampling fraction."""
        return None if self.sampling_fraction is None else self.dis_at(self.sampling_fraction)

    @property
    def dis_suda(self) -> FloatArray | None:
        """Probability of a correct match per record; None without a sampling fraction."""
        return None if self.sampling_fraction is None else self.dis_suda_at(self.sampling_fraction)

    def dis_at(self, fraction: float) -> float:
        """Return `dis` for a sampling fraction."""
        return intruder_success(self.n_uniques, self.n_pairs, fraction)

    def dis_suda_at(self, fraction: float) -> FloatArray:
        """Return `dis_suda` for a sampling fraction."""
        return success_by_score(self.scores, self.n_uniques, self.dis_at(fraction), len(self.columns))

    def as_dict(self) -> dict[str, Any]:
        """Return the values as `anonymizer risk --format json` prints them."""
        result: dict[str, Any] = {
            "columns": list(self.columns),
            "largest_set": self.largest,
            "uniques": self.n_uniques,
            "pairs": self.n_pairs,
            "records_with_score": self.n_special,
            "suda": self.scores.tolist(),
            "attribute_contribution_percent": {
                name: None if np.isnan(share) else 100 * share for name, share in self.contributions.items()
            },
        }
        if self.found.sets is not None:
            named = {subset: [self.columns[n] for n in subset] for subset in self.found.counts}
            result["msu"] = [[named[subset] for subset in sets] for sets in self.found.sets]
        success = self.dis_suda
        if success is not None:
            result |= {
                "sampling_fraction": self.sampling_fraction,
                "dis": self.dis,
                "dis_suda": success.tolist(),
            }
        return result


def special_uniques_of(
    columns: Sequence[Column],
    labels: IntArray,
    persons: IntArray | None = None,
    *,
    largest: int | None = None,
    sampling_fraction: float | None = None,
    monitor: Monitor = SILENT,
) -> SpecialUniques:
    """Return the special uniques of records, given the class of each in all columns.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_records,)
    persons : ndarray of int, shape (n_records,), optional
        Number of the person of every record, if persons may have several.
    largest : int, optional
        Columns of the largest sets; by default all.

    Raises
    ------
    InputError
        As `find_minimal_uniques`, or the sampling fraction is not above 0 and at most 1.
    """
    check_fraction(sampling_fraction)
    found = find_minimal_uniques(columns, largest, owners=persons, monitor=monitor)
    sizes = np.bincount(labels)
    if persons is not None:
        span = int(persons.max(initial=0)) + 1
        sizes = np.bincount(np.unique(labels * span + persons) // span, minlength=len(sizes))
    of_records = sizes[labels]
    return SpecialUniques(
        tuple(column.name for column in columns),
        found,
        int(np.count_nonzero(of_records == 1)),
        int(np.count_nonzero(of_records == 2)),
        sampling_fraction,
    )


def fraction_of(weights: FloatArray, n_records: int | None = None) -> float:
    """Return the sampling fraction by weights: records (by default as many as weights) / sum, at most 1."""
    return min(1.0, (len(weights) if n_records is None else n_records) / float(weights.sum()))


def check_fraction(fraction: float | None) -> None:
    """Raise an `InputError` if a sampling fraction is not above 0 and at most 1."""
    if fraction is not None and not 0 < fraction <= 1:
        raise InputError(
            _("A sampling fraction of {fraction:g} does not exist.").format(fraction=fraction),
            hint=_("Give the records divided by the population: above 0 and at most 1."),
        )


def assess_special_uniques(
    data: AnyTable,
    columns: str | Sequence[str],
    *,
    largest: int | None = None,
    sampling_fraction: float | None = None,
    person: str = "",
    weight: str = "",
    monitor: Monitor = SILENT,
) -> SpecialUniques:
    """Find the special uniques of a table (SUDA2), with their scores.

    Records whose cells in the columns are all `*` are excluded; missing is an ordinary value.

    Parameters
    ----------
    data : Table, DataFrame, Path or str
        The table or its file.
    columns : str or sequence of str
        Columns that an attacker could know.
    largest : int, optional
        Columns of the largest sets to search; by default all.
    sampling_fraction : float, optional
        Records / population, for the probability of a correct match; by default by the weights, if any.
    person : str
        Column whose values are persons; a record is then unique if no other person has an equal one.
    weight : str
        Column of survey weights.

    Raises
    ------
    TableError, InputError
        If the table or a column cannot be used, or there are too many sets of columns.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = pd.DataFrame({"age": [30, 30, 40], "sex": ["f", "f", "f"], "town": ["a", "b", "b"]})
    >>> assess_special_uniques(sample, ["age", "sex", "town"]).scores.tolist()
    [2.0, 1.0, 2.0]
    """
    given = given_table(data, columns, person=person, weight=weight, monitor=monitor)
    return special_uniques_of_given(
        given, largest=largest, sampling_fraction=sampling_fraction, monitor=monitor
    )


def special_uniques_of_given(
    given: GivenTable,
    *,
    largest: int | None = None,
    sampling_fraction: float | None = None,
    monitor: Monitor = SILENT,
) -> SpecialUniques:
    """Find the special uniques of a given table; see `assess_special_uniques`."""
    given = given.in_memory(_("The search for special uniques"))
    counted = given if given.is_suppressed.all() else given.without_suppressed()
    if sampling_fraction is None and given.weight:
        sampling_fraction = fraction_of(weights_of_records(counted.table.column(given.weight)))
    return special_uniques_of(
        [counted.table.column(name) for name in counted.quasi_identifying],
        counted.classes.labels,
        None if counted.persons is None else counted.table.column(counted.person).codes.astype(np.int64),
        largest=largest,
        sampling_fraction=sampling_fraction,
        monitor=monitor,
    )
