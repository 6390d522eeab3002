"""Numbers and lists as the sentences of analyses write them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from engine.words import _

SPACE = "\u202f"  # narrow, and no line breaks at it
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def as_count(count: int) -> str:
    """A whole number with thousands apart: 12 960."""
    return f"{count:,}".replace(",", SPACE)


def as_number(count: int) -> str:
    """A whole number as sentences have it: small ones as a word."""
    return _NUMBERS[count] if 0 < count < len(_NUMBERS) else as_count(count)


def as_percent(share: float, decimals: int = 2) -> str:
    """A fraction as percent with at most two decimals; "0 %" and "100 %" only where they are true."""
    percent, step = share * 100, 10.0**-decimals
    if 0 < percent < step / 2:
        return f"<{SPACE}{step:.{decimals}f}{SPACE}%"
    if 100 - step / 2 < percent < 100:
        return f">{SPACE}{100 - step:.{decimals}f}{SPACE}%"
    text = f"{percent:,.{decimals}f}".replace(",", SPACE)
    return f"{text.rstrip('0').rstrip('.')}{SPACE}%"


def as_size(size: float) -> str:
    """A mean or a median of counts: a whole number, else one decimal."""
    return as_count(round(size)) if size == round(size) else f"{size:,.1f}".replace(",", SPACE)


def as_chance(size: int) -> str:
    """The certainty of a guess among some records: 20 %, or 1 in 12 (8.33 %) where percent are rounded."""
    percent = as_percent(1 / size)
    is_exact = Fraction(10_000, size).denominator == 1
    return percent if is_exact else f"1 in {as_count(size)} ({percent})"


def as_records(count: int) -> str:
    """A number of records with its noun."""
    return f"{as_count(count)} record{'' if count == 1 else 's'}"


def these_columns(n_columns: int) -> str:
    """The quasi-identifying columns, where a sentence begins with what it rests on."""
    return _("this column") if n_columns == 1 else f"these {as_number(n_columns)} columns"


def listed(names: Sequence[str], word: str = "and") -> str:
    """Names one after another: a, b and c."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"
