"""Enhanced beta-likeness: no value becomes much more frequent, and rare ones even less so."""

from __future__ import annotations

from engine.verification.models.base import ModelVerifier
from engine.words import N_

VERIFIER = ModelVerifier(
    title=N_("enhanced beta-likeness of '{column}' with beta = {beta}"),
    threshold="beta",
    values_met=(
        "bool_and(whole > 0 AND quotient(n * {total} - whole * mass, greatest(whole, 1) * mass) "
        "<= least({beta}, log_ratio({total}, greatest(whole, 1)) * (1 + 1e-12)))"
    ),
)
