"""The same chain from a terminal: a command for every part of it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from engine.cli.names import COMMANDS

__all__ = ["COMMANDS", "COMPLETING", "main", "run_without_window"]

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


def _part_lines() -> list[str]:
    """Return what is wrong with the parts that are installed, and the words to type."""
    from engine.shipped import distributions, install_words, words_for_the_window

    both = f"{' and '.join(distributions())} are both installed, with the same files. These words keep one:"
    lines = [both, *words_for_the_window()] if len(distributions()) > 1 else []
    if find_spec("numba") is None:
        lines.append(
            f"Without numba, scoring takes ten times as long. Install it with: {install_words('fast')}"
        )
    return lines


def _quickly(argv: Sequence[str]) -> int | None:
    """Answer what needs no command, and return the exit code; None if it does."""
    if list(argv) == ["--version"]:
        from engine.shipped import program_name

        sys.stdout.write("\n".join([program_name(), *_part_lines(), *_plugin_lines(), ""]))
        sys.stdout.flush()
        return 0
    from engine.cli.usage import answered

    return answered(argv)


def run_without_window(words: Sequence[str]) -> int | None:
    """Run the words of a start of the program, and return the exit code; None if they ask for the window."""
    from engine import child

    first = list(words[:1])
    if first == [child.WORD]:
        return child.main(words[1:])
    is_for_shell = COMPLETING in os.environ or first in (["--show-completion"], ["--install-completion"])
    if is_for_shell or list(words) == ["--version"] or (first and first[0] in COMMANDS):
        return main(words)
    return None


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
