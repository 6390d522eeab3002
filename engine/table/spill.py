"""Private temporary files for records that do not fit into memory."""

from __future__ import annotations

import mmap
import shutil
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from engine.errors import TableError
from engine.numbers import as_exact_count
from engine.scratch import scratch_folder
from engine.words import _


class Spill:
    """A folder of temporary files that only the user may read.

    It is removed with the last array that is mapped from it, at the end of the program, or after a crash by
    the next start.

    Attributes
    ----------
    folder : Path
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
        """Take what was read of mapped files out of the memory of the process; it can be read again."""
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
