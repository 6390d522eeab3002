"""Basic beta-likeness: no value becomes much more frequent."""

from __future__ import annotations

import pandas as pd

from engine.verification.classes import Classes, Reference
from engine.verification.models.base import Model, ModelVerifier
from engine.verification.spreads import gains_at_most
from engine.words import N_


def _met(model: Model, classes: Classes, own: pd.Series[int], reference: Reference) -> pd.Series[bool]:
    return gains_at_most(classes, own, reference, model.threshold, capped=False)


VERIFIER = ModelVerifier(
    title=N_("basic beta-likeness of '{column}' with beta = {beta}"), threshold="beta", by_values=_met
)
