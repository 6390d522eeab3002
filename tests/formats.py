"""Writes tables in every supported format from values as users type them."""

from __future__ import annotations

import csv
import datetime as dt
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

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
    pyreadstat.write_sav(_frame(columns), str(path), **options)
    return path


def write_portable(path: Path, columns: Columns) -> Path:
    """Write an SPSS portable file with the types that pyreadstat infers."""
    pyreadstat.write_por(_frame(columns), str(path))
    return path


def write_stata(path: Path, columns: Columns, **options: Any) -> Path:
    """Write a Stata file by pandas; dates are days, texts without a value are empty."""
    frame = _frame(columns)
    days = {}
    for name in frame.columns:
        if frame[name].dtype == object:
            if any(isinstance(value, dt.date) for value in frame[name]):
                days[name] = "tc" if any(isinstance(value, dt.datetime) for value in frame[name]) else "td"
                frame[name] = pd.to_datetime(frame[name])
            else:
                frame[name] = frame[name].where(frame[name].notna(), "")
    frame.to_stata(path, write_index=False, version=118, convert_dates=days, **options)
    return path


def write_transport(path: Path, columns: Columns, **options: Any) -> Path:
    """Write a SAS transport file with the types that pyreadstat infers."""
    pyreadstat.write_xport(_frame(columns), str(path), **options)
    return path


def write_feather(path: Path, columns: Columns) -> Path:
    """Write a file with the types that pyarrow infers."""
    import pyarrow as pa
    from pyarrow import feather

    feather.write_feather(pa.table({name: pa.array(list(values)) for name, values in columns.items()}), path)
    return path


def write_json_lines(path: Path, columns: Columns) -> Path:
    """Write an object per record by Python's json module; dates are texts."""
    with path.open("w", encoding="utf-8") as file:
        for row in zip(*columns.values(), strict=True):
            record = {
                name: str(value) if isinstance(value, dt.date) else value
                for name, value in zip(columns, row, strict=True)
            }
            file.write(json.dumps(record) + "\n")
    return path


_OPEN_DOCUMENT = "urn:oasis:names:tc:opendocument:xmlns:"


def write_sheets(path: Path, *sheets: tuple[str, Sequence[Sequence[Any]]], hidden: str = "") -> Path:
    """Write OpenDocument sheets of rows; a tuple is XML for a row as it is."""
    names = {
        name: f'xmlns:{name}="{_OPEN_DOCUMENT}{name}:1.0"' for name in ("office", "table", "text", "style")
    }
    tables = ""
    for name, rows in sheets:
        cells = (row[0] if isinstance(row, tuple) else "".join(map(_sheet_cell, row)) for row in rows)
        body = "".join(f"<table:table-row>{own}</table:table-row>" for own in cells)
        style = ' table:style-name="hidden"' if name == hidden else ""
        tables += f'<table:table table:name="{name}"{style}>{body}</table:table>'
    content = (
        f'<?xml version="1.0"?><office:document-content {" ".join(names.values())}><office:automatic-styles>'
        '<style:style style:name="hidden" style:family="table"><style:table-properties '
        f'table:display="false"/></style:style></office:automatic-styles><office:body><office:spreadsheet>{tables}'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr(
            "META-INF/manifest.xml", f'<manifest:manifest xmlns:manifest="{_OPEN_DOCUMENT}manifest:1.0"/>'
        )
    return path


def _sheet_cell(value: Any) -> str:
    if value is None:
        return "<table:table-cell/>"
    kind, given = "string", ""
    if isinstance(value, bool):
        kind, given = "boolean", f'office:boolean-value="{str(value).lower()}"'
    elif isinstance(value, int | float):
        kind, given = "float", f'office:value="{value!r}"'
    elif isinstance(value, dt.date):
        kind, given = "date", f'office:date-value="{value.isoformat()}"'
    elif isinstance(value, dt.time):
        kind, given = "time", f'office:time-value="{value:PT%HH%MM%SS}"'
    paragraphs = "".join(f"<text:p>{escape(line)}</text:p>" for line in str(value).split("\n"))
    return f'<table:table-cell office:value-type="{kind}" {given}>{paragraphs}</table:table-cell>'


def write_open_document(path: Path, columns: Columns) -> Path:
    """Write one OpenDocument sheet; a column without values has its header only."""
    return write_sheets(path, ("People", [list(columns), *map(list, zip(*columns.values(), strict=True))]))


def write_text(path: Path, columns: Columns) -> Path:
    """Write CSV by Python's csv module."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow(["" if value is None else value for value in row])
    return path


def _frame(columns: Columns) -> pd.DataFrame:
    frame = pd.DataFrame({name: pd.Series(list(values), dtype=object) for name, values in columns.items()})
    return frame.apply(lambda column: _of_one_type(column))


def _of_one_type(column: pd.Series) -> pd.Series:
    is_number = all(isinstance(value, int | float) for value in column if value is not None)
    return column.astype("float64") if is_number else column
