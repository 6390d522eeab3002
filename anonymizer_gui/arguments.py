"""Command-line arguments of the window."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path

from engine.shipped import program_name
from engine.words import languages

PERSPECTIVES = ("configure", "explore", "utility", "risk")
THEMES = ("light", "dark", "contrast-light", "contrast-dark")  # named here, because Qt is not imported yet


@dataclass(frozen=True)
class Arguments:
    """The arguments of one run."""

    file: Path | None = None
    demo: bool = False
    perspective: str = ""
    theme: str = ""
    language: str = ""
    size: tuple[int, int] | None = None
    screenshot: Path | None = None


def parse(words: Sequence[str], commands: Mapping[str, str]) -> Arguments:
    """Parse the arguments; a wrong one ends the program with a message and exit code 2.

    Parameters
    ----------
    commands : mapping of str to str
        The commands with a line of help.
    """
    parser = argparse.ArgumentParser(
        prog="anonymizer",
        description="Open the window: anonymize a table and see what each setting costs in utility and\n"
        "gains in privacy.",
        epilog="commands, without a window (anonymizer COMMAND --help):\n" + _listed(commands),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        help="a table, a folder or pattern of tables, a recipe or a project",
    )
    parser.add_argument("--demo", action="store_true", help="open the Adult example, scored")
    parser.add_argument("--perspective", choices=PERSPECTIVES, default="", help="which one to show")
    parser.add_argument("--theme", choices=THEMES, default="", help="for this run only")
    parser.add_argument("--language", metavar="CODE", default="", help="for this run only, such as de")
    parser.add_argument("--size", type=_size, metavar="WxH", help="of the window, such as 1280x720")
    parser.add_argument(
        "--screenshot", type=Path, metavar="PNG", help="draw the window into a picture when all is ready"
    )
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    parser.add_argument("--install-completion", action="store_true", help="complete commands in your shell")
    parser.add_argument("--show-completion", action="store_true", help="show the script that completes them")
    given, unknown = parser.parse_known_args(list(words))
    if given.version:
        parser.exit(0, f"{program_name()}\n")
    if given.install_completion or given.show_completion:
        parser.error("completion is set up without other arguments")
    if given.file is not None and not _exists(given.file):
        parser.exit(2, _missing(str(given.file), commands))
    if unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    if given.demo and given.file is not None:
        parser.error("--demo opens its own example; give no file")
    if given.language not in ("", *languages()):
        parser.error(f"unknown language '{given.language}'; the languages are {', '.join(languages())}")
    return Arguments(**{field.name: getattr(given, field.name) for field in fields(Arguments)})


def _listed(commands: Mapping[str, str]) -> str:
    width = max(map(len, commands), default=0) + 2
    return "\n".join(
        textwrap.fill(line, 80, initial_indent=f"  {name:{width}}", subsequent_indent=" " * (width + 2))
        for name, line in commands.items()
    )


def _exists(file: Path) -> bool:
    from engine.records.places import is_there  # slower to import than all else here

    try:
        return is_there(file)
    except (OSError, ValueError):  # a name with characters not allowed in file names
        return False


def _missing(word: str, commands: Collection[str]) -> str:
    close = get_close_matches(word, commands, n=1)
    hint = f"Did you mean '{close[0]}'?" if close else f"The commands are {', '.join(commands)}."
    return f"Error: no file or command '{word}' found.\n{hint}\n"


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{3,5})x(\d{3,5})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size such as 1280x720")
    return int(match[1]), int(match[2])
