"""Shared parameters of the analyses of risk."""

from __future__ import annotations

from typing import Any

from engine.assessment.risk.of_table import THRESHOLD
from engine.params import Real, param
from engine.words import _


def risk_threshold() -> Any:
    """Return the accepted risk as a field of an analysis."""
    return param(
        THRESHOLD,
        Real(
            minimum=0.0,
            maximum=1.0,
            label=_("Accepted risk"),
            help=_("The accepted risk; 0.09 to 0.2 is usual. Records strictly above it are at risk."),
            usual=(0.05, 0.09, 0.2, 0.33),
        ),
    )
