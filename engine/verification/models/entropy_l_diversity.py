"""Entropy l-diversity, by Shannon or by Grassberger."""

from __future__ import annotations

import pandas as pd

from engine.verification.classes import Classes, Reference
from engine.verification.models.base import Model, ModelVerifier
from engine.verification.spreads import grassberger_at_least, shannon_at_least
from engine.words import N_


def _met(model: Model, classes: Classes, own: pd.Series[int], reference: Reference) -> pd.Series[bool]:
    return (shannon_at_least if model.words["estimator"] == "shannon" else grassberger_at_least)(
        classes, own, model.threshold
    )


VERIFIER = ModelVerifier(
    title=N_("entropy l-diversity of '{column}' with l = {l} ({estimator})"),
    threshold="l",
    words={"estimator": ("shannon", "grassberger")},
    by_values=_met,
)
