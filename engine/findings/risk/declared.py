"""Shared parameters of the analyses of risk."""

from __future__ import annotations

from typing import Any

from engine.findings.settings import ACCEPTED_RISK
from engine.params import Flag, Integer, Real, param
from engine.words import N_, _


def risk_threshold() -> Any:
    """Return the accepted risk as a field of an analysis."""
    return param(
        ACCEPTED_RISK,
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


def missing_wildcards() -> Any:
    """Return whether missing cells are wildcards, as a field."""
    return param(
        False,
        Flag(label=N_("Missing cells too"), help=N_("Missing cells could be anything too, not only stars.")),
    )


def match_weight() -> Any:
    """Return the weight of a match that needs a wildcard, as a field."""
    return param(
        1.0,
        Real(
            minimum=0.0,
            maximum=1.0,
            label=N_("Weight of a match by wildcard"),
            help=N_("What a record counts that matches only because of a wildcard; 1 counts it in full."),
            usual=(0.0, 0.5, 1.0),
        ),
    )


def all_star_counted() -> Any:
    """Return whether records with wildcards only are counted, as a field."""
    return param(
        False,
        Flag(
            label=N_("Count records of wildcards only"),
            help=N_(
                "They match every person. Unless set, they are excluded: a suppressed record protects no one."
            ),
        ),
    )
