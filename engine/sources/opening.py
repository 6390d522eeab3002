"""Opening of a table wherever its records will be: in memory, or in their files if they would not fit."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from engine.errors import TableError
from engine.monitor import SILENT, Monitor, StretchMonitor
from engine.sources.files import LISTED, files_of, is_several, open_files
from engine.sources.size import n_cells
from engine.table.options import DISK, MEMORY, ReadOptions, bytes_of
from engine.table.reading import Reading, read, read_head
from engine.table.sources import exists
from engine.words import _

_BYTES_PER_CELL = 16  # the code of a cell, and three times as much while it is read
_USUAL = 4 << 30  # bytes of memory where the system does not say how many it has
_READ = 0.8  # about the share of the time in which files are read; then their columns are ordered


def open_table(
    place: Path | str,
    options: ReadOptions = ReadOptions(),
    monitor: Monitor = SILENT,
    *,
    guess: bool = False,
    holds_types: bool = True,
) -> Reading:
    """Read a table; its records stay in their files if the options say so, or if they would not fit.

    Parameters
    ----------
    place : Path or str
        A file, a folder of files, or a pattern such as people/*.parquet.
    options : ReadOptions
    monitor : Monitor
    guess, holds_types : bool
        See `engine.table.reading.read`. The encoding of a table that stays in its files is guessed from their
        beginnings.

    Returns
    -------
    Reading
        `Table.is_stored` tells where the records are. Labels, types and counts are the same in both.

    Raises
    ------
    TableError
        See `engine.table.reading.read` and `engine.sources.files.open_files`.
    """
    options.refuse_impossible()
    if not stays_in_files(place, options):
        return read(place, options, monitor, guess=guess, holds_types=holds_types)
    source = open_files(place, options, memory_of(options), StretchMonitor(monitor, 0, _READ), guess=guess)
    return source.reading(options, StretchMonitor(monitor, _READ, 1), holds_types=holds_types)


def open_beginning(place: Path | str, options: ReadOptions, n_bytes: int) -> Reading:
    """Return a table of the first records, of the first file if there are several.

    Parameters, errors
        As for `engine.table.reading.read_head`.
    """
    first = files_of(place)[0]
    reading = read_head(first, options, n_bytes)
    return replace(reading, is_complete=False) if is_several(place) else reading


def stays_in_files(place: Path | str, options: ReadOptions) -> bool:
    """Return whether `open_table` would leave the records in their files."""
    if options.source == MEMORY:
        if is_several(place):
            raise TableError(
                _("'{path}' has several files, which are not read into memory as one table.").format(
                    path=Path(place).name
                ),
                hint=_('Choose a single file, or source = "disk".'),
            )
        return False
    if options.source == DISK or is_several(place):
        return True
    path = Path(place)
    if not exists(path) or not path.name.lower().endswith(LISTED):
        return False
    return n_cells((path,), options) * _BYTES_PER_CELL > memory_of(options)


def memory_of(options: ReadOptions) -> int:
    """Return the bytes that a table may take: those of the options, or a quarter of the machine's."""
    if options.memory:
        return bytes_of(options.memory)
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    except (AttributeError, OSError, ValueError):
        return _USUAL
