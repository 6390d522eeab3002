"""The independent judge of a written release: reads the files again and shares nothing with the engine."""

from __future__ import annotations

from collections.abc import Callable

from engine.verification.claims import Expected, ModelClaim, ReleaseClaim, Verdict

__all__ = ["Expected", "ModelClaim", "ReleaseClaim", "Verdict", "verify"]


def verify(claim: ReleaseClaim, progress: Callable[[int, int, str], None] | None = None) -> Verdict:
    """Judge a written release against what is claimed for it; see `engine.verification.judging.verify`."""
    from engine.verification import judging  # only where something is judged: it reads files with pandas

    return judging.verify(claim, progress)
