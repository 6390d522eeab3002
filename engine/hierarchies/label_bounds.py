"""Numbers that a label such as 20-29, [20, 30) or >=80 states, and the same label for others."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum

from engine.records import DataType, Kind
from engine.records.values import decimal_mark

_THOUSANDS = re.compile(r"\d\.\d{3}(?!\d)")
_DECIMALS = {
    ".": r"(?:\.\d+)?",
    ",": r"(?:,\d+)?",
    "": r"(?:\.\d+|,(?!\d{3}(?!\d))\d+)?",  # either mark; 1,500 could be fifteen hundred
}


class Form(Enum):
    """The notation of bounds."""

    RANGE = "range"  # 20-29, both ends belong to it
    INTERVAL = "interval"  # [20, 30), ]20, 30]: the brackets tell
    ONE_SIDED = "one-sided"  # <20, >= 80, 80+


@dataclass(frozen=True, slots=True)
class LabelBounds:
    """A label read as bounds.

    Attributes
    ----------
    low, high : Decimal or None
        None on the open side of a one-sided label.
    has_low, has_high : bool
        Whether the bound itself belongs to it.
    low_text, high_text : str
        The written bounds.
    between : str
        The text between both bounds, or between sign and bound.
    reverses : bool
        Whether a bound left out has a reversed bracket, as in [20, 30[.
    sign : str
        The sign at the start of a one-sided label; + if it is at the end.
    """

    form: Form
    low: Decimal | None
    high: Decimal | None
    has_low: bool
    has_high: bool
    low_text: str
    high_text: str
    between: str
    reverses: bool = False
    sign: str = ""

    def holds(self, number: Decimal | float) -> bool:
        """Return whether the label claims a number."""
        return self.is_above(number) and self.is_below(number)

    def is_above(self, number: Decimal | float) -> bool:
        """Return whether a number is not below the low bound."""
        if self.low is None:
            return True
        low = type(number)(self.low)
        return low < number or (low == number and self.has_low)

    def is_below(self, number: Decimal | float) -> bool:
        """Return whether a number is not above the high bound."""
        if self.high is None:
            return True
        high = type(number)(self.high)
        return number < high or (number == high and self.has_high)

    def flipped(self) -> LabelBounds:
        """The same bounds with the other sides closed."""
        return replace(self, has_low=not self.has_low, has_high=not self.has_high)

    def around(self, low_text: str, high_text: str) -> LabelBounds:
        """The same form for other numbers, the smallest and the largest of which belong to it."""
        return replace(self, low_text=low_text, high_text=high_text, has_low=True, has_high=True)

    @property
    def text(self) -> str:
        """The label."""
        if self.form is Form.RANGE:
            is_one = self.low_text == self.high_text
            return self.low_text if is_one else f"{self.low_text}{self.between}{self.high_text}"
        if self.form is Form.INTERVAL:
            opening = "[" if self.has_low else "]" if self.reverses else "("
            closing = "]" if self.has_high else "[" if self.reverses else ")"
            return f"{opening}{self.low_text}{self.between}{self.high_text}{closing}"
        if self.sign == "+":
            return f"{self.low_text}{self.between}+"
        has_bound, bound = (
            (self.has_high, self.high_text) if self.low is None else (self.has_low, self.low_text)
        )
        sign = self.sign if (self.sign in "≤≥" or "=" in self.sign) == has_bound else _other_sign(self.sign)
        return f"{sign}{self.between}{bound}"


def claimed_bounds(label: str, data_type: DataType) -> LabelBounds | None:
    """Read a label over a column of numbers as bounds; see `read_bounds`."""
    return None if may_be_thousands(label, data_type) else read_bounds(label, decimal_mark(data_type))


def may_be_thousands(label: str, data_type: DataType) -> bool:
    """Return whether a label has a number such as 1.500, which among whole ones could be fifteen hundred."""
    return data_type.kind is Kind.INTEGER and _THOUSANDS.search(label) is not None


def read_bounds(label: str, mark: str = "") -> LabelBounds | None:
    """Read a label as bounds; None if it has another form or could contain nothing.

    Parameters
    ----------
    mark : str
        The decimal mark; a point or a comma, or either if empty.
    """
    if not label or (label[0] not in "+-[]()<>≤≥" and not label[0].isdecimal()):
        return None
    patterns = _PATTERNS[mark]
    if match := patterns[Form.RANGE].fullmatch(label):
        low, between, high = match.groups()
        return _sensible(LabelBounds(Form.RANGE, _size(low), _size(high), True, True, low, high, between))
    if match := patterns[Form.INTERVAL].fullmatch(label):
        opening, low, between, high, closing = match.groups()
        has_low, has_high = opening == "[", closing == "]"
        return _sensible(
            LabelBounds(
                Form.INTERVAL,
                _size(low),
                _size(high),
                has_low,
                has_high,
                low,
                high,
                between,
                reverses=opening == "]" or closing == "[",
            )
        )
    if match := patterns[Form.ONE_SIDED].fullmatch(label):
        sign, before, bound, at_least, after = match.groups()
        number = bound or at_least
        size = _size(number)
        if at_least:
            return LabelBounds(Form.ONE_SIDED, size, None, True, False, number, "", after, sign="+")
        closed = sign in ("<=", ">=", "≤", "≥")
        if sign in ("<", "<=", "≤"):
            return LabelBounds(Form.ONE_SIDED, None, size, False, closed, "", number, before, sign=sign)
        return LabelBounds(Form.ONE_SIDED, size, None, closed, False, number, "", before, sign=sign)
    return None


def _sensible(bounds: LabelBounds) -> LabelBounds | None:
    low, high = bounds.low, bounds.high
    assert low is not None
    assert high is not None
    if low < high or (low == high and bounds.has_low and bounds.has_high):
        return bounds
    return None


def _other_sign(sign: str) -> str:
    return {"<": "<=", "<=": "<", "≤": "<", ">": ">=", ">=": ">", "≥": ">"}[sign]


def _size(text: str) -> Decimal:
    return Decimal(text.replace(",", "."))


def _patterns(mark: str) -> dict[Form, re.Pattern[str]]:
    number = rf"[+-]?\d+{_DECIMALS[mark]}"
    return {
        Form.RANGE: re.compile(rf"({number})(\s*(?:-|–|to)\s*)({number})"),
        Form.INTERVAL: re.compile(rf"([\[\](])\s*({number})(\s*[,;]\s*)({number})\s*([\[\])])"),
        Form.ONE_SIDED: re.compile(rf"(?:(<=|<|>=|>|≤|≥)(\s*)({number})|({number})(\s*)\+)"),
    }


_PATTERNS = {mark: _patterns(mark) for mark in _DECIMALS}
