"""Basic beta-likeness: no value becomes much more frequent."""

from __future__ import annotations

from engine.verification.models.base import ModelVerifier
from engine.words import N_

VERIFIER = ModelVerifier(
    title=N_("basic beta-likeness of '{column}' with beta = {beta}"),
    threshold="beta",
    values_met=(
        "bool_and(whole > 0 AND quotient(n * {total} - whole * mass, greatest(whole, 1) * mass) <= {beta})"
    ),
)
