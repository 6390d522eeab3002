"""The verifier of the model: which classes of a written file meet it, without the code of the engine."""

from __future__ import annotations

from engine.verification.models.base import ModelVerifier

BOUNDED_CONFIDENCE = ModelVerifier(
    title="a confidence of at most {confidence} in a value of '{column}'",
    threshold="confidence",
    values_met="quotient(max(holders), size) <= {confidence}",
)
