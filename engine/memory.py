"""Memory that was freed goes back to the system, which would be kept for later otherwise."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any


def give_memory_back() -> None:
    """Return to the system what Arrow and the C library keep of freed arrays and texts."""
    if "pyarrow" in sys.modules:
        import pyarrow as pa

        pa.set_memory_pool(pa.system_memory_pool())  # the others keep what they had
        pa.default_memory_pool().release_unused()
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Any:
    """What glibc calls `malloc_trim`; None with another C library."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
