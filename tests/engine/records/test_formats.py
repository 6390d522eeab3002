"""Files that are not text: the same table whatever holds it, or one clear error."""

from __future__ import annotations

import datetime as dt
import gzip
import zipfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from engine.errors import CancelledError, TableError
from engine.findings.given_table import GivenTable
from engine.records import Column, DataType, Kind, ReadOptions, Table, reader_process, table_files
from engine.records.opening.data_frames import as_table
from engine.records.opening.files import read, read_csv, read_table
from engine.records.programs import sheets
from engine.records.programs import statistical as statistical_reader
from engine.records.programs.workbooks import sheet_names
from engine.shipped import install_words
from tests.formats import (
    write_excel,
    write_feather,
    write_json_lines,
    write_open_document,
    write_parquet,
    write_spss,
    write_stata,
    write_text,
    write_transport,
    write_workbook,
)
from tests.stopping import Stopping

DETECT = ReadOptions()
LITTLE: dict[str, list[Any]] = {
    "name": ["Zoë", 'O\'Hara; "Al"', "two\nlines", "Ann"],
    "age": [34, None, 7, 34],
    "weight": [70.5, 81.0, 0.1, -3.25],
    "visit": [dt.date(2020, 2, 29), dt.date(1999, 12, 31), None, dt.date(2020, 2, 29)],
    "zip": ["01234", "99999", "01234", "00007"],
    "grade": ["low", "high", "low", None],
}
EXPECTED = {  # by column: kind, labels in order, codes
    "name": (Kind.TEXT, ("Ann", 'O\'Hara; "Al"', "Zoë", "two\nlines"), [2, 1, 3, 0]),
    "age": (Kind.INTEGER, ("7", "34", ""), [1, 2, 0, 1]),
    "weight": (Kind.DECIMAL, ("-3.25", "0.1", "70.5", "81"), [2, 3, 1, 0]),
    "visit": (Kind.DATE, ("1999-12-31", "2020-02-29", ""), [1, 0, 2, 1]),
    "zip": (Kind.TEXT, ("00007", "01234", "99999"), [1, 2, 1, 0]),
    "grade": (Kind.TEXT, ("high", "low", ""), [1, 0, 1, 2]),
}
WRITERS: dict[str, Callable[[Path, Any], Path]] = {
    ".csv": lambda path, columns: write_text(path, {**columns, "weight": ["70.5", "81", "0.1", "-3.25"]}),
    ".xlsx": write_excel,
    ".parquet": write_parquet,
    ".sav": write_spss,
    ".ods": write_open_document,
    ".dta": write_stata,
    ".xpt": write_transport,
    ".feather": write_feather,
    ".jsonl": lambda path, columns: write_json_lines(path, _unpointed(columns)),
}


