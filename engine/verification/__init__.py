"""Independent verification of a written release; shares no code with the engine."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.verification.claims import Expected, Limits, ModelClaim, ReleaseClaim, Verdict

__all__ = ["Expected", "Limits", "ModelClaim", "ReleaseClaim", "Verdict", "verify"]


def verify(
    claim: ReleaseClaim,
    progress: Callable[[int, int, str], None] | None = None,
    limits: Limits | None = None,
) -> Verdict:
    """Verify a written release against its claim; see `engine.verification.judges.verify`."""
    from engine.verification import judges  # loads pandas, so only when needed
    from engine.verification.claims import Limits

    return judges.verify(claim, progress, limits or Limits())


def __getattr__(name: str) -> Any:
    """Import the claims when they are first used: registering a model needs none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.claims"), name)
