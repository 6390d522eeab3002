"""delta-disclosure privacy: every value stays about as frequent."""

from __future__ import annotations

import pandas as pd

from engine.verification.classes import Classes, Reference
from engine.verification.models.base import Model, ModelVerifier
from engine.verification.spreads import disclosure_at_most
from engine.words import N_


def _met(model: Model, classes: Classes, own: pd.Series[int], reference: Reference) -> pd.Series[bool]:
    return disclosure_at_most(classes, own, reference, model.threshold)


VERIFIER = ModelVerifier(
    title=N_("delta-disclosure privacy of '{column}' with delta = {delta}"), threshold="delta", by_values=_met
)
