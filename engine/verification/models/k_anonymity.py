"""k-anonymity: every class is large enough."""

from __future__ import annotations

import math

import pandas as pd

from engine.verification.classes import Classes
from engine.verification.models.base import Model, ModelVerifier
from engine.words import N_


def _met(model: Model, classes: Classes) -> pd.Series[bool]:
    return classes.sizes >= math.ceil(model.threshold)


VERIFIER = ModelVerifier(title=N_("k-anonymity with k = {k}"), threshold="k", by_size=_met)
