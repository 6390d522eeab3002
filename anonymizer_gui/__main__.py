"""Entry point `anonymizer`: hands commands to the engine before Qt is imported, else opens the window."""

from __future__ import annotations

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
    from engine.cli import COMMANDS, run_without_window
    from engine.shipped import install_words

    given = list(sys.argv[1:] if words is None else words)
    code = run_without_window(given)
    if code is not None:
        return code
    from anonymizer_gui.arguments import parse

    arguments = parse(given, COMMANDS)
    for library in ("PySide6", "pyqtgraph"):
        if find_spec(library) is None:
            sys.stderr.write(
                f"The window needs {library}, which is not installed. Install it with: {install_words()}\n"
                "Commands work without it: anonymizer --help\n"
            )
            return CANNOT_START
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
