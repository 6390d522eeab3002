"""(alpha, k)-anonymity: no value is too frequent, and no class too small."""

from __future__ import annotations

import pandas as pd

from engine.verification.classes import Classes, Reference
from engine.verification.models.base import Model, ModelVerifier
from engine.verification.spreads import largest_share_at_most
from engine.words import N_


def _met(model: Model, classes: Classes, own: pd.Series[int], reference: Reference) -> pd.Series[bool]:
    return largest_share_at_most(classes, own, model.threshold)


VERIFIER = ModelVerifier(
    title=N_("(alpha, k)-anonymity of '{column}' with alpha = {alpha}, k = {k}"),
    threshold="alpha",
    counts=("k",),
    by_values=_met,
)
