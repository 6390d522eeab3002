"""The coding model of ARX 3.9, which weights suppression against generalization."""

from __future__ import annotations

from engine.params import Real
from engine.words import N_

_HELP = N_(
    "At 0.5, generalization and suppression count fully; towards 0 suppression counts "
    "less, towards 1 generalization does."
)
CODING = Real(
    label=N_("Coding model"),
    help=_HELP,
    minimum=0.0,
    maximum=1.0,
    usual=(0.25, 0.5, 0.75),
)


def generalization_factor(coding: float) -> float:
    """Return the factor of the loss of kept records, in [0, 1]: less than 1 above 0.5."""
    return 1.0 if coding <= 0.5 else 2 * (1 - coding)


def suppression_factor(coding: float) -> float:
    """Return the factor of the loss of suppressed records, in [0, 1]: less than 1 below 0.5."""
    return 1.0 if coding >= 0.5 else 2 * coding
