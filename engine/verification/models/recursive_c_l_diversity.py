"""Recursive (c, l)-diversity: the most frequent value is not too frequent."""

from __future__ import annotations

from engine.verification.models.base import ModelVerifier
from engine.words import N_

VERIFIER = ModelVerifier(
    title=N_("recursive (c, l)-diversity of '{column}' with c = {c}, l = {l}"),
    threshold="c",
    counts=("l",),
    values_met="quotient(max(n), list_sum(list_reverse_sort(list(n))[{l}:])) < {c}",
)
