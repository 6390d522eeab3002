"""Silence output of libraries: warnings with kind and place only, no log lines.

Both may quote a cell: openpyxl, for example, warns of a date that it cannot read and quotes it.
"""

from __future__ import annotations

import logging
import sys
import warnings
from typing import TextIO


def keep_values_out_of_logs() -> None:
    """Keep libraries from writing data values to logs."""
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
