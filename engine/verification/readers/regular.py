"""Texts that any reader of CSV must read alike: nothing in them is left to a reader's habits."""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable
from pathlib import Path

_BLOCK = 1 << 22
_AT_ONCE = 2_000  # records of one match
_MARK = b"\xef\xbb\xbf"


def n_regular_lines(
    path: Path, delimiter: str, quote: str, width: int, *, may_have_mark: bool, step: Callable[[], None]
) -> int:
    """Return records and header of a UTF-8 file with `width` cells in each and marks only around cells.

    0 if it is not so, or has several kinds of line end, an empty line or NUL. `step` is called often, and may
    raise to stop.
    """
    if width < 2 or len(delimiter) != 1 or not delimiter.isascii() or len(quote) > 1 or not quote.isascii():
        return 0
    if not path.stat().st_size:
        return 0
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        start = len(_MARK) if text[: len(_MARK)] == _MARK else 0
        if start and not may_have_mark:
            return 0
        first = text.find(b"\n")
        end = b"\r\n" if first > 0 and text[first - 1 : first] == b"\r" else b"\n"
        n_lines = 0
        records = _records(delimiter.encode(), quote.encode(), width, end)
        while start < len(text):
            step()
            stop = text.rfind(b"\n", start, start + _BLOCK) + 1 or len(text)
            block = text[start:stop]
            outside = [block]
            if not (
                _is_plain(block, quote.encode(), end)
                or is_uniform(block, delimiter.encode(), quote.encode(), width, end)
            ):
                found = records.match(text, start)
                if found is None:
                    return 0
                stop = found.end()
                block = text[start:stop]
                outside = block.split(quote.encode())[::2] if quote else [block]
            n_lines += sum(part.count(b"\n") for part in outside) + (not block.endswith(b"\n"))
            if not (block.isascii() or _is_utf8(block)):
                return 0
            if hasattr(text, "madvise"):  # what was read needs no memory any more
                first_page = start // mmap.PAGESIZE * mmap.PAGESIZE
                text.madvise(mmap.MADV_DONTNEED, first_page, stop - first_page)
            start = stop
    return n_lines


def _is_utf8(block: bytes) -> bool:
    try:
        block.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _is_plain(block: bytes, quote: bytes, end: bytes) -> bool:
    """Return whether lines are records; the reader itself refuses those of another width."""
    if (quote and quote in block) or b"\0" in block or block.startswith(end) or end + end in block:
        return False
    if end == b"\n":
        return b"\r" not in block
    return block.count(b"\r") == block.count(end) == block.count(b"\n")


def is_uniform(block: bytes, delimiter: bytes, quote: bytes, width: int, end: bytes) -> bool:
    """Return whether all lines are records in which the same cells are quoted, without any mark in a cell."""
    if not quote or b"\0" in block or not block.endswith(end):
        return False
    if block.count(b"\r") != (block.count(end) if end == b"\r\n" else 0):
        return False
    marks = delimiter + quote + b"\n"
    others = bytes(set(range(256)) - set(marks))
    bones = block.translate(None, others)
    first = bones[: bones.find(b"\n") + 1]
    cells = first.removesuffix(b"\n").split(delimiter)
    if len(cells) != width or any(cell not in (b"", 2 * quote) for cell in cells):
        return False
    n_records = block.count(b"\n")
    if bones != first * n_records:
        return False
    # No cell has a mark, so a quotation mark after a delimiter or a line end begins a cell, and all must.
    n_quoted = cells.count(2 * quote) * n_records
    flat = block.translate(bytes.maketrans(b"\n", delimiter), b"\r")
    n_begun = flat.count(delimiter + quote) + flat.startswith(quote)
    n_ended = flat.count(quote + delimiter)
    return n_begun == n_quoted == n_ended


def _records(delimiter: bytes, quote: bytes, width: int, end: bytes) -> re.Pattern[bytes]:
    mark, apart = re.escape(quote), re.escape(delimiter)
    plain = rb"[^\x00\r\n" + mark + apart + rb"]*+"
    cell = plain
    if quote:
        cell = (
            rb"(?:"
            + mark
            + rb"(?:[^\x00"
            + mark
            + rb"]++|"
            + mark
            + mark
            + rb")*+"
            + mark
            + rb"|"
            + plain
            + rb")"
        )
    record = cell + rb"(?:" + apart + cell + rb"){%d}(?:" % (width - 1) + end + rb"|\Z)"
    return re.compile(rb"(?:" + record + rb"){1,%d}+" % _AT_ONCE)
