"""Entry point `anonymizer` of the distribution without a window: all commands, and how to get a window."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from engine.cli import main as run_command
from engine.cli import run_without_window
from engine.cli.usage import BAD_INPUT


def main(words: Sequence[str] | None = None) -> int:
    """Run a command; if a window is asked for, say how to install it. Return the exit code."""
    given = list(sys.argv[1:] if words is None else words)
    code = run_without_window(given)
    if code is not None:
        return code
    if given and (given[0] in ("-h", "--help") or not (given[0].startswith("-") or Path(given[0]).exists())):
        return run_command(["--help"] if given[0] == "-h" else given)
    from engine.shipped import HEADLESS, words_for_the_window

    way = "\n".join(words_for_the_window())
    sys.stderr.write(
        f"{HEADLESS} has no window. These words replace it by the program with one:\n{way}\n"
        "Commands need no window: anonymizer --help\n"
    )
    return BAD_INPUT
