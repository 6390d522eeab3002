"""An attacker who knows some quasi-identifiers: every group by these is large enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.verification.models.base import ModelVerifier
from engine.words import N_


def _sets(parameters: Mapping[str, Any], names: Sequence[str]) -> list[tuple[str, ...]]:
    known = parameters.get("known") or names
    return [tuple(name for name in names if name in known)]


VERIFIER = ModelVerifier(
    title=N_("classes of k = {k} by the columns {known}"),
    threshold="k",
    counts=("l",),
    reals=("confidence",),
    sets=_sets,
)
