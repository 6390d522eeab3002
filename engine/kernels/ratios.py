"""Ratios of whole numbers as the nearest doubles, so that what is printed is what is compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import Reals

EXACT = 1 << 53  # below it every whole number is a double, and dividing two rounds once


def nearest_ratios(parts: NDArray[Any], wholes: NDArray[Any]) -> Reals:
    """Divide, rounding each ratio once, to the nearest double.

    Parameters
    ----------
    parts : ndarray of int64 or of Python's integers
    wholes : ndarray of the same, above 0
        Larger numbers than doubles hold are divided one by one, as Python's integers, which it does
        without rounding them first.

    Returns
    -------
    ndarray of float64, same shape
    """
    found = np.asarray(parts / wholes, dtype=np.float64)
    if parts.dtype.kind == "i" and wholes.dtype.kind == "i":
        for place in np.flatnonzero((np.abs(parts) >= EXACT) | (wholes >= EXACT)).tolist():
            found[place] = int(parts[place]) / int(wholes[place])
    return found
