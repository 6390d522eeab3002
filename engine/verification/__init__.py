"""Independent verification of a written release; shares no code with the engine."""

from __future__ import annotations

from collections.abc import Callable

from engine.verification.claims import Expected, ModelClaim, ReleaseClaim, Verdict
from engine.verification.limits import Limits

__all__ = ["Expected", "Limits", "ModelClaim", "ReleaseClaim", "Verdict", "verify"]


def verify(
    claim: ReleaseClaim,
    progress: Callable[[int, int, str], None] | None = None,
    limits: Limits | None = None,
) -> Verdict:
    """Verify a written release against its claim; see `engine.verification.judges.verify`."""
    from engine.verification import judges  # loads pandas, so only when needed

    return judges.verify(claim, progress, limits or Limits())
