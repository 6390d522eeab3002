"""Orders drawn at random that come out the same for the same table and seed, and for no other table.

The seed alone would not do: it is in the recipe, and anyone who knows it could undo the order. So the
table itself takes part, which only those have who may know the answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from engine.kernels.arrays import IntArray
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.records import Column, Table
from engine.records.disk.dealing import first_occurrences, passed_texts, places_of
from engine.records.disk.fetched import records_here
from engine.records.stored import StoredColumn
from engine.words import _

_GAMMA = 0x9E3779B97F4A7C15
_BLOCK = 1 << 20  # records per step
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

    Each draws by a number of its own: from the same one, the pseudonyms of one column would reveal the
    order of another, or of the records.
    """
    return _start_for(start, f"column {name}")


def _start_for(start: int, use: str) -> int:
    digest = hashlib.sha256(start.to_bytes(8, "little") + use.encode("utf-8", "surrogatepass"))
    return int.from_bytes(digest.digest()[:8], "little")


def _digested(table: Table, seed: int, monitor: Monitor) -> int:
    digest = hashlib.sha256(f"{seed} {table.n_records}".encode())
    for done, column in enumerate(table.columns):
        part = PartMonitor(monitor, done, len(table.columns))
        if isinstance(column, StoredColumn) and column.listed_labels is None:
            _digest_passed(column, digest, part)
        else:
            _digest_coded(column, digest, part)
    return int.from_bytes(digest.digest()[:8], "little")


def _digest_coded(column: Column, digest: Any, monitor: Monitor) -> None:
    n_labels, n_records = len(column.labels), column.n_rows
    places = np.full(n_labels, -1, dtype="<i8")
    n_placed = 0
    texts = [column.name]
    for start in range(0, n_records, _BLOCK):
        if n_placed == n_labels:
            break
        monitor.step(start, 2 * n_records, _("Sampling at random"))
        codes = column.codes[start : start + _BLOCK]
        first = np.full(n_labels, len(codes), dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the first one is written last
        new = np.flatnonzero((first < len(codes)) & (places < 0))
        new = new[np.argsort(first[new])]
        places[new] = np.arange(n_placed, n_placed + len(new))
        n_placed += len(new)
        texts += map(column.labels.__getitem__, new.tolist())
    _digest_texts(texts, digest)
    for start in range(0, n_records, _BLOCK):
        monitor.step(n_records + start, 2 * n_records, _("Sampling at random"))
        digest.update(places[column.codes[start : start + _BLOCK]].tobytes())


def _digest_texts(texts: Sequence[str], digest: Any) -> None:
    encoded = (text.encode("utf-8", "surrogatepass") for text in texts)
    digest.update(b"".join(b"%d %b" % (len(data), data) for data in encoded))


def _digest_passed(column: StoredColumn, digest: Any, monitor: Monitor) -> None:
    """Digest a column with more values than are listed, whose texts are read from its files twice."""
    first = first_occurrences(column, PartMonitor(monitor, 0, 3))
    _digest_texts([column.name], digest)
    start = 0
    for texts in passed_texts(column, PartMonitor(monitor, 1, 3)):
        here = np.arange(start, start + len(texts))
        is_first = first[start : start + len(texts)] == here
        _digest_texts([texts[place] for place in np.flatnonzero(is_first).tolist()], digest)
        start += len(texts)
    for places in places_of(column, first, PartMonitor(monitor, 2, 3)):
        digest.update(places.astype("<i8", copy=False).tobytes())


def drawn_order(count: int, start: int) -> IntArray:
    """The places 0 to `count` - 1 by the numbers that SplitMix64 [1]_ draws for them.

    References
    ----------
    .. [1] Steele, Lea, Flood (2014). Fast Splittable Pseudorandom Number Generators. OOPSLA.
    """
    order: IntArray = np.argsort(drawn_numbers(0, count, start), kind="stable").astype(np.int64)
    return order


def drawn_numbers(first: int, stop: int, start: int) -> Words:
    """The numbers that SplitMix64 draws for the places from `first` to before `stop`."""
    with np.errstate(over="ignore"):
        places = np.arange(first + 1, stop + 1, dtype=np.uint64)
        return mixed(np.uint64(start) + places * np.uint64(_GAMMA))


def mixed(words: Words) -> Words:
    """Numbers of which each bit depends on all bits of the given ones; different for different ones."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: Words = words ^ (words >> np.uint64(31))
    return found
