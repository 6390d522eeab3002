"""How far the memory of the program grows at most; what the system counts, since tracing allocations is slow.

Tracing every allocation (`tracemalloc`) makes a search take two to four times as long. The system counts
pages anyway: Linux starts its count of the most anew when asked to; elsewhere it is the most since the
program started, so that a run which needs less than an earlier one shows as 0.
"""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from pathlib import Path

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
