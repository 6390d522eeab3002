"""Independent verification of a written release; shares no code with the engine."""

from __future__ import annotations

from collections.abc import Callable

from engine.verification.claims import Expected, ModelClaim, ReleaseClaim, Verdict

__all__ = ["Expected", "ModelClaim", "ReleaseClaim", "Verdict", "verify"]


def verify(claim: ReleaseClaim, progress: Callable[[int, int, str], None] | None = None) -> Verdict:
    """Verify a written release against its claim; see `engine.verification.release_check.verify`."""
    from engine.verification import release_check  # loads pandas, so only when needed

    return release_check.verify(claim, progress)
