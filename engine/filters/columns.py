"""Filters typed over one column, such as `≤ 0.3`, `3..5` or `> 2 and < 5`, without its name."""

from __future__ import annotations

import re
from decimal import Decimal

from engine.errors import InputError
from engine.filters.conditions import Filter, quoted_name
from engine.filters.grammar import parse_filter
from engine.words import _

_SPACES = " \u00a0\u2009\u202f"
_DIGITS = rf"(?:[0-9]{{1,3}}(?:[{_SPACES}][0-9]{{3}})+|[0-9]+)"
_NUMBER = rf"[-+−]?(?:{_DIGITS}(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]{{1,3}})?"
_SHARE = rf"{_NUMBER}(?:\s*%)?"
_JOINED = re.compile(r"\s+(and|or)\s+", re.IGNORECASE)
_RANGE = re.compile(rf"({_SHARE})?\s*(?:\.{{2,3}}|…|–)\s*({_SHARE})?")
_LIST = re.compile(rf"{_SHARE}(?:\s*[,;]\s*{_SHARE})*")
_ALONE = re.compile(rf"(?<![\w.])((?>{_NUMBER}))(?!\s*%)(?![\w.])")


def column_filter(name: str, text: str, *, is_percent: bool = False, is_rounded: bool = False) -> Filter:
    """Read a filter typed over a column of numbers.

    Parameters
    ----------
    name : str
        Name of the column.
    text : str
        Comparisons as in the grammar of filters but without the name; a range `3..5`, of which either end may
        be missing; or numbers separated by commas, any of which may match. Parts are joined by "and" and
        "or".
    is_percent : bool
        Whether numbers are percentages, with or without the sign, of a column that holds fractions.
    is_rounded : bool
        Whether the column is shown rounded: a single number then matches every value shown as it, so that
        `0.27` matches 0.2741.

    Raises
    ------
    InputError
        The text cannot be read; the error gives examples.
    """
    if not text.strip():
        return Filter()
    quoted = quoted_name(name)
    parts = _JOINED.split(text.strip())
    for i in range(0, len(parts), 2):
        parts[i] = _condition(quoted, parts[i], is_percent, is_rounded)
    try:
        return parse_filter(" ".join(parts), [name], [name] if is_percent else [])
    except InputError as error:
        raise InputError(
            _("'{text}' cannot be read.").format(text=text.strip()),
            hint=_("Write a comparison, a range or numbers, such as <= 0.3, 3..5, > 2 and < 5, 1, 2."),
        ) from error


def _condition(quoted: str, text: str, is_percent: bool, is_rounded: bool) -> str:
    """Return one part with the name inserted."""
    if (found := _RANGE.fullmatch(text)) and (found[1] or found[2]):
        ends = ((">=", found[1]), ("<=", found[2]))
        sides = [f"{quoted} {sign} {_signed(end, is_percent)}" for sign, end in ends if end]
        return f"({' and '.join(sides)})"
    if _LIST.fullmatch(text):
        numbers = re.split(r"\s*[,;]\s*", text)
        return f"({' or '.join(_equals(quoted, n, is_percent, is_rounded) for n in numbers)})"
    return f"{quoted} " + (_ALONE.sub(r"\1 %", text) if is_percent else text)


def _equals(quoted: str, number: str, is_percent: bool, is_rounded: bool) -> str:
    if not is_rounded or ("%" in number and not is_percent):  # the grammar refuses the latter
        return f"{quoted} = {_signed(number, is_percent)}"
    plain = re.sub(rf"[{_SPACES}%]", "", number).replace("−", "-")
    value = Decimal(plain)
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int), "only numbers are matched"
    half = Decimal((0, (5,), min(exponent, 0) - 1))
    low, high = (_signed(f"{end:f}", is_percent) for end in (value - half, value + half))
    return f"({quoted} >= {low} and {quoted} < {high})"


def _signed(number: str, is_percent: bool) -> str:
    return f"{number.rstrip('% ')} %" if is_percent else number
