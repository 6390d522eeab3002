"""Columns of a table whose records stay in files: codes are mapped into memory, page by page."""

from __future__ import annotations

import hashlib
import mmap
import shutil
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.errors import TableError
from engine.files import open_regular
from engine.kernels.arrays import BoolArray, Codes, Counts, IntArray
from engine.monitor import Monitor, PartMonitor
from engine.numbers import as_exact_count
from engine.records.table import Column, Home
from engine.scratch import scratch_folder
from engine.words import _

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
    """
    found, n_bytes, done = hashlib.sha256(), path.stat().st_size, 0
    with open_regular(path) as file:
        while block := file.read(_BLOCK):
            monitor.step(done, max(n_bytes, done), _("Checking {file}").format(file=path.name))
            found.update(block)
            done += len(block)
    return found.hexdigest()


class Spill:
    """A folder of temporary files that only the user may read.

    It is removed with the last array that is mapped from it, at the end of the program, or after a crash by
    the next start.

    Attributes
    ----------
    n_bytes : int
        Written so far, files that were removed again included.

    Parameters
    ----------
    place : str
        Folder to put it into; empty for the usual one.

    Raises
    ------
    TableError
        Temporary files cannot be created there.
    """

    def __init__(self, place: str = "") -> None:
        self._stack = ExitStack()
        try:
            self.folder = self._stack.enter_context(scratch_folder("records", place))
        except OSError as error:
            raise TableError(
                _("Temporary files cannot be written: {strerror}.").format(strerror=error.strerror or error),
                hint=_("Name another folder with --scratch, or in ANONYMIZER_SCRATCH_DIR."),
            ) from error
        self._finalizer = weakref.finalize(self, self._stack.close)
        self._maps: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
        self._n_named = 0
        self.n_bytes = 0

    def close(self) -> None:
        """Remove the folder at once."""
        self._finalizer()

    def path(self) -> Path:
        """Return the path of another file."""
        self._n_named += 1
        return self.folder / str(self._n_named)

    def require(self, n_bytes: int) -> None:
        """Refuse to begin what needs more space than there is.

        Raises
        ------
        TableError
        """
        if shutil.disk_usage(self.folder).free < n_bytes:
            raise self._no_room(n_bytes)

    def write(self, file: BinaryIO, data: bytes) -> None:
        """Write bytes into one of the files.

        Raises
        ------
        TableError
            The disk is full.
        """
        with self.writing():
            file.write(data)
        self.n_bytes += len(data)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Say in words for people that a file of the folder cannot be written.

        Raises
        ------
        TableError
        """
        try:
            yield
        except OSError as error:
            raise self._no_room() from error

    def mapped(self, path: Path, kind: Any, n: int) -> NDArray[Any]:
        """Return the numbers in a file, mapped into memory, not read."""
        found: NDArray[Any] = np.memmap(path, dtype=kind, mode="r", shape=(n,))
        # The folder is kept as long as an array that is mapped from it.
        weakref.finalize(found, _unused, self)
        mapped: Any = found.base
        self._maps.add(mapped)
        return found

    def let_go(self) -> None:
        """Remove the read parts of mapped files from the memory of the process; they can be read again."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for mapped in list(self._maps):
                mapped.madvise(mmap.MADV_DONTNEED)

    def _no_room(self, n_bytes: int = 0) -> TableError:
        free = as_exact_count(shutil.disk_usage(self.folder).free // 1_000_000)
        problem = _("Temporary files cannot be written: the disk is full or cannot be used.")
        if n_bytes:
            problem = _("Temporary files need about {needed} MB, and {free} MB are free.").format(
                needed=as_exact_count(n_bytes // 1_000_000 + 1), free=free
            )
        return TableError(
            problem,
            hint=_(
                "{free} MB are free in their folder. Free some space, or name another folder with --scratch, "
                "or in the environment variable ANONYMIZER_SCRATCH_DIR."
            ).format(free=free),
        )


def _unused(spill: Spill) -> None:
    """Let go of a folder."""


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

    kind = "disk"  # name in `ReadOptions.source`

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
    def place(self) -> str:
        """Place of the records, in a few words for headings."""
        return _("in files")

    @property
    def spilled_bytes(self) -> int:
        """Bytes that were written to temporary files so far."""
        return self.spill.n_bytes

    @property
    def has_changed(self) -> bool:
        """Return whether a file is missing, or has another size or time than when it was read."""
        try:
            return state_of(self.paths) != self.state
        except OSError:
            return True

    def digests(self, monitor: Monitor) -> tuple[str, ...] | None:
        """Return the SHA-256 of every file when it was read, computed once; None if one has changed since."""
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
    def listed_labels(self) -> tuple[str, ...] | None:
        """The labels; None if the column has more different values than are listed."""
        return None if self.is_cut else self.labels

    def of_labels(self) -> Column:
        """Return a column in memory with one row per label, for what depends on the value alone."""
        return self.with_codes(np.arange(len(self.labels), dtype=np.int32))

    def like(self, column: Column) -> ListedColumn:
        """Return the column that a change made of `of_labels`, its records in place."""
        raise NotImplementedError

    def counts_like(self, column: Column) -> Counts:
        """Return the records per label of a column that a change made of `of_labels`."""
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

    @property
    def home(self) -> Home:
        """The files."""
        return self.files

    def like(self, column: Column) -> StoredColumn:
        """Return the column that a change made of `of_labels`, its codes mapped from another file."""
        return column.placed(
            StoredColumn,
            self.recode(column.codes, len(column.labels)),  # type: ignore[arg-type]  # smaller integers
            label_counts=self.counts_like(column),
            recode=lambda new, n_labels: self.recode(new[column.codes], n_labels),
            files=self.files,
            place=self.place,
            is_cut=self.is_cut,
        )

    def take(self, records: IntArray | BoolArray) -> Column:
        """Return the column of some records, in memory; labels no longer used are dropped."""
        codes = self.codes[records].astype(np.int32)
        return self.with_codes(codes).take(np.ones(len(codes), dtype=np.bool_))


def let_go(columns: Iterable[Column]) -> None:
    """Remove the read parts of columns in files from memory."""
    for spill in {column.files.spill for column in columns if isinstance(column, StoredColumn)}:
        spill.let_go()


def refuse_cut(column: Column, *, is_quasi_identifying: bool = False) -> None:
    """Refuse a column with more different values than are listed, where its values are needed.

    Raises
    ------
    TableError
    """
    if column.listed_labels is None:
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
