"""(alpha, k)-anonymity: no value is too frequent, and no class too small."""

from __future__ import annotations

from engine.verification.models.base import ModelVerifier
from engine.words import N_

VERIFIER = ModelVerifier(
    title=N_("(alpha, k)-anonymity of '{column}' with alpha = {alpha}, k = {k}"),
    threshold="alpha",
    counts=("k",),
    class_met="size >= {k}",
    values_met="quotient(max(holders), size) <= {alpha}",
)