def _unpointed(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Whole numbers without a point, which the json module would write."""
    return {
        name: [int(v) if isinstance(v, float) and v.is_integer() else v for v in values]
        for name, values in columns.items()
    }


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What libraries read, without the half second that another process takes to start."""
    monkeypatch.setattr(reader_process, "needs_subprocess", lambda path: False)


def contents(table: Table) -> dict[str, tuple[Any, ...]]:
    return {c.name: (c.data_type.kind, c.labels, c.codes.tolist()) for c in table.columns}


def texts(column: Column) -> list[str]:
    return [column.text(record) for record in range(len(column.codes))]


def refused(path: Path, options: ReadOptions = DETECT) -> TableError:
    with pytest.raises(TableError) as caught:
        read_csv(path, options)
    assert caught.value.hint
    assert path.name in caught.value.problem
    return caught.value


@pytest.mark.parametrize("ending", WRITERS)
def test_a_table_is_the_same_from_every_format(tmp_path: Path, ending: str) -> None:
    table = read_csv(WRITERS[ending](tmp_path / f"people{ending}", LITTLE))
    assert contents(table) == EXPECTED
    assert [c.has_missing for c in table.columns] == [False, True, False, True, False, True]


def test_a_table_is_the_same_from_a_workbook_of_the_years_before_2007(data: Path) -> None:
    assert contents(read_csv(data / "formats" / "little.xls")) == EXPECTED


@pytest.mark.parametrize("ending", [".XLSX", ".Xlsm", ".PARQUET", ".Sav", ".CSV", ".DTA", ".Xpt", ".JSONL"])
def test_endings_are_read_in_any_case(tmp_path: Path, ending: str) -> None:
    write = WRITERS[ending.lower().replace("xlsm", "xlsx")]
    made = write(tmp_path / f"made{ending.lower().replace('xlsm', 'xlsx')}", LITTLE)
    assert contents(read_csv(made.rename(tmp_path / f"PEOPLE{ending}"))) == EXPECTED


@pytest.mark.parametrize("ending", WRITERS)
def test_what_is_detected_reads_the_same_table_again(tmp_path: Path, ending: str) -> None:
    path = WRITERS[ending](tmp_path / f"people{ending}", LITTLE)
    found = read(path, guess=True).options
    table, again = read_table(path, found)
    assert contents(table) == EXPECTED
    assert again.types == found.types


@pytest.mark.parametrize("ending", [".xlsx", ".parquet", ".sav"])
def test_missing_tokens_spaces_and_types_are_as_for_text(tmp_path: Path, ending: str) -> None:
    columns = {"a": ["x ", "NA", None, "?"], "n": [1, -9, 2, None]}
    path = WRITERS[ending](tmp_path / f"people{ending}", columns)
    options = ReadOptions(missing=("NA", "?", "-9", ""), trim=True, types={"n": DataType(Kind.DECIMAL)})
    table = read_csv(path, options)
    assert texts(table.column("a")) == ["x", "NA", "NA", "NA"]
    assert texts(table.column("n")) == ["1", "NA", "2", "NA"]
    assert table.column("n").data_type.kind is Kind.DECIMAL
    unknown = refused(path, ReadOptions(types={"m": DataType()}))
    assert "has no column 'm'" in unknown.problem


# Excel


def test_cells_are_read_as_they_look(tmp_path: Path) -> None:
    cells = {
        "mixed": [1, "1", True, 1.5, " x "],
        "time": [dt.datetime(2020, 1, 2, 3, 4, 5), dt.date(2020, 1, 3), None, None, None],
        "flag": [True, False, None, None, True],
        "clock": [dt.time(10, 30), dt.timedelta(hours=26, seconds=5), None, None, None],
        "number": [1e22, 1e-7, 12345678901, -0.0, 1 / 3],
        "error": ["#N/A", "#DIV/0!", None, "x", None],
    }
    table = read_csv(write_excel(tmp_path / "people.xlsx", cells))
    assert {c.name: texts(c) for c in table.columns} == {
        "mixed": ["1", "1", "TRUE", "1.5", " x "],
        "time": ["2020-01-02 03:04:05", "2020-01-03 00:00:00", "", "", ""],
        "flag": ["TRUE", "FALSE", "", "", "TRUE"],
        "clock": ["10:30:00", "26:00:05", "", "", ""],
        "number": ["10000000000000000000000", "1e-07", "12345678901", "0", repr(1 / 3)],
        "error": ["#N/A", "#DIV/0!", "", "x", ""],
    }
    kinds = [c.data_type.kind for c in table.columns]
    assert kinds == [Kind.TEXT, Kind.DATE, Kind.BOOLEAN, Kind.TEXT, Kind.DECIMAL, Kind.TEXT]


def test_cells_of_old_workbooks_are_read_as_they_look(data: Path) -> None:
    table, options = read_table(data / "formats" / "awkward.xls")
    assert options.sheet == "Awkward"
    assert {c.name: texts(c) for c in table.columns} == {
        "mixed": ["1", "1", "TRUE", "  x ", "1.5"],
        "time": [
            "2020-01-02 03:04:05",
            "2020-01-03 00:00:00",
            "",
            "1900-03-01 00:00:00",
            "2079-06-06 23:59:00",
        ],
        "flag": ["TRUE", "FALSE", "", "TRUE", "TRUE"],
        "clock": ["10:30:00", "00:00:01", "", "23:59:59", ""],
        "number": ["10000000000000000000000", "1e-07", "12345678901", "0", repr(1 / 3)],
        "error": ["#N/A", "#DIV/0!", "x", "", ""],
        "blank": [""] * 5,
    }


def test_empty_rows_are_not_records_and_nameless_empty_columns_not_columns(tmp_path: Path) -> None:
    rows = [
        [],
        [None, None],
        [None, "a", None, "b"],
        [None, 1],
        [],
        [None, None, None, 2],
        [None, "", None, ""],
    ]
    table = read_csv(write_workbook(tmp_path / "people.xlsx", ("S", rows)))
    assert {c.name: texts(c) for c in table.columns} == {"a": ["1", ""], "b": ["", "2"]}


def test_leading_zeros_that_a_sheet_shows_are_read(tmp_path: Path, data: Path) -> None:
    path = write_workbook(
        tmp_path / "p.xlsx", ("S", [["zip", "n"], [1234, 7], [99999, 8], [None, 9], ["x", 1]])
    )
    book = openpyxl.load_workbook(path)
    for cell in book["S"]["A"]:
        cell.number_format = "00000"
    book.save(path)
    assert texts(read_csv(path).column("zip")) == ["01234", "99999", "", "x"]
    assert texts(read_csv(path).column("n")) == ["7", "8", "9", "1"]
    old = read_csv(data / "formats" / "awkward.xls", ReadOptions(sheet="Zeros"))
    assert texts(old.column("zip")) == ["01234", "99999", "-5", "1.5"]


def test_the_first_visible_sheet_is_read_unless_one_is_named(tmp_path: Path) -> None:
    path = write_workbook(
        tmp_path / "p.xlsx",
        ("Notes", [["n"], [1]]),
        ("A", [["a"], ["x"]]),
        ("B", [["b"], ["y"]]),
        hidden="Notes",
    )
    table, options = read_table(path)
    assert (table.names, options.sheet) == (("a",), "A")
    assert read_csv(path, ReadOptions(sheet="Notes")).names == ("n",)
    assert as_table(path, options=ReadOptions(sheet="B")).names == ("b",)
    assert sheet_names(path) == ("A", "B", "Notes")
    assert refused(path, ReadOptions(sheet="C")).hint.startswith("Known: A, B")


def test_a_sheet_without_names_is_recognized_by_its_numbers(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "p.xlsx", ("S", [[39, "x"], [40, "y"]]))
    table, options = read_table(path)
    assert (table.names, table.n_records, options.guessed) == (("column 1", "column 2"), 2, ("header",))
    assert read_csv(path, ReadOptions(header=True)).names == ("39", "x")


SHEETS: dict[str, tuple[list[list[Any]], str]] = {
    "an empty sheet": ([], "is empty"),
    "names alone": ([["a", "b"]], "no records"),
    "one name twice": ([["a", "a"], ["x", "y"]], "have the same name, 'a'"),
    "a formula without result": ([["a"], ["=1+1"]], "the formula in cell A2 has no result"),
}


@pytest.mark.parametrize("case", SHEETS)
def test_sheets_that_are_not_tables_are_refused(tmp_path: Path, case: str) -> None:
    rows, told = SHEETS[case]
    error = refused(write_workbook(tmp_path / "people.xlsx", ("S", rows)))
    assert told in error.problem


def test_merged_cells_are_refused_since_only_one_of_them_has_a_value(tmp_path: Path, data: Path) -> None:
    path = write_workbook(tmp_path / "people.xlsx", ("S", [["ward", "n"], ["A", 1], [None, 2]]))
    book = openpyxl.load_workbook(path)
    book["S"].merge_cells("A2:A3")
    book.save(path)
    assert "the cells A2:A3 are merged" in refused(path).problem
    old = refused(data / "formats" / "awkward.xls", ReadOptions(sheet="Merged"))
    assert "the cells A2:A3 are merged" in old.problem


def test_formulas_have_the_result_the_file_holds(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "people.xlsx", ("S", [["a", "b"], ["=1+1", "=A1"], [3, "x"]]))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    worked_out = (
        members[sheet]
        .replace(b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>")
        .replace(b"<f>1+1</f><v />", b"<f>1+1</f><v>2</v>")
    )
    worked_out = worked_out.replace(b'<c r="B2">', b'<c r="B2" t="str">')
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, worked_out if name == sheet else content)
    table = read_csv(path)
    assert {c.name: texts(c) for c in table.columns} == {"a": ["2", "3"], "b": ["", "x"]}


def test_a_workbook_that_declares_a_false_size_is_read_by_its_cells(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "people.xlsx", ("S", [["a"], [1]]))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    assert b'<dimension ref="A1:A2"' in members[sheet]
    members[sheet] = members[sheet].replace(b'ref="A1:A2"', b'ref="A1:XFD1048576"')
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert contents(read_csv(path)) == {"a": (Kind.INTEGER, ("1",), [0])}


def test_a_file_that_unpacks_to_too_much_is_refused_before_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets, "_SMALL", 1 << 20)
    path = write_workbook(tmp_path / "people.xlsx", ("S", [["a"], [1]]))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/padding.xml", b"0" * (1 << 21))
    assert "would unpack to" in refused(path).problem


