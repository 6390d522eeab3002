"""Distinct l-diversity: enough different values."""

from __future__ import annotations

from engine.verification.models.base import ModelVerifier
from engine.words import N_

VERIFIER = ModelVerifier(
    title=N_("distinct l-diversity of '{column}' with l = {l}"),
    threshold="l",
    values_met="{diversity} >= {l}",
)
