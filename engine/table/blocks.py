"""Columns of records that a writer asks for piece by piece, from the first record on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Blocks:
    """Records of one column, made when a piece of them is asked for.

    Attributes
    ----------
    n_records : int
    read : callable
        Takes the first record and the one after the last, and returns their codes, or texts.
    are_texts : bool
        Whether `read` returns a list of texts, as of a column with too many values to be listed.
    """

    n_records: int
    read: Callable[[int, int], Any]
    are_texts: bool = False

    def __len__(self) -> int:
        return self.n_records

    def __getitem__(self, piece: slice) -> Any:
        start, stop, _step = piece.indices(self.n_records)
        return self.read(start, stop)

    def part(self, first: int, n_records: int) -> Blocks:
        """Return some of the records as a column of its own."""
        return Blocks(n_records, lambda start, stop: self.read(first + start, first + stop), self.are_texts)

    def each(self, change: Callable[[str], str]) -> Blocks:
        """Return the column with every text changed."""
        return Blocks(
            self.n_records, lambda start, stop: [change(text) for text in self.read(start, stop)], True
        )
