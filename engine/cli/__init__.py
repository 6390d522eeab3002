"""The same chain from a terminal: a command for every part of it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.cli.names import COMMANDS

__all__ = ["COMMANDS", "main"]


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 the requirement cannot be met, 2 bad input."""
    from engine.cli.app import run

    return run(argv)
