"""Reading of table files of every format into memory, completely or their beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from engine.errors import TableError
from engine.monitor import SILENT, Monitor
from engine.records import reader_process
from engine.records.disk.coded_copy import CodedCopy, most_values
from engine.records.disk.files import (
    FileSource,
    JsonFiles,
    ParquetFiles,
    RecordFiles,
    TextFiles,
    changed_while_read,
)
from engine.records.formats import JSON_LINES, PARQUET, format_of, has_types
from engine.records.opening.readers import read_plugged, reader_of
from engine.records.options import ReadOptions
from engine.records.places import LISTED, cells_of_folders, files_of
from engine.records.raw import RawTable
from engine.records.reading import Reading, tabled
from engine.records.remote import cut_values, raw_values
from engine.records.stored import Spill, StoredFiles, state_of
from engine.records.table import Table
from engine.records.table_files import PARQUET_ENDINGS, checked_path, load_beginning
from engine.records.text.json_lines import lines_of
from engine.records.text.reader import UnlikeError, parsed, read_text
from engine.words import _

_HEAD_RECORDS = 2_000  # first records of a Parquet or JSON lines file
_BYTES_PER_CELL = 2  # of temporary files, about
_PACKED = 5  # about how much larger a packed file is than its size
_HEAD = 1 << 16  # bytes from which records are estimated


def read_csv(path: Path | str, options: ReadOptions = ReadOptions(), monitor: Monitor = SILENT) -> Table:
    """Read a table from a file; see `read`."""
    return read(path, options, monitor).table


def read_table(
    path: Path | str, options: ReadOptions = ReadOptions(), monitor: Monitor = SILENT
) -> tuple[Table, ReadOptions]:
    """Read like `read_csv` and also return the options with everything detected filled in."""
    reading = read(path, options, monitor)
    return reading.table, reading.options


def read(
    path: Path | str,
    options: ReadOptions = ReadOptions(),
    monitor: Monitor = SILENT,
    *,
    guess: bool = False,
    holds_types: bool = True,
) -> Reading:
    """Read a table from a file; the file ending, in any case, determines the format.

    Texts are as in the file; numbers, dates and booleans of other formats as people read them; missing tokens
    become one missing value per column. Options left open are detected from all values.

    Parameters
    ----------
    path : Path or str
        Text (.csv, .tsv, .txt, each also packed with gzip), one of `engine.records.formats`, or a
        format of a plug-in.
    guess : bool
        Whether an encoding without proof is used and listed in `guessed`; otherwise it is refused.
    holds_types : bool
        Whether a value that does not fit the type given for its column is refused; otherwise the column has
        the detected type, and `misfits` lists the values that do not fit.

    Raises
    ------
    TableError
        The file cannot be read, is empty or not rectangular; a column name is repeated; or a value does not
        fit the type given for its column. The error has file, line and column.
    """
    path = Path(path)
    options.refuse_impossible()
    monitor.step(0, 1, _("Reading {file}").format(file=path.name))
    reading = tabled(_raw(path, options, monitor, guess=guess), options, monitor, holds_types=holds_types)
    monitor.step(1, 1, _("Read {file}").format(file=path.name))
    return replace(reading, table=replace(reading.table, is_typed=has_types(path)))


def _raw(path: Path, options: ReadOptions, monitor: Monitor, *, guess: bool) -> RawTable:
    """Return the columns of a file, by the reader for its ending."""
    if format_of(path) is None:
        if (reader := reader_of(path)) is not None:
            return read_plugged(reader, path, options, monitor)
        return read_text(path, options, monitor, guess=guess)
    needs_subprocess = reader_process.needs_subprocess(path)
    read = reader_process.read_in_subprocess if needs_subprocess else reader_process.read_here
    return read(path, options, monitor)


def read_head(path: Path | str, options: ReadOptions = ReadOptions(), n_bytes: int = 1 << 18) -> Reading:
    """Return a table of the first records, with the options detected from them.

    Types are those of these records and may not hold for the others. A given type is ignored if a value does
    not fit it, so that the table can be shown. An encoding without proof is guessed.

    Parameters
    ----------
    path : Path or str
        Workbooks, files of statistical programs, Feather files and formats of plug-ins are read completely.
    n_bytes : int
        Number of bytes read from a text file; of a Parquet or JSON lines file, some records.

    Raises
    ------
    TableError
        See `read`.
    """
    path = Path(path)
    own = format_of(path)
    if own not in (None, PARQUET, JSON_LINES) or reader_of(path) is not None:
        return read(path, options, guess=True, holds_types=False)
    options.refuse_impossible()
    if own is not None:
        raw = own.read(path, options, SILENT, _HEAD_RECORDS)
        is_all = len(raw.columns[0].codes) < _HEAD_RECORDS
        return tabled(raw, options, SILENT, holds_types=False, is_complete=is_all)
    source, is_all = load_beginning(path, n_bytes, options.encoding)
    raw = parsed(source, options, SILENT)
    return tabled(raw, options, SILENT, holds_types=False, is_complete=is_all)


def open_files(
    place: Path | str, options: ReadOptions, memory: int, monitor: Monitor, *, guess: bool = False
) -> FileSource:
    """Read files into a coded copy.

    Parameters
    ----------
    place : Path or str
        See `engine.records.places`.
    memory : int
        Bytes that may be taken.
    guess : bool
        Whether an encoding that nothing proves is guessed from the beginning of each text file; otherwise it
        is UTF-8.

    Raises
    ------
    TableError
        See `read`; also if two files have different columns, or a format is read only as a whole.
    CancelledError
        The copy is removed.
    """
    options.refuse_impossible()
    paths = files_of(place)
    for path in paths:
        checked_path(path)
        if not path.name.lower().endswith(LISTED):
            raise TableError(
                _("'{name}' can only be read completely into memory.").format(name=path.name),
                hint=_("Save the table as CSV or Parquet, or open it without a limit of memory."),
                file=path.name,
            )
    state = state_of(paths)
    if paths[0].suffix.lower() in PARQUET_ENDINGS:
        return _copied(
            ParquetFiles(paths, options, [cells_of_folders(place, path) for path in paths]),
            paths,
            state,
            options,
            memory,
            monitor,
        )
    if format_of(paths[0]) is JSON_LINES:
        return _copied(JsonFiles(paths, options, monitor), paths, state, options, memory, monitor)
    return _copied(TextFiles(paths, options, guess=guess), paths, state, options, memory, monitor)


def _copied(
    files: RecordFiles,
    paths: tuple[Path, ...],
    state: tuple[tuple[int, int], ...],
    options: ReadOptions,
    memory: int,
    monitor: Monitor,
) -> FileSource:
    batches, is_plain = files.batches, False
    while True:
        copy = CodedCopy(len(files.names), most_values(memory), Spill(options.scratch))
        try:
            copy.spill.require(_BYTES_PER_CELL * n_cells(paths, options))
            for blocks in batches(monitor):
                copy.add(blocks)
            for own in copy.columns:
                own.close()
        except UnlikeError:
            copy.close()
            batches, is_plain = files.plain_batches, True
            continue
        except BaseException:
            copy.close()
            raise
        break
    if state_of(paths) != state:
        copy.close()
        raise changed_while_read(files.empty.name)
    columns = []
    for place, name in enumerate(files.names):
        own = copy.columns[place]
        if own.is_cut:
            columns.append(raw_values(name, cut_values(own.most, int(own.counts[1]), int(own.counts[0]))))
        else:
            columns.append(files.raw_column(name, own))
    raw = replace(files.empty, columns=tuple(columns), filled=tuple(files.filled))
    return FileSource(StoredFiles(paths, state, copy.spill), raw, copy, files, is_plain)


def n_cells(paths: Sequence[Path], options: ReadOptions) -> int:
    """Estimate the cells of files from the beginning of the largest; of Parquet files they are known."""
    if paths[0].suffix.lower() in PARQUET_ENDINGS:
        return sum(_of_parquet(path) for path in paths)
    n_bytes = sum(path.stat().st_size * (_PACKED if path.suffix.lower() == ".gz" else 1) for path in paths)
    if n_bytes < _HEAD:
        return 0
    largest = max(paths, key=lambda path: path.stat().st_size)
    try:
        head = read_head(largest, replace(options, types={}), _HEAD).table
    except TableError:  # reading it says what is wrong
        return 0
    if format_of(largest) is JSON_LINES:  # whose head has some records instead of bytes
        lengths = [len(text) + 1 for _unused, text in islice(lines_of(largest, SILENT), head.n_records)]
        return n_bytes * len(lengths) * len(head.columns) // max(sum(lengths), 1)
    return n_bytes * head.n_records * len(head.columns) // min(_HEAD, max(largest.stat().st_size, 1))


def _of_parquet(path: Path) -> int:
    from pyarrow import parquet

    try:
        found = parquet.read_metadata(path)
    except (OSError, ValueError):  # reading it says what is wrong
        return 0
    return int(found.num_rows) * int(found.num_columns)
