"""State of other processes; memory of this one, and its return to the system."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

_UNKNOWN = "0"


def _system() -> str:
    return sys.platform  # by a function, or mypy would check the part of one system only


def start_of(pid: int) -> str:
    """Return the start of a process as the system counts it; "0" if unknown.

    A number is used again after its process has ended, so a process is known by number and start.
    """
    if _system() == "linux":
        with suppress(OSError, IndexError, ValueError):
            text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
            # the name of the process, before that, may contain anything
            return str(int(text.rpartition(")")[2].split()[19]))
        return _UNKNOWN
    import psutil

    with suppress(psutil.Error, OverflowError):
        return str(round(psutil.Process(pid).create_time() * 1000))
    return _UNKNOWN


def is_running(pid: int, start: str) -> bool:
    """Return whether a process still runs and is not another one with the same number."""
    return _exists(pid) and start in (_UNKNOWN, start_of(pid))


def _exists(pid: int) -> bool:
    if _system() == "win32":  # a signal would end the process
        import psutil

        return 0 < pid < 1 << 32 and psutil.pid_exists(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True  # a process of another user
    return True


def memory_held() -> int:
    """Return the bytes of memory that this process holds now."""
    if _system() == "linux":
        with suppress(OSError, ValueError):
            return status_of_linux("VmRSS")
        return 0
    import psutil

    return int(psutil.Process().memory_info().rss)


def most_memory_held() -> int:
    """Return the maximum of `memory_held`, since the start or since Linux restarted its count."""
    if _system() == "linux":
        with suppress(OSError, ValueError):
            return status_of_linux("VmHWM")
    if _system() == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource  # Windows has no such module

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if _system() == "darwin" else most * 1024


def status_of_linux(name: str) -> int:
    """Return a line of /proc/self/status in bytes; see proc(5).

    Raises
    ------
    OSError, ValueError
        The system does not report it.
    """
    path = Path("/proc/self/status")
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise ValueError(f"{path} has no line {name}")


_ENOUGH = 1 << 25  # bytes freed, for which giving them back takes little time in comparison


class Freed:
    """Bytes freed piece by piece, given back to the system whenever they are many."""

    def __init__(self) -> None:
        self._n_bytes = 0

    def add(self, n_bytes: int) -> None:
        """Count bytes that were freed."""
        self._n_bytes += n_bytes
        if self._n_bytes >= _ENOUGH:
            self._n_bytes = 0
            give_memory_back()


def give_memory_back() -> None:
    """Return to the system the memory that Arrow and the C library keep of freed arrays and texts."""
    if "pyarrow" in sys.modules:
        import pyarrow as pa

        pa.set_memory_pool(pa.system_memory_pool())  # the other pools keep what they had allocated
        pa.default_memory_pool().release_unused()
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Any:
    """Return `malloc_trim` of glibc, or None with another C library."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
