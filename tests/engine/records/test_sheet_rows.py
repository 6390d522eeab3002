"""Rows of a sheet as openpyxl finds their cells: gaps are filled, and styles show dates and leading zeros."""

from __future__ import annotations

import io
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.styles import NamedStyle

from engine.records.programs.sheets import opened, sheet_rows

HEAD = (
    '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    "<sheetPr/><sheetData>"
)
TAIL = '</sheetData><autoFilter ref="A1:B2"/></worksheet>'
FORMATS = ("General", "yyyy-mm-dd", "[h]:mm:ss", "00000", "@")


@pytest.fixture(scope="module")
def workbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a workbook with a style for each format."""
    path = tmp_path_factory.mktemp("sheets") / "styles.xlsx"
    book = openpyxl.Workbook()
    for i, pattern in enumerate(FORMATS, start=1):
        book.active.cell(i, 1, f"text {i}").style = NamedStyle(f"style {i}", number_format=pattern)
    book.save(path)
    return path


def taken(workbook: Path, xml: str) -> tuple[list[Any], str]:
    """Return the rows until the end or an error, and the kind of the error."""
    found: list[Any] = []
    with opened(workbook) as book:
        digits = book._digits()  # type: ignore[attr-defined]
        texts, whole = ["", "text 1"], book._reader.wb  # type: ignore[attr-defined]
        try:
            found.extend(tuple(row) for row in sheet_rows(io.BytesIO(xml.encode()), whole, texts, digits))
        except Exception as error:
            return found, type(error).__name__
    return found, ""


def test_gaps_between_rows_and_cells_are_filled(workbook: Path) -> None:
    cells = '<c r="B2"><v>1</v></c><c r="D2" t="s"><v>1</v></c>'
    inline = '<c t="inlineStr"><is><t>a</t></is></c><c t="b"><v>1</v></c><c/>'
    xml = f'{HEAD}<row r="2">{cells}</row><row r="4">{inline}</row><row r="3"><c><v>9</v></c></row>{TAIL}'
    assert taken(workbook, xml) == ([(), (None, 1, None, "text 1"), (), ("a", True, None)], "")


def test_styles_show_dates_durations_and_leading_zeros(workbook: Path) -> None:
    cells = "".join(f'<c s="{i}"><v>{number}</v></c>' for i, number in enumerate((7, 7, 7, 0.5, 7, 7.5)))
    (found,), error = taken(workbook, f"{HEAD}<row>{cells}</row>{TAIL}")
    assert found == (7, 7, datetime(1900, 1, 7), timedelta(days=0.5), "00007", 7.5)
    assert not error


def test_rows_before_damage_are_read(workbook: Path) -> None:
    xml = f"{HEAD}<row><c><v>1</v></c></row><row><c><v>x</v></c></row>{TAIL}"
    assert taken(workbook, xml) == ([(1,)], "ValueError")
    assert taken(workbook, xml[: len(HEAD) + 30])[1] == "ParseError"
