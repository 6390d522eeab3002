"""How many cells files have, estimated before they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from engine.errors import TableError
from engine.monitor import SILENT
from engine.table.formats import JSON_LINES, format_of
from engine.table.json_lines import lines_of
from engine.table.options import ReadOptions
from engine.table.reading import read_head
from engine.table.sources import PARQUET_ENDINGS

_PACKED = 5  # about how much larger a packed file is than its size
_HEAD = 1 << 16  # bytes from which records are estimated


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
