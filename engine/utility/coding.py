"""How much suppression counts against generalization: the coding model of ARX 3.9."""

from __future__ import annotations

from engine.params import Real
from engine.words import N_

_HELP = N_(
    "0.5 counts generalizing and suppressing fully; towards 0 suppressed records count less and less, "
    "towards 1 generalization does."
)
CODING = Real(
    label=N_("Coding model"),
    help=_HELP,
    minimum=0.0,
    maximum=1.0,
    usual=(0.25, 0.5, 0.75),
)


def generalization_factor(coding: float) -> float:
    """What the loss of kept records is multiplied by, in [0, 1]: less than 1 above 0.5."""
    return 1.0 if coding <= 0.5 else 2 * (1 - coding)


def suppression_factor(coding: float) -> float:
    """What the loss of suppressed records is multiplied by, in [0, 1]: less than 1 below 0.5."""
    return 1.0 if coding >= 0.5 else 2 * coding
