"""Entry point `anonymizer`: hands commands to the engine before Qt is imported, else opens the window."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

CANNOT_START = 2


def main(words: Sequence[str] | None = None) -> int:
    """Run a command or open the window; return the exit code."""
    if problem := foreign_engine():
        sys.stderr.write(problem)
        return CANNOT_START
    from engine import child
    from engine.cli import COMMANDS, COMPLETING

    given = list(sys.argv[1:] if words is None else words)
    if given and given[0] == child.WORD:
        return child.main(given[1:])
    is_for_shell = COMPLETING in os.environ or given[:1] in (["--show-completion"], ["--install-completion"])
    if is_for_shell or given == ["--version"] or (given and given[0] in COMMANDS):
        from engine.cli import main as run_command

        return run_command(given)
    from anonymizer_gui.arguments import parse

    arguments = parse(given, COMMANDS)
    from anonymizer_gui.app import run

    return run(arguments)


def foreign_engine() -> str:
    """Return which other package named `engine` Python would import, and what to do; empty if it is ours.

    It is found without being imported. Other packages have that name, some of them install into the same
    folder as ours, and a folder `engine` in the current folder or on PYTHONPATH comes first.
    """
    ours = Path(__file__).resolve().parents[1] / "engine" / "__init__.py"
    spec = find_spec("engine")
    found = Path(spec.origin or next(iter(spec.submodule_search_locations or ()), "")) if spec else ours
    is_ours = found.resolve() == ours and "Anonymizer" in ours.read_text(encoding="utf-8", errors="replace")
    if is_ours or getattr(sys, "frozen", False):  # a stand-alone program imports nothing from outside
        return ""
    return (
        f"Anonymizer did not start: Python finds another package named 'engine' instead of its own.\n"
        f"Found: {found}\nExpected: {ours}\n"
        "If it is a folder of yours, start Anonymizer in another folder, or remove it from PYTHONPATH.\n"
        "If it belongs to an installed package, install Anonymizer into an environment of its own.\n"
    )


if __name__ == "__main__":
    sys.exit(main())
