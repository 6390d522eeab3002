"""Parser for typed numbers: comma or point, thousands separators, percent sign."""

from __future__ import annotations

import re
from math import isfinite

from engine.errors import InputError
from engine.numbers import MINUS
from engine.words import _

_SPACES = re.compile(r"\s+")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?", re.IGNORECASE)
_PARTED = re.compile(r"[+-]?[1-9]\d{0,2}([.,]\d{3})+")  # thousands, or decimals


def read_number(text: str, *, is_percent: bool = False, is_integer: bool = False) -> float:
    """Parse a number, in percent for a field that shows percent.

    In other fields a percent sign divides by 100. A comma or a point is the decimal mark in every language.
    For an integer, "1,000" is rejected as ambiguous: a thousand, or one with three decimals.

    Raises
    ------
    InputError
        The text is not a number, or is ambiguous.
    """
    shown, typed = text.strip(), _SPACES.sub("", text.replace(MINUS, "-"))  # narrow spaces too
    number = typed.rstrip("%")
    if not _NUMBER.fullmatch(number) or not isfinite(value := float(number.replace(",", "."))):
        raise InputError(
            _("“{shown}” is not a number.").format(shown=shown), hint=_("Type digits, such as 5.")
        )
    if is_integer and _PARTED.fullmatch(number):
        raise InputError(
            _("“{shown}” can mean two numbers.").format(shown=shown),
            hint=_("Type a whole number without comma or point, such as 1000."),
        )
    if typed != number and not is_percent:
        value = round(value / 100, 12)
    if is_integer and not value.is_integer():
        raise InputError(
            _("“{shown}” is not a whole number.").format(shown=shown),
            hint=_("Type a whole number such as 5."),
        )
    return value
