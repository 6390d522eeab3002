"""The decimal mark and the mark between thousands, told from all texts of a table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from engine.table.texts_at_once import all_match
from engine.table.values import DECIMAL_MARKS, THOUSANDS_MARKS, are_numbers

# One mark with exactly three digits behind it: 1,234 is a number of thousands, or has three decimals.
_UNCLEAR = {
    mark: re.compile(rf"[+-]?(?:[1-9][0-9]{{0,2}}(?:{re.escape(mark)}[0-9]{{3}})?|[0-9]+)")
    for mark in DECIMAL_MARKS
}


def number_marks(
    columns: Sequence[Sequence[str]], decimal: str | None, thousands: str, delimiter: str | None
) -> tuple[str, str]:
    """Return the decimal mark and the mark between thousands, empty for none.

    Parameters
    ----------
    columns : sequence of sequence of str
        The distinct texts of each column, without missing ones.
    decimal : str, optional
        Given; then nothing is detected.
    thousands : str
        Given, or empty.
    delimiter : str, optional
        Of a text file. A comma with three digits behind it in a file divided by commas stands between
        thousands: whoever writes decimals with commas divides by something else.
    """
    if decimal is not None:
        return decimal, thousands
    broken = [labels for labels in columns if labels and _may_be_numbers(labels)]
    decimal = _decimal(broken, thousands, delimiter)
    return decimal, thousands or _thousands(broken, decimal)


def _may_be_numbers(labels: Sequence[str]) -> bool:
    """Whether all texts consist of what numbers do, and some of more than digits."""
    return any(not label.isdigit() for label in labels) and all_match(_NUMERIC, labels)


_NUMERIC = re.compile(
    rf"[-+0-9eE.,{re.escape(''.join(THOUSANDS_MARKS))}]*[0-9][-+0-9eE.,{re.escape(''.join(THOUSANDS_MARKS))}]*"
)


def _decimal(columns: Sequence[Sequence[str]], thousands: str, delimiter: str | None) -> str:
    """The mark that most columns prove; else the one that unclear columns would have, if it may be one."""
    votes: Counter[str] = Counter()
    unclear: Counter[str] = Counter()
    for labels in columns:
        for mark, other in (DECIMAL_MARKS, DECIMAL_MARKS[::-1]):
            if not any(mark in label for label in labels):
                continue
            if are_numbers(labels, mark):
                is_unclear = all_match(_UNCLEAR[mark], labels)
                (unclear if is_unclear else votes)[mark] += 1
            elif are_numbers(labels, other, mark):
                votes[other] += 1  # 1,234,567 has no decimal comma
            elif any(are_numbers(labels, mark, between) for between in THOUSANDS_MARKS if between != mark):
                votes[mark] += 1
    if thousands in DECIMAL_MARKS:
        return "," if thousands == "." else "."
    if votes:
        return "," if votes[","] > votes["."] else "."
    if unclear[","] and delimiter == ",":
        return "."
    return "," if unclear[","] > unclear["."] else "."


def _thousands(columns: Sequence[Sequence[str]], decimal: str) -> str:
    """The mark that makes numbers of most columns that are none without it."""
    others = [labels for labels in columns if not are_numbers(labels, decimal)]
    votes = Counter(
        mark
        for labels in others
        for mark in THOUSANDS_MARKS
        if mark != decimal and are_numbers(labels, decimal, mark)
    )
    return max(votes, key=lambda mark: (votes[mark], -THOUSANDS_MARKS.index(mark))) if votes else ""