# SPSS


def test_value_labels_are_the_values_in_the_order_of_their_codes(tmp_path: Path) -> None:
    path = write_spss(
        tmp_path / "people.sav",
        {"sex": [1.0, 2.0, None], "pain": [3.0, 1.0, 2.0], "age": [98.0, 99.0, 100.0], "m": ["m", "f", "m"]},
        variable_value_labels={
            "sex": {1: "male", 2: "female"},
            "pain": {1: "none", 2: "some", 3: "much", 4: "worst"},
            "age": {100: "100 and above"},
            "m": {"m": "male"},
        },
        variable_measure={"sex": "nominal", "pain": "ordinal", "age": "scale", "m": "nominal"},
    )
    table = read_csv(path)
    assert contents(table) == {
        "sex": (Kind.TEXT, ("female", "male", ""), [1, 0, 2]),
        "pain": (Kind.ORDERED, ("none", "some", "much"), [2, 0, 1]),
        "age": (Kind.ORDERED, ("98", "99", "100 and above"), [0, 1, 2]),
        "m": (Kind.TEXT, ("f", "male"), [1, 0, 1]),
    }
    assert table.column("pain").data_type.values == ("none", "some", "much", "worst")


def test_labels_that_could_be_mistaken_have_their_code_behind_them(tmp_path: Path) -> None:
    path = write_spss(
        tmp_path / "people.sav",
        {"q": [8.0, 9.0, 3.0, 5.0, 1.5]},
        variable_value_labels={"q": {8: "no answer", 9: "no answer", 3: "5", 1.5: "half"}},
    )
    assert texts(read_csv(path).column("q")) == ["no answer (8)", "no answer (9)", "5 (3)", "5", "half"]


