"""Number of cores for work that is spread over threads."""

from __future__ import annotations

import os


class _Limit:
    most = 0  # no limit


def set_most_threads(most: int) -> None:
    """Limit the number of cores; 0 for all. Running work keeps its threads."""
    _Limit.most = max(most, 0)


def n_threads() -> int:
    """Return the number of cores that this process may use, within the limit."""
    if hasattr(os, "sched_getaffinity"):
        n_cores = len(os.sched_getaffinity(0))
    else:
        n_cores = os.cpu_count() or 1
    return min(n_cores, _Limit.most) if _Limit.most else n_cores
