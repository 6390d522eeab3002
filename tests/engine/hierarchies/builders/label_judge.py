"""What a label of a group of numbers claims, read from its text alone."""

from __future__ import annotations

import re
from decimal import Decimal

_NUMBER = r"-?\d+(?:[.,]\d+)?"
_HALF = re.compile(rf"(<|<=|>|>=)({_NUMBER})")
_RANGE = re.compile(rf"({_NUMBER})(?:-| to )({_NUMBER})(?: \(\d+ values\))?")
_INTERVAL = re.compile(rf"([\[(])({_NUMBER})[,;] ({_NUMBER})([\])])")


def claims(label: str, text: str) -> bool:
    """Whether a label says that a number is in its group.

    Parameters
    ----------
    label : str
        A half-line, a range, an interval, a list, a common beginning, or a single number.
    text : str
        The number.
    """
    number = _number(text)
    if half := _HALF.fullmatch(label):
        bound = _number(half[2])
        return {"<": number < bound, "<=": number <= bound, ">": number > bound, ">=": number >= bound}[
            half[1]
        ]
    if both := _RANGE.fullmatch(label):
        return _number(both[1]) <= number <= _number(both[2])
    if both := _INTERVAL.fullmatch(label):
        low, high = _number(both[2]), _number(both[3])
        return (low < number or (both[1] == "[" and number == low)) and (
            number < high or (both[4] == "]" and number == high)
        )
    if label.endswith("*"):
        beginning = label.rstrip("*")
        return label == "*" or (text.startswith(beginning) and len(text) <= len(label))
    return text in label.split(", ") or (
        re.fullmatch(_NUMBER, label) is not None and _number(label) == number
    )


def _number(text: str) -> Decimal:
    return Decimal(text.replace(",", "."))
