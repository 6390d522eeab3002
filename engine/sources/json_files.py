"""Files of JSON lines that are one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Self

import numpy as np

from engine.monitor import Monitor, StretchMonitor
from engine.sources.record_files import RecordFiles, unlike
from engine.table.formats import JSON_LINES, format_of
from engine.table.json_lines import (
    Cells,
    add_record,
    keys_of,
    lines_of,
    most_cells,
    refuse_empty,
    too_many_keys,
    type_of,
)
from engine.table.options import ReadOptions
from engine.table.parquet import FEW_CELLS
from engine.table.raw import RawColumn, RawTable
from engine.table.sources import read_by_library
from engine.table.text_chunks import numbers
from engine.words import _

_BATCH = 1 << 15  # records
_KEYS = 0.1  # about the share of the time in which the keys of the first file are read


class JsonFiles(RecordFiles):
    """Files of JSON lines; the records of the first one are read for their keys before all are read."""

    def __init__(self, paths: Sequence[Path], options: ReadOptions, monitor: Monitor) -> None:
        for path in paths:
            if format_of(path) is not JSON_LINES:
                raise unlike(paths[0], path)
        self._paths = paths
        self._keys = _keys_of_file(paths[0], StretchMonitor(monitor, 0, _KEYS))
        taken = options.columns_of(self._keys, paths[0].name)
        self._taken = [self._keys[place] for place, _name in taken]
        self.names = [name for _place, name in taken]
        self._kinds: list[set[type]] = [set() for _unused in taken]  # of the values of each column
        self.empty = RawTable(paths[0].name, (), taken=taken)

    def batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        most = max(1, min(_BATCH, FEW_CELLS // len(self._keys)))
        sizes = [path.stat().st_size for path in self._paths]
        whole, done = max(sum(sizes), 1), 0
        for path, size in zip(self._paths, sizes, strict=True):
            part = StretchMonitor(monitor, done / whole, (done + size) / whole)
            yield from self._batches_of(path, most, part)
            done += size

    def plain_batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        return self.batches(monitor)

    def _batches_of(self, path: Path, most: int, monitor: Monitor) -> Iterator[list[Any]]:
        found: dict[str, Cells] = {}
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

    def _blocks(self, found: dict[str, Cells], n_records: int) -> list[Any]:
        import pyarrow as pa

        blocks = []
        for key, kinds in zip(self._taken, self._kinds, strict=True):
            cells = found.get(key, Cells())
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