def test_values_declared_missing_are_missing(tmp_path: Path) -> None:
    path = write_spss(
        tmp_path / "people.sav",
        {"income": [10.5, -9.0, 99.0, None], "word": ["x", "NA", "", None]},
        missing_ranges={"income": [{"lo": -9, "hi": -9}, {"lo": 99, "hi": 99}], "word": ["NA"]},
        variable_value_labels={"income": {-9: "refused"}},
    )
    table = read_csv(path)
    assert texts(table.column("income")) == ["10.5", "", "", ""]
    assert texts(table.column("word")) == ["x", "", "", ""]
    assert table.column("income").data_type.kind is Kind.DECIMAL


def test_dates_and_times_of_spss_are_iso_texts(tmp_path: Path) -> None:
    path = write_spss(
        tmp_path / "people.sav",
        {
            "day": [dt.date(2020, 2, 29), None],
            "moment": [dt.datetime(2020, 2, 29, 13, 5), dt.datetime(1899, 1, 1)],
            "clock": [dt.time(13, 5), dt.time(0, 0, 1)],
        },
    )
    table = read_csv(path)
    assert {c.name: texts(c) for c in table.columns} == {
        "day": ["2020-02-29", ""],
        "moment": ["2020-02-29 13:05:00", "1899-01-01 00:00:00"],
        "clock": ["13:05:00", "00:00:01"],
    }
    assert [c.data_type.kind for c in table.columns] == [Kind.DATE, Kind.DATE, Kind.ORDERED]


