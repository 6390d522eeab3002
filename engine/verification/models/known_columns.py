"""An attacker who knows some quasi-identifiers: every group by these is large enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.verification.models.base import Model, ModelVerifier
from engine.words import N_


def values_met(model: Model) -> str:
    """Return the condition of the sensitive values that an attacker finds."""
    codes = ", ".join(map(str, model.values))
    among = f"FILTER (WHERE value IN ({codes}))" if model.values else ""
    return f"{{diversity}} >= {{l}} AND quotient(coalesce(max(holders) {among}, 0), size) <= {{confidence}}"


def _sets(parameters: Mapping[str, Any], names: Sequence[str]) -> list[tuple[str, ...]]:
    known = parameters.get("known") or names
    return [tuple(name for name in names if name in known)]


VERIFIER = ModelVerifier(
    title=N_("classes of k = {k} by the columns {known}"),
    threshold="k",
    counts=("l",),
    reals=("confidence",),
    class_met="size >= {k}",
    values_met=values_met,
    sets=_sets,
)
