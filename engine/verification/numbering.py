"""Numbers of distinct rows of codes."""

from __future__ import annotations

from typing import Any

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.findings import UnverifiableError
from engine.verification.grouping import span_of
from engine.words import _

MOST_ROWS = 20_000_000  # distinct rows that are held in memory
_BOUND = 2**62


def refuse_many_rows(n_rows: int) -> None:
    """Raise UnverifiableError if more distinct rows were found than are held in memory."""
    if n_rows > MOST_ROWS:
        raise UnverifiableError(
            _("The tables have more than {n} different records, too many to be held in memory.").format(
                n=as_exact_count(MOST_ROWS)
            )
        )


class Numbering:
    """Numbers of some distinct rows, found by their codes."""

    def __init__(self, rows: pd.DataFrame) -> None:
        self._names = list(rows.columns)
        self._spans = [span_of(rows[name]) for name in self._names]
        self._ranks: dict[int, pd.Index[int]] = {}  # by the column before which keys are ranked
        keys, n_keys = pd.Series(0, index=range(len(rows)), dtype="int64"), 1
        for place, (name, span) in enumerate(zip(self._names, self._spans, strict=True)):
            if n_keys * span >= _BOUND:
                self._ranks[place] = pd.Index(keys.unique())
                keys = _places(self._ranks[place], keys)
                n_keys = len(self._ranks[place])
            keys = keys * span + rows[name].to_numpy()
            n_keys *= span
        self._keys = pd.Index(keys)

    def of(self, rows: pd.DataFrame) -> pd.Series[int]:
        """Return the number of each row.

        Raises
        ------
        UnverifiableError
            A row was not among those numbered.
        """
        keys, known = pd.Series(0, index=range(len(rows)), dtype="int64"), pd.Series(True, range(len(rows)))
        for place, (name, span) in enumerate(zip(self._names, self._spans, strict=True)):
            codes = rows[name].reset_index(drop=True)
            if place in self._ranks:
                keys = _places(self._ranks[place], keys)
                known &= keys >= 0
            known &= codes < span
            keys = keys * span + codes
        found = _places(self._keys, keys)
        if not (known & (found >= 0)).all():
            raise UnverifiableError(_("The original changed while it was read."))
        return found


def _places(index: pd.Index[int], keys: pd.Series[int]) -> pd.Series[int]:
    """Return the place of each key, -1 if it is not in the index."""
    found: Any = index.get_indexer(pd.Index(keys))
    return pd.Series(found, dtype="int64")
