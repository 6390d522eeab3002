"""Expected cells that are aggregates of the original values of their class instead of labels."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pandas as pd

from engine.verification.claims import STAR, AggregateClaim, ColumnKind, ReleaseClaim
from engine.verification.findings import UnverifiableError
from engine.verification.readers.collecting import Vocabularies, Vocabulary
from engine.verification.subsets import value_of
from engine.words import N_, _

_SECOND = 1_000_000
_PRECISION = {"f": 1, "S": _SECOND, "c": _SECOND, "X": _SECOND, "T": _SECOND, "M": 60 * _SECOND}
_HOUR, _DAY = 3600 * _SECOND, 86_400 * _SECOND
_NUMBERS = ("integer", "decimal")
_LARGEST_EXPONENT = 900  # of two; within the range of floats
_NEAR = 1e-9  # far above the rounding errors of logarithms
_TITLES = {
    "mean": "mean",
    "geometric_mean": N_("geometric mean"),
    "median": "median",
    "mode": N_("most frequent value"),
    "mode_by_column": N_("most frequent value, ties by column"),
    "interval": "interval",
    "set": N_("set of values"),
}
Counts = Mapping[Any, int]  # records per value of a class, in order


def title_of(claim: AggregateClaim) -> str:
    """Return the title of an aggregate."""
    return _(_TITLES[claim.function])


def due_cells(
    claim: AggregateClaim,
    values: pd.Series[int],
    groups: pd.Series[int],
    vocabulary: Vocabulary,
    missing: str | None,
    counts: pd.Series[int],
    column: pd.Series[int],
) -> pd.Series[int]:
    """Return the code of the expected text of every row.

    Parameters
    ----------
    values, groups : Series of int, one per row, of one index
        Original value, and class.
    vocabulary : Vocabulary
        Vocabulary of the column; extended by expected texts.
    missing : str or None
        Text of the missing value.
    counts : Series of int
        Records of each row.
    column : Series of int
        Records of the original by value.

    Raises
    ------
    UnverifiableError
        If the aggregate is unknown, or a value is not valid for the column's type.
    """
    if claim.function not in _FUNCTIONS:
        raise UnverifiableError(_("Unknown aggregate '{function}'.").format(function=claim.function))
    whole: dict[Any, int] = {}
    meanings = {}
    for code, count in zip(column.index.tolist(), column.tolist(), strict=True):
        text = vocabulary.texts[code]
        meanings[code] = meaning = None if text == missing else value_of(text, claim.kind)
        whole[meaning] = whole.get(meaning, 0) + count
    classes: dict[int, dict[Any, int]] = {}
    pairs = counts.groupby([groups, values], sort=False).sum()
    for (group, code), count in zip(pairs.index.tolist(), pairs.tolist(), strict=True):
        found, meaning = classes.setdefault(group, {}), meanings[code]
        found[meaning] = found.get(meaning, 0) + int(count)
    due = {
        group: vocabulary.code(_aggregate(claim, found, missing, whole)) for group, found in classes.items()
    }
    return groups.map(due)


def _aggregate(claim: AggregateClaim, counts: dict[Any, int], missing: str | None, whole: Counts) -> str:
    n_missing = counts.pop(None, 0)
    takes_missing = claim.function in ("mode", "mode_by_column", "set") and not claim.ignore_missing
    if not counts or (n_missing and not claim.ignore_missing and not takes_missing):
        return missing or ""
    ordered: dict[Any, int] = {value: counts[value] for value in sorted(counts)}
    if n_missing and takes_missing:
        ordered[None] = n_missing
    if claim.function == "mode_by_column":  # only equally frequent values are left, the first in order wins
        most = max(ordered.values())
        tied = {value: whole[value] for value, count in ordered.items() if count == most}
        return _mode(claim, tied, missing or "")
    return _FUNCTIONS[claim.function](claim, ordered, missing or "")


def _mean(claim: AggregateClaim, counts: Counts, missing: str) -> str:
    n = sum(counts.values())
    if claim.kind.kind in _NUMBERS:
        mean = Fraction(sum(value * count for value, count in counts.items())) / n
        unit = Fraction(1, 10**claim.decimals)
        return number_text(round(mean / unit) * unit, claim.kind)
    if claim.kind.kind != "date":
        raise UnverifiableError(_("Values of type '{kind}' have no mean.").format(kind=claim.kind.kind))
    begin, step = datetime.min, timedelta(microseconds=1)
    total = sum((moment.replace(tzinfo=None) - begin) // step * count for moment, count in counts.items())
    letters = re.findall("%(.)", claim.kind.format)
    unit_of_date = min(
        (_PRECISION.get(letter, _HOUR if letter in "HI" else _DAY) for letter in letters), default=_DAY
    )
    return date_text(begin + round(Fraction(total, n) / unit_of_date) * unit_of_date * step, claim.kind)


def _geometric_mean(claim: AggregateClaim, counts: Counts, missing: str) -> str:
    if claim.kind.kind not in _NUMBERS or min(counts) < 0:
        raise UnverifiableError(_("A geometric mean requires numbers of at least 0."))
    if min(counts) == 0:
        return "0"
    n, halves = sum(counts.values()), 2 * 10**claim.decimals
    # The mean rounded down to half units, and whether that is exact.
    low, is_exact = _floor_of_root(counts, n, halves)
    units, is_half = divmod(low, 2)
    if is_half:
        units += units % 2 if is_exact else 1
    return number_text(Fraction(2 * units, halves), claim.kind)


def _floor_of_root(counts: Counts, n: int, scale: int) -> tuple[int, bool]:
    """Return the n-th root of a product times `scale`, rounded down, and whether that is exact."""
    logs = (count * (math.log2(v.numerator) - math.log2(v.denominator)) for v, count in counts.items())
    exponent = math.fsum(logs) / n + math.log2(scale)
    if exponent < _LARGEST_EXPONENT:
        guess = 2**exponent
        margin = (guess + 1) * _NEAR
        low, high = max(0, int(guess - margin)), int(guess + margin) + 1
        if high - low == 1:
            return low, False
    else:
        low, high = 1 << (int(exponent) - 1), 1 << (int(exponent) + 2)
    # Too near to an integer for logarithms: n-th powers decide.
    above = scale**n * math.prod(value.numerator**count for value, count in counts.items())
    below = math.prod(value.denominator**count for value, count in counts.items())
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**n * below <= above else (low, middle)
    return low, low**n * below == above


def _median(claim: AggregateClaim, counts: Counts, missing: str) -> str:
    places = [value for value, count in counts.items() for _unused in range(count)]
    low, high = places[(len(places) - 1) // 2], places[len(places) // 2]
    if claim.kind.kind in _NUMBERS:
        return number_text((low + high) / 2, claim.kind)
    return _written(low, claim.kind, missing)


def _mode(claim: AggregateClaim, counts: Counts, missing: str) -> str:
    most = max(counts.values())
    return _written(next(value for value, count in counts.items() if count == most), claim.kind, missing)


def _interval(claim: AggregateClaim, counts: Counts, missing: str) -> str:
    low, high = (_written(value, claim.kind, missing) for value in (min(counts), max(counts)))
    return low if len(counts) == 1 else f"[{low}{_between(claim.kind)}{high}]"


def _set(claim: AggregateClaim, counts: Counts, missing: str) -> str:
    texts = [_written(value, claim.kind, missing) for value in counts]
    return texts[0] if len(texts) == 1 else "{" + _between(claim.kind).join(texts) + "}"


_FUNCTIONS: dict[str, Callable[[AggregateClaim, Counts, str], str]] = {
    "mean": _mean,
    "geometric_mean": _geometric_mean,
    "median": _median,
    "mode": _mode,
    "mode_by_column": _mode,
    "interval": _interval,
    "set": _set,
}


def _between(kind: ColumnKind) -> str:
    return "; " if kind.kind in _NUMBERS and kind.format.startswith(",") else ", "


def _written(value: Any, kind: ColumnKind, missing: str) -> str:
    """Return the text of a value in the format of its type."""
    if value is None:
        return missing
    if kind.kind in _NUMBERS:
        return number_text(value, kind)
    if kind.kind == "date":
        return date_text(value, kind)
    return kind.values[value] if kind.kind == "ordered" else str(value)


def number_text(value: Fraction, kind: ColumnKind) -> str:
    """Return a finite number in as few digits as it needs."""
    shift = 0
    while value.denominator != 1:
        value, shift = value * 10, shift + 1
    sign = 1 if value < 0 else 0
    digits = tuple(int(digit) for digit in str(abs(value.numerator)))
    text = format(Decimal((sign, digits, -shift)), "f")
    return text.replace(".", ",") if kind.format.startswith(",") else text


def date_text(moment: datetime, kind: ColumnKind) -> str:
    """Return a date as its format writes it."""
    parts = re.split("(%.)", kind.format)
    return "".join(f"{moment.year:04}" if part == "%Y" else moment.strftime(part) for part in parts)


def due_columns(
    claim: ReleaseClaim,
    records: pd.DataFrame,
    groups: pd.Series[int],
    known: Vocabularies,
    counts: pd.Series[int],
    original: tuple[pd.DataFrame, pd.Series[int]] | None = None,
) -> dict[str, pd.Series[int]]:
    """Return the expected codes of every aggregated column, given the class and the records of each row.

    `original` are the rows of the original with their records, if `records` are only those that have a class.
    """
    whole, of_whole = original or (records, counts)
    missing = next(iter(claim.original.missing), None)
    return {
        name: due_cells(
            aggregate,
            records[name],
            groups,
            known[name],
            missing,
            counts,
            of_whole.groupby(whole[name]).sum(),
        )
        for name, aggregate in claim.aggregates.items()
    }


def classes_of(labels: pd.DataFrame) -> pd.Series[int]:
    """Return the class of each row by all its labels."""
    if labels.columns.empty:
        return pd.Series(0, index=labels.index)
    return labels.groupby(list(labels.columns), sort=False).ngroup()


def due_by_file(
    claim: ReleaseClaim,
    source: pd.DataFrame,
    released: pd.DataFrame,
    hidden: pd.Series[bool],
    known: Vocabularies,
    counts: pd.Series[int],
    original: tuple[pd.DataFrame, pd.Series[int]],
) -> dict[str, pd.Series[int]]:
    """Return the same if levels differ by record; the file's other columns then form the classes.

    Parameters
    ----------
    source, released : DataFrame
        Of equal length, row by row.
    hidden : Series of bool
        Whether the records of each of these rows count as suppressed.
    counts : Series of int
        Records of each of these rows.
    original : DataFrame and Series of int
        All rows of the original with their records.

    Raises
    ------
    UnverifiableError
        If the claim lets an aggregated column form classes: its labels are not in the file.
    """
    if any(aggregate.grouping for aggregate in claim.aggregates.values()):
        raise UnverifiableError(
            _("If levels vary by record, a column released as an aggregate cannot form classes.")
        )
    kept = (~hidden).tolist()
    labels = released[list(claim.forming)][kept].reset_index(drop=True)
    records, of_kept = source[kept].reset_index(drop=True), counts[kept].reset_index(drop=True)
    due = due_columns(claim, records, classes_of(labels), known, of_kept, original)
    rows = hidden.index[kept]
    return {
        name: cells.set_axis(rows).reindex(hidden.index, fill_value=known[name].code(STAR))
        for name, cells in due.items()
    }
