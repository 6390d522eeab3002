"""Grouping of equal records: codes are joined into one number per record, column by column."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.findings import UnverifiableError
from engine.words import _

_FEW = 1 << 16  # different keys for which there is room at first
_BOUND = 2**62  # below it products of numbers of groups cannot overflow 64 bits


def joined(columns: Sequence[pd.Series[int]]) -> pd.Series[int]:
    """Return one number per record, equal if all columns are; the index counts from 0.

    This needs the memory of one column; grouping by several columns needs several arrays for each.

    Parameters
    ----------
    columns : sequence of Series of int
        At least one, of equal length; codes from 0.
    """
    keys, n_keys = columns[0].to_numpy(dtype="int64", copy=True), span_of(columns[0])
    for column in columns[1:]:
        span = span_of(column)
        if n_keys * span >= _BOUND:  # number them from 0 by sorting, since most are distinct here
            order = keys.argsort()
            ranks = keys[order]
            ranks[1:] = ranks[1:] != ranks[:-1]
            ranks[:1] = 0
            ranks.cumsum(out=ranks)
            keys[order] = ranks
            n_keys = int(ranks[-1]) + 1
        keys *= span
        keys += column.to_numpy()
        n_keys *= span
    return pd.Series(keys, copy=False)


def numbered(keys: pd.Series[int]) -> pd.Series[int]:
    """Return the number of each record's key, distinct keys counted from 0 in order of occurrence."""
    # by default there is room for as many different keys as records
    places, _unused = pd.factorize(keys.to_numpy(), size_hint=_FEW)
    return pd.Series(places.astype("int32"), copy=False)


def summed(keys: pd.Series[int], counts: pd.Series[int] | None = None) -> pd.Series[int]:
    """Return the records of each distinct key, in the order of the keys.

    This needs the memory of four columns; pandas' group-by needs several times as much.

    Parameters
    ----------
    keys : Series of int
        One per row.
    counts : Series of int or None
        Records of each row; None if every row is one.
    """
    order = keys.to_numpy().argsort()
    ordered = keys.to_numpy()[order]
    is_last = order >= 0
    is_last[:-1] = ordered[1:] != ordered[:-1]
    last = is_last.nonzero()[0]
    sums = last + 1 if counts is None else counts.to_numpy()[order].cumsum()[last]
    sums[1:] -= sums[:-1].copy()
    return pd.Series(sums, index=ordered[last], copy=False)


def span_of(column: pd.Series[int]) -> int:
    """Return one more than the largest code."""
    return int(column.max()) + 1 if len(column) else 1


MOST_ROWS = 20_000_000  # distinct rows that are held in memory


def refuse_many_rows(n_rows: int) -> None:
    """Raise UnverifiableError if more distinct rows were found than are held in memory."""
    if n_rows > MOST_ROWS:
        raise UnverifiableError(
            _("The tables have more than {n} different records, too many to be held in memory.").format(
                n=as_exact_count(MOST_ROWS)
            )
        )
