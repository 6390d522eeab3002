"""Shared parameters of the analyses of risk."""

from __future__ import annotations

from typing import Any

from engine.assessment.risk.of_table import THRESHOLD
from engine.params import Integer, Real, param
from engine.words import N_, _


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


def records_listed(purpose: str) -> Any:
    """Return the number of records in a list as a field of an analysis; `purpose` says which ones."""
    return param(
        1000,
        Integer(
            minimum=1,
            maximum=10_000_000,
            label=N_("Records listed"),
            help=purpose,
            usual=(100, 1000, 10_000),
        ),
    )
