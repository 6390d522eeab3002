"""Attackers who know any m quasi-identifiers: every group by m of them is large enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from engine.verification.models.base import ModelVerifier, fraction
from engine.verification.models.known_columns import values_met
from engine.words import N_


def _sets(parameters: Mapping[str, Any], names: Sequence[str]) -> list[tuple[str, ...]]:
    m = min(int(fraction(parameters.get("m"), "the m of any_columns")), len(names))
    return list(combinations(names, m))


VERIFIER = ModelVerifier(
    title=N_("classes of k = {k} by any {m} columns"),
    threshold="k",
    counts=("l",),
    reals=("confidence",),
    class_met="size >= {k}",
    values_met=values_met,
    sets=_sets,
)
