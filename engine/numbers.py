"""Numbers and dates as text in the language of the reader: on screen, in messages and in reports.

The decimal mark is that of the language, and the catalogue says it. Thousands are separated by a narrow space
in all languages, as ISO 80000-1 asks, because 1,000 and 1.000 mean different numbers to different readers.
Commands, recipes, saved files and JSON write numbers and dates as Python does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from functools import wraps
from math import floor, isfinite, isnan, log10
from typing import ParamSpec

from engine.words import _, isolates_figures, ngettext, npgettext, pgettext

NARROW_SPACE = "\u202f"  # no line breaks at it
MINUS = "\u2212"
DASH = "\u2013"
UNBOUNDED = "\u221e"
ISOLATE, END_OF_ISOLATE = "\u2066", "\u2069"  # around left-to-right text in a right-to-left sentence
MOST_DECIMALS = 9  # that a field shows and accepts
_MILLION = 1_000_000
_LARGE_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"))
_POWERS_FROM = 9.995e14
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


_P = ParamSpec("_P")


def _isolated(write: Callable[_P, str]) -> Callable[_P, str]:
    """Keep a figure in one piece, left to right, in windows of a right-to-left language.

    Otherwise the signs of "−12.5 %" and the levels of "[0, 3, 0]" would change their order, and a sentence
    that begins with a figure would take its direction.
    """

    @wraps(write)
    def written(*args: _P.args, **kwargs: _P.kwargs) -> str:
        text = write(*args, **kwargs)
        if not isolates_figures():
            return text
        return f"{ISOLATE}{text.replace(ISOLATE, '').replace(END_OF_ISOLATE, '')}{END_OF_ISOLATE}"

    return written


def decimal_mark() -> str:
    """Return the decimal mark of the current language."""
    return pgettext("decimal mark", ".")


def localized(digits: str) -> str:
    """Return a number that Python wrote, such as "-1,234.5", with the marks of the reader's language."""
    text = digits.replace(",", NARROW_SPACE)
    if "." in text:
        text = text.replace(".", decimal_mark())
    # A rounded minus zero is a zero; an exponent has a sign of its own.
    return text.replace("-", MINUS if digits.strip("-0.,") else "")


@_isolated
def as_exact_count(count: float | None) -> str:
    """Return a whole number with all its digits: 12 960."""
    if count is None or count != count:  # a number or no number
        return DASH
    return localized(f"{round(count):,}")


@_isolated
def as_count(count: float | None) -> str:
    """Return a whole number in little room: 12 960; from a million on three digits and a unit, 51.2 M.

    Beyond the units a power of ten: 1.00 × 10²¹.
    """
    if count is None or count != count:  # a number or no number
        return DASH
    if abs(count) < _MILLION:
        return as_exact_count(count)
    if abs(count) >= _POWERS_FROM:
        mantissa, exponent = f"{count:.2e}".split("e")
        return f"{localized(mantissa)}{NARROW_SPACE}×{NARROW_SPACE}10{str(int(exponent)).translate(_RAISED)}"
    for size, unit in _LARGE_UNITS:
        # 999 950 000 would print as 1000.0 M; the next unit up says 1.00 G.
        if abs(count) >= size * 0.9995:
            return f"{_three_digits(count / size)}{NARROW_SPACE}{unit}"
    return as_exact_count(count)


@_isolated
def with_unit(figure: str, unit: str) -> str:
    """Return a figure with its unit, in one piece: 12 MB, 20 %."""
    return f"{figure}{NARROW_SPACE}{unit}"


def as_size(size: float) -> str:
    """Return a mean or median of counts: a whole number, or one decimal."""
    return as_exact_count(size) if size == round(size) else as_decimal(size, 1)


@_isolated
def as_percent(fraction: float | None, decimals: int = 2, *, keep_zeros: bool = False) -> str:
    """Return a fraction as percent with at most two decimals: 0.0303 is 3.03 %, 0.05 is 5 %.

    A fraction close to zero or to one is written with its direction, so that "0 %" and "100 %" are written
    only if they are exact.
    """
    if fraction is None or isnan(fraction):
        return pgettext("value", "none")
    percent, step = fraction * 100, 10.0**-decimals
    if 0 < percent < step / 2:
        return f"<{NARROW_SPACE}{_trimmed(step, decimals)}{NARROW_SPACE}%"
    if 100 - step / 2 < percent < 100:
        return f">{NARROW_SPACE}{_trimmed(100 - step, decimals)}{NARROW_SPACE}%"
    text = localized(f"{percent:,.{decimals}f}") if keep_zeros else _trimmed(percent, decimals)
    return f"{text}{NARROW_SPACE}%"


def as_risk(share: float | None) -> str:
    """Return a risk or a share of people at risk, with one decimal everywhere: 20.0 %, 0.0 %."""
    return as_percent(share, 1, keep_zeros=True)


def as_risk_limit(limit: float) -> str:
    """Return a limit set for a risk or share: one decimal as `as_risk`, or the two it has: 3.33 %."""
    has_one = abs(limit * 1000 - round(limit * 1000)) < 1e-6
    return as_percent(limit, 1 if has_one else 2, keep_zeros=True)


