"""The independent judge of a written release: reads the files again and shares nothing with the engine."""

from __future__ import annotations

from engine.verification.claims import Expected, ModelClaim, ReleaseClaim, Verdict
from engine.verification.verify import verify

__all__ = ["Expected", "ModelClaim", "ReleaseClaim", "Verdict", "verify"]
