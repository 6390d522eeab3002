"""Entry point `anonymizer`: hands commands to the engine before Qt is imported, else opens the window."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def main(words: Sequence[str] | None = None) -> int:
    """Run a command or open the window; return the exit code."""
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


if __name__ == "__main__":
    sys.exit(main())
