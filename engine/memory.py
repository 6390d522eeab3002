"""Return of freed memory to the system, which allocators would keep otherwise."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

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
