"""Records of files on disk: one file, a list, a folder or a pattern of text, Parquet or JSON lines files.

The files are read once, in batches, into a private coded copy; pages, tuples and releases come from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor, PartMonitor, StretchMonitor
from engine.numbers import as_exact_count
from engine.sources.coded_copy import Cells, CodedCopy, most_values
from engine.sources.json_files import JsonFiles
from engine.sources.places import LISTED, files_of
from engine.sources.record_files import RecordFiles, refuse_other_columns
from engine.sources.size import n_cells
from engine.sources.text_batches import (
    UnlikeError,
    layout_of_file,
    may_be_fast,
    plain_batches,
    text_batches,
)
from engine.table import Column, DataType, Kind, Table
from engine.table.formats import JSON_LINES, format_of
from engine.table.options import ReadOptions
from engine.table.parquet import column_of_values, refuse_bomb, row_labels, text_names
from engine.table.raw import RawColumn, RawTable
from engine.table.reading import Reading, as_in_memory, tabled
from engine.table.sources import PARQUET_ENDINGS, checked_path, read_by_library
from engine.table.spill import Spill
from engine.table.stored import ReadAgain, StoredColumn, StoredFiles, state_of
from engine.table.text_chunks import listed
from engine.words import N_, _

_BLOCK = 1 << 20  # records per step
_BATCH = 1 << 17  # records of a Parquet file
_BYTES_PER_CELL = 2  # of temporary files, about
_PARQUET = N_("Parquet file")


@dataclass(frozen=True, eq=False)
class FileSource:
    """Records of files, as a coded copy.

    Attributes
    ----------
    files : StoredFiles
    raw : RawTable
        The distinct texts of each column, as if each were one record, and how the files were read.
    copy : CodedCopy
    form : RecordFiles
    is_plain : bool
        Whether only the slower reader reads them.
    """

    files: StoredFiles
    raw: RawTable
    copy: CodedCopy
    form: RecordFiles
    is_plain: bool

    def reading(self, options: ReadOptions, monitor: Monitor, *, holds_types: bool = True) -> Reading:
        """Return the table with types and missing values, its codes mapped from the copy.

        Parameters, errors
            As for `engine.table.reading.tabled`.
        """
        try:
            reading = tabled(replace(self.raw), options, monitor, holds_types=holds_types)
            n = len(reading.table.columns)
            columns = [
                self._stored(place, column, options, PartMonitor(monitor, place, n))
                for place, column in enumerate(reading.table.columns)
            ]
        except BaseException:
            self.copy.close()
            raise
        return replace(reading, table=Table(tuple(columns)))

    def _stored(self, place: int, column: Column, options: ReadOptions, monitor: Monitor) -> StoredColumn:
        """Return a column with the codes of all records, given that with one row per value."""
        own, cells = self.copy.columns[place], self.copy.cells(place)
        codes, has_empty = column.codes, bool(own.counts[0])
        # 0 in the copy is a cell without a value, which is the last of the values here
        recode = np.concatenate((codes[-1:], codes[:-1]) if has_empty else ([0], codes)).astype(np.int32)
        counts = np.zeros(len(column.labels), dtype=np.int64)
        np.add.at(counts, recode, own.counts)

        def recoded(new: Codes, n_labels: int) -> Cells:
            return self.copy.recoded(cells, new[recode], n_labels, SILENT)

        return StoredColumn(
            column.name,
            column.data_type,
            column.labels,
            self.copy.recoded(cells, recode, len(column.labels), monitor),  # type: ignore[arg-type]
            column.has_missing,
            column.numbers,
            label_counts=counts,
            recode=recoded,
            files=replace(self.files, again=self._again(options)),
            place=place,
            is_cut=own.is_cut,
        )

    def _again(self, options: ReadOptions) -> ReadAgain:
        """Return what reads columns from the files again."""
        form, is_plain, files = self.form, self.is_plain, self.files

        def columns(places: Sequence[int], names: Sequence[str], monitor: Monitor) -> Iterator[list[Column]]:
            if files.has_changed:
                raise changed_while_read(form.empty.name)
            only = form.of_columns(places)
            only.prepare(monitor)
            try:
                for blocks in only.plain_batches(monitor) if is_plain else only.batches(monitor):
                    raw = [only.raw_block(*own) for own in zip(names, blocks, strict=True)]
                    yield [as_in_memory(column, form.empty.name, options) for column in raw]
            except UnlikeError:
                raise changed_while_read(form.empty.name) from None

        return columns


def open_files(
    place: Path | str, options: ReadOptions, memory: int, monitor: Monitor, *, guess: bool = False
) -> FileSource:
    """Read files into a coded copy.

    Parameters
    ----------
    place : Path or str
        See `engine.sources.places`.
    options : ReadOptions
    memory : int
        Bytes that may be taken.
    monitor : Monitor
    guess : bool
        Whether an encoding that nothing proves is guessed from the beginning of each text file; otherwise it
        is UTF-8.

    Raises
    ------
    TableError
        See `engine.table.reading.read`; also if two files have different columns, or a format is read only as
        a whole.
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
        return _read(_ParquetFiles(paths, options), paths, state, options, memory, monitor)
    if format_of(paths[0]) is JSON_LINES:
        return _read(JsonFiles(paths, options, monitor), paths, state, options, memory, monitor)
    return _read(_TextFiles(paths, options, guess=guess), paths, state, options, memory, monitor)


