"""The judge of the model: which classes of a written file meet it, without the code of the engine."""

from __future__ import annotations

import pandas as pd

from engine.verification.classes import Classes, Reference
from engine.verification.models.base import Model, ModelVerifier
from engine.verification.spreads import largest_share_at_most


def _met(model: Model, classes: Classes, own: pd.Series[int], reference: Reference) -> pd.Series[bool]:
    return largest_share_at_most(classes, own, model.threshold)


BOUNDED_CONFIDENCE = ModelVerifier(
    title="a confidence of at most {confidence} in a value of '{column}'",
    threshold="confidence",
    by_values=_met,
)
