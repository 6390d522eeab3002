"""The same chain from a terminal: a command for every part of it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from engine.cli.names import COMMANDS

__all__ = ["COMMANDS", "COMPLETING", "main"]

COMPLETING = "_ANONYMIZER_COMPLETE"  # a shell that completes words sets it

UNCOLLECTED = (
    50_000  # new objects between two searches for unreachable ones: imports keep nearly all of theirs
)


def _plugin_lines() -> list[str]:
    """Return what installed plug-ins offer; without any, the families are not imported."""
    from engine import plugins

    if not plugins.all_offers():
        return []
    from engine.families import installed_plugins, lines_of

    return [line for plugin in installed_plugins() for line in lines_of(plugin)]


def _quickly(argv: Sequence[str]) -> int | None:
    """Answer what needs no command, and return the exit code; None if it does."""
    if list(argv) == ["--version"]:
        from engine.shipped import program_name

        sys.stdout.write("\n".join([program_name(), *_plugin_lines(), ""]))
        sys.stdout.flush()
        return 0
    from engine.cli.usage import answered

    return answered(argv)


def main(argv: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 the requirement cannot be met, 2 bad input."""
    if COMPLETING not in os.environ:
        from engine.cli.usage import output_failed

        try:
            code = _quickly(argv)
        except OSError as error:
            return output_failed(error)
        if code is not None:
            return code
    usual = gc.get_threshold()
    gc.set_threshold(UNCOLLECTED, *usual[1:])
    try:
        from engine.cli.app import run

        return run(argv)
    finally:
        gc.set_threshold(*usual)
