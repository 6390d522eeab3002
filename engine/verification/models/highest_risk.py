"""Highest risk: one over the size of the smallest class."""

from __future__ import annotations

from engine.verification.models.base import ModelVerifier
from engine.words import N_

VERIFIER = ModelVerifier(
    title=N_("highest risk of {threshold}"),
    threshold="threshold",
    class_met="quotient(1, size) <= {threshold}",
)
