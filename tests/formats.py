"""Writes tables in every supported format from values as users type them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyreadstat

Columns = Mapping[str, Sequence[Any]]


def write_workbook(
    path: Path, *sheets: tuple[str, Sequence[Sequence[Any]]], hidden: str = "", are_texts: bool = False
) -> Path:
    """Write sheets of rows; texts that begin with = are formulas unless `are_texts`."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
            for cell in sheet[sheet.max_row] if are_texts and row else ():
                if cell.data_type == "f":
                    cell.data_type = "s"
        sheet.sheet_state = "hidden" if name == hidden else "visible"
    book.save(path)
    return path


def write_excel(path: Path, columns: Columns) -> Path:
    """Write one sheet; a column without values has its header only."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return write_workbook(path, ("People", rows), are_texts=True)


def write_parquet(path: Path, columns: Columns) -> Path:
    """Write a file with the types that pyarrow infers."""
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({name: pa.array(list(values)) for name, values in columns.items()}), path)
    return path


def write_spss(path: Path, columns: Columns, **options: Any) -> Path:
    """Write a file with the types that pyreadstat infers; `options` are those of its writer."""
    frame = pd.DataFrame({name: pd.Series(list(values), dtype=object) for name, values in columns.items()})
    frame = frame.apply(lambda column: _of_one_type(column))
    pyreadstat.write_sav(frame, str(path), **options)
    return path


def write_text(path: Path, columns: Columns) -> Path:
    """Write CSV by Python's csv module."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow(["" if value is None else value for value in row])
    return path


def _of_one_type(column: pd.Series) -> pd.Series:
    found = {type(value) for value in column if value is not None}
    return column.astype("float64") if found <= {int, float} else column
