"""What a run took: time, memory, and the work that was done for it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from engine.search.memory import most_held, start_counting


@dataclass(frozen=True)
class Efficiency:
    """What a search took.

    Attributes
    ----------
    seconds : float
        Wall time.
    peak_bytes : int
        The most memory the program held at a time beyond what it held at the start; whole pages, as the
        system counts them.
    nodes_checked : int
        Nodes whose classes were counted, of parts of the attributes too.
    nodes_inferred : int
        Nodes of which the search knew without counting.
    scans : int
        Frequency sets counted from the distinct base tuples.
    rollups : int
        Frequency sets derived from those of other nodes.
    generalization_steps : int
        Levels raised on the way, attribute by attribute.
    """

    seconds: float = 0.0
    peak_bytes: int = 0
    nodes_checked: int = 0
    nodes_inferred: int = 0
    scans: int = 0
    rollups: int = 0
    generalization_steps: int = 0

    def followed_by(self, effort: Effort) -> Efficiency:
        """Return what this took and then something else, which checked no nodes."""
        return replace(
            self,
            seconds=self.seconds + effort.seconds,
            peak_bytes=max(self.peak_bytes, effort.peak_bytes),
        )


def as_figures(efficiency: Efficiency) -> dict[str, float]:
    """An account of work as plain JSON values; memory is in bytes."""
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
    """Measures time and memory while it is entered; the memory of other threads counts too."""

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
        """Take the figures as they stand."""
        self.seconds = time.perf_counter() - self._started
        self.peak_bytes = max(most_held() - self._held, 0)
