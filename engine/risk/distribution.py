"""How the risk is spread over the records of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.errors import InputError
from engine.kernels.arrays import Counts, Reals


@dataclass(frozen=True, eq=False)
class RiskDistribution:
    """Records by risk, the highest first.

    Attributes
    ----------
    sizes : ndarray of int64, shape (n_risks,)
        Distinct class sizes, increasing.
    records : ndarray of int64, shape (n_risks,)
        Records in classes of that size.
    """

    sizes: Counts
    records: Counts

    @property
    def risks(self) -> Reals:
        """Distinct risks, 1 / size, decreasing; shape (n_risks,)."""
        return np.asarray(1 / self.sizes)

    @property
    def classes(self) -> Counts:
        """Classes of every size, shape (n_risks,)."""
        return self.records // self.sizes

    @property
    def n_records(self) -> int:
        """Records in all."""
        return int(self.records.sum())

    @property
    def shares(self) -> Reals:
        """Share of records that have each risk, shape (n_risks,)."""
        return np.asarray(self.records / self.n_records)

    @property
    def cumulative_shares(self) -> Reals:
        """Share of records that have each risk or a higher one, shape (n_risks,)."""
        return np.asarray(np.cumsum(self.records) / self.n_records)

    @property
    def uniques(self) -> int:
        """Records alone in their class."""
        return int(self.records[self.sizes == 1].sum())


def risk_distribution(sizes: Counts) -> RiskDistribution:
    """Count the records of every class size.

    Parameters
    ----------
    sizes : ndarray of int64, shape (n_classes,)

    Raises
    ------
    InputError
        Where there is no class.
    """
    if not len(sizes):
        raise InputError("No record is left to measure.", hint="A risk is one of records that can be found.")
    distinct, counts = np.unique(sizes, return_counts=True)
    return RiskDistribution(distinct, distinct * counts)
