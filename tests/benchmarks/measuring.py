"""How the benchmarks measure: processor seconds, wall seconds, resident memory, the speed of memory."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

QUIET = 0.5  # load average of the last minute up to which a machine counts as quiet
COPIED = 1 << 27  # bytes of the array that is copied, far more than caches hold
COPIES = 7

Figures = dict[str, float]


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call, of all its threads."""
    start = time.process_time()
    work()
    return time.process_time() - start


def wall_seconds(work: Callable[[], object]) -> float:
    """Time of one call as a person waits for it."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def load_average() -> float | None:
    """Processes that wanted a core during the last minute; None where the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def has_proc() -> bool:
    """Whether the system tells of memory as `resident` reads it."""
    return sys.platform == "linux"


def resident(field: str) -> float:
    """A figure of this process's memory in MB: VmRSS now, VmHWM at most."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1024


def copy_speed() -> float:
    """Bytes per second that one thread reads and writes when it copies an array, the best of a few."""
    source, target = np.zeros(COPIED, dtype=np.uint8), np.ones(COPIED, dtype=np.uint8)
    best = min(seconds(lambda: np.copyto(target, source)) for _ in range(COPIES))
    return 2 * COPIED / best


class Rounds:
    """Figures taken several times, each round next to each other in time."""

    def __init__(self, rounds: Sequence[Figures]) -> None:
        self._rounds = rounds

    def medians(self) -> Figures:
        """The median of every figure."""
        return {key: self.median(key) for key in self._rounds[0]}

    def median(self, key: str) -> float:
        """The median of a figure."""
        return statistics.median(figures[key] for figures in self._rounds)

    def ratio(self, above: str, below: str) -> float:
        """The median of one figure divided by another of the same round."""
        return statistics.median(figures[above] / figures[below] for figures in self._rounds)
