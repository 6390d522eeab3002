"""Measurement of processor time, wall time, resident memory and memory speed."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

QUIET = 0.5  # load average of the last minute up to which a machine counts as idle
COPIED = 1 << 27  # bytes of the copied array, much larger than caches
COPIES = 7

Figures = dict[str, float]


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of one call, over all its threads."""
    start = time.process_time()
    work()
    return time.process_time() - start


def wall_seconds(work: Callable[[], object]) -> float:
    """Return the wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def load_average() -> float | None:
    """Return the average number of runnable processes in the last minute; None if not available."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def has_proc() -> bool:
    """Return whether the system has the memory information that `resident` reads."""
    return sys.platform == "linux"


def resident(field: str) -> float:
    """Return the memory of this process in MB: VmRSS is current, VmHWM the maximum."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def copy_speed() -> float:
    """Return bytes per second that one thread reads and writes in an array copy, the best of several."""
    source, target = np.zeros(COPIED, dtype=np.uint8), np.ones(COPIED, dtype=np.uint8)
    best = min(seconds(lambda: np.copyto(target, source)) for _ in range(COPIES))
    return 2 * COPIED / best


class Rounds:
    """Values measured several times, those of one round close together in time."""

    def __init__(self, rounds: Sequence[Figures]) -> None:
        self._rounds = rounds

    def medians(self) -> Figures:
        """Return the median of every value."""
        return {key: self.median(key) for key in self._rounds[0]}

    def median(self, key: str) -> float:
        """Return the median of a value."""
        return statistics.median(figures[key] for figures in self._rounds)

    def ratio(self, above: str, below: str) -> float:
        """Return the median of the ratio of two values of the same round."""
        return statistics.median(figures[above] / figures[below] for figures in self._rounds)
