"""Counts of distinct rows, collected piece by piece, and their numbers."""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from engine.numbers import as_exact_count
from engine.verification.findings import UnverifiableError
from engine.verification.grouping import joined, n_alone, span_of
from engine.words import _

MOST_ROWS = 20_000_000  # distinct rows that are held in memory
_LOOSE = 2_000_000  # rows that wait until equal ones are joined
_BOUND = 2**62
_IN_MEMORY = 1 << 26  # bytes of keys
_AT_ONCE = 4_000_000  # keys that are sorted together
_BYTES = 1 << 23


def refuse_many_rows(n_rows: int) -> None:
    """Raise UnverifiableError if more distinct rows were found than are held in memory."""
    if n_rows > MOST_ROWS:
        raise UnverifiableError(
            _("The tables have more than {n} different records, too many to be held in memory.").format(
                n=as_exact_count(MOST_ROWS)
            )
        )


class Tally:
    """Distinct rows with their counts, in order of their first occurrence."""

    def __init__(self) -> None:
        self._parts: list[tuple[pd.DataFrame, pd.Series[int], pd.Series[int]]] = []
        self._n_rows = self._n_joined = 0

    def add(self, rows: pd.DataFrame, first: int) -> None:
        """Count further rows of codes; `first` is the number of the first of them."""
        if len(rows):
            numbers = pd.Series(range(first, first + len(rows)), dtype="int64")
            part = _joined_equal(rows.reset_index(drop=True), None, numbers)
            self._parts.append(part)
            self._n_rows += len(part[0])
            if self._n_rows > 2 * self._n_joined + _LOOSE:
                self._join()

    def whole(self) -> tuple[pd.DataFrame, pd.Series[int], pd.Series[int]]:
        """Return the distinct rows, how often each occurs, and the number of its first occurrence."""
        self._join()
        return self._parts[0]

    def __bool__(self) -> bool:
        return bool(self._parts)

    def _join(self) -> None:
        if len(self._parts) > 1:
            whole = (pd.concat(parts, ignore_index=True) for parts in zip(*self._parts, strict=True))
            rows, counts, numbers = whole
            self._parts = [_joined_equal(rows, counts, numbers)]
        self._n_rows = self._n_joined = len(self._parts[0][0])
        refuse_many_rows(self._n_joined)


def _joined_equal(
    rows: pd.DataFrame, counts: pd.Series[int] | None, numbers: pd.Series[int]
) -> tuple[pd.DataFrame, pd.Series[int], pd.Series[int]]:
    """Return each distinct row once, with the sum of its counts and its first number."""
    columns = [rows[name] for name in rows.columns]
    keys = joined(columns) if columns else pd.Series(0, index=rows.index)
    places = pd.Series(pd.factorize(keys)[0])
    sums = places.groupby(places).size() if counts is None else counts.groupby(places).sum()
    first = (~places.duplicated()).to_numpy()
    distinct = (rows[first], sums.astype("int64"), numbers[first])
    return tuple(part.reset_index(drop=True) for part in distinct)  # type: ignore[return-value]


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


class Alone:
    """Number of records whose key no other record, or no other person, has.

    Keys are hashes of 64 bits with a secret of this run, and wait in a file that nobody else can open.
    """

    def __init__(self, folder: Path | None, *, with_persons: bool) -> None:
        self._with_persons = with_persons
        place = None if folder is None else str(folder)
        self._keys = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=place)  # noqa: SIM115  closed by count
        self._persons = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=place)  # noqa: SIM115
        self._n_records = 0

    def add(self, keys: pd.Series[int], persons: pd.Series[int] | None) -> None:
        """Add the keys of further records, and their persons."""
        self._n_records += len(keys)
        self._keys.write(keys.to_numpy().tobytes())
        if persons is not None:
            self._persons.write(persons.astype("uint64").to_numpy().tobytes())

    def count(self) -> tuple[int, int]:
        """Return the records alone, and those whose key has one person only."""
        n_parts = self._n_records // _AT_ONCE + 1
        alone = of_one = 0
        with self._keys, self._persons:
            for part in range(n_parts):
                found = [
                    (keys[mine], persons[mine])
                    for keys, persons in self._pieces()
                    if (mine := keys // 2**32 % n_parts == part).any()
                ]
                if found:
                    keys, persons = (
                        pd.concat(list(side), ignore_index=True) for side in zip(*found, strict=True)
                    )
                    alone += n_alone(keys)
                    if self._with_persons:
                        of_one += int((persons.groupby(keys).transform("nunique") == 1).sum())
        return alone, of_one

    def close(self) -> None:
        """Remove the keys without counting them."""
        self._keys.close()
        self._persons.close()

    def _pieces(self) -> Iterator[tuple[pd.Series[int], pd.Series[int]]]:
        self._keys.seek(0)
        self._persons.seek(0)
        while data := self._keys.read(_BYTES):
            keys = pd.Series(array("Q", data), dtype="uint64")
            yield (
                keys,
                pd.Series(array("Q", self._persons.read(_BYTES)), dtype="uint64")
                if self._with_persons
                else keys,
            )
