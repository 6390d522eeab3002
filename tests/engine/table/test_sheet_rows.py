"""Rows of a sheet are those that openpyxl reads, cell by cell, in usual and in unusual files."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.styles import NamedStyle

from engine.table.sheet_rows import Styles, padded, sheet_rows
from engine.table.workbooks import opened

SHEET = "xl/worksheets/sheet1.xml"
HEAD = (
    '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:x="urn:x"><sheetPr/><cols><col min="1" max="3"/></cols><sheetData>'
)
TAIL = (
    '</sheetData><autoFilter ref="A1:B2"/>'
    '<pageMargins left="1" right="1" top="1" bottom="1" header="1" footer="1"/></worksheet>'
)
FORMATS = ("General", "yyyy-mm-dd", "[h]:mm:ss", "hh:mm", "00000", "yyyy-mm-dd hh:mm:ss", "@")
NUMBERS = (
    *(
        "0",
        "1",
        "-1",
        "7",
        "12.5",
        "1e3",
        "1E-3",
        "0.5",
        "0.999999999",
        "59",
        "60",
        "61",
        "43831",
        "43831.75",
    ),
    *("1.0", "-0.5", "3000000", "99999999", "-5", " 5 ", "1_0"),
)
DATES = ("2020-01-31", "2020-01-31T10:20:30", "10:20:30", "PT5H")
TEXTS = ("TRUE", "#N/A", "é", "&lt;a&amp;b&gt;", "a\nb", "")
FITTING = {
    "": NUMBERS,
    ' t="n"': NUMBERS,
    ' t="s"': ("0", "1", "2", "-1"),
    ' t="b"': ("0", "1", "2"),
    ' t="d"': DATES,
    **dict.fromkeys((' t="str"', ' t="e"', ' t="odd"'), (*TEXTS, *NUMBERS)),
}
ANY = ("x", "nan", "1e999", "77", *NUMBERS, *DATES, *TEXTS)
STYLE = st.sampled_from(
    ("", "", ' s="0"', ' s="1"', ' s="2"', ' s="3"', ' s="4"', ' s="5"', ' s=""', ' s="77"')
)
INLINE = st.sampled_from(
    (
        *("", "<is/>", "<is><t/></is>", "<is><t>a</t></is>", '<is><t xml:space="preserve"> a </t></is>'),
        *(
            "<is><r><t>a</t></r><r><rPr><b/></rPr><t>b</t></r></is>",
            "<is><t>a<x:y/>b</t></is>",
            "<is>no</is>",
        ),
        *("<is><t>a</t><t>b</t></is>", "<is><t>a</t></is><is><t>b</t></is>"),
    )
)
ODD_INLINE = st.sampled_from(('<is x="1"><t>a</t></is>', "<is><odd/></is>"))
PLACE = st.sampled_from(("", "", "", "A", "B", "C", "E", "aa"))
ODD_PLACE = st.sampled_from(("A-", "1", "AAAAA"))
STRANGE = st.integers(0, 39).map(lambda number: number == 0)


@st.composite
def cells(draw: st.DrawFn) -> str:
    """Return the XML of a cell."""
    letters, row = draw(ODD_PLACE if draw(STRANGE) else PLACE), draw(st.integers(1, 9))
    place = f' r="{letters}{row}"' if letters else ""
    style = draw(STYLE)
    if draw(st.integers(0, 4)) == 0:
        return f'<c{place}{style} t="inlineStr">{draw(ODD_INLINE if draw(STRANGE) else INLINE)}</c>'
    formula = draw(st.sampled_from(("", "", "<f>A1+1</f>", '<f t="shared" si="0"/>')))
    kind = draw(st.sampled_from(sorted(FITTING)))
    value = draw(st.sampled_from(ANY if draw(STRANGE) else FITTING[kind]))
    around = ("<v>{}</v>", "<v>{}</v>", "<v>{}</v>", "", "<v/>", "<v>{}<x:y/>9</v>", "<v>{}</v><v>8</v>")
    return f"<c{place}{style}{kind}>{formula}{draw(st.sampled_from(around)).format(value)}</c>"


@st.composite
def sheets(draw: st.DrawFn) -> str:
    """Return the XML of a sheet whose rows and cells are in any order, with and without places."""
    rows = []
    for _unused in range(draw(st.integers(0, 4))):
        number = (
            ' r="7.5"'
            if draw(STRANGE)
            else draw(st.sampled_from(("", "", ' r="1"', ' r="2"', ' r="5"', ' r="7.0"', ' ht="2"')))
        )
        inner = "".join(draw(st.lists(cells(), max_size=4)))
        rows.append(draw(st.sampled_from(("", "<!-- <row> -->"))) + f"<row{number}>{inner}</row>")
    return HEAD + "".join(rows) + TAIL


@pytest.fixture(scope="module")
def workbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a workbook with some shared texts and a style for each format."""
    path = tmp_path_factory.mktemp("sheets") / "styles.xlsx"
    book = openpyxl.Workbook()
    for i, pattern in enumerate(FORMATS, start=1):
        style = NamedStyle(f"style {i}", number_format=pattern)
        book.active.cell(i, 1, f"text {i}").style = style
    book.save(path)
    return path


