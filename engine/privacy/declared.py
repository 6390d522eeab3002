"""Parameters that several models declare alike; what each is for, a model says itself."""

from __future__ import annotations

from typing import Any

from engine.params import ColumnRef, Real, param
from engine.words import _


def sensitive_column(purpose: str) -> Any:
    """The sensitive column a model looks at; none by default, since no name suits every table."""
    return param("", ColumnRef(label=_("Sensitive column"), help=purpose))


def largest_gain(purpose: str) -> Any:
    """How much more frequent a value may be in a class than in the table, relative to its share there."""
    return param(1.0, Real(minimum=0.0, maximum=1e9, label="β", help=purpose, usual=(0.5, 1, 2, 4)))


def record_risk(purpose: str) -> Any:
    """A risk of single records, 1 / class size, in (0, 1]."""
    return param(
        0.2,
        Real(
            minimum=0.001,
            maximum=1.0,
            decimals=3,
            label=_("Threshold"),
            help=purpose,
            usual=(0.05, 0.1, 0.2, 0.5),
        ),
    )


def unique_share(purpose: str) -> Any:
    """A share of records or people that may be unique, in [0, 1]."""
    return param(
        0.01,
        Real(
            minimum=0.0,
            maximum=1.0,
            decimals=4,
            label=_("Threshold"),
            help=purpose,
            usual=(0.0, 0.001, 0.01, 0.05),
        ),
    )
