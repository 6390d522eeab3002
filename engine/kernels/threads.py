"""How many cores work that is spread over threads may take."""

from __future__ import annotations

import os


class _Limit:
    most = 0  # no limit


def set_most_threads(most: int) -> None:
    """Take no more cores than these; 0 for as many as there are. What runs already keeps its threads."""
    _Limit.most = max(most, 0)


def n_threads() -> int:
    """Cores this process may use, or as many of them as it was told to take."""
    if hasattr(os, "sched_getaffinity"):
        n_cores = len(os.sched_getaffinity(0))
    else:
        n_cores = os.cpu_count() or 1
    return min(n_cores, _Limit.most) if _Limit.most else n_cores
