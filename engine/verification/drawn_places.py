"""Whether the records of a file are in the order drawn for them, by their keys, dealt into files."""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.random_order import drawn_numbers
from engine.words import _

RECORDS = 1_000_000  # of a file, about
_MOST_FILES = 400
_COLUMNS = ("drawn", "first", "second")


class DrawnPlaces:
    """Expected records, dealt by the numbers drawn for them, and compared with those of a file in its order.

    Parameters
    ----------
    start : int
        Of the drawing.
    n_records : int
        At most as many are expected.
    folder : Path or None
        Private folder for the keys; None for that of the system.
    """

    def __init__(self, start: int, n_records: int, folder: Path | None) -> None:
        self._start, self._done = start, 0
        self._open = ExitStack()
        place = None if folder is None else str(folder)
        self._files: list[BinaryIO] = [
            self._open.enter_context(tempfile.TemporaryFile(dir=place))  # noqa: SIM115  closed by the stack
            for _unused in range(min(n_records // RECORDS + 1, _MOST_FILES))
        ]
        self._sorted = self._in_order()
        self._left = pd.DataFrame(dict.fromkeys(_COLUMNS, pd.Series(dtype="uint64")))
        self._n_found = self._n_elsewhere = 0
        self._first = -1

    def expect(self, keys: Sequence[Any]) -> None:
        """Add the two keys of each of the next expected records, in the order of the original."""
        drawn = drawn_numbers(self._done, len(keys[0]), self._start)
        self._done += len(drawn)
        rows = pd.DataFrame(dict(zip(_COLUMNS, (drawn, *keys), strict=True)))
        places = (drawn // 2**32) * len(self._files) // 2**32
        for _unused, own in rows.groupby(places, sort=False):
            self._files[int(places.loc[own.index[0]])].write(own.to_numpy().tobytes())

    def find(self, keys: Sequence[Any]) -> None:
        """Compare the keys of the next records of the file; all expected ones were added before."""
        found = pd.DataFrame(dict(zip(_COLUMNS[1:], keys, strict=True)))
        while len(found):
            if self._left.empty:
                self._left = next(self._sorted, self._left)
            n = min(len(found), len(self._left))
            if not n:
                return  # there are more than expected
            own, expected = (side.iloc[:n].reset_index(drop=True) for side in (found, self._left))
            differs = (own["first"] != expected["first"]) | (own["second"] != expected["second"])
            if differs.any():
                if self._first < 0:
                    self._first = self._n_found + differs.tolist().index(True)
                self._n_elsewhere += int(differs.sum())
            self._n_found += n
            found, self._left = found.iloc[n:], self._left.iloc[n:]

    def problems(self) -> tuple[str, ...]:
        """Return a sentence on the records that are at other places; none if there are none."""
        if not self._n_elsewhere:
            return ()
        words = _(
            "{n} records are not at the place that the random order gives them; the first of them is record "
            "{number} of the file."
        )
        n, number = as_exact_count(self._n_elsewhere), as_exact_count(self._first + 1)
        return (words.format(n=n, number=number),)

    def close(self) -> None:
        """Remove the files."""
        self._open.close()

    def _in_order(self) -> Iterator[pd.DataFrame]:
        for file in self._files:
            file.seek(0)
            numbers = pd.Series(array("Q", file.read()), dtype="uint64").to_numpy()
            rows = pd.DataFrame(numbers.reshape(-1, len(_COLUMNS)), columns=list(_COLUMNS))
            if len(rows):
                yield rows.sort_values("drawn")
