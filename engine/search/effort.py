"""What an algorithm costs: time, memory, nodes checked and inferred.

How far the memory of the program grows at most; what the system counts, since tracing allocations is slow.

Tracing every allocation (`tracemalloc`) makes a search take two to four times as long. The system counts
pages anyway: Linux starts its count of the most anew when asked to; elsewhere it is the most since the
program started, so that a run which needs less than an earlier one shows as 0.
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


_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_START_ANEW = "5"  # see proc(5), /proc/pid/clear_refs


def start_counting() -> int:
    """Start anew, and return the bytes held now; what other threads hold counts too."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            # Room that was freed but not given back would be used again without being counted.
            ctypes.CDLL(None).malloc_trim(0)
        with suppress(OSError, ValueError):
            _RESET.write_text(_START_ANEW, encoding="ascii")
            return _status("VmRSS")
    return most_held()


def most_held() -> int:
    """Return the most bytes held since the count was started; 0 where the system does not tell."""
    if sys.platform == "linux":
        with suppress(OSError, ValueError):
            return _status("VmHWM")
    if sys.platform == "win32":
        return _of_windows("PeakWorkingSetSize")
    import resource  # Windows has no such module

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def held_now() -> int:
    """Return the bytes held at the moment; 0 where the system does not tell."""
    if sys.platform == "linux":
        with suppress(OSError, ValueError):
            return _status("VmRSS")
    if sys.platform == "win32":
        return _of_windows("WorkingSetSize")
    return 0  # elsewhere only the most since the start is told


def _status(name: str) -> int:
    for line in _STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise ValueError(f"{_STATUS} has no line {name}")


def _of_windows(name: str) -> int:
    quotas = ["QuotaPeakPagedPoolUsage", "QuotaPagedPoolUsage", "QuotaPeakNonPagedPoolUsage"]
    quotas += ["QuotaNonPagedPoolUsage", "PagefileUsage", "PeakPagefileUsage"]

    class Counters(ctypes.Structure):
        _fields_ = (
            ("cb", ctypes.c_ulong),
            ("PageFaultCount", ctypes.c_ulong),
            ("PeakWorkingSetSize", ctypes.c_size_t),
            ("WorkingSetSize", ctypes.c_size_t),
            *((name, ctypes.c_size_t) for name in quotas),
        )

    counters = Counters(cb=ctypes.sizeof(Counters))
    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined]  # of Windows only
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    process = ctypes.c_void_p(kernel.GetCurrentProcess())
    told = kernel.K32GetProcessMemoryInfo(process, ctypes.byref(counters), counters.cb)
    return int(getattr(counters, name)) if told else 0
