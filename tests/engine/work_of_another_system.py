"""Work for `engine.subprocess_job` in a process that takes itself for one of macOS."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil  # noqa: F401  # while the system is still the real one

from engine.monitor import Monitor

sys.platform = "darwin"


def work(request: Mapping[str, Any], folder: Path, monitor: Monitor) -> None:
    """Hold memory for a moment."""
    held = bytearray(int(request["megabytes"]) << 20)
    held[::4096] = b"x" * len(held[::4096])
    time.sleep(0.5 if len(held) < 100 << 20 else 30)
    (folder / "answer.txt").write_text(sys.platform, encoding="utf-8")
