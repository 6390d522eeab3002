"""Child processes of the program: the same program again, whose first words say what to do.

A standalone program has no interpreter that others could start: its executable is the program itself.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

WORD = "--as-child"  # makes the program a child; for its own use
_MODULES = ("engine.scoring.acceleration", "engine.subprocess_job")


def command(module: str, *words: str) -> list[str]:
    """Return the command line that calls ``serve(words)`` of a module in a process of its own.

    Parameters
    ----------
    module : str
        One of the modules that serve, by its dotted name.
    """
    if getattr(sys, "frozen", False):
        # Not the program for the window, which has no standard streams on Windows.
        program = Path(sys.executable)
        program = program.with_name(program.name.replace("-window", ""))
        return [str(program), WORD, module, *words]
    return [sys.executable, "-P", __file__, module, *words]


def main(words: Sequence[str]) -> int:
    """Serve as `command` asked; return the exit code.

    Raises
    ------
    ValueError
        No child is asked for by that name.
    """
    module, *rest = words
    if module not in _MODULES:
        raise ValueError(f"no child process is called {module!r}")
    code: int = importlib.import_module(module).serve(rest)
    return code


if __name__ == "__main__":
    # Last, so that a folder named "engine" elsewhere on the path is not hidden by what lies beside ours.
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    sys.exit(main(sys.argv[1:]))
