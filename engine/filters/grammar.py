"""Filters such as `age <= 2 and not (sex = 'female' or zip is missing)`: parsed, never evaluated.

The grammar, words in any case:

    filter     = [ any ]
    any        = all { "or" all }
    all        = one { "and" one }
    one        = "not" one | "(" any ")" | condition
    condition  = name operator value
               | name ["not"] "in" "(" value { "," value } ")"
               | name "is" ["not"] "missing"
    operator   = "<" | "<=" | "=" | "!=" | ">=" | ">", also "≤", "≥", "≠", "=="
    name       = in double quotes, one inside doubled; or bare, if it can be read in one way only
    value      = a number with a decimal point, "%" after it for shares
               | a text in single quotes, one inside doubled

A missing value meets no comparison, neither `=` nor `!=`, `in` nor `not in`; only `is missing` finds it.
`not` inverts a complete part: it matches exactly what the part does not, missing values included.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal

from engine.errors import InputError
from engine.filters.conditions import (
    Condition,
    Expression,
    Filter,
    Joined,
    Leaf,
    Missing,
    Not,
    OneOf,
    Value,
    quoted_name,
    shifted,
)
from engine.filters.words import Due, ValueKind, Words
from engine.words import _

MAX_LENGTH = 100_000
MAX_DEPTH = 50


def parse_filter(text: str, names: Iterable[str], percent_names: Iterable[str] = ()) -> Filter:
    """Read a filter over columns of numbers.

    Parameters
    ----------
    text : str
        Conditions of the grammar above; with an empty text everything passes.
    names : iterable of str
        Columns that may be named; case is ignored if that is unambiguous.
    percent_names : iterable of str
        Columns that may be compared with a percentage.

    Raises
    ------
    InputError
        The text cannot be read, with the position and a correction; or it names an unknown column, with the
        nearest known name.
    """
    known = dict.fromkeys(names, ValueKind.NUMBERS)
    known.update((name, ValueKind.SHARES) for name in percent_names if name in known)
    return parse(text, known)


def parse(text: str, known: Mapping[str, ValueKind]) -> Filter:
    """Read a filter over names that hold numbers or texts; otherwise like `parse_filter`."""
    if len(text) > MAX_LENGTH:
        raise InputError(
            _("The filter is longer than {limit} characters.").format(limit=MAX_LENGTH),
            hint=_("Select the records by a file of matching rows instead."),
        )
    words = Words(text, known)
    return Filter() if words.at_end else Filter(read(words))


def read(words: Words) -> Expression:
    """Read all words of a filter."""
    expression = _any(words, 0)
    if not words.at_end:
        _refuse_rest(words)
    return expression


def _any(words: Words, depth: int) -> Expression:
    parts = [_all(words, depth)]
    while words.take_word("or"):
        parts.append(_all(words, depth))
    return _joined("or", parts)


def _all(words: Words, depth: int) -> Expression:
    parts = [_one(words, depth)]
    while words.take_word("and"):
        parts.append(_one(words, depth))
    return _joined("and", parts)


def _joined(word: str, parts: list[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))


def _one(words: Words, depth: int) -> Expression:
    words.expect(Due.BEGINNING)
    part = _part(words, depth)
    words.expect(Due.JOINT)
    return part


def _part(words: Words, depth: int) -> Expression:
    if depth > MAX_DEPTH:
        words.refuse(
            _("The brackets are nested too deeply."),
            _("Nest at most {limit} of them.").format(limit=MAX_DEPTH),
        )
    if words.take_word("not"):
        return Not(_one(words, depth + 1))
    if not words.take("("):
        return _condition(words)
    inside = _any(words, depth + 1)
    if not words.take(")"):
        _refuse_rest(words, _('A bracket is not closed: ")" is expected here.'))
    return inside


def _condition(words: Words) -> Leaf:
    start = words.place
    name = words.name()
    holds = words.known[name]
    words.expect(Due.COMPARISON, name)
    if words.take_word("is", "not", "missing"):
        return Missing(name, negated=True)
    if words.take_word("is", "missing"):
        return Missing(name)
    negated = words.take_word("not", "in")
    if negated or words.take_word("in"):
        return OneOf(name, _values(words, name, holds), negated)
    place = words.place
    operator = words.operator()
    if operator is None:
        words.refuse(
            _("A comparison is expected after '{text}'.").format(text=words.text[start:place].strip()),
            _("Write <, <=, =, !=, >=, >, in (...) or is missing."),
        )
    if holds is ValueKind.TEXTS and operator not in ("=", "!="):
        words.place = place
        words.refuse(
            _("The values of '{name}' have no order.").format(name=name),
            _("Compare them with =, != or in (...)."),
        )
    value = _value(words, name, holds)
    if isinstance(value, str) or not words.take("%"):
        return Condition(name, operator, value)
    if holds is not ValueKind.SHARES:
        raise InputError(
            _("'{name}' is not a share.").format(name=name),
            hint=_("Remove the percent sign."),
            position=words.place,
        )
    return Condition(name, operator, shifted(value, -2), is_percent=True)


def _values(words: Words, name: str, holds: ValueKind) -> tuple[Value, ...]:
    if not words.take("("):
        words.refuse(
            _("A list in brackets is expected here."), _("Write the values like this: in (1, 2, 3).")
        )
    values = [_value(words, name, holds, in_list=True)]
    while words.take(","):
        values.append(_value(words, name, holds, in_list=True))
    if not words.take(")"):
        words.refuse(
            _('"," or ")" is expected here.'), _("Separate the values of a list with commas: in (1, 2, 3).")
        )
    return tuple(values)


def _value(words: Words, name: str, holds: ValueKind, *, in_list: bool = False) -> Value:
    words.expect(Due.VALUE, name)
    is_number = holds in (ValueKind.NUMBERS, ValueKind.SHARES)
    value = words.number(in_list=in_list) if is_number else words.quoted()
    if value is None:
        words.refuse_value(name, holds)
    if in_list:
        words.expect(Due.LISTED)
    return value


def _refuse_rest(words: Words, problem: str = "") -> None:
    if words.text.startswith(",", words.place):
        words.refuse(
            _("A comma is not allowed here."),
            _("Numbers have a decimal point, and lists are in brackets: in (1, 2)."),
        )
    problem = problem or _('"and" or "or" is expected here.')
    words.refuse(problem, _("Join conditions with and, or: age <= 30 and loss < 0.3."))


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
        parts[i] = _of_one(quoted, parts[i], is_percent, is_rounded)
    try:
        return parse_filter(" ".join(parts), [name], [name] if is_percent else [])
    except InputError as error:
        raise InputError(
            _("'{text}' cannot be read.").format(text=text.strip()),
            hint=_("Write a comparison, a range or numbers, such as <= 0.3, 3..5, > 2 and < 5, 1, 2."),
        ) from error


def _of_one(quoted: str, text: str, is_percent: bool, is_rounded: bool) -> str:
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
