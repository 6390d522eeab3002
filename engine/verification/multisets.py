"""Records as multisets: equal if their keyed sums of 128 bits are, whatever the order."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator
from typing import Any, BinaryIO

import pandas as pd

from engine.verification.cells import Vocabularies
from engine.verification.counted import unmatched
from engine.verification.grouping import mixed

_AT_ONCE = 2_000_000  # keys that are compared together
_BYTES = 24 << 18  # of records that are read at once
_COLUMNS = ("first", "second", "number")


class Multiset:
    """Records that are added piece by piece.

    Two multisets are the same if the sums of their records' keys are: the chance that others agree is one in
    2 ** 128, and whoever wrote the records did not know the secrets.

    Parameters
    ----------
    known : dict of str to Vocabulary
    coded : collection of str
        Columns whose cells are codes; the others are texts.
    secrets : pair of str
        16 characters each, the same for multisets that are compared.
    file : BinaryIO, optional
        Where the keys are kept, which `unmatched` needs.
    """

    def __init__(
        self,
        known: Vocabularies,
        coded: Collection[str],
        secrets: tuple[str, str],
        file: BinaryIO | None = None,
    ) -> None:
        self._known, self._coded, self._secrets = known, set(coded), secrets
        self._of_codes: dict[tuple[str, str], Any] = {}
        self._sums = [0, 0]
        self.n_records = 0
        self._file = file

    def add(self, records: pd.DataFrame, numbers: pd.Series[int]) -> list[Any]:
        """Add records; `numbers` are those by which they are named. Return their keys by each secret."""
        keys = [self._keys(records, secret) for secret in self._secrets]
        self._sums = [(whole + int(own.sum())) % 2**64 for whole, own in zip(self._sums, keys, strict=True)]
        self.n_records += len(records)
        if self._file is not None:
            columns = (*keys, numbers.to_numpy(dtype="uint64"))
            frame = pd.DataFrame(dict(zip(_COLUMNS, columns, strict=True)))
            self._file.write(frame.to_numpy().tobytes())
        return keys

    def equals(self, other: Multiset) -> bool:
        """Return whether both have the same records equally often."""
        return (self.n_records, self._sums) == (other.n_records, other._sums)

    def unmatched(self, expected: Multiset) -> tuple[str, ...]:
        """Return sentences on the records that only this multiset, or only the expected one has.

        Both have kept their keys.
        """
        n_parts = max(self.n_records, expected.n_records) // _AT_ONCE + 1
        found = {1: [0, -1], -1: [0, -1]}  # by side: number of records, and the first one
        for part in range(n_parts):
            sides = [
                rows.assign(side=side)
                for multiset, side in ((self, 1), (expected, -1))
                for rows in multiset._part(part, n_parts)
            ]
            if not sides:
                continue
            keys = pd.concat(sides, ignore_index=True)
            balance = keys.groupby(["first", "second"], sort=False)["side"].transform("sum")
            for side, entry in found.items():
                own = keys[(keys["side"] == side) & (balance * side > 0)]
                if len(own):
                    entry[0] += int((balance * side)[own.drop_duplicates(["first", "second"]).index].sum())
                    first = int(own["number"].min())
                    entry[1] = first if entry[1] < 0 else min(first, entry[1])
        return unmatched(*found[1], *found[-1])

    def _part(self, part: int, n_parts: int) -> Iterator[pd.DataFrame]:
        assert self._file is not None, "keys are kept"
        self._file.seek(0)
        while data := self._file.read(_BYTES):
            numbers = pd.Series(array("Q", data), dtype="uint64").to_numpy().reshape(-1, len(_COLUMNS))
            rows = pd.DataFrame(numbers, columns=list(_COLUMNS))
            mine = rows[rows["first"] // 2**32 % n_parts == part]
            if len(mine):
                yield mine

    def _keys(self, records: pd.DataFrame, secret: str) -> Any:
        """Return a key of 64 bits per record."""
        whole = pd.Series(0, index=records.index, dtype="uint64").to_numpy()
        for name in records.columns:
            whole = mixed(whole + self._hashed(records[name], name, secret))
        return whole

    def _hashed(self, cells: pd.Series[Any], name: str, secret: str) -> Any:
        if name not in self._coded:
            return pd.util.hash_array(cells.to_numpy(dtype=object), hash_key=secret)
        texts = self._known[name].texts
        found = self._of_codes.get((name, secret))
        if found is None or len(found) < len(texts):
            values = pd.Series(texts, dtype=object).to_numpy()
            found = self._of_codes[name, secret] = pd.util.hash_array(values, hash_key=secret)
        return found.take(cells.to_numpy())
