"""Risk from an attacker: highest and average risk, and records above a threshold.

The prosecutor knows that a certain person is in the table and searches for their record. The journalist
searches for any person with a table of the population, where classes are larger. The marketer wants as
many matches as possible, so the average counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import InputError
from engine.findings.blocks import Chart, Series
from engine.frequency.counted import Noun
from engine.frequency.persons import PeopleBySize
from engine.kernels.arrays import Counts, FloatArray, IntArray
from engine.kernels.risks import least_size
from engine.words import _


@dataclass(frozen=True)
class AttackerRisk:
    """Re-identification risk over the records of a table, or its people; fractions from 0 to 1.

    Attributes
    ----------
    highest, lowest : float
        Risk of a record: 1 / size of its class. The risk of a person is that of their smallest class.
    average : float
        Mean over records, or people: the expected share of matches of a marketer, ARX's success rate.
    n_records : int
        Records, or people, that the attacker searches for.
    n_at_risk : int
        Those whose risk is strictly above the threshold.
    at_highest, at_lowest : float
        Share of records, or people, that have the highest, and the lowest, risk.
    """

    highest: float
    lowest: float
    average: float
    n_records: int
    n_at_risk: int
    at_highest: float
    at_lowest: float
    threshold: float

    @property
    def records_at_risk(self) -> float:
        """Share of records, or people, whose risk is strictly above the threshold."""
        return self.n_at_risk / self.n_records

    @property
    def n_expected(self) -> float:
        """Expected number of correct guesses if all are guessed."""
        return self.average * self.n_records

    @property
    def smallest(self) -> int:
        """Size of the smallest class, in records or people."""
        return round(1 / self.highest)


def risk_of_people(people: PeopleBySize, threshold: float) -> AttackerRisk:
    """Summarize the risk of people with several records, each by the smallest class they are in.

    Parameters
    ----------
    people : PeopleBySize
        People by the size of their smallest class.

    Raises
    ------
    InputError
        If there are no people, or the threshold is not a fraction.

    References
    ----------
    .. [1] El Emam, Dankar (2008). Protecting Privacy Using k-Anonymity. JAMIA 15(5).
    .. [2] El Emam (2013). Guide to the De-Identification of Personal Health Information. CRC Press.
    """
    check_threshold(threshold)
    if not people.n_people:
        raise InputError(_("No record to measure."), hint=_("Risk is measured on kept records."))
    return AttackerRisk(
        highest=1 / int(people.sizes[0]),
        lowest=1 / int(people.sizes[-1]),
        average=people.average_risk,
        n_records=people.n_people,
        n_at_risk=people.n_below(least_size(threshold)),
        at_highest=int(people.people[0]) / people.n_people,
        at_lowest=int(people.people[-1]) / people.n_people,
        threshold=threshold,
    )


def check_among(records: Counts, among: Counts) -> None:
    """Raise `InputError` if a class has fewer people in the population than records."""
    if (among < records).any():
        raise InputError(
            _("In one class, the population has fewer people than the table has records."),
            hint=_("The population table must contain everyone in the table."),
        )


def check_threshold(threshold: float) -> None:
    """Raise `InputError` unless a threshold is a fraction."""
    if not 0 <= threshold <= 1:
        raise InputError(
            _("The threshold cannot be {threshold:g}.").format(threshold=threshold),
            hint=_("A risk is between 0 and 1; 20 % is 0.2."),
        )


def record_risks(labels: IntArray, sizes: Counts) -> FloatArray:
    """Return the risk of every record, 1 / size of its class.

    Parameters
    ----------
    labels : ndarray of int64, shape (n_records,)
        Class per record.
    sizes : ndarray of int64, shape (n_classes,)
    """
    return np.asarray((1 / sizes)[labels])


@dataclass(frozen=True, eq=False)
class RiskDistribution:
    """Records by descending risk; or people, each by the smallest class they are in.

    Attributes
    ----------
    sizes : ndarray of int64, shape (n_risks,)
        Distinct class sizes, increasing.
    records : ndarray of int64, shape (n_risks,)
        Records, or people, in classes of that size.
    """

    sizes: Counts
    records: Counts

    @property
    def risks(self) -> FloatArray:
        """Distinct risks, 1 / size, decreasing; shape (n_risks,)."""
        return np.asarray(1 / self.sizes)

    @property
    def n_records(self) -> int:
        """Total number of records, or people."""
        return int(self.records.sum())

    @property
    def shares(self) -> FloatArray:
        """Share that has each risk, shape (n_risks,)."""
        return np.asarray(self.records / self.n_records)

    @property
    def cumulative_shares(self) -> FloatArray:
        """Share that has each risk or a higher one, shape (n_risks,)."""
        return np.asarray(np.cumsum(self.records) / self.n_records)

    def shares_above(self, risks: Sequence[float]) -> tuple[float, ...]:
        """Return the share with more than each of some risks."""
        n = np.searchsorted(-self.risks, -np.asarray(risks), side="left")
        return tuple(np.append(0.0, self.cumulative_shares)[n].tolist())

    def share_from(self, risk: float) -> float:
        """Return the share with at least this risk."""
        n = int(np.searchsorted(-self.risks, -risk * (1 - 1e-12), side="right"))
        return float(self.cumulative_shares[n - 1]) if n else 0.0

    @property
    def uniques(self) -> int:
        """Number of unique records, or of people alone in a class."""
        return int(self.records[self.sizes == 1].sum())


def risk_distribution(people: PeopleBySize) -> RiskDistribution:
    """Return the distribution of people by risk, each by the smallest class they are in.

    Raises
    ------
    InputError
        If there are no classes.
    """
    if not len(people.sizes):
        raise InputError(_("No record to measure."), hint=_("Risk is measured on kept records."))
    return RiskDistribution(people.sizes, people.people)


def risk_curve(spreads: Sequence[tuple[str, str, RiskDistribution]], noun: Noun) -> Chart:
    """Return the share of records above each risk, given titles, sides and distributions of tables."""
    positions = sorted({0.0, *(risk for _title, _side, spread in spreads for risk in spread.risks.tolist())})
    series = [Series(title, spread.shares_above(positions), side) for title, side, spread in spreads]
    return Chart(
        "risk_distribution",
        noun.said(_("{Records} by risk")),
        "steps",
        _("re-identification risk (1 / class size)"),
        noun.said(_("share of {records} with a higher risk")),
        tuple(series),
        positions=tuple(positions),
        is_share=True,
        reading=_("The line of the release should reach zero at the accepted risk, or before."),
    )