def test_records_read_in_blocks_are_the_records_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_spss(
        tmp_path / "people.sav",
        {"n": [float(i % 7) if i % 5 else None for i in range(95)], "t": [f"x{i % 3}" for i in range(95)]},
    )
    whole = contents(read_csv(path))
    monkeypatch.setattr(statistical_reader, "_BLOCK", 10)
    assert contents(read_csv(path)) == whole


def test_the_students_have_one_empty_record_more_in_spss(table_path: Callable[[str], Path]) -> None:
    """k of Teacher, Ethnic, Gender as pyCANON 1.3.5 gives it: 1 from the .sav, 2 from the .csv."""
    names = ("Teacher", "Ethnic", "Gender")
    found = {}
    for ending in (".sav", ".csv"):
        table = read_csv(table_path("students_math_score" + ending))
        sizes = GivenTable(table, names).classes.measured.sizes
        found[ending] = (table.n_records, int(sizes.min()))
    assert found == {".sav": (217, 1), ".csv": (216, 2)}


# Parquet


@pytest.mark.parametrize("is_coded", [False, True])
def test_bytes_of_a_parquet_file_that_are_not_text_are_refused_with_their_column(
    tmp_path: Path, is_coded: bool
) -> None:
    data = pa.array([b"ab", b"\xc7z"], pa.binary())
    texts = pa.Array.from_buffers(pa.string(), 2, data.buffers())
    if is_coded:
        texts = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int32()), texts)
    parquet.write_table(pa.table({"name": texts}), tmp_path / "people.parquet")
    with pytest.raises(TableError, match=r"Column 'name' of 'people\.parquet'") as refused:
        read_csv(tmp_path / "people.parquet")
    assert refused.value.hint


