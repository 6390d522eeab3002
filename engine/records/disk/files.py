"""Records of files on disk: a file, list, folder or pattern of text, Parquet or JSON lines files.

The files are read once, in batches, into a private coded copy; pages, tuples and releases come from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from engine.errors import TableError
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor, PartMonitor, StretchMonitor
from engine.records import Column, DataType, Kind, Table
from engine.records.chunks import listed, numbers
from engine.records.disk.coded_copy import Cells, CodedCopy
from engine.records.formats import JSON_LINES, format_of
from engine.records.frames.parquet import FEW_CELLS, column_of_values, refuse_bomb, row_labels, text_names
from engine.records.options import ReadOptions
from engine.records.raw import RawColumn, RawTable
from engine.records.reading import Reading, as_in_memory, tabled
from engine.records.stored import ReadAgain, StoredColumn, StoredFiles
from engine.records.table_files import read_by_library
from engine.records.text.json_lines import (
    KeyCells,
    add_record,
    keys_of,
    lines_of,
    most_cells,
    refuse_empty,
    too_many_keys,
    type_of,
)
from engine.records.text.reader import (
    Layout,
    UnlikeError,
    layout_of_file,
    may_be_fast,
    plain_batches,
    text_batches,
)
from engine.words import N_, _

_JSON_BATCH = 1 << 15  # records
_SHARE_OF_KEYS = 0.1  # about the share of the time in which the keys of the first file are read


class RecordFiles:
    """Files of one format, and how they are read."""

    names: list[str]
    empty: RawTable
    filled: Sequence[int] = ()  # records that were too short, once all are read

    def batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        """Yield the columns of all files, batch by batch."""
        raise NotImplementedError

    def plain_batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        """Yield the same by the slower reader, if there are two."""
        return self.batches(monitor)

    def raw_column(self, name: str, own: Any) -> RawColumn:
        """Return the distinct values of a column as texts."""
        raise NotImplementedError

    def of_columns(self, places: Sequence[int]) -> Self:
        """Return the files with some of the columns only."""
        raise NotImplementedError

    def prepare(self, monitor: Monitor) -> None:
        """Look at all cells of the columns whose texts depend on each other."""

    def raw_block(self, name: str, block: Any) -> RawColumn:
        """Return the cells of a column in a batch as coded texts."""
        raise NotImplementedError


def refuse_other_columns(first: Path, names: Sequence[str], other: Path, found: Sequence[str]) -> None:
    """Raise `TableError` if a further file has other columns than the first one."""
    if list(found) != list(names):
        raise unlike(first, other)


def unlike(first: Path, other: Path) -> TableError:
    """Return the error for files with different columns."""
    return TableError(
        _("'{first}' and '{other}' have different columns.").format(first=first.name, other=other.name),
        hint=_("All files of a table need the same columns in the same order."),
        file=other.name,
    )


_BLOCK = 1 << 20  # records per step
_BATCH = 1 << 17  # records of a Parquet file
_PARQUET = N_("Parquet file")


@dataclass(frozen=True, eq=False)
class FileSource:
    """Records of files, as a coded copy.

    Attributes
    ----------
    raw : RawTable
        The distinct texts of each column, as if each were one record, and how the files were read.
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
            As for `engine.records.reading.tabled`.
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

        return column.placed(
            StoredColumn,
            self.copy.recoded(cells, recode, len(column.labels), monitor),  # type: ignore[arg-type]
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


def changed_while_read(name: str) -> TableError:
    """Return the error for files that another program changed."""
    return TableError(
        _("'{name}' changed while it was read.").format(name=name),
        hint=_("Read it again."),
        file=name,
    )


class TextFiles(RecordFiles):
    """Text files of one layout."""

    def __init__(self, paths: Sequence[Path], options: ReadOptions, *, guess: bool) -> None:
        self._files = [(path, layout_of_file(path, options, guess=guess)) for path in paths]
        first = self._files[0][1]
        self.empty = first.empty
        self.names = [name for _place, name in first.taken]
        for path, layout in self._files:
            refuse_other_columns(paths[0], self.names, path, [name for _place, name in layout.taken])

    def batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        return self._each(monitor, may_be_fast)

    def plain_batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        return self._each(monitor, lambda _layout: False)

    def _each(self, monitor: Monitor, is_fast: Callable[[Layout], bool]) -> Iterator[list[Any]]:
        n_records, filled = 0, list[int]()
        sizes = [path.stat().st_size for path, _layout in self._files]
        whole, done = max(sum(sizes), 1), 0
        for (path, layout), size in zip(self._files, sizes, strict=True):
            part = StretchMonitor(monitor, done / whole, (done + size) / whole)
            short, n_before = list[int](), n_records
            read = text_batches if is_fast(layout) else partial(plain_batches, short=short)
            for blocks in read(path, layout, part):
                n_records += len(blocks[0])
                yield blocks
            filled += [n_before + number for number in short]
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


class JsonFiles(RecordFiles):
    """Files of JSON lines; the records of the first one are read for their keys before all are read."""

    def __init__(self, paths: Sequence[Path], options: ReadOptions, monitor: Monitor) -> None:
        for path in paths:
            if format_of(path) is not JSON_LINES:
                raise unlike(paths[0], path)
        self._paths = paths
        self._keys = _keys_of_file(paths[0], StretchMonitor(monitor, 0, _SHARE_OF_KEYS))
        taken = options.columns_of(self._keys, paths[0].name)
        self._taken = [self._keys[place] for place, _name in taken]
        self.names = [name for _place, name in taken]
        self._kinds: list[set[type]] = [set() for _unused in taken]  # of the values of each column
        self.empty = RawTable(paths[0].name, (), taken=taken)

    def batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        most = max(1, min(_JSON_BATCH, FEW_CELLS // len(self._keys)))
        sizes = [path.stat().st_size for path in self._paths]
        whole, done = max(sum(sizes), 1), 0
        for path, size in zip(self._paths, sizes, strict=True):
            part = StretchMonitor(monitor, done / whole, (done + size) / whole)
            yield from self._batches_of(path, most, part)
            done += size

    def _batches_of(self, path: Path, most: int, monitor: Monitor) -> Iterator[list[Any]]:
        found: dict[str, KeyCells] = {}
        seen: set[str] = set()
        n_records = 0
        with read_by_library(path.name, _(JSON_LINES.name)):
            for line, text in lines_of(path, monitor):
                add_record(found, n_records, path, line, text)
                n_records += 1
                if len(found) > len(self._keys):
                    raise unlike(self._paths[0], path)
                if n_records == most:
                    seen.update(found)
                    yield self._blocks(found, n_records)
                    found, n_records = {}, 0
        seen.update(found)
        if n_records:
            yield self._blocks(found, n_records)
        if seen != set(self._keys):
            raise unlike(self._paths[0], path)

    def _blocks(self, found: dict[str, KeyCells], n_records: int) -> list[Any]:
        import pyarrow as pa

        blocks = []
        for key, kinds in zip(self._taken, self._kinds, strict=True):
            cells = found.get(key, KeyCells())
            texts, codes = cells.coded(n_records)
            kinds |= cells.kinds
            places = pa.array(codes, mask=codes < 0)
            blocks.append(pa.DictionaryArray.from_arrays(places, pa.array(texts, pa.large_string())))
        return blocks

    def raw_column(self, name: str, own: Any) -> RawColumn:
        texts = own.values().to_pylist()
        codes = np.arange(len(texts), dtype=np.int32)
        codes = np.append(codes, np.int32(-1)) if own.counts[0] else codes
        return RawColumn(name, texts, codes, type_of(self._kinds[self.names.index(name)], texts))

    def of_columns(self, places: Sequence[int]) -> Self:
        found = copy(self)
        found._taken = [self._taken[place] for place in places]
        found.names = [self.names[place] for place in places]
        found._kinds = [set() for _unused in places]
        return found

    def raw_block(self, name: str, block: Any) -> RawColumn:
        codes = numbers(block.indices.fill_null(-1)).astype(np.int32)
        return RawColumn(name, block.dictionary.to_pylist(), codes)


def _keys_of_file(path: Path, monitor: Monitor) -> list[str]:
    """Return the keys of all records of a file, in the order in which they first occur."""
    keys: dict[str, None] = {}
    n_records, limit = 0, most_cells(path)
    with read_by_library(path.name, _(JSON_LINES.name)):
        for line, text in lines_of(path, monitor):
            keys.update(dict.fromkeys(keys_of(path, line, text)))
            n_records += 1
            if n_records * len(keys) > limit:
                raise too_many_keys(path, line)
    refuse_empty(path, n_records, keys)
    return list(keys)


class ParquetFiles(RecordFiles):
    """Parquet files of one schema, and the cells that the folders of each give its records."""

    def __init__(
        self, paths: Sequence[Path], options: ReadOptions, cells: Sequence[Mapping[str, str | None]]
    ) -> None:
        from pyarrow import parquet

        self._paths, self._cells = paths, cells
        self._taken: list[list[str]] = []
        self._n_records = 0
        self._precise: dict[str, Callable[[str], str]] = {}  # of dates that are passed; shared by copies
        self.names = []
        for path, given in zip(paths, cells, strict=True):
            with read_by_library(path.name, _(_PARQUET)), parquet.ParquetFile(path, memory_map=False) as file:
                refuse_bomb(file.metadata, path.stat().st_size, f"'{path.name}'", path.name)
                schema = file.schema_arrow
                self._n_records += file.metadata.num_rows
            own = [name for name in schema.names if not row_labels(name)]
            taken = options.columns_of([*own, *given], path.name)
            names = [name for _place, name in taken]
            self._taken.append([[*own, *given][place] for place, _name in taken])
            if not self.names:
                self.empty = RawTable(path.name, (), taken=taken)
                self.names, self._texts = names, set(text_names(schema))
                self._kinds = {name: schema.field(name).type for name in own} | dict.fromkeys(given)
                self._in_files = list(self._texts)
                self._texts |= set(given)
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
        for path, taken, given in zip(self._paths, self._taken, self._cells, strict=True):
            with (
                read_by_library(path.name, _(_PARQUET)),
                parquet.ParquetFile(path, memory_map=False, read_dictionary=self._in_files) as file,
            ):
                for batch in file.iter_batches(_BATCH, columns=[n for n in taken if n not in given]):
                    monitor.step(done, self._n_records, _("Reading {file}").format(file=path.name))
                    done += batch.num_rows
                    yield [
                        _repeated(given[name], batch.num_rows)
                        if name in given
                        else _without_nan(batch.column(name))
                        for name in taken
                    ]

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
        from engine.records.frames.series import Moments, is_moment

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


def _repeated(text: str | None, n_records: int) -> Any:
    """Return the cells of a column in which all records have the same text."""
    import pyarrow as pa

    codes = pa.array(np.zeros(n_records, dtype=np.int32), mask=np.full(n_records, text is None))
    return pa.DictionaryArray.from_arrays(codes, pa.array([text or ""], pa.string()))


def _without_nan(block: Any) -> Any:
    """Return cells with none in place of a missing number."""
    import pyarrow as pa
    from pyarrow import compute

    if not pa.types.is_float32(block.type) and not pa.types.is_float64(block.type):
        return block
    is_nan = compute.is_nan(block)
    if not compute.any(is_nan).as_py():
        return block
    return compute.if_else(is_nan, pa.scalar(None, block.type), block)
