"""Code that a test runs in place of a child process of the program."""

from __future__ import annotations

import sys
from collections.abc import Callable

MARK_COMPLETE = (
    "import sys; from engine.kernels.compiled import cache; [*map(cache.mark_complete, sys.argv[1:])]"
)


def running(code: str) -> Callable[..., list[str]]:
    """Return what `engine.child.command` may be replaced by; `sys.argv` has the words after the module."""

    def command(module: str, *words: str) -> list[str]:
        return [sys.executable, "-P", "-c", code, *words]

    return command
