"""Parameters that several models declare in the same way; each model words their help."""

from __future__ import annotations

from typing import Any

from engine.params import ColumnRef, Integer, Real, param
from engine.words import N_


def sensitive_column(purpose: str) -> Any:
    """Declare the sensitive column of a model; it has no default, since no name suits every table."""
    return param("", ColumnRef(label=N_("Sensitive column"), help=purpose))


def largest_gain(purpose: str) -> Any:
    """Declare the largest gain of a value in a class, relative to its share of the table."""
    return param(1.0, Real(minimum=0.0, maximum=1e9, label="β", help=purpose, usual=(0.5, 1, 2, 4)))


def least_number(default: int, label: str, purpose: str, usual: tuple[int, ...]) -> Any:
    """Declare the least number of records, people or values that a class must have."""
    return param(default, Integer(minimum=1, maximum=1_000_000_000, label=label, help=purpose, usual=usual))


def record_risk(purpose: str) -> Any:
    """Declare a risk of single records, 1 / class size, in (0, 1]."""
    return largest_share(0.2, purpose, (0.05, 0.1, 0.2, 0.5), minimum=0.001, decimals=3)


def unique_share(purpose: str) -> Any:
    """Declare a share of records or people that may be unique, in [0, 1]."""
    return largest_share(0.01, purpose, (0.0, 0.001, 0.01, 0.05))


def largest_share(
    default: float,
    purpose: str,
    usual: tuple[float, ...],
    *,
    minimum: float = 0.0,
    decimals: int = 4,
    label: str = N_("Threshold"),
) -> Any:
    """Declare the largest value of a share, or of a mean of probabilities, up to 1."""
    return param(
        default,
        Real(
            minimum=minimum,
            maximum=1.0,
            decimals=decimals,
            is_share=True,
            label=label,
            help=purpose,
            usual=usual,
        ),
    )
