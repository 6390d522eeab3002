"""t-closeness: values are distributed as in the original."""

from __future__ import annotations

from engine.verification.models.base import ModelVerifier
from engine.words import N_

VERIFIER = ModelVerifier(
    title=N_("t-closeness of '{column}' with t = {t} ({distance} distance)"),
    threshold="t",
    words={"distance": ("equal", "ordered", "hierarchical")},
    values_met="{distance} <= {t}",
)
