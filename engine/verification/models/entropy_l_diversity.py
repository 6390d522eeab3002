"""Entropy l-diversity, by Shannon or by Grassberger.

A class within a relative 1e-9 of its bound has reached it, as the model defines.

References
----------
.. [1] Grassberger (2003). Entropy Estimates from Insufficient Samplings. arXiv physics/0307138.
"""

from __future__ import annotations

from engine.verification.models.base import Model, ModelVerifier
from engine.words import N_

_BOUND = "{l} * (1 - 1e-9)"


def _values_met(model: Model) -> str:
    """Compare e to the entropy; Grassberger's estimator also requires that many distinct values."""
    if model.words["estimator"] == "shannon":
        return f"exp(sum(n * log_ratio(mass, n)) / mass) >= {_BOUND}"
    return f"exp(sum(n * (psi(mass) - psi(n))) / mass) >= {_BOUND} AND count(*) >= {_BOUND}"


VERIFIER = ModelVerifier(
    title=N_("entropy l-diversity of '{column}' with l = {l} ({estimator})"),
    threshold="l",
    words={"estimator": ("shannon", "grassberger")},
    values_met=_values_met,
)
