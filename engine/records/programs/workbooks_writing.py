"""Writing of a table as an Excel workbook of one sheet: the same table gives the same bytes.

Written without a library, record by record, so that a million records need no extra memory; anything that
Excel could misread or cannot hold is refused.
"""

from __future__ import annotations

import os
import re
import time
import zipfile
from collections.abc import Sequence
from typing import BinaryIO
from xml.sax.saxutils import escape

import numpy as np

from engine.errors import ExportError
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.records.plan import pieces_to_write
from engine.words import _

MOST_ROWS, MOST_COLUMNS, LONGEST_CELL = 1_048_576, 16_384, 32_767
_RECORDS = 20_000
_WHOLE = re.compile(r"0|-?[1-9]\d{0,14}")
_DECIMAL = re.compile(r"-?(0|[1-9]\d*)\.\d*[1-9]")
_MOST_DIGITS = 15  # digits that Excel keeps
# Characters that XML cannot hold, and those that Excel reads as an escaped character.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")
_FIRST_DAY, _LAST_DAY = 315_532_800, 4_354_819_199  # 1980 to 2107, the years of archives
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml."
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="Data" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><fonts count="1"><font><sz val="11"/>'
    '<name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="1"><xf xfId="0"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}


def write_excel(
    file: BinaryIO,
    header: Sequence[str],
    columns: Sequence[tuple[Sequence[str], Codes]],
    is_numeric: Sequence[bool],
    monitor: Monitor = SILENT,
) -> None:
    """Write a workbook into an open binary file that can seek.

    Parameters
    ----------
    header : sequence of str
        Column names; empty for a sheet without header.
    columns : sequence
        Per column its distinct texts and the codes of the records; an empty text is an empty cell.
    is_numeric : sequence of bool
        Per column whether its cells become numbers, if all but `*` are numbers to the last digit.

    Raises
    ------
    ExportError
        A sheet cannot hold that many records or columns, or one of the texts.
    """
    n_records = len(columns[0][1]) if columns else 0
    _check_size(n_records + bool(header), len(columns))
    _check_no_empty_record(columns, n_records)
    names = [
        _cell(name, _("Name of column {n}").format(n=as_exact_count(i)))
        for i, name in enumerate(header, start=1)
    ]
    cells = [
        np.array(_cells(texts, number, is_numbers) or [""], dtype=object)
        for number, ((texts, _unused), is_numbers) in enumerate(
            zip(columns, is_numeric, strict=True), start=1
        )
    ]
    size = sum(
        int(np.array([len(text) for text in own])[codes].sum())
        for own, (_unused, codes) in zip(cells, columns, strict=True)
    )
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _PARTS.items():
            archive.writestr(_entry(name), _HEAD + text)
        is_large = 2 * size + 20 * n_records > zipfile.ZIP64_LIMIT
        with archive.open(_entry("xl/worksheets/sheet1.xml"), "w", force_zip64=is_large) as sheet:
            sheet.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            if names:
                sheet.write(f"<row>{''.join(names)}</row>".encode())
            for piece in pieces_to_write(n_records, _RECORDS, monitor):
                parts = [
                    own[codes[piece]].tolist() for own, (_unused, codes) in zip(cells, columns, strict=True)
                ]
                rows = (f"<row>{''.join(row)}</row>" for row in zip(*parts, strict=True))
                sheet.write("".join(rows).encode())
            sheet.write(b"</sheetData></worksheet>")


def _check_size(n_rows: int, n_columns: int) -> None:
    if n_rows > MOST_ROWS:
        problem = _("An Excel sheet has at most {limit} rows, and the release has {n}.")
        raise ExportError(
            problem.format(limit=as_exact_count(MOST_ROWS), n=as_exact_count(n_rows)),
            hint=_("Export it as CSV or Parquet."),
        )
    if n_columns > MOST_COLUMNS:
        problem = _("An Excel sheet has at most {limit} columns, and the release has {n}.")
        raise ExportError(
            problem.format(limit=as_exact_count(MOST_COLUMNS), n=as_exact_count(n_columns)),
            hint=_("Export it as CSV or Parquet."),
        )


def _check_no_empty_record(columns: Sequence[tuple[Sequence[str], Codes]], n_records: int) -> None:
    empty = np.ones(n_records, dtype=np.bool_)
    for texts, codes in columns:
        empty &= np.array([not text for text in texts], dtype=np.bool_)[codes]
    if empty.any():
        raise ExportError(
            _(
                "Record {n} of the release is empty in every column; a sheet cannot "
                "distinguish it from no record."
            ).format(n=as_exact_count(int(np.flatnonzero(empty)[0]) + 1)),
            hint=_("Export it as CSV or Parquet."),
        )


def _cells(texts: Sequence[str], number: int, may_be_numbers: bool) -> list[str]:
    is_numeric = may_be_numbers and all(text in ("", "*") or is_exact_number(text) for text in texts)
    where = _("Cell of column {n}").format(n=number)
    return [
        f"<c><v>{text}</v></c>" if is_numeric and text not in ("", "*") else _cell(text, where)
        for text in texts
    ]


def is_exact_number(text: str) -> bool:
    """Return whether a number cell shows exactly this text again."""
    if _WHOLE.fullmatch(text):
        return True
    n_digits = sum(character.isdigit() for character in text)
    return bool(_DECIMAL.fullmatch(text)) and n_digits <= _MOST_DIGITS and repr(float(text)) == text


def _cell(text: str, where: str) -> str:
    if not text:
        return "<c/>"
    if len(text) > LONGEST_CELL:
        raise ExportError(
            _("{where}: {n} characters, but Excel cells hold at most {limit}.").format(
                where=where, n=as_exact_count(len(text)), limit=as_exact_count(LONGEST_CELL)
            ),
            hint=_("Export it as CSV or Parquet."),
        )
    if _UNWRITABLE.search(text):
        raise ExportError(
            _("{where}: a text has characters that Excel cannot hold.").format(where=where),
            hint=_("Export it as CSV or Parquet."),
        )
    shown = escape(text, {"\r": "&#13;"})
    return f'<c t="inlineStr"><is><t xml:space="preserve">{shown}</t></is></c>'


def _entry(name: str) -> zipfile.ZipInfo:
    """Return a member with a fixed date, so that the same release gives the same bytes."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = min(max(int(given) if given.isdecimal() else 0, _FIRST_DAY), _LAST_DAY)
    entry = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry
