"""Numbers and lists in the sentences of analyses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from engine.frequency.counted import PEOPLE, Noun
from engine.words import N_, _, ngettext

SPACE = "\u202f"  # narrow, and no line breaks at it
_NUMBERS = (
    "",
    N_("one"),
    N_("two"),
    N_("three"),
    N_("four"),
    N_("five"),
    N_("six"),
    N_("seven"),
    N_("eight"),
    N_("nine"),
    N_("ten"),
)


def as_count(count: int) -> str:
    """Return a whole number with separated thousands: 12 960."""
    return f"{count:,}".replace(",", SPACE)


def as_number(count: int) -> str:
    """Return a whole number for a sentence: small ones as a word."""
    return _(_NUMBERS[count]) if 0 < count < len(_NUMBERS) else as_count(count)


def as_percent(share: float, decimals: int = 2) -> str:
    """Return a fraction in percent; "0 %" and "100 %" only for exactly these values."""
    percent, step = share * 100, 10.0**-decimals
    if 0 < percent < step / 2:
        return f"<{SPACE}{step:.{decimals}f}{SPACE}%"
    if 100 - step / 2 < percent < 100:
        return f">{SPACE}{100 - step:.{decimals}f}{SPACE}%"
    text = f"{percent:,.{decimals}f}".replace(",", SPACE)
    return f"{text.rstrip('0').rstrip('.')}{SPACE}%"


def as_size(size: float) -> str:
    """Return a mean or median of counts: a whole number, or one decimal."""
    return as_count(round(size)) if size == round(size) else f"{size:,.1f}".replace(",", SPACE)


def as_chance(size: int) -> str:
    """Return the certainty of a guess among some records: 20 %, or 1 in 12 (8.33 %) if it is rounded."""
    percent = as_percent(1 / size)
    is_exact = Fraction(10_000, size).denominator == 1
    return percent if is_exact else _("1 in {n} ({percent})").format(n=as_count(size), percent=percent)


def as_records(count: int) -> str:
    """Return a number of records with its noun."""
    return ngettext("{n} record", "{n} records", count).format(n=as_count(count))


def as_people(count: int) -> str:
    """Return a number of people with its noun."""
    return ngettext("{n} person", "{n} people", count).format(n=as_count(count))


def quoted(names: Sequence[str]) -> list[str]:
    """Return names in quotation marks."""
    return [f"'{name}'" for name in names]


def listed(names: Sequence[str]) -> str:
    """Return names one after another: a, b and c."""
    if len(names) < 2:
        return "".join(names)
    return _("{names} and {last}").format(names=", ".join(names[:-1]), last=names[-1])


def listed_or(names: Sequence[str]) -> str:
    """Return names as alternatives: a, b or c."""
    if len(names) < 2:
        return "".join(names)
    return _("{names} or {last}").format(names=", ".join(names[:-1]), last=names[-1])


def either(noun: Noun, records: str, people: str) -> str:
    """Return the text about the counted thing: records, or people who may have several."""
    return people if noun == PEOPLE else records


def from_columns(n_columns: int, claim: str) -> str:
    """Return a claim as a sentence that names the columns it is based on."""
    return ngettext("From this column: {claim}.", "From these {n} columns: {claim}.", n_columns).format(
        n=as_count(n_columns), claim=claim
    )
