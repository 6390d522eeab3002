"""Cells that a spreadsheet would run as a formula, written so that it shows them."""

from __future__ import annotations

import re

# What a reader may pass over, then what begins a formula, also in the full width of East Asian keyboards.
_RUN = re.compile(r"[\s\ufeff']*[=+\-@\uff1d\uff0b\uff0d\uff20]|'*[\t\r\n]")
_NUMBER = re.compile(r" *[+-]?\d+([.,]\d+)?([eE][+-]?\d+)? *")


def safe(text: str) -> str:
    """Put an apostrophe before what spreadsheets take for a formula; plain numbers stay.

    What begins with apostrophes before such a character gets one more, so that taking one away from
    every cell of that form gives each text back.
    """
    return f"'{text}" if _RUN.match(text) and not _NUMBER.fullmatch(text) else text
