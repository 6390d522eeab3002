"""Numbers and lists in the sentences of analyses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from engine.numbers import as_exact_count, as_risk, as_risk_limit
from engine.words import N_, _, ngettext

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


def as_number(count: int) -> str:
    """Return a whole number for a sentence: small ones as a word."""
    return _(_NUMBERS[count]) if 0 < count < len(_NUMBERS) else as_exact_count(count)


def as_chance(size: int) -> str:
    """Return the certainty of a guess among some records: 20.0 %, or 1 in 12 (8.3 %) if it is rounded."""
    if Fraction(10_000, size).denominator == 1:
        return as_risk_limit(1 / size)
    return _("1 in {n} ({percent})").format(n=as_exact_count(size), percent=as_risk(1 / size))


def quoted(names: Sequence[str]) -> list[str]:
    """Return names in quotation marks."""
    return [_("'{name}'").format(name=name) for name in names]


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


def from_columns(n_columns: int, claim: str) -> str:
    """Return a claim as a sentence that names the columns it is based on."""
    return ngettext("From this column: {claim}.", "From these {n} columns: {claim}.", n_columns).format(
        n=as_exact_count(n_columns), claim=claim
    )


def with_left_out(caption: str, columns: Sequence[str]) -> str:
    """Return a caption that also names the columns that a table in files does not count with others."""
    if not columns:
        return caption
    words = _("without {columns}: not counted together with others").format(columns=listed(quoted(columns)))
    return f"{caption} · {words}" if caption else words
