"""Orders drawn at random that come out the same for the same table and seed, and for no other table.

The seed alone would not do: it is in the recipe, and anyone who knows it could undo the order. So the
table itself takes part, which nobody has but who may know the answer.
"""

from __future__ import annotations

import hashlib
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import IntArray
from engine.monitor import SILENT, Monitor
from engine.sources.fetched import records_here
from engine.table import Table
from engine.words import _

_GAMMA = 0x9E3779B97F4A7C15
Words = NDArray[np.uint64]
_STARTS: WeakKeyDictionary[Table, dict[int, int]] = WeakKeyDictionary()  # a second for a million records


def start_of(table: Table, seed: int, monitor: Monitor = SILENT) -> int:
    """The number that drawing begins with: the first 8 bytes of a digest of the seed and of all cells.

    Digested by SHA-256 are the seed, the number of records, and per column its name, its texts in the
    order in which they first occur, and for each record the place of its text among those.

    Parameters
    ----------
    table : Table
        Of the records that are released, in their order.
    seed : int
    monitor : Monitor
        May stop between columns.
    """
    known = _STARTS.setdefault(table, {})
    if seed not in known:
        known[seed] = _digested(records_here(table, monitor), seed, monitor)
    return known[seed]


def start_for_rows(start: int) -> int:
    """The number that drawing the order of the records begins with."""
    return _start_for(start, "rows")


def start_for_column(start: int, name: str) -> int:
    """The number that drawing begins with in a column.

    Each draws by a number of its own: from the same one, the pseudonyms of one column would tell the
    order of another, or of the records.
    """
    return _start_for(start, f"column {name}")


def _start_for(start: int, use: str) -> int:
    digest = hashlib.sha256(start.to_bytes(8, "little") + use.encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest()[:8], "little")


def _digested(table: Table, seed: int, monitor: Monitor) -> int:
    digest = hashlib.sha256(f"{seed} {table.n_records}".encode())
    for column in table.columns:
        monitor.step(0, len(table.columns), _("Sampling at random"))
        first = np.full(len(column.labels), table.n_records, dtype=np.int64)
        first[column.codes[::-1]] = np.arange(table.n_records - 1, -1, -1)  # the first one is written last
        by_occurrence = np.argsort(first, kind="stable")[: int((first < table.n_records).sum())]
        texts = [column.name, *map(column.labels.__getitem__, by_occurrence.tolist())]
        encoded = (text.encode("utf-8", "surrogatepass") for text in texts)
        digest.update(b"".join(b"%d %b" % (len(data), data) for data in encoded))
        places = np.zeros(len(column.labels), dtype="<i8")
        places[by_occurrence] = np.arange(len(by_occurrence))
        digest.update(places[column.codes].tobytes())
    return int.from_bytes(digest.digest()[:8], "little")


def drawn_order(count: int, start: int) -> IntArray:
    """The places 0 to `count` - 1 by the numbers that SplitMix64 [1]_ draws for them.

    References
    ----------
    .. [1] Steele, Lea, Flood (2014). Fast Splittable Pseudorandom Number Generators. OOPSLA.
    """
    with np.errstate(over="ignore"):
        numbers = _mixed(np.uint64(start) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_GAMMA))
    order: IntArray = np.argsort(numbers, kind="stable").astype(np.int64)
    return order


def _mixed(words: Words) -> Words:
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Words = words ^ (words >> np.uint64(31))
    return mixed
