"""Answers to `--help` and to unknown options of a command, from a file, before anything slow is imported.

The file is made of the declared options by `python -m tests.command_usage`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

USAGE = Path(__file__).with_name("usage.json")
_WIDTH = 80  # of the stored pages
_BAD_INPUT = 2


def answered(argv: Sequence[str]) -> int | None:
    """Answer the words of a command if its stored page suffices.

    Returns
    -------
    int or None
        The exit code, None if nothing was printed and the command must read the words.
    """
    if _columns() < _WIDTH or not argv:
        return None
    command, *words = argv
    usage = json.loads(USAGE.read_text(encoding="utf-8")).get(command)
    if usage is None:
        return None
    found = _first_answer(usage["options"], words)
    if found is None:
        return None
    if found == "--help":
        sys.stdout.write(usage["help"])
        return 0
    first = usage["help"].partition("\n\n")[0]
    sys.stderr.write(f"{first}\nTry 'anonymizer {command} --help' for help.\n\n{_unknown(found, usage)}\n")
    return _BAD_INPUT


def _first_answer(options: Mapping[str, int], words: Sequence[str]) -> str | None:
    """Return the first unknown option, else `--help` if it is among the words, else None."""
    has_help, place = False, 0
    while place < len(words):
        word = words[place]
        place += 1
        if word == "--":
            break
        if not word.startswith("--"):
            if word.startswith("-") and len(word) > 1:
                return None  # short options are for the command
            continue
        name, sign, _value = word.partition("=")
        if name not in options:
            return name
        has_help |= name == "--help"
        place += 0 if sign else options[name]
    return "--help" if has_help else None


def _unknown(name: str, usage: Mapping[str, Any]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, usage["options"], n=1)
    return f"Error: No such option: {name}" + (f" Did you mean {close[0]}?" if close else "")


def _columns() -> int:
    """Return the width of the terminal; the usual one if the output is none."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or _WIDTH  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):
        return _WIDTH