@_isolated
def as_decimal(value: float | None, decimals: int = 3) -> str:
    """Return a real number with fixed decimals: loss 0.271, t 0.180."""
    if value is None or isnan(value):
        return DASH
    if not isfinite(value):
        return UNBOUNDED if value > 0 else MINUS + UNBOUNDED
    return localized(f"{value:,.{decimals}f}")


@_isolated
def as_general(value: float, digits: int = 6) -> str:
    """Return a real number with at most `digits` significant digits, without trailing zeros."""
    return localized(f"{value:.{digits}g}") if isfinite(value) else as_decimal(value)


def shortest_digits(value: float, places: int) -> str:
    """Return a number with its shortest digits, `places` to nine decimals, as Python writes it: 0.125, 10."""
    # format() on the binary form would show 0.1 with its noise.
    text = format(Decimal(repr(round(value, MOST_DECIMALS))), "f")
    whole, _unused, fraction = text.removesuffix(".0").partition(".")
    return f"{whole}.{fraction.ljust(places, '0')}" if fraction or places else whole


def as_typed(value: float, places: int) -> str:
    """Return a number as a field shows it: its shortest digits, no spaces between thousands."""
    return shortest_digits(value, places).replace(".", decimal_mark())


def as_loss(loss: float | None) -> str:
    """Return a loss, three decimals."""
    return as_decimal(loss, 3)


@_isolated
def as_change(difference: float | None, decimals: int = 3) -> str:
    """Return a difference, always with its sign: +0.007, −0.032."""
    if difference is None or isnan(difference):
        return DASH
    text = as_decimal(difference, decimals)
    return text if text.lstrip(ISOLATE).startswith(MINUS) else f"+{text}"


@_isolated
def as_significant(value: float | None, digits: int = 4) -> str:
    """Return a number of unknown size: large ones shortened, small ones with significant digits."""
    if value is None or isnan(value):
        return DASH
    if not isfinite(value) or value == 0:
        return as_decimal(value, 0)
    if abs(value) >= _MILLION:
        return as_count(value)
    decimals = min(max(digits - 1 - floor(log10(abs(value))), 0), digits - 1)
    return as_decimal(value, decimals)


@_isolated
def as_vector(levels: Sequence[int]) -> str:
    """Return a node as its levels: [0, 3, 0]."""
    return f"[{', '.join(str(level) for level in levels)}]"


def as_duration(seconds: float) -> str:
    """Return the remaining time, short enough for a status bar."""
    if seconds < 60:
        return _("{n} s left").format(n=max(round(seconds), 1))
    minutes = round(seconds / 60)
    if minutes < 60:
        return _("{n} min left").format(n=minutes)
    return _("{n} h left").format(n=as_decimal(minutes / 60, 1))


@_isolated
def as_moment(when: datetime) -> str:
    """Return a date with hours and minutes: 2026-11-23 14:05."""
    return when.strftime(pgettext("date and time", "%Y-%m-%d %H:%M"))


def as_saved_moment(text: str) -> str:
    """Return a moment of a saved file as people write it; any other text stays unchanged."""
    try:
        return as_moment(datetime.fromisoformat(text))
    except ValueError:
        return text


def as_nodes(n: int) -> str:
    """Return a number of nodes with its noun: 1 node, 12 960 nodes, 51.2 M nodes."""
    return ngettext("{n} node", "{n} nodes", n).format(n=as_count(n))


def as_records(n: int) -> str:
    """Return a number of records with its noun: 1 record, 30 162 records."""
    return ngettext("{n} record", "{n} records", n).format(n=as_exact_count(n))


def in_records(n: int) -> str:
    """Return a number of records with its noun after "of" or "in", which takes another form in German."""
    return npgettext("after of, in, with", "{n} record", "{n} records", n).format(n=as_exact_count(n))


def as_suppressed(n: int) -> str:
    """Return a number of suppressed records with its noun."""
    return ngettext("{n} suppressed record", "{n} suppressed records", n).format(n=as_exact_count(n))


def as_people(n: int) -> str:
    """Return a number of people with its noun."""
    return ngettext("{n} person", "{n} people", n).format(n=as_exact_count(n))


def as_columns(n: int) -> str:
    """Return a number of columns with its noun."""
    return ngettext("{n} column", "{n} columns", n).format(n=as_exact_count(n))


def as_values(n: int) -> str:
    """Return a number of values with its noun."""
    return ngettext("{n} value", "{n} values", n).format(n=as_exact_count(n))


def as_groups(n: int) -> str:
    """Return a number of groups of a hierarchy with its noun."""
    return ngettext("{n} group", "{n} groups", n).format(n=as_exact_count(n))


def as_classes(n: int) -> str:
    """Return a number of equivalence classes with its noun."""
    return ngettext("{n} class", "{n} classes", n).format(n=as_exact_count(n))


def _three_digits(value: float) -> str:
    decimals = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return localized(f"{value:.{decimals}f}")


def _trimmed(value: float, decimals: int) -> str:
    text = f"{value:,.{decimals}f}"
    return localized(text.rstrip("0").rstrip(".") if "." in text else text)
