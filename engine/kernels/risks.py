"""Which class sizes a threshold of risk allows, exactly as it was typed."""

from __future__ import annotations

import math
from fractions import Fraction


def least_size(threshold: float) -> float:
    """The smallest class whose risk 1 / size is at most a threshold.

    Parameters
    ----------
    threshold : float
        In [0, 1]; counts as its shortest decimal, which is what was typed: 0.2 allows classes of 5.

    Returns
    -------
    float
        A whole number; inf for a threshold of 0, which no class meets.
    """
    typed = Fraction(repr(float(threshold)))
    return math.ceil(1 / typed) if typed > 0 else math.inf
