"""k-anonymity: every class is large enough."""

from __future__ import annotations

from engine.verification.models.base import ModelVerifier
from engine.words import N_

VERIFIER = ModelVerifier(
    title=N_("k-anonymity with k = {k}"),
    threshold="k",
    class_met="size >= {k}",
)
