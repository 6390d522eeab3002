"""Cost of an algorithm: time, memory, nodes checked and inferred.

Memory is the largest growth of the process as the system counts it, since tracing allocations is slow.

Tracing every allocation (`tracemalloc`) makes a search two to four times as slow. The system counts pages
anyway: Linux restarts its count of the maximum on request; elsewhere the maximum is that since the program
started, so a run that needs less than an earlier one is reported as 0.
"""

from __future__ import annotations

import ctypes
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.processes import most_memory_held, status_of_linux


@dataclass(frozen=True)
class Efficiency:
    """Cost of a search.

    Attributes
    ----------
    seconds : float
        Wall time.
    peak_bytes : int
        Largest memory of the program beyond its memory at the start, in bytes of full pages as the system
        counts them.
    nodes_checked : int
        Nodes whose classes were counted, including nodes of subsets of the attributes.
    nodes_inferred : int
        Nodes decided without counting.
    scans : int
        Frequency sets counted from the distinct base tuples.
    rollups : int
        Frequency sets rolled up from those of other nodes.
    generalization_steps : int
        Levels raised, summed over attributes.
    """

    seconds: float = 0.0
    peak_bytes: int = 0
    nodes_checked: int = 0
    nodes_inferred: int = 0
    scans: int = 0
    rollups: int = 0
    generalization_steps: int = 0

    def followed_by(self, effort: Effort) -> Efficiency:
        """Return the sum of this cost and that of work which checked no nodes."""
        return replace(
            self,
            seconds=self.seconds + effort.seconds,
            peak_bytes=max(self.peak_bytes, effort.peak_bytes),
        )


def as_figures(efficiency: Efficiency) -> dict[str, float]:
    """Return a cost as plain JSON values; memory is in bytes."""
    return {
        "seconds": efficiency.seconds,
        "peak_memory": efficiency.peak_bytes,
        "nodes_checked": efficiency.nodes_checked,
        "nodes_inferred": efficiency.nodes_inferred,
        "scans": efficiency.scans,
        "roll_ups": efficiency.rollups,
        "generalization_steps": efficiency.generalization_steps,
    }


class Effort:
    """A context manager that measures time and memory, those of all threads included."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.peak_bytes = 0
        self._started = 0.0
        self._held = 0

    def __enter__(self) -> Self:
        self._held = start_counting()
        self._started = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Store the current values."""
        self.seconds = time.perf_counter() - self._started
        self.peak_bytes = max(most_memory_held() - self._held, 0)


_RESET = Path("/proc/self/clear_refs")
_START_ANEW = "5"  # see proc(5), /proc/pid/clear_refs


def start_counting() -> int:
    """Restart the count, and return the bytes held now, those of other threads included."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            # Freed memory that was not returned would be reused without being counted.
            ctypes.CDLL(None).malloc_trim(0)
        with suppress(OSError, ValueError):
            _RESET.write_text(_START_ANEW, encoding="ascii")
            return status_of_linux("VmRSS")
    return most_memory_held()