def test_types_of_parquet_are_kept(tmp_path: Path) -> None:
    table = pa.table(
        {
            "narrow": pa.array([0.1, None, float("nan")], pa.float32()),
            "large": pa.array([2**63, 2**63 + 1, 2**64 - 1], pa.uint64()),
            "exact": pa.array([Decimal("1.50"), Decimal("2"), None], pa.decimal128(20, 2)),
            "flag": pa.array([True, None, False]),
            "moment": pa.array(
                [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2, 3), None], pa.timestamp("ms")
            ),
            "zoned": pa.array([0, 3600, None], pa.timestamp("s", "Europe/Rome")),
            "digits": pa.array(["1", "2", "01"]),
            "grade": pa.DictionaryArray.from_arrays(
                pa.array([1, 0, None], pa.int8()), pa.array(["low", "high", "unused"]), ordered=True
            ),
            "large_text": pa.array(["b", "a", None], pa.large_string()),
            "nothing": pa.nulls(3),
        }
    )
    parquet.write_table(table, tmp_path / "people.parquet")
    read = read_csv(tmp_path / "people.parquet")
    assert {c.name: texts(c) for c in read.columns} == {
        "narrow": ["0.1", "", ""],
        "large": [str(2**63), str(2**63 + 1), str(2**64 - 1)],
        "exact": ["1.5", "2", ""],
        "flag": ["True", "", "False"],
        "moment": ["2020-01-01 00:00:00", "2020-01-02 03:00:00", ""],
        "zoned": ["1970-01-01 01:00:00", "1970-01-01 02:00:00", ""],
        "digits": ["1", "2", "01"],
        "grade": ["high", "low", ""],
        "large_text": ["b", "a", ""],
        "nothing": ["", "", ""],
    }
    assert read.column("digits").data_type.kind is Kind.TEXT
    assert read.column("grade").data_type.kind is Kind.ORDERED
    assert read.column("grade").labels == ("low", "high", "")
    assert read.column("large").labels == (str(2**63), str(2**63 + 1), str(2**64 - 1))


def test_row_labels_stored_by_pandas_are_not_a_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]})
    frame[frame["a"] > 1].to_parquet(tmp_path / "people.parquet")
    frame.set_index(pd.Index(["x", "y", "z"], name="code")).to_parquet(tmp_path / "named.parquet")
    assert contents(read_csv(tmp_path / "people.parquet")) == {"a": (Kind.INTEGER, ("2", "3"), [0, 1])}
    assert read_csv(tmp_path / "named.parquet").names == ("a", "code")


@pytest.mark.parametrize(
    ("array", "told"),
    [
        (pa.array([[1], [2]]), "are not supported"),
        (pa.array([b"x", b"y"]), "bytes are not supported"),
        (pa.array([{"a": 1}, None]), "are not supported"),
        (pa.array([float("inf"), 1.0]), "not a finite number"),
        (pa.array([1e300, 1.0]), "outside the supported range"),
        (pa.array([1, 2], pa.timestamp("ns")), "finer than microseconds"),
    ],
)
def test_cells_of_parquet_that_are_not_single_values_are_refused(
    tmp_path: Path, array: pa.Array, told: str
) -> None:
    parquet.write_table(pa.table({"x": array}), tmp_path / "people.parquet")
    with pytest.raises(TableError, match="'x'") as caught:
        read_csv(tmp_path / "people.parquet")
    assert told in caught.value.problem
    assert caught.value.hint


def test_no_value_and_an_empty_text_are_not_made_one_unless_empty_means_missing(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "people.parquet", {"a": ["", None, "x"]})
    assert texts(read_csv(path).column("a")) == ["", "", "x"]
    assert texts(read_csv(path, ReadOptions(missing=("NA",))).column("a")) == ["", "NA", "x"]
    problem = "some cells have no value, others an empty text, and no missing tokens"
    assert problem in refused(path, ReadOptions(missing=())).problem


# All of them


DAMAGED = {
    ".xlsx": (b"PK\x03\x04 no zip at all", "is damaged or not a valid Excel workbook"),
    ".xls": (sheets._COMPOUND + bytes(600), "is damaged or not a valid Excel workbook"),
    ".sav": (b"$FL2 and no more", "is damaged or not a valid SPSS file"),
    ".parquet": (b"PAR1 and no more PAR1", "is damaged or not a valid Parquet file"),
    ".ods": (b"PK\x03\x04 no zip at all", "is damaged or not a valid"),
    ".por": (b"no portable file", "is damaged or not a valid SPSS portable file"),
    ".dta": (b"<stata_dta> and no more", "is damaged or not a valid Stata file"),
    ".sas7bdat": (bytes(600), "is damaged or not a valid SAS file"),
    ".xpt": (b"HEADER RECORD***" * 10, "is damaged or not a valid SAS file"),
    ".feather": (b"ARROW1 and no more", "is damaged or not a valid Feather file"),
    ".jsonl": (b'{"a": 1}\n{"a": ', "line 2: not valid JSON at position 6"),
}


