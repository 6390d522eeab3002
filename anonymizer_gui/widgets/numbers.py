"""Number formats of the window."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import floor, isfinite, isnan, log10

from engine.words import _, ngettext

NARROW_SPACE = "\u202f"
MINUS = "\u2212"
DASH = "\u2013"
NONE = "none"
UNBOUNDED = "\u221e"
MOST_DECIMALS = 9  # that a field shows and accepts
_MILLION = 1_000_000
_LARGE_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"))
_POWERS_FROM = 9.995e14
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def as_count(count: float | None) -> str:
    """Return an integer with thousands separators: 12 960; from a million on three digits: 51.2 M.

    Beyond the units it is a power of ten: 1.00 × 10²¹.
    """
    if count is None or isnan(count):
        return DASH
    if abs(count) < _MILLION:
        return as_exact_count(count)
    if abs(count) >= _POWERS_FROM:
        mantissa, exponent = f"{count:.2e}".split("e")
        return f"{_signed(mantissa)}{NARROW_SPACE}×{NARROW_SPACE}10{str(int(exponent)).translate(_RAISED)}"
    for size, unit in _LARGE_UNITS:
        # 999 950 000 would print as 1000.0 M; the next unit up gives 1.00 G.
        if abs(count) >= size * 0.9995:
            return f"{_three_digits(count / size)}{NARROW_SPACE}{unit}"
    return as_exact_count(count)


def as_exact_count(count: float | None) -> str:
    """Return an integer with all digits, for tooltips and tables."""
    if count is None or isnan(count):
        return DASH
    return _signed(f"{round(count):,}".replace(",", NARROW_SPACE))


def as_nodes(n: int) -> str:
    """Return a number of nodes with its noun: 1 node, 12 960 nodes, 51.2 M nodes."""
    return ngettext("{n} node", "{n} nodes", n).format(n=as_count(n))


def as_records(n: int) -> str:
    """Return a number of records with its noun: 1 record, 30 162 records."""
    return ngettext("{n} record", "{n} records", n).format(n=as_exact_count(n))


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


def as_percent(fraction: float | None, decimals: int = 2, *, keep_zeros: bool = False) -> str:
    """Return a fraction as percent with at most two decimals: 0.0303 is 3.03 %, 0.05 is 5 %.

    "0 %" and "100 %" are exact: fractions closer to 0 or 1 than the decimals show get "<" or ">".
    """
    if fraction is None or isnan(fraction):
        return NONE
    percent, step = fraction * 100, 10.0**-decimals
    if 0 < percent < step / 2:
        return f"<{NARROW_SPACE}{_trimmed(step, decimals)}{NARROW_SPACE}%"
    if 100 - step / 2 < percent < 100:
        return f">{NARROW_SPACE}{_trimmed(100 - step, decimals)}{NARROW_SPACE}%"
    text = f"{percent:.{decimals}f}" if keep_zeros else _trimmed(percent, decimals)
    return f"{_signed(text)}{NARROW_SPACE}%"


def as_decimal(value: float | None, decimals: int = 3) -> str:
    """Return a real number with fixed decimals and thousands separators: loss 0.271, t 0.180."""
    if value is None or isnan(value):
        return DASH
    if not isfinite(value):
        return UNBOUNDED if value > 0 else MINUS + UNBOUNDED
    return _signed(f"{value:,.{decimals}f}".replace(",", NARROW_SPACE))


def plain_number(value: float, places: int) -> str:
    """Return a number with its shortest digits as a field shows it: from `places` to nine decimals."""
    # format() of the binary number would show the noise of 0.1.
    text = format(Decimal(repr(round(value, MOST_DECIMALS))), "f")
    whole, _unused, fraction = text.removesuffix(".0").partition(".")
    return f"{whole}.{fraction.ljust(places, '0')}" if fraction or places else whole


def as_loss(loss: float | None) -> str:
    """Return a loss with three decimals."""
    return as_decimal(loss, 3)


def as_change(difference: float | None, decimals: int = 3) -> str:
    """Return a difference with its sign: +0.007, −0.032."""
    if difference is None or isnan(difference):
        return DASH
    text = as_decimal(difference, decimals)
    return text if text.startswith(MINUS) else f"+{text}"


def as_significant(value: float | None, digits: int = 4) -> str:
    """Return a number of unknown size with its significant digits; large ones are abbreviated."""
    if value is None or isnan(value):
        return DASH
    if not isfinite(value) or value == 0:
        return as_decimal(value, 0)
    if abs(value) >= _MILLION:
        return as_count(value)
    decimals = min(max(digits - 1 - floor(log10(abs(value))), 0), digits - 1)
    return as_decimal(value, decimals)


def as_vector(levels: Sequence[int]) -> str:
    """Return a node by its levels: [0, 3, 0]."""
    return f"[{', '.join(str(level) for level in levels)}]"


def as_duration(seconds: float) -> str:
    """Return the remaining time as a short text for the status strip."""
    if seconds < 60:
        return f"{max(round(seconds), 1)}{NARROW_SPACE}s left"
    minutes = round(seconds / 60)
    return (
        _("{minutes}{NARROW_SPACE}min left").format(minutes=minutes, NARROW_SPACE=NARROW_SPACE)
        if minutes < 60
        else f"{minutes / 60:.1f}{NARROW_SPACE}h left"
    )


def _three_digits(value: float) -> str:
    decimals = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return _signed(f"{value:.{decimals}f}")


def _trimmed(value: float, decimals: int) -> str:
    text = f"{value:,.{decimals}f}".replace(",", NARROW_SPACE)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _signed(text: str) -> str:
    if not text.startswith("-"):
        return text
    # A rounded minus zero is a zero.
    digits = text[1:]
    return MINUS + digits if digits.strip("0." + NARROW_SPACE) else digits
