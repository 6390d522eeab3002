"""Parameters that several models declare in the same way; each model words their help."""

from __future__ import annotations

from typing import Any

from engine.params import ColumnRef, Real, param
from engine.words import N_


def sensitive_column(purpose: str) -> Any:
    """Declare the sensitive column of a model; it has no default, since no name suits every table."""
    return param("", ColumnRef(label=N_("Sensitive column"), help=purpose))


def largest_gain(purpose: str) -> Any:
    """Declare the largest gain of a value in a class, relative to its share of the table."""
    return param(1.0, Real(minimum=0.0, maximum=1e9, label="β", help=purpose, usual=(0.5, 1, 2, 4)))


def record_risk(purpose: str) -> Any:
    """Declare a risk of single records, 1 / class size, in (0, 1]."""
    return param(
        0.2,
        Real(
            minimum=0.001,
            maximum=1.0,
            decimals=3,
            is_share=True,
            label=N_("Threshold"),
            help=purpose,
            usual=(0.05, 0.1, 0.2, 0.5),
        ),
    )


def unique_share(purpose: str) -> Any:
    """Declare a share of records or people that may be unique, in [0, 1]."""
    return param(
        0.01,
        Real(
            minimum=0.0,
            maximum=1.0,
            decimals=4,
            is_share=True,
            label=N_("Threshold"),
            help=purpose,
            usual=(0.0, 0.001, 0.01, 0.05),
        ),
    )
