"""What libraries would print of themselves: warnings as kind and place only, log lines not at all.

Both may quote a cell: openpyxl, for one, warns of a date that it cannot read and says what it holds.
"""

from __future__ import annotations

import logging
import sys
import warnings
from typing import TextIO


def keep_values_out_of_logs() -> None:
    """Let no library write what it read to where a log may pick it up."""
    warnings.showwarning = _show_place
    root = logging.getLogger()
    if not root.handlers:  # or Python would print warnings itself
        root.addHandler(logging.NullHandler())


def _show_place(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    place = "/".join(filename.replace("\\", "/").split("/")[-2:])
    if (stream := file or sys.stderr) is not None:  # a program without a terminal has none
        stream.write(f"{category.__name__} in {place}, line {lineno}\n")