def _read(
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
        columns.append(_cut_column(name, own) if own.is_cut else files.raw_column(name, own))
    raw = replace(files.empty, columns=tuple(columns), filled=tuple(files.filled))
    return FileSource(StoredFiles(paths, state, copy.spill), raw, copy, files, is_plain)


def changed_while_read(name: str) -> TableError:
    """Return the error for files that another program changed."""
    return TableError(
        _("'{name}' changed while it was read.").format(name=name),
        hint=_("Read it again."),
        file=name,
    )


def _cut_column(name: str, own: Any) -> RawColumn:
    text = _("more than {n} different values").format(n=as_exact_count(own.most))
    codes = [0, *([-1] if own.counts[0] else [])]
    return RawColumn(name, [text], np.array(codes, dtype=np.int32), DataType())


class _TextFiles(RecordFiles):
    def __init__(self, paths: Sequence[Path], options: ReadOptions, *, guess: bool) -> None:
        self._files = [(path, layout_of_file(path, options, guess=guess)) for path in paths]
        first = self._files[0][1]
        self.empty = first.empty
        self.names = [name for _place, name in first.taken]
        for path, layout in self._files:
            refuse_other_columns(paths[0], self.names, path, [name for _place, name in layout.taken])

    def batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        return self._each(monitor, text_batches)

    def plain_batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        return self._each(monitor, plain_batches)

    def _each(self, monitor: Monitor, read: Any) -> Iterator[list[Any]]:
        n_read = 0
        filled: list[int] = []

        def fill(n_records: int, short: Sequence[int]) -> None:
            nonlocal n_read
            filled.extend(n_read + place for place in short)
            n_read += n_records

        sizes = [path.stat().st_size for path, _layout in self._files]
        whole, done = max(sum(sizes), 1), 0
        for (path, layout), size in zip(self._files, sizes, strict=True):
            part = StretchMonitor(monitor, done / whole, (done + size) / whole)
            if layout.text.fill:
                yield from plain_batches(path, layout, part, fill)
            else:
                yield from (read if may_be_fast(layout) else plain_batches)(path, layout, part)
            done += size
        self.filled = filled

    def raw_column(self, name: str, own: Any) -> RawColumn:
        import pyarrow as pa

        values = own.values().cast(pa.large_string()).combine_chunks()
        texts = listed(values)
        codes = np.arange(len(values), dtype=np.int32)
        return RawColumn(name, texts, np.append(codes, np.int32(-1)) if own.counts[0] else codes)

    def of_columns(self, places: Sequence[int]) -> Self:
        found = copy(self)
        found._files = [
            (path, replace(layout, taken=layout.taken.some(places))) for path, layout in self._files
        ]
        return found

    def raw_block(self, name: str, block: Any) -> RawColumn:
        import pyarrow as pa

        return column_of_values(name, pa.chunked_array([block]), is_text=True)


class _ParquetFiles(RecordFiles):
    def __init__(self, paths: Sequence[Path], options: ReadOptions) -> None:
        from pyarrow import parquet

        self._paths = paths
        self._taken: list[list[str]] = []
        self._n_records = 0
        self._precise: dict[str, Callable[[str], str]] = {}  # of dates that are passed; shared by copies
        self.names = []
        for path in paths:
            with read_by_library(path.name, _(_PARQUET)), parquet.ParquetFile(path, memory_map=False) as file:
                refuse_bomb(file.metadata, path.stat().st_size, f"'{path.name}'", path.name)
                schema = file.schema_arrow
                self._n_records += file.metadata.num_rows
            own = [name for name in schema.names if not row_labels(name)]
            taken = options.columns_of(own, path.name)
            names = [name for _place, name in taken]
            self._taken.append([own[place] for place, _name in taken])
            if not self.names:
                self.empty = RawTable(path.name, (), taken=taken)
                self.names, self._texts = names, set(text_names(schema))
                self._kinds = {name: schema.field(name).type for name in own}
            refuse_other_columns(paths[0], self.names, path, names)
            for name in own:
                if schema.field(name).type != self._kinds.get(name):
                    raise TableError(
                        _("Column '{column}' has another type in '{other}' than in '{file}'.").format(
                            column=name, file=paths[0].name, other=path.name
                        ),
                        hint=_("Save the files with the same types."),
                        file=path.name,
                        column=name,
                    )

    def batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        from pyarrow import parquet

        done = 0
        for path, taken in zip(self._paths, self._taken, strict=True):
            with (
                read_by_library(path.name, _(_PARQUET)),
                parquet.ParquetFile(path, memory_map=False, read_dictionary=list(self._texts)) as file,
            ):
                for batch in file.iter_batches(_BATCH, columns=taken):
                    monitor.step(done, self._n_records, _("Reading {file}").format(file=path.name))
                    done += batch.num_rows
                    yield [_without_nan(batch.column(name)) for name in taken]

    def plain_batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        return self.batches(monitor)

    def raw_column(self, name: str, own: Any) -> RawColumn:
        import pyarrow as pa

        original = self._taken[0][self.names.index(name)]
        values = own.values()
        if len(values) and pa.types.is_integer(values.type):
            texts = listed(values.cast(pa.large_string()).combine_chunks())
            codes = np.arange(len(texts), dtype=np.int32)
            codes = np.append(codes, np.int32(-1)) if own.counts[0] else codes
            return RawColumn(name, texts, codes, DataType(Kind.INTEGER))
        if own.counts[0]:
            values = pa.chunked_array([*values.chunks, pa.nulls(1, values.type)])
        return column_of_values(name, values, original in self._texts)

    def of_columns(self, places: Sequence[int]) -> Self:
        found = copy(self)
        found._taken = [[taken[place] for place in places] for taken in self._taken]
        found.names = [self.names[place] for place in places]
        return found

    def prepare(self, monitor: Monitor) -> None:
        """Find out how precise dates are, which all are written alike."""
        from engine.sources.moments import Moments, is_moment

        wanted = {
            place: Moments(self.names[place])
            for place, original in enumerate(self._taken[0])
            if original not in self._precise and is_moment(self._kinds[original])
        }
        for blocks in self.batches(monitor) if wanted else ():
            for place, moments in wanted.items():
                moments.add(blocks[place])
        for place, moments in wanted.items():
            self._precise[self._taken[0][place]] = moments.precise()

    def raw_block(self, name: str, block: Any) -> RawColumn:
        import pyarrow as pa

        original = self._taken[0][self.names.index(name)]
        if original in self._texts or pa.types.is_integer(block.type):
            texts = block if original in self._texts else block.cast(pa.string())
            return column_of_values(name, pa.chunked_array([texts]), is_text=True)
        raw = column_of_values(name, pa.chunked_array([block]), is_text=False)
        precise = self._precise.get(original)
        return raw if precise is None else replace(raw, texts=[precise(text) for text in raw.texts])


def _without_nan(block: Any) -> Any:
    """Return cells with none where a number is missing."""
    import pyarrow as pa
    from pyarrow import compute

    if not pa.types.is_float32(block.type) and not pa.types.is_float64(block.type):
        return block
    is_nan = compute.is_nan(block)
    if not compute.any(is_nan).as_py():
        return block
    return compute.if_else(is_nan, pa.scalar(None, block.type), block)
