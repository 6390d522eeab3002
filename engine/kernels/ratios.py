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
    parts : ndarray of int64, from 0
    wholes : ndarray of int64, from 1
        Larger numbers than doubles hold are divided one by one, as Python's integers, which are not
        rounded first. Arrays of float64 are rounded already.

    Returns
    -------
    ndarray of float64, same shape
    """
    found = np.asarray(parts / wholes, dtype=np.float64)
    is_whole = parts.dtype.kind == "i" and wholes.dtype.kind == "i"
    if is_whole and max(parts.max(initial=0), wholes.max(initial=0)) >= EXACT:
        for place in np.flatnonzero((parts >= EXACT) | (wholes >= EXACT)).tolist():
            found[place] = int(parts[place]) / int(wholes[place])
    return found
