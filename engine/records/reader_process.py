"""Reading in a subprocess of formats whose libraries cannot be stopped or may crash on crafted files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.monitor import Monitor
from engine.params import made_of, unusual_values_of
from engine.records.chunks import Texts, listed, numbers
from engine.records.formats import EXCEL, format_of
from engine.records.options import ReadOptions
from engine.records.raw import FileColumns, RawColumn, RawTable, refuse_no_columns
from engine.records.table_files import checked_path, exists, need
from engine.records.types import DataType, Kind, ValueCoding
from engine.subprocess_job import run_in_subprocess

_LARGE = 1 << 20  # bytes of a packed workbook above which opening it takes noticeably long
_LEAST_MEMORY, _MEMORY_PER_BYTE = 4 << 30, 200
_COLUMNS, _ABOUT = "columns.arrow", "about.json"


def needs_subprocess(path: Path) -> bool:
    """Return whether a file is read in a subprocess.

    Files of statistical programs and workbooks from before 2007 always are: their libraries read them in one
    call, and that of statistical files has crashed on damaged ones. Small workbooks since 2007 are not, which
    is faster.
    """
    own = format_of(path)
    if own is None or own.is_apart:
        return own is not None
    return own is EXCEL and exists(path) and path.stat().st_size > _LARGE


def read_in_subprocess(path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of a file, read in a subprocess.

    Raises
    ------
    TableError
        The file cannot be read, or the subprocess ended unexpectedly.
    CancelledError
        The monitor asks to stop; the subprocess is ended at once.
    """
    checked_path(path)
    own = format_of(path)
    assert own is not None, "text is read here"
    if own.library:
        need(own.library, path.name)
    request = {"path": str(path.absolute()), "options": unusual_values_of(options)}
    memory = _LEAST_MEMORY + _MEMORY_PER_BYTE * path.stat().st_size
    with run_in_subprocess(__name__, request, monitor, subject=path.name, memory=memory) as folder:
        return read_raw(folder, path.name)


def work(request: Mapping[str, Any], folder: Path, monitor: Monitor) -> None:
    """Read a file and write its columns; called in the subprocess."""
    path, options = Path(request["path"]), made_of(ReadOptions, request["options"])
    write_raw(read_here(path, options, monitor), folder)


def read_here(path: Path, options: ReadOptions, monitor: Monitor) -> RawTable:
    """Return the columns of a file that is not text, read by the library for its format."""
    own = format_of(path)
    assert own is not None, "text has a reader of its own"
    raw: RawTable = own.read(path, options, monitor)
    return raw


def write_raw(raw: RawTable, folder: Path) -> None:
    """Write columns for the process that waits for them."""
    import pyarrow as pa

    arrays = []
    for column in raw.columns:
        codes = pa.array(column.codes, mask=column.codes < 0)
        own = column.texts
        texts = own.arrow if isinstance(own, Texts) else pa.array(list(own), pa.large_string())
        arrays.append(pa.DictionaryArray.from_arrays(codes, texts))
    batch = pa.record_batch(arrays, names=[str(i) for i in range(len(arrays))])
    with pa.OSFile(str(folder / _COLUMNS), "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)
    about = {
        "names": [column.name for column in raw.columns],
        "types": [_plain_type(column.data_type) for column in raw.columns],
        "codings": [None if column.coding is None else column.coding.as_json() for column in raw.columns],
        "numbers": [sorted(column.numbers) for column in raw.columns],
        "header": raw.header,
        "sheet": raw.sheet,
        "catalog": raw.catalog,
        "guessed": raw.guessed,
        "headings": raw.taken.headings,
        "taken": raw.taken,
    }
    (folder / _ABOUT).write_text(json.dumps(about), encoding="utf-8")


def read_raw(folder: Path, name: str) -> RawTable:
    """Return the columns of the file `name` that a subprocess wrote."""
    import pyarrow as pa

    about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
    with pa.OSFile(str(folder / _COLUMNS), "rb") as file:
        batch = pa.ipc.open_file(file).get_batch(0)
    columns = []
    keys = ("names", "types", "codings", "numbers")
    for array, own, plain, coding, of_numbers in zip(
        batch.columns, *(about[key] for key in keys), strict=True
    ):
        codes = numbers(array.indices.fill_null(-1)).astype(np.int32)
        columns.append(
            RawColumn(
                own,
                listed(array.dictionary),
                codes,
                None if plain is None else DataType(Kind(plain[0]), plain[1], tuple(plain[2])),
                None if coding is None else ValueCoding.of_json(coding),
                frozenset(of_numbers),
            )
        )
    refuse_no_columns(columns, name)
    return RawTable(
        name,
        tuple(columns),
        header=about["header"],
        sheet=about["sheet"],
        catalog=about["catalog"],
        guessed=tuple(about["guessed"]),
        taken=FileColumns(about["headings"], ((place, name) for place, name in about["taken"])),
    )


def _plain_type(data_type: DataType | None) -> list[Any] | None:
    return None if data_type is None else [data_type.kind.value, data_type.format, data_type.values]
