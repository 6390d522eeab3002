"""The last step of a set-up: machine code of all kernels, so that the first window scores by them.

python -m engine.cli.set_up

Progress goes to standard error; standard output gets the folder with the code.
"""

from __future__ import annotations

import sys

from engine.kernels.compiled import cache
from engine.scoring.acceleration import MODULES, PREPARING, is_compiled, is_possible, warm_up
from engine.shipped import install_words
from engine.words import _


def main() -> int:
    """Compile what no earlier run did; return 1 if some kernels could not be compiled."""
    if not is_possible():
        sys.stderr.write(f"Kernels need numba. Install it with: {install_words('fast')}\n")
        return 1
    missing = [name for name in MODULES if not is_compiled((name,))]
    for done, name in enumerate(missing, start=1):
        sys.stderr.write(f"{_(PREPARING)}: {done} / {len(missing)}\n")
        if not warm_up((name,)):
            return 1
    sys.stdout.write(f"{cache.folder()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
