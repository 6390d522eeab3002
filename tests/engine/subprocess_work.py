"""Work for `engine.subprocess_job`, in every way it can go."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import HierarchyError
from engine.monitor import Monitor
from engine.words import language_in_use


def work(request: Mapping[str, Any], folder: Path, monitor: Monitor) -> None:
    """Do what the request asks for."""
    match request["do"]:
        case "write":
            print("a library says something")  # noqa: T201  # printed text is not a message
            for done in range(3):
                monitor.step(done, 2, f"Step {done}")
                time.sleep(request["pause"])
            (folder / "answer.txt").write_text(request["text"], encoding="utf-8")
        case "tell":
            (folder / "answer.txt").write_text(repr(sorted(os.environ.items())), encoding="utf-8")
        case "speak":
            (folder / "answer.txt").write_text(language_in_use(), encoding="utf-8")
        case "refuse":
            raise HierarchyError("A value is missing.", hint="Add it.", column="age", values={"not", "plain"})
        case "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        case "fail":
            raise ZeroDivisionError("a value of the table")
        case "hang":
            (Path(request["path"])).write_text(str(os.getpid()))
            while True:
                time.sleep(60)
        case "eat":
            bytearray(1 << 33)
        case _:
            sys.exit(1)
