"""t-closeness: values are distributed as in the original."""

from __future__ import annotations

import pandas as pd

from engine.verification.classes import Classes, Reference
from engine.verification.models.base import Model, ModelVerifier
from engine.words import N_


def _met(model: Model, classes: Classes, own: pd.Series[int], reference: Reference) -> pd.Series[bool]:
    return classes.distances(own, reference, model.distance).at_most(model.threshold)


VERIFIER = ModelVerifier(
    title=N_("t-closeness of '{column}' with t = {t} ({distance} distance)"),
    threshold="t",
    words={"distance": ("equal", "ordered", "hierarchical")},
    by_values=_met,
)
