"""Filters such as `age <= 2 and not (sex = 'female' or zip is missing)`: read into values, never evaluated.

The grammar, words in any case:

    filter     = [ any ]
    any        = all { "or" all }
    all        = one { "and" one }
    one        = "not" one | "(" any ")" | condition
    condition  = name operator value
               | name ["not"] "in" "(" value { "," value } ")"
               | name "is" ["not"] "missing"
    operator   = "<" | "<=" | "=" | "!=" | ">=" | ">", also "≤", "≥", "≠", "=="
    name       = in double quotes, one inside doubled; or bare, where it can be read in one way only
    value      = a number with a decimal point, "%" after it for shares
               | a text in single quotes, one inside doubled

A missing value meets no comparison, neither `=` nor `!=`, `in` nor `not in`; only `is missing` asks for it.
`not` turns a whole part around: what it lets pass is exactly what the part does not, missing values included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from engine.errors import InputError
from engine.filters.conditions import Among, Condition, Expression, Filter, Joined, Leaf, Missing, Not, Value
from engine.filters.words import Holds, Words
from engine.words import N_, _

MAX_LENGTH = 100_000
MAX_DEPTH = 50


def parse_filter(text: str, names: Iterable[str], percent_names: Iterable[str] = ()) -> Filter:
    """Read a filter over columns of numbers.

    Parameters
    ----------
    text : str
        Conditions as the grammar above has them; empty text passes everything.
    names : iterable of str
        Columns that may be named; case is ignored where that leaves one meaning.
    percent_names : iterable of str
        Columns that may be compared with a percentage.

    Raises
    ------
    InputError
        If it cannot be read, saying where and what to write instead, or names an unknown column, with
        the nearest known name.
    """
    known = dict.fromkeys(names, Holds.NUMBERS)
    known.update((name, Holds.SHARES) for name in percent_names if name in known)
    return parse(text, known)


def parse(text: str, known: Mapping[str, Holds]) -> Filter:
    """Read a filter over names that hold numbers or texts; else as `parse_filter`."""
    if len(text) > MAX_LENGTH:
        raise InputError(
            _("The filter is longer than {MAX_LENGTH} characters.").format(MAX_LENGTH=MAX_LENGTH),
            hint=_("Choose the records by a file of matching rows instead."),
        )
    words = Words(text, known)
    if words.at_end:
        return Filter()
    expression = _any(words, 0)
    if not words.at_end:
        _refuse_rest(words)
    return Filter(expression)


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
    if depth > MAX_DEPTH:
        words.refuse(
            _("The brackets are too deep."),
            _("Nest at most {MAX_DEPTH} of them.").format(MAX_DEPTH=MAX_DEPTH),
        )
    if words.take_word("not"):
        return Not(_one(words, depth + 1))
    if not words.take("("):
        return _condition(words)
    inside = _any(words, depth + 1)
    if not words.take(")"):
        _refuse_rest(words, _('A bracket is open: ")" is expected here.'))
    return inside


def _condition(words: Words) -> Leaf:
    start = words.place
    name = words.name()
    holds = words.known[name]
    if words.take_word("is", "not", "missing"):
        return Missing(name, negated=True)
    if words.take_word("is", "missing"):
        return Missing(name)
    negated = words.take_word("not", "in")
    if negated or words.take_word("in"):
        return Among(name, _values(words, name, holds), negated)
    place = words.place
    operator = words.operator()
    if operator is None:
        words.refuse(
            _("A comparison is expected after '{text}'.").format(text=words.text[start:place].strip()),
            _("Write <, <=, =, !=, >=, >, in (...) or is missing."),
        )
    if holds is Holds.TEXTS and operator not in ("=", "!="):
        words.place = place
        words.refuse(
            _("The values of '{name}' have no order.").format(name=name),
            _("Compare them by = or !=, or by in (...)."),
        )
    value = _value(words, name, holds)
    if isinstance(value, str) or not words.take("%"):
        return Condition(name, operator, value)
    if holds is not Holds.SHARES:
        raise InputError(
            _("'{name}' is not a share.").format(name=name),
            hint=_("Leave the percent sign out."),
            position=words.place,
        )
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)  # numbers of filters are finite
    # Shifted, not divided, so that 0.29 % is what a person means by it.
    return Condition(name, operator, Decimal((sign, digits, exponent - 2)), is_percent=True)


def _values(words: Words, name: str, holds: Holds) -> tuple[Value, ...]:
    if not words.take("("):
        words.refuse(
            _("A list in brackets is expected here."), _("Write the values like this: in (1, 2, 3).")
        )
    values = [_value(words, name, holds, in_list=True)]
    while words.take(","):
        values.append(_value(words, name, holds, in_list=True))
    if not words.take(")"):
        words.refuse(
            _('"," or ")" is expected here.'), _("Values of a list stand between commas: in (1, 2, 3).")
        )
    return tuple(values)


def _value(words: Words, name: str, holds: Holds, *, in_list: bool = False) -> Value:
    is_number = holds in (Holds.NUMBERS, Holds.SHARES)
    value = words.number(in_list=in_list) if is_number else words.quoted()
    if value is None:
        words.refuse_value(name, holds)
    return value


def _refuse_rest(words: Words, problem: str = N_('"and" or "or" is expected here.')) -> None:
    if words.text.startswith(",", words.place):
        words.refuse(
            _("A comma stands here."), _("Numbers have a decimal point; lists stand in brackets: in (1, 2).")
        )
    words.refuse(problem, _("Join conditions by and, or: age <= 30 and loss < 0.3."))
