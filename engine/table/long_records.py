"""Check for records longer than any table has, before the text is held in memory."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path

import numpy as np

from engine.monitor import SILENT, Monitor
from engine.table import dialect
from engine.table.dialect import Form
from engine.table.options import ReadOptions
from engine.table.sources import text_blocks, width_and_encoding
from engine.words import _

_FEW = 64  # line ends checked one by one


def refuse_long_records(path: Path, options: ReadOptions = ReadOptions(), monitor: Monitor = SILENT) -> None:
    """Check that no record of a text file is longer than `dialect.LONGEST`.

    The file is read in blocks, of which one is held. If quotation marks seem to hold a longer record
    together, the file is parsed once, because a mark within a field, as in 5", holds nothing together. Such
    marks may also hide a long record here: `dialect.records` finds it later.

    Parameters
    ----------
    path : Path
        A text file, or one packed with gzip.
    options : ReadOptions
        Options left open are detected from the beginning of the file.
    monitor : Monitor

    Raises
    ------
    LongRecordError
        A record is too long.
    TableError
        The file cannot be read.
    """
    with closing(text_blocks(path)) as blocks:
        first = next(blocks, b"")
        start = first[: dialect.SAMPLE_BYTES]
        name = width_and_encoding(start, options.encoding)[1]
        text = "".join(start.decode(name, errors="replace").splitlines(keepends=True)[options.skip_lines :])
        quote = dialect.detect_quote(text) if options.quote is None else options.quote
        form = Form(quote, options.comment)
        if not _may_be_long(first, blocks, form.quote, path.name, monitor):
            return
    delimiter = options.delimiter or dialect.detect_delimiter(text, form) or ","
    with closing(text_blocks(path)) as blocks, closing(_Stream(blocks)) as raw:
        lines = io.TextIOWrapper(io.BufferedReader(raw, 1 << 16), name, errors="replace", newline="")
        for _unused in islice(lines, options.skip_lines):
            pass
        dialect.refuse_long_record(lines, delimiter, path.name, form, options.skip_lines + 1, monitor)


def _may_be_long(first: bytes, others: Iterable[bytes], quote: str, file: str, monitor: Monitor) -> bool:
    """Return whether quotation marks may hold a longer record together; raises if a line is longer."""
    mark = quote.encode()
    line = record = 0  # bytes since the last block that contains an end of it
    n_lines, is_inside = 0, False
    for block in chain((first,), others):
        monitor.step(0, 1, _("Reading {file}").format(file=file))
        end = b"\n" if b"\n" in block else b"\r"
        at = block.find(end)
        if line + (at if at >= 0 else len(block)) > dialect.LONGEST:
            raise dialect.long_record(file, n_lines + 1)
        line = line + len(block) if at < 0 else len(block) - block.rfind(end)
        n_quotes = block.count(mark) if mark and mark in block else 0  # searching is faster
        ends = at >= 0 and (_ends_record(block, mark, end, is_inside) if n_quotes else not is_inside)
        if record + len(block) > dialect.LONGEST:
            return True
        # a record may begin in the block that ends another
        record = len(block) if ends else record + len(block)
        n_lines += int(np.count_nonzero(np.frombuffer(block, np.uint8) == end[0]))  # faster than `count`
        is_inside ^= bool(n_quotes % 2)
    return False


def _ends_record(block: bytes, mark: bytes, end: bytes, is_inside: bool) -> bool:
    """Return whether some line end follows an even number of quotation marks."""
    at, n_marks = 0, int(is_inside)
    for _unused in range(_FEW):
        place = block.find(end, at)
        if place < 0:
            return False
        n_marks += block.count(mark, at, place)
        if not n_marks % 2:
            return True
        at = place + 1
    rest = np.frombuffer(block, np.uint8)[at:]
    is_outside = (np.cumsum(rest == mark[0]) + n_marks) % 2 == 0
    return bool(((rest == end[0]) & is_outside).any())


class _Stream(io.RawIOBase):
    """Blocks as a file that can be read once."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._rest:
            self._rest = memoryview(next(self._blocks, b""))
        n_bytes = min(len(buffer), len(self._rest))
        buffer[:n_bytes] = self._rest[:n_bytes]
        self._rest = self._rest[n_bytes:]
        return n_bytes