def taken(rows: Iterator[Any]) -> tuple[list[Any], str]:
    """Return the rows until the end or an error, and the kind of the error."""
    found: list[Any] = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.extend(tuple(row) for row in rows)
    except Exception as error:
        return found, type(error).__name__
    return found, ""


def by_openpyxl(path: Path, xml: str) -> tuple[tuple[list[Any], str], Styles]:
    """Return the rows that openpyxl reads, padded as a sheet shows them, and the styles of the workbook."""
    made = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(made, "w") as new:
        for member in old.namelist():
            new.writestr(member, old.read(member) if member != SHEET else HEAD + TAIL)
    book = openpyxl.load_workbook(made, read_only=True, data_only=True)
    texts = ["", "text 1", "text 2"]
    with opened(path) as ours:
        digits = ours._digits()  # type: ignore[attr-defined]
    styles = Styles(texts, book.epoch, book._date_formats, book._timedelta_formats, digits)
    sheet = book.worksheets[0]
    sheet.reset_dimensions()
    sheet._shared_strings = texts
    sheet._get_source = lambda: io.BytesIO(xml.encode())
    rows = (
        [padded(c.value, digits.get(getattr(c, "_style_id", 0), 0)) for c in row] for row in sheet.iter_rows()
    )
    return taken(rows), styles


@settings(max_examples=250, deadline=None)
@given(sheets())
def test_rows_are_those_of_openpyxl(workbook: Path, xml: str) -> None:
    expected, styles = by_openpyxl(workbook, xml)
    assert repr(taken(sheet_rows(io.BytesIO(xml.encode()), styles))) == repr(expected)


def test_styles_show_dates_durations_and_leading_zeros(workbook: Path) -> None:
    row = "".join(f'<c s="{i}"><v>7</v></c>' for i in range(8))
    expected, styles = by_openpyxl(workbook, f"{HEAD}<row>{row}</row>{TAIL}")
    assert taken(sheet_rows(io.BytesIO(f"{HEAD}<row>{row}</row>{TAIL}".encode()), styles)) == expected
    assert {type(value).__name__ for value in expected[0][0]} >= {"int", "str", "datetime", "timedelta"}


def test_rows_before_damage_are_read(workbook: Path) -> None:
    xml = f"{HEAD}<row><c><v>1</v></c></row><row><c><v>x</v></c></row>{TAIL}"
    _unused, styles = by_openpyxl(workbook, xml)
    assert taken(sheet_rows(io.BytesIO(xml.encode()), styles)) == ([(1,)], "ValueError")
    assert taken(sheet_rows(io.BytesIO(xml[: len(HEAD) + 30].encode()), styles))[1] == "ExpatError"
