"""Dates and times of a column that is read piece by piece: texts as precise as any of them needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from engine.table.series import refuse_repeated_hour

_NOTHING = " 00:00:00.000000"  # what more precise texts have behind a day
_DAYS, _SECONDS, _MICROSECONDS = 10, 19, 26  # characters
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def is_moment(kind: Any) -> bool:
    """Return whether an Arrow type, or that of its dictionary, is a date with a time."""
    import pyarrow as pa

    return bool(pa.types.is_timestamp(kind.value_type if pa.types.is_dictionary(kind) else kind))


class Moments:
    """Looks at all moments of a column.

    Parameters
    ----------
    name : str
        Of the column.
    """

    def __init__(self, name: str) -> None:
        self._name, self._width = name, _DAYS
        self._unclear: list[Any] = []  # instants in hours that a time zone repeats

    def add(self, block: Any) -> None:
        """Look at an Arrow array of cells."""
        import pandas as pd
        import pyarrow as pa

        cells = (block.dictionary_decode() if pa.types.is_dictionary(block.type) else block).drop_null()
        if not len(cells):
            return
        array_of: Any = pd.array  # for its types an array of Arrow is none
        instants = pd.DatetimeIndex(array_of(cells, dtype=pd.ArrowDtype(cells.type)))
        local = instants.tz_localize(None)
        second = _PER_SECOND[local.unit]
        if (local.asi8 % second).any():
            self._width = _MICROSECONDS
        elif (local.asi8 % (86_400 * second)).any():
            self._width = max(self._width, _SECONDS)
        zone: Any = instants.tz
        if zone is not None:
            again = local.tz_localize(zone, ambiguous="NaT", nonexistent="shift_forward")
            unclear = instants[np.asarray(again.isna())]
            if len(unclear):
                self._unclear.append(unclear.unique())

    def precise(self) -> Callable[[str], str]:
        """Return what makes the text of a moment as precise as that of all others.

        Raises
        ------
        TableError
            Local times are repeated.
        """
        if self._unclear:
            found = self._unclear[0].append(self._unclear[1:]).unique()
            refuse_repeated_hour(self._name, found)
        return partial(_widened, self._width)


def _widened(width: int, text: str) -> str:
    return text + _NOTHING[len(text) - _DAYS : width - _DAYS]
