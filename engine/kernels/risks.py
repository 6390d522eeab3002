"""Class sizes that a risk threshold allows."""

from __future__ import annotations

import math


def least_size(threshold: float) -> float:
    """Return the smallest class size whose risk is at most a threshold.

    Parameters
    ----------
    threshold : float
        In [0, 1]. A risk of 1 / size, rounded to a double, is compared with it: 0.2 allows classes of 5.

    Returns
    -------
    float
        An integer; inf for a threshold of 0, which no class meets.
    """
    if threshold <= 0:
        return math.inf
    size = math.ceil(1 / threshold)
    # 1 / threshold is rounded too, and may be on the wrong side of an integer
    while size > 1 and 1 / (size - 1) <= threshold:
        size -= 1
    while 1 / size > threshold:
        size += 1
    return size
