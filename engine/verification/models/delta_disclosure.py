"""delta-disclosure privacy: every value stays about as frequent."""

from __future__ import annotations

from engine.verification.models.base import ModelVerifier
from engine.words import N_

VERIFIER = ModelVerifier(
    title=N_("delta-disclosure privacy of '{column}' with delta = {delta}"),
    threshold="delta",
    values_met=(
        "count(*) = {n_values} AND bool_and(whole > 0 AND "
        "abs(log_ratio(n * {total}, greatest(whole, 1) * mass)) * (1 - 1e-12) <= {delta})"
    ),
)
