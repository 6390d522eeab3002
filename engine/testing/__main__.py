"""`python -m engine.testing PACKAGE`: checks the members that an installed plug-in offers."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from engine.families import installed_plugins
from engine.testing.checks import checks_of, failure_of

_HELP = "Usage: python -m engine.testing PACKAGE\n\nCheck the members that an installed plug-in offers.\n"
_DONE, _FAILED, _BAD_INPUT = 0, 1, 2


def main(words: Sequence[str]) -> int:
    """Print what is true of each member and what is not; return 1 if anything is not, 2 for bad input."""
    if len(words) != 1 or words[0].startswith("-"):
        (sys.stdout if "--help" in words else sys.stderr).write(_HELP)
        return _DONE if "--help" in words else _BAD_INPUT
    found = installed_plugins()
    chosen = [plugin for plugin in found if words[0] in (plugin.package, *plugin.modules)]
    if not chosen:
        known = ", ".join(plugin.package for plugin in found) or "none"
        sys.stderr.write(f"Error: The plug-in '{words[0]}' is not installed.\nInstalled plug-ins: {known}.\n")
        return _BAD_INPUT
    n_failed = 0
    for plugin in chosen:
        sys.stdout.write(f"{plugin.title}\n")
        for offered in plugin.offered:
            sys.stdout.write(f"{offered.offer.kind} {offered.offer.key}\n")
            if offered.problem:
                n_failed += _told("It can be loaded", offered.problem)
                continue
            for check in checks_of(offered.offer.group, offered.offer.key):
                n_failed += _told(check.sentence, failure_of(check))
    sys.stdout.write(f"{n_failed} failed\n" if n_failed else "All checks passed\n")
    return _FAILED if n_failed else _DONE


def _told(sentence: str, failure: str) -> bool:
    """Print a line; return whether it is a failure."""
    sys.stdout.write(f"  FAILED  {sentence}: {failure}\n" if failure else f"  ok      {sentence}\n")
    sys.stdout.flush()
    return bool(failure)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