@pytest.mark.parametrize("ending", DAMAGED)
def test_damaged_empty_and_other_files_are_refused_in_a_sentence(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"people{ending}"
    content, told = DAMAGED[ending]
    path.write_bytes(content)
    assert told in refused(path).problem
    path.write_bytes(b"")
    assert "is empty" in refused(path).problem
    path.write_text("a,b\n1,2\n")
    refused(path)
    path.unlink()
    assert "does not exist" in refused(path).problem
    path.mkdir()
    assert "is a folder" in refused(path).problem


@pytest.mark.parametrize(
    ("own", "named", "message"),
    [
        (".sav", ".dta", "begins like an SPSS file"),
        (".dta", ".sav", "begins like a Stata file"),
        (".parquet", ".feather", "begins like a Parquet file"),
        (".feather", ".sas7bdat", "begins like a Feather file"),
        (".xlsx", ".jsonl", "begins like an Excel workbook"),
        (".sav", ".xlsx", "begins like an SPSS file"),
        (".csv", ".sav", "begins like a text"),
        (".jsonl", ".dta", "begins like a JSON lines file"),
        (".jsonl", ".jsonl.gz", "not a complete gzip file"),
    ],
)
def test_a_file_under_the_ending_of_another_format_is_told(
    tmp_path: Path, own: str, named: str, message: str
) -> None:
    path = WRITERS[own](tmp_path / f"people{own}", LITTLE).rename(tmp_path / f"people{named}")
    error = refused(path)
    assert message in error.problem
    assert own in error.hint or named.endswith(".gz")


@pytest.mark.parametrize("ending", [".xlsx", ".parquet", ".sav", ".dta", ".xpt", ".feather", ".jsonl"])
def test_files_cut_short_are_refused(tmp_path: Path, ending: str) -> None:
    many = {"a": [f"x{i}" for i in range(3000)], "n": [float(i) for i in range(3000)]}
    path = WRITERS[ending](tmp_path / f"people{ending}", many)
    whole = path.read_bytes()
    for share in (0.3, 0.7, 0.97):
        path.write_bytes(whole[: int(len(whole) * share)])
        refused(path)


def test_workbooks_with_a_password_are_said_to_have_one(tmp_path: Path, data: Path) -> None:
    new = tmp_path / "new.xlsx"
    new.write_bytes(sheets._COMPOUND + bytes(504) + "EncryptedPackage".encode("utf-16-le"))
    assert "protected by a password" in refused(new).problem
    old = tmp_path / "old.xls"
    # The record that says so takes the place of one that says nothing of the kind.
    plain = (data / "formats" / "little.xls").read_bytes()
    old.write_bytes(plain.replace(b"\xe1\x00\x02\x00", b"\x2f\x00\x02\x00", 1))
    assert old.read_bytes() != plain
    assert "protected by a password" in refused(old).problem


@pytest.mark.parametrize(
    ("ending", "library"),
    [(".xlsx", "openpyxl"), (".xls", "xlrd"), (".sav", "pyreadstat"), (".dta", "pyreadstat")],
)
def test_a_library_that_is_not_installed_is_named_with_what_installs_it(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch, ending: str, library: str
) -> None:
    path = data / "formats" / "little.xls"
    if ending != ".xls":
        path = WRITERS[ending](tmp_path / f"people{ending}", LITTLE)

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(table_files.importlib, "import_module", missing)
    error = refused(path)
    assert library in error.problem
    assert error.hint == f"Install it with: {install_words()}"


@pytest.mark.parametrize("name", ["people.sav", "people.xlsx", "little.xls"])
def test_another_process_reads_the_same(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = data / "formats" / name
    if not name.endswith(".xls"):
        path = WRITERS[path.suffix](tmp_path / name, LITTLE)
    table, options = read_table(path)
    monkeypatch.setattr(reader_process, "needs_subprocess", lambda path: True)
    apart, same = read_table(path)
    assert (contents(apart), same) == (contents(table), options)


def test_another_process_reports_what_it_refuses_and_ends_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    monkeypatch.undo()
    broken = tmp_path / "broken.sav"
    broken.write_bytes(b"$FL2@(#) nothing more")
    assert "is damaged or not a valid SPSS file" in refused(broken).problem
    assert "does not exist" in refused(tmp_path / "absent.sav").problem
    with pytest.raises(CancelledError):
        read_csv(broken, monitor=Stopping(3))


@pytest.mark.parametrize("ending", [".xlsx", ".parquet", ".sav", ".dta", ".jsonl"])
def test_reading_reports_its_progress_and_ends_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr(statistical_reader, "_BLOCK", 1000)
    path = WRITERS[ending](tmp_path / f"people{ending}", {"n": list(np.arange(9000.0))})
    seen: list[tuple[int, int]] = []

    class Watcher:
        def step(self, done: int, total: int, text: str = "") -> None:
            assert 0 <= done <= total
            seen.append((done, total))

    read_csv(path, monitor=Watcher())
    assert any(done > 0 for done, _ in seen)
    with pytest.raises(CancelledError):
        read_csv(path, monitor=Stopping(done=1))


def test_a_hierarchy_is_text_and_a_workbook_none(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "age.xlsx", ("S", [["1", "*"]]))
    with pytest.raises(TableError, match=r"a text file is needed here \(Excel workbooks") as caught:
        table_files.load(path)
    assert "CSV" in caught.value.hint


def test_the_ending_of_a_text_file_gives_its_usual_delimiter_in_any_case(tmp_path: Path) -> None:
    path = tmp_path / "PEOPLE.TSV"
    path.write_text("a\nx\n", encoding="utf-8")
    assert read_table(path)[1].delimiter == "\t"


def test_a_sheet_may_have_the_nameless_index_of_a_frame(tmp_path: Path) -> None:
    rows = [[None, "age", None], ["x", 36, None], ["y", 41, None]]
    path = write_workbook(tmp_path / "people.xlsx", ("S", rows))
    assert as_table(path).names == read_csv(path).names == ("column 1", "age")


@pytest.mark.parametrize("ending", [".xlsx", ".xls", ".sav", ".dta", ".xpt", ".feather", ".parquet"])
@pytest.mark.parametrize("wrong", [".csv", ".txt.gz"])
def test_a_file_of_another_format_with_the_name_of_text_is_recognized_by_its_content(
    tmp_path: Path, data: Path, ending: str, wrong: str
) -> None:
    if ending == ".xls":
        content = (data / "formats" / "little.xls").read_bytes()
    else:
        content = WRITERS[ending](tmp_path / f"made{ending}", LITTLE).read_bytes()
    path = tmp_path / f"people{wrong}"
    path.write_bytes(gzip.compress(content) if wrong.endswith(".gz") else content)
    error = refused(path)
    assert "is not a text file" in error.problem
    assert ending in error.hint


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("people.db", "sqlite:///people.db?table=people"),
        ("people.duckdb", "Export this one as CSV."),
        ("people.rds", "arrow::write_parquet"),
    ],
)  # fmt: skip
def test_a_format_of_another_program_says_how_its_table_gets_here(
    tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / name).write_bytes(b"\x00\xff\xfe")
    with pytest.raises(TableError, match="cannot be read") as refusal:
        read_table(tmp_path / name)
    assert said in refusal.value.hint


def test_a_table_of_the_web_is_not_downloaded() -> None:
    with pytest.raises(TableError, match="does not exist") as refusal:
        read_table(Path("https://example.org/people.csv"))
    assert refusal.value.hint == "Files are not downloaded. Download it first."
