"""The standalone program: the same as the command `anonymizer` of an installation."""

from __future__ import annotations

import sys

from anonymizer_gui.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
