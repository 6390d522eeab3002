"""How many people of the population are alone with their values, estimated from a sample of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.errors import InputError
from engine.kernels.arrays import Counts
from engine.kernels.population.estimate import ESTIMATORS, Estimate, estimate


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
        raise InputError("No record is left to measure.", hint="A risk is one of records that can be found.")
    if not population >= n_records:
        raise InputError(
            f"A population of {population:,.15g} is smaller than the {n_records:,} records of the table.",
            hint="Give the number of people the records were drawn from.",
        )
    distinct, counts = np.unique(sizes, return_counts=True)
    found = {name: estimate(name, distinct, counts, population, n_records) for name in ESTIMATORS}
    return PopulationUniques(population, n_records / population, found)
