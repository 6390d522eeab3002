"""Distinct l-diversity: enough different values."""

from __future__ import annotations

import math

import pandas as pd

from engine.verification.classes import Classes, Reference
from engine.verification.models.base import Model, ModelVerifier
from engine.words import N_


def _met(model: Model, classes: Classes, own: pd.Series[int], reference: Reference) -> pd.Series[bool]:
    return classes.diversity(own) >= math.ceil(model.threshold)


VERIFIER = ModelVerifier(
    title=N_("distinct l-diversity of '{column}' with l = {l}"), threshold="l", by_values=_met
)
