"""How the risk is spread over the records of a table, or its people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.errors import InputError
from engine.frequency.persons import PeopleBySize
from engine.kernels.arrays import Counts, Reals


@dataclass(frozen=True, eq=False)
class RiskDistribution:
    """Records by risk, the highest first; or people, each by the smallest class they are in.

    Attributes
    ----------
    sizes : ndarray of int64, shape (n_risks,)
        Distinct class sizes, increasing.
    records : ndarray of int64, shape (n_risks,)
        Records in classes of that size, or people.
    """

    sizes: Counts
    records: Counts

    @property
    def risks(self) -> Reals:
        """Distinct risks, 1 / size, decreasing; shape (n_risks,)."""
        return np.asarray(1 / self.sizes)

    @property
    def n_records(self) -> int:
        """Records, or people, in all."""
        return int(self.records.sum())

    @property
    def shares(self) -> Reals:
        """Share that has each risk, shape (n_risks,)."""
        return np.asarray(self.records / self.n_records)

    @property
    def cumulative_shares(self) -> Reals:
        """Share that has each risk or a higher one, shape (n_risks,)."""
        return np.asarray(np.cumsum(self.records) / self.n_records)

    @property
    def uniques(self) -> int:
        """Records alone in their class, or people alone in one of theirs."""
        return int(self.records[self.sizes == 1].sum())


def risk_distribution(people: PeopleBySize) -> RiskDistribution:
    """Spread people over the risks they have, each by the smallest class they are in.

    Raises
    ------
    InputError
        Where there is no class.
    """
    if not len(people.sizes):
        raise InputError("No record is left to measure.", hint="A risk is one of records that can be found.")
    return RiskDistribution(people.sizes, people.people)
