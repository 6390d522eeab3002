"""Highest risk: one over the size of the smallest class."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd

from engine.verification.classes import Classes
from engine.verification.models.base import Model, ModelVerifier, at_most
from engine.words import N_


def _met(model: Model, classes: Classes) -> pd.Series[bool]:
    return classes.sizes.map(lambda size: at_most(Fraction(1, int(size)), model.threshold)).astype(bool)


VERIFIER = ModelVerifier(title=N_("highest risk of {threshold}"), threshold="threshold", by_size=_met)
