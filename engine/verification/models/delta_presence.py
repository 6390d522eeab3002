"""delta-presence: bounds for the share of each class of the population that has a record."""

from __future__ import annotations

import pandas as pd

from engine.verification.classes import Classes
from engine.verification.models.base import Model, ModelVerifier
from engine.verification.population import PopulationClasses
from engine.words import N_


def _met(
    model: Model, population: PopulationClasses, classes: Classes, labels: pd.DataFrame, n_records: int
) -> pd.Series[bool]:
    sizes = classes.sizes
    low, high = float(model.reals["minimum"]), float(model.threshold)
    pairs = zip(sizes.tolist(), population.members(classes, labels).tolist(), strict=True)
    met = [n > 0 and low <= size / n <= high for size, n in pairs]
    return pd.Series(met, index=sizes.index, dtype=bool)


VERIFIER = ModelVerifier(
    title=N_("delta-presence from {minimum} to {maximum}"),
    threshold="maximum",
    reals=("minimum",),
    by_population=_met,
    needs_all_members=lambda model: model.reals["minimum"] > 0,  # no person may be known to be absent
)
