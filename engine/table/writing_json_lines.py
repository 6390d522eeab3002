"""Writing of a table as JSON lines: an object per record, in UTF-8."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np

from engine.monitor import SILENT, Monitor
from engine.table.blocks import Blocks, pieces_to_write
from engine.table.types import Kind
from engine.table.written_columns import WrittenColumn

_RECORDS = 20_000
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_TRUTHS = ("true", "false")


def write_json_lines(
    file: BinaryIO,
    columns: Sequence[WrittenColumn],
    data: Sequence[tuple[Sequence[str], Any]],
    monitor: Monitor = SILENT,
) -> None:
    """Write a table into an open binary file.

    Numbers of columns of numbers are written as they are, a missing value as null, all others as texts.

    Parameters
    ----------
    file : binary file
    columns : sequence of WrittenColumn
    data : sequence
        Per column its distinct texts and the codes of the records, in memory or in blocks.
    monitor : Monitor
    """
    n_records = len(data[0][1]) if data else 0
    cells = [
        np.array([_cell(column, text) for text in texts] or [""], dtype=object)
        for column, (texts, _unused) in zip(columns, data, strict=True)
    ]
    for piece in pieces_to_write(n_records, _RECORDS, monitor):
        parts = [
            _part(column, own, codes, piece)
            for column, own, (_unused, codes) in zip(columns, cells, data, strict=True)
        ]
        file.write("".join(f"{{{', '.join(row)}}}\n" for row in zip(*parts, strict=True)).encode())


def _part(column: WrittenColumn, cells: Any, codes: Any, piece: slice) -> list[str]:
    part = codes[piece]
    if isinstance(codes, Blocks) and codes.are_texts:
        return [_cell(column, text) for text in part]
    own: list[str] = cells[part].tolist()
    return own


def _cell(column: WrittenColumn, text: str) -> str:
    """Return the key of a column with a value."""
    return f"{json.dumps(column.name, ensure_ascii=False)}: {_value(column, text)}"


def _value(column: WrittenColumn, text: str) -> str:
    if text == column.missing:
        return "null"
    if column.data_type.is_numeric and _NUMBER.fullmatch(text):
        return text
    if column.data_type.kind is Kind.BOOLEAN and text in _TRUTHS:
        return text
    return json.dumps(text, ensure_ascii=False)
