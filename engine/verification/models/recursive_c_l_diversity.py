"""Recursive (c, l)-diversity: the most frequent value is not too frequent."""

from __future__ import annotations

import pandas as pd

from engine.verification.classes import Classes, Reference
from engine.verification.models.base import Model, ModelVerifier
from engine.verification.spreads import tail_ratio_below
from engine.words import N_


def _met(model: Model, classes: Classes, own: pd.Series[int], reference: Reference) -> pd.Series[bool]:
    return tail_ratio_below(classes, own, model.threshold, model.counts["l"])


VERIFIER = ModelVerifier(
    title=N_("recursive (c, l)-diversity of '{column}' with c = {c}, l = {l}"),
    threshold="c",
    counts=("l",),
    by_values=_met,
)
