"""Columns of records that a writer asks for piece by piece, from the first record on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from engine.monitor import Monitor
from engine.numbers import as_exact_count
from engine.words import _


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


def pieces_to_write(n_records: int, at_once: int, monitor: Monitor) -> Iterator[slice]:
    """Yield the records piece by piece, and report how many are written."""
    for start in range(0, n_records, at_once):
        words = _("Wrote {n} of {total} records")
        text = words.format(n=as_exact_count(start), total=as_exact_count(n_records))
        monitor.step(start, n_records, text)
        yield slice(start, start + at_once)
    monitor.step(n_records, n_records, _("Wrote {n} records").format(n=as_exact_count(n_records)))
