"""Columns of a table whose records stay in files: codes are mapped into memory, page by page."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.errors import TableError
from engine.files import open_regular
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.monitor import Monitor, PartMonitor
from engine.table.spill import Spill
from engine.table.table import Column
from engine.words import _

MOST_READ = 1_000_000  # records of a table in files that an analysis of single records reads into memory
# Takes places in the files, names and a monitor.
ReadAgain = Callable[[Sequence[int], Sequence[str], Monitor], Iterator[list[Column]]]
# Takes a new code for each label and their number; returns mapped codes of all records.
Recode = Callable[[Codes, int], NDArray[np.integer[Any]]]
_BLOCK = 1 << 22  # bytes per step


def state_of(paths: Sequence[Path]) -> tuple[tuple[int, int], ...]:
    """Return size and time of every file."""
    return tuple((found.st_size, found.st_mtime_ns) for found in (path.stat() for path in paths))


def sha256_of(path: Path, monitor: Monitor) -> str:
    """Return the SHA-256 of a file.

    Raises
    ------
    OSError
        It cannot be read.
    CancelledError
    """
    found, n_bytes, done = hashlib.sha256(), path.stat().st_size, 0
    with open_regular(path) as file:
        while block := file.read(_BLOCK):
            monitor.step(done, max(n_bytes, done), _("Checking {file}").format(file=path.name))
            found.update(block)
            done += len(block)
    return found.hexdigest()


@dataclass(frozen=True)
class StoredFiles:
    """The files of a table that stays in them.

    Attributes
    ----------
    paths : tuple of Path
        In the order of the records.
    state : tuple of (int, int)
        Size and time of every file when it was read.
    spill : Spill
        Where the copy of the records is, and other temporary files of theirs may be.
    again : callable, optional
        Takes places of columns in the files, their names and a monitor, and yields these columns block by
        block, as they would be in memory but for order and type.
    known : list of tuple of str
        The SHA-256 of every file, once it was computed; shared by copies of this object.
    """

    paths: tuple[Path, ...]
    state: tuple[tuple[int, int], ...]
    spill: Spill = field(compare=False, repr=False)
    again: ReadAgain | None = field(default=None, compare=False, repr=False)
    known: list[tuple[str, ...]] = field(default_factory=list, compare=False, repr=False)

    def read_again(self, columns: Sequence[StoredColumn], monitor: Monitor) -> Iterator[list[Column]]:
        """Yield columns with more values than are listed, block by block, from their place in the files.

        Raises
        ------
        TableError
            A file has changed.
        """
        assert self.again is not None, "files that were read are read again"
        places = [column.place for column in columns if column.place is not None]
        assert len(places) == len(columns), "refused before"
        return self.again(places, [column.name for column in columns], monitor)

    @property
    def has_changed(self) -> bool:
        """Return whether a file is missing, or has another size or time than when it was read."""
        try:
            return state_of(self.paths) != self.state
        except OSError:
            return True

    def digests(self, monitor: Monitor) -> tuple[str, ...] | None:
        """Return the SHA-256 of every file as it was read, computed once; None if one has changed since.

        Raises
        ------
        CancelledError
        """
        if not self.known:
            try:
                parts = [PartMonitor(monitor, i, len(self.paths)) for i in range(len(self.paths))]
                found = tuple(map(sha256_of, self.paths, parts))
            except OSError:
                return None
            if not self.has_changed:
                self.known.append(found)
        return self.known[0] if self.known else None

    def know(self, state: tuple[tuple[int, int], ...], digests: tuple[str, ...]) -> None:
        """Note the SHA-256 that the files had in a state, so that they need not be computed again."""
        if state == self.state and not self.known:
            self.known.append(digests)


@dataclass(frozen=True, eq=False, kw_only=True)
class ListedColumn(Column):
    """A column of a table that is too large for memory: its labels are here, its records elsewhere.

    Attributes
    ----------
    label_counts : ndarray of int64, shape (n_labels,)
    is_cut : bool
        Whether the column has more different values than are listed. Its labels are then a text that says so
        and, perhaps, the missing one.
    """

    label_counts: Counts
    is_cut: bool = False

    @cached_property
    def counts(self) -> Counts:
        """Records per label, shape (n_labels,)."""
        return self.label_counts

    @property
    def is_stored(self) -> bool:
        """Return that the codes are not in memory."""
        return True

    def of_labels(self) -> Column:
        """Return a column in memory with one row per label, for what depends on the value alone."""
        n = len(self.labels)
        codes = np.arange(n, dtype=np.int32)
        return Column(self.name, self.data_type, self.labels, codes, self.has_missing, self.numbers)

    def like(self, column: Column) -> ListedColumn:
        """Return the column that a change made of `of_labels`, its records where they are."""
        raise NotImplementedError

    def counts_like(self, column: Column) -> Counts:
        """Return the records per label of what a change made of `of_labels`."""
        counts = np.zeros(len(column.labels), dtype=np.int64)
        np.add.at(counts, column.codes, self.label_counts)
        return counts


@dataclass(frozen=True, eq=False, kw_only=True)
class StoredColumn(ListedColumn):
    """A column of a table that stays in files.

    `codes` are integers of one, two or four bytes, mapped from a private file.

    Attributes
    ----------
    recode : callable
        Maps the records by other codes.
    files : StoredFiles
        Where the records are.
    place : int or None
        Number of the column in the files, if its texts can be read from there record by record.
    """

    recode: Recode
    files: StoredFiles
    place: int | None = None

    def like(self, column: Column) -> StoredColumn:
        """Return the column that a change made of `of_labels`, its codes mapped from another file."""
        return StoredColumn(
            column.name,
            column.data_type,
            column.labels,
            self.recode(column.codes, len(column.labels)),  # type: ignore[arg-type]  # smaller integers
            column.has_missing,
            column.numbers,
            label_counts=self.counts_like(column),
            recode=lambda new, n_labels: self.recode(new[column.codes], n_labels),
            files=self.files,
            place=self.place,
            is_cut=self.is_cut,
        )

    def take(self, records: IntArray | BoolArray) -> Column:
        """Return the column of some records, in memory; labels no longer used are dropped."""
        codes = self.codes[records].astype(np.int32)
        return Column(self.name, self.data_type, self.labels, codes, self.has_missing, self.numbers).take(
            np.ones(len(codes), dtype=np.bool_)
        )


def let_go(columns: Iterable[Column]) -> None:
    """Take what was read of columns in files out of memory."""
    for spill in {column.files.spill for column in columns if isinstance(column, StoredColumn)}:
        spill.let_go()


def is_cut(column: Column) -> bool:
    """Return whether a column has more different values than are listed."""
    return isinstance(column, ListedColumn) and column.is_cut


def refuse_cut(column: Column, *, is_quasi_identifying: bool = False) -> None:
    """Refuse a column with more different values than are listed, where its values are needed.

    Raises
    ------
    TableError
    """
    if isinstance(column, ListedColumn) and column.is_cut:
        if is_quasi_identifying:
            raise TableError(
                _("'{name}' has {values}, too many for a quasi-identifier.").format(
                    name=column.name, values=column.labels[0]
                ),
                hint=_("Give it another role, or mask it in a query."),
                column=column.name,
            )
        raise TableError(
            _("'{name}' has {values}, too many for a table that is not in memory.").format(
                name=column.name, values=column.labels[0]
            ),
            hint=_("Drop the column or replace it with *, or allow more memory."),
            column=column.name,
        )
