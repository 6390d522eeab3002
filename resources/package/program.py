"""The stand-alone program: what the command `anonymizer` of an installation runs."""

from __future__ import annotations

import sys

from anonymizer_gui.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
