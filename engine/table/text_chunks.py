"""Operations on many texts, or a long one, in pieces: a single call would block every other thread."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from operator import le
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import IntArray

PIECE = 2048  # texts per call: well below a millisecond
_BYTES = 1 << 20  # the same for bytes
_FEW = 20_000  # texts that Python sorts in a few milliseconds


def pieces(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in pieces."""
    rest = iter(texts)
    while piece := list(islice(rest, PIECE)):
        yield piece


def all_match(pattern: re.Pattern[str], texts: Iterable[str]) -> bool:
    """Return whether every text matches completely."""
    return all(all(map(pattern.fullmatch, piece)) for piece in pieces(texts))


def any_begins(pattern: re.Pattern[str], texts: Iterable[str]) -> bool:
    """Return whether any text begins with a match."""
    return any(any(map(pattern.match, piece)) for piece in pieces(texts))


def count_in(data: bytes, mark: bytes, start: int = 0) -> int:
    """Return how often one byte occurs."""
    return sum(data.count(mark, at, at + _BYTES) for at in range(start, len(data), _BYTES))


def find_in(data: bytes, mark: bytes, start: int = 0) -> int:
    """Return the first position of a byte; -1 if it does not occur."""
    found = (data.find(mark, at, at + _BYTES) for at in range(start, len(data), _BYTES))
    return next((at for at in found if at >= 0), -1)


def has_any(texts: Iterable[str], wanted: Collection[str]) -> bool:
    """Return whether any text is among those wanted."""
    known = frozenset(wanted)
    return bool(known) and any(not known.isdisjoint(piece) for piece in pieces(texts))


def sorted_places(texts: Sequence[str]) -> IntArray | None:
    """Return the positions that sort distinct texts by code point.

    None if the texts are sorted already.
    """
    before = ""
    for piece in pieces(texts):
        if before > piece[0] or not all(map(le, piece, islice(piece, 1, None))):
            break
        before = piece[-1]
    else:
        return None
    if len(texts) <= _FEW:
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        coded = pa.concat_arrays([pa.array(piece, pa.large_string()) for piece in pieces(texts)])
    except UnicodeEncodeError:  # a lone surrogate: no text file has one, but a workbook may
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    places: IntArray = numbers(pc.sort_indices(coded)).view(np.int64)  # UTF-8 is in the same order
    return places


def chosen(texts: Sequence[str], places: IntArray) -> list[str]:
    """Return the texts at some positions, in that order."""
    found: list[str] = []
    for start in range(0, len(places), PIECE):
        found += map(texts.__getitem__, places[start : start + PIECE].tolist())
    return found


def numbers(values: Any) -> NDArray[Any]:
    """Return the integers of an Arrow array without missing ones, not copied.

    Its own method for this imports pandas.
    """
    found: NDArray[Any] = np.from_dlpack(values)
    return found


def listed(texts: Any) -> list[str]:
    """Return the texts of an Arrow array."""
    found: list[str] = []
    for start in range(0, len(texts), PIECE):
        found += texts.slice(start, PIECE).to_pylist()
    return found
