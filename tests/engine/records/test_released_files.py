"""A release in every way of writing: verified as written, and refused if a file could not hold it."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from engine.errors import CancelledError, ExportError, VerificationError
from engine.pipeline import anonymize, export_release
from engine.project import Project
from engine.project.recipe.files import read_recipe
from engine.records.options import ALL, EXCEL, PARQUET, ExportOptions
from engine.records.programs.workbooks_writing import write_excel
from engine.records.text.writing import safe
from engine.verification.claims import Reading
from tests.stopping import Stopping

ROWS = [
    ["Ann", "31", "1.5", "=1+1"],
    ["Bob", "31", "20", "'=x"],
    ["Cem", "52", "", 'it\'s; "so"\nand Łódź'],
    ["Dee", "52", "-3.25", " x "],
]
RECIPE = """\
format = 1
[data]
path = "people.csv"
[roles]
identifying = ["name"]
quasi_identifying = ["age"]
others = "insensitive"
[[privacy]]
model = "k_anonymity"
k = 2
"""


def project_of(folder: Path, rows: list[list[str]]) -> Project:
    with (folder / "people.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["name", "age", "dose", "note"], *rows])
    (folder / "people.toml").write_text(RECIPE, encoding="utf-8")
    return read_recipe(folder / "people.toml")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_of(tmp_path, ROWS)


def write(project: Project, path: Path, **options: Any) -> Path:
    assert export_release(project, anonymize(project).release, path, options=ExportOptions(**options)).ok
    return path


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ";"},
        {"delimiter": "\t", "line_end": "crlf"},
        {"encoding": "utf-8-sig"},
        {"encoding": "utf-16"},
        {"encoding": "iso8859-2", "quoting": ALL},
        {"header": False},
        {"safe_cells": True, "quoting": ALL, "delimiter": "|"},
    ],
)
def test_every_way_of_writing_text_is_confirmed_and_read_by_others(
    project: Project, tmp_path: Path, options: dict[str, Any]
) -> None:
    asked = ExportOptions(**options)
    data = write(project, tmp_path / "out.csv", **options).read_bytes()
    text = data.decode(asked.text_encoding)
    assert data.startswith(b"\xef\xbb\xbf") == (asked.encoding == "utf-8-sig")
    assert text.count("\ufeff") == 0
    assert text.endswith(asked.line_break)
    found = list(csv.reader(io.StringIO(text, newline=""), delimiter=asked.delimiter or ","))
    assert len(found) == 4 + (asked.header is not False)
    notes = [safe(row[3]) if asked.safe_cells else row[3] for row in ROWS]
    assert [row[3] for row in found[-4:]] == notes


def test_cells_a_spreadsheet_would_run_get_an_apostrophe_and_numbers_stay() -> None:
    for text in (
        "=1+1",
        "+cmd",
        "-x",
        "@sum",
        "\t=1",
        "\r=1",
        "'=1",
        "''+x",
        "-5+3",
        "\n=1",
        " =1",
        "\ufeff=1",
        "＝1",
        "＋x",
        "－x",
        "＠x",
    ):
        assert safe(text) == "'" + text
    for text in ("-5", " -5", "+3.25", "-1,5", "1e5", "'quoted'", "a=b", "", "*"):
        assert safe(text) == text


@given(st.text(alphabet="'=+-@\t\r\n \ufeff＝x5.", max_size=6))
def test_the_verifier_removes_what_safety_added_and_nothing_else(text: str) -> None:
    judge = Reading(Path(), ",", "utf-8", True, safe_cells=True)
    assert judge.plain(safe(text)) == text
    assert not judge.bare


@pytest.mark.parametrize("kind", ["csv", EXCEL, PARQUET])
@pytest.mark.parametrize(
    ("name", "cell", "where"),
    [("note", "=1+1", "In the column 'note': '=1"), ("=note", "x", "In the column names: '=note'")],
)
def test_a_cell_or_name_that_a_spreadsheet_would_run_is_not_passed_as_safe(
    project: Project,
    tmp_path: Path,
    kind: str,
    name: str,
    cell: str,
    where: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "people.csv").write_text(f"name,age,{name}\nAnn,31,{cell}\nBob,31,y\n", encoding="utf-8")
    project = read_recipe(tmp_path / "people.toml")
    write(project, tmp_path / f"safe.{kind}", kind=kind, safe_cells=True)
    monkeypatch.setattr("engine.pipeline.writing.safe", lambda text: text)
    with pytest.raises(VerificationError, match=where):
        write(project, tmp_path / f"out.{kind}", kind=kind, safe_cells=True)
    assert not (tmp_path / f"out.{kind}").exists()


def test_an_encoding_without_a_character_is_refused_naming_it_and_the_column(
    project: Project, tmp_path: Path
) -> None:
    with pytest.raises(ExportError, match=r"no character 'Ł', which occurs in column 'note'"):
        write(project, tmp_path / "out.csv", encoding="latin-1")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    "options",
    [
        {"encoding": "utf-9"},
        {"encoding": "base64"},
        {"delimiter": ""},
        {"delimiter": '"'},
        {"quoting": "some"},
    ],
)
def test_what_no_file_can_be_written_with_is_refused(
    project: Project, tmp_path: Path, options: dict[str, Any]
) -> None:
    with pytest.raises(ExportError):
        write(project, tmp_path / "out.csv", **options)


@pytest.mark.parametrize("encoding", ["idna", "punycode", "raw_unicode_escape"])
def test_an_encoding_that_would_change_the_marks_of_a_table_is_refused(
    project: Project, tmp_path: Path, encoding: str
) -> None:
    with pytest.raises(ExportError, match="cannot hold a table"):
        write(project, tmp_path / "out.csv", encoding=encoding)


@pytest.mark.parametrize(
    "encoding", ["utf-7", "utf-32", "cp1252", "cp864", "shift_jis", "gb18030", "mac-roman"]
)
def test_an_encoding_of_texts_can_hold_a_table(encoding: str) -> None:
    ExportOptions(encoding=encoding).refuse_impossible()


@pytest.mark.parametrize("is_safe", [False, True])
def test_a_workbook_holds_numbers_as_numbers_and_texts_as_texts(
    project: Project, tmp_path: Path, is_safe: bool
) -> None:
    path = write(project, tmp_path / "out.xlsx", kind=EXCEL, safe_cells=is_safe)
    book = openpyxl.load_workbook(path)
    rows = list(book.active.iter_rows(values_only=True))  # type: ignore[union-attr]
    assert rows[0] == ("name", "age", "dose", "note")
    assert [row[0] for row in rows[1:]] == ["*"] * 4
    assert [row[2] for row in rows[1:]] == [1.5, 20, None, -3.25]
    assert [row[3] for row in rows[1:]] == [safe(row[3]) if is_safe else row[3] for row in ROWS]
    again = write(project, tmp_path / "again.xlsx", kind=EXCEL, safe_cells=is_safe)
    assert again.read_bytes() == path.read_bytes()


def test_a_workbook_without_names_and_with_removed_records_is_confirmed(tmp_path: Path) -> None:
    project = project_of(tmp_path, [*ROWS, ["Eve", "99", "1", "x"]])
    changed = replace(project.transformation, suppressed_records="remove", shuffle=True)
    limit = replace(project.requirement, suppression_limit=0.5)
    project = replace(project, transformation=changed, requirement=limit)
    path = write(project, tmp_path / "out.xlsx", kind=EXCEL, header=False)
    assert openpyxl.load_workbook(path).active.max_row == 4  # type: ignore[union-attr]


def test_a_parquet_file_holds_texts_and_nulls(project: Project, tmp_path: Path) -> None:
    table = parquet.read_table(write(project, tmp_path / "out.parquet", kind=PARQUET))
    assert table.column_names == ["name", "age", "dose", "note"]
    assert table["dose"].to_pylist() == ["1.5", "20", None, "-3.25"]
    assert table["note"].to_pylist() == [row[3] for row in ROWS]


@pytest.mark.parametrize(
    ("name", "kind"), [("out.csv", EXCEL), ("out.xlsx", PARQUET), ("out.xlsx", "csv"), ("out.csv.gz", "csv")]
)
def test_a_release_is_not_given_the_name_of_another_format(
    project: Project, tmp_path: Path, name: str, kind: str
) -> None:
    with pytest.raises(ExportError, match=name):
        write(project, tmp_path / name, kind=kind)


@pytest.mark.parametrize("text", ["a\x01b", "_x000D_", "x" * 40_000])
def test_what_a_sheet_would_change_is_refused(tmp_path: Path, text: str) -> None:
    project = project_of(tmp_path, [[*row[:3], text] for row in ROWS])
    with pytest.raises(ExportError, match="Cell of column 4: "):
        write(project, tmp_path / "out.xlsx", kind=EXCEL)
    write(project, tmp_path / "out.csv")


def test_a_record_that_is_empty_in_every_column_is_refused_by_a_sheet() -> None:
    column = (["", "a"], np.array([1, 0], dtype=np.int32))
    with pytest.raises(ExportError, match="Record 2 of the release is empty"):
        write_excel(io.BytesIO(), ["a"], [column, column], [False, False])


def test_more_records_than_a_sheet_has_rows_are_refused() -> None:
    column = (["a"], np.zeros(1_048_576, dtype=np.int32))
    with pytest.raises(ExportError, match=r"at most 1.048.576 rows, .* has 1.048.577"):
        write_excel(io.BytesIO(), ["a"], [column], [False])


@pytest.mark.parametrize("kind", ["csv", EXCEL, PARQUET])
def test_a_file_that_was_altered_is_not_passed_in_any_format(
    project: Project, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = anonymize(project).release
    column = release.columns[3]
    wrong = replace(column, labels=(*column.labels[:-1], "something else"))
    path = tmp_path / f"out.{kind}"
    path.write_text("as before", encoding="utf-8")
    altered = replace(release, columns=(*release.columns[:3], wrong))
    with pytest.raises(VerificationError, match="something else"):
        export_release(project, altered, path, options=ExportOptions(kind=kind))
    assert path.read_text(encoding="utf-8") == "as before"


@pytest.mark.parametrize("kind", ["csv", EXCEL, PARQUET])
def test_cancelled_at_any_step_the_target_is_unchanged(project: Project, tmp_path: Path, kind: str) -> None:
    release, path = anonymize(project).release, tmp_path / f"out.{kind}"
    path.write_text("as before", encoding="utf-8")

    for after in range(4):
        with pytest.raises(CancelledError):
            export_release(project, release, path, Stopping(after + 1), ExportOptions(kind=kind))
        assert path.read_text(encoding="utf-8") == "as before"
        assert [p.name for p in tmp_path.iterdir() if p.name.endswith(".part")] == []
