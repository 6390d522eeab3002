"""Answers to `--help` and unknown options of a command, from a file, before slow imports.

The file is made of the declared options by `python -m tests.command_usage`.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

USAGE = Path(__file__).with_name("usage.json")
_WIDTH = 80  # of the stored pages
BAD_INPUT = 2
_OPTION = re.compile(r"^  (--[\w-]+(?:(?:, | / )--[\w-]+)*)(?: (\S.*?))?(?:  |$)", re.MULTILINE)
_VALUE = re.compile(r"<[^>]*>|\S+")


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
    page = json.loads(USAGE.read_text(encoding="utf-8")).get(command)
    if page is None:
        return None
    options = options_of(page)
    found = _first_answer(options, words)
    if found is None:
        return None
    if found == "--help":
        sys.stdout.write(page)
        sys.stdout.flush()
        return 0
    first = page.partition("\n\n")[0]
    sys.stderr.write(f"{first}\nTry 'anonymizer {command} --help' for help.\n\n{_unknown(found, options)}\n")
    return BAD_INPUT


def output_failed(error: OSError) -> int:
    """Say that the output cannot be written, unless its reader had enough, and return the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else it fails again at the exit
    if isinstance(error, BrokenPipeError):
        return 0
    sys.stderr.write(f"Error: The output cannot be written: {error.strerror}.\nFree some space.\n")
    return BAD_INPUT


def options_of(page: str) -> dict[str, int]:
    """Return the options that a page lists, each with the number of words that follow it."""
    return {
        name: len(_VALUE.findall(values or ""))
        for names, values in _OPTION.findall(page)
        for name in re.split(", | / ", names)
    }


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


def _unknown(name: str, options: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, options, n=1)
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
