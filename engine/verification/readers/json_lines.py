"""Import of JSON lines by the json module, with numbers as they are written."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.numbers import as_exact_count
from engine.verification.findings import UnverifiableError, library
from engine.verification.readers.file_cells import Column, Values
from engine.words import _

_STEP = 1_000  # lines


class _Written(str):
    """A number, as it is written."""

    __slots__ = ()


def json_lines(path: Path, encoding: str, progress: Callable[[float], None]) -> list[Column]:
    """Return the columns of a JSON lines file; parameters as those of all readers."""
    columns: dict[str, Values] = {}
    n_records, done, size = 0, 0, max(1, path.stat().st_size)
    opening: Any = gzip.open if path.suffix.lower() == ".gz" else open
    with library(path), opening(path, "rt", encoding="utf-8-sig", newline="\n") as file:
        for number, line in enumerate(file, start=1):
            done += len(line)
            if number % _STEP == 0:
                progress(min(0.99, done / size))
            if not line.strip():
                continue
            record = json.loads(
                line,
                object_pairs_hook=_without_repeated,
                parse_int=_Written,
                parse_float=_Written,
                parse_constant=_Written,
            )
            if not isinstance(record, dict) or any(isinstance(cell, dict | list) for cell in record.values()):
                raise UnverifiableError(
                    _("Line {line} of '{name}' is not an object of single values.").format(
                        line=as_exact_count(number), name=path.name
                    )
                )
            for key, cell in record.items():
                column = columns.get(key)
                if column is None:
                    column = columns[key] = Values()
                _lengthen(column, n_records)
                column.add(cell)
            n_records += 1
    for column in columns.values():
        _lengthen(column, n_records)
    progress(1.0)
    return [
        Column(name, [_text(cell) for cell in column.distinct], column.places)
        for name, column in columns.items()
    ]


def _lengthen(column: Values, n_records: int) -> None:
    """Add empty cells for records without the key."""
    for _unused in range(n_records - len(column.places)):
        column.add(None)


def _without_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is repeated")
    return found


def _text(cell: Any) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return str(cell)
