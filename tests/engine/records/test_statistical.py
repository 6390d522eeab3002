"""Files of Stata and SAS, SPSS portable, OpenDocument, Feather and JSON lines, read twice alike."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import string
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

from engine.errors import TableError
from engine.records import Kind, ReadOptions, reader_process
from engine.records.opening.files import read, read_csv, read_head
from engine.records.options import CODES
from engine.records.programs.workbooks import sheet_names
from tests.engine.verification.test_formats import assert_same
from tests.formats import (
    write_feather,
    write_json_lines,
    write_portable,
    write_sheets,
    write_stata,
    write_transport,
)
from tests.strategies import few

DETECT = ReadOptions()


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What libraries read, without the half second that another process takes to start."""
    monkeypatch.setattr(reader_process, "needs_subprocess", lambda path: False)


def kinds(path: Path) -> dict[str, Kind]:
    return {column.name: column.data_type.kind for column in read_csv(path).columns}


def refused(path: Path, options: ReadOptions = DETECT) -> TableError:
    with pytest.raises(TableError) as caught:
        read_csv(path, options)
    assert caught.value.hint
    assert path.name in caught.value.problem
    return caught.value


# Stata


def test_value_labels_of_stata_are_the_values_and_missing_codes_missing(tmp_path: Path) -> None:
    path = tmp_path / "people.dta"
    frame = pd.DataFrame(
        {
            "sex": [1.0, 2.0, 1.0, 2.0],
            "age": pd.Series([98.0, 100.0, "a", "z"], dtype=object),
            "ward": pd.Series(["x", "", "Zoë", "x"], dtype=object),
        }
    )
    pyreadstat.write_dta(
        frame,
        path,
        variable_value_labels={
            "sex": {1: "male", 2: "female", 9: "unused"},
            "age": {100: "100 and above", "a": "refused"},  # type: ignore[dict-item]  # Stata's own missing
        },
        missing_user_values={"age": ["a", "z"]},
        column_labels={"sex": "Sex of the person"},
    )
    found = assert_same(path)
    assert found == {
        "sex": ["male", "female", "male", "female"],
        "age": ["98", "100 and above", "", ""],
        "ward": ["x", "", "Zoë", "x"],
    }
    table = read_csv(path)
    assert table.column("age").data_type.values == ("98", "100 and above")
    assert table.column("sex").data_type.kind is Kind.TEXT
    coding = table.column("sex").coding
    assert coding.label == "Sex of the person"
    assert coding.values == {"male": (1.0, "male"), "female": (2.0, "female"), "unused": (9.0, "unused")}


def test_dates_of_every_unit_of_stata_are_dates(tmp_path: Path) -> None:
    numbers = {
        "%td": [0.0, 21974.0, np.nan],
        "%d": [-1.0, 1.0, np.nan],
        "%tc": [0.0, 1.8985968e12 + 1000, np.nan],
        "%tw": [0.0, 3121.0, np.nan],
        "%tm": [-1.0, 721.0, np.nan],
        "%tq": [3.0, 241.0, np.nan],
        "%th": [1.0, 121.0, np.nan],
        "%ty": [2020.0, 1066.0, np.nan],
        "%tdDD/NN/CCYY": [0.0, 59.0, np.nan],
    }
    path = tmp_path / "people.dta"
    names = {f"c{place}": shape for place, shape in enumerate(numbers)}
    frame = pd.DataFrame({name: numbers[shape] for name, shape in names.items()})
    pyreadstat.write_dta(frame, path, variable_format=names)
    found = assert_same(path)
    assert {shape: found[name][:2] for name, shape in names.items()} == {
        "%td": ["1960-01-01", "2020-02-29"],
        "%d": ["1959-12-31", "1960-01-02"],
        "%tc": ["1960-01-01 00:00:00", "2020-02-29 12:00:01"],
        "%tw": ["1960-01-01", "2020-01-08"],
        "%tm": ["1959-12-01", "2020-02-01"],
        "%tq": ["1960-10-01", "2020-04-01"],
        "%th": ["1960-07-01", "2020-07-01"],
        "%ty": ["2020-01-01", "1066-01-01"],
        "%tdDD/NN/CCYY": ["1960-01-01", "1960-02-29"],
    }
    assert set(kinds(path).values()) == {Kind.DATE}


@pytest.mark.parametrize("version", [114, 117, 118, 119])
def test_every_version_of_stata_files_is_read(tmp_path: Path, version: int) -> None:
    frame = pd.DataFrame(
        {
            "name": ["Zoë", "Ann", "Bob"],
            "small": np.array([1, 2, 100], dtype=np.int8),
            "single": np.array([0.1, -3.25, 1e9], dtype=np.float32),
            "exact": [0.1, 1e22, -0.0],
            "grade": pd.Categorical(["low", "high", "low"], ["low", "high"]),
        }
    )
    path = tmp_path / "people.dta"
    frame.to_stata(path, write_index=False, version=version)  # type: ignore[call-overload]
    found = assert_same(path)
    assert found["name"] == ["Zoë", "Ann", "Bob"]
    assert found["single"] == ["0.1", "-3.25", "1000000000"]
    assert found["exact"] == ["0.1", "10000000000000000000000", "0"]
    assert found["grade"] == ["low", "high", "low"]


def test_long_texts_of_stata_are_whole(tmp_path: Path) -> None:
    long = "ä" * 5000
    frame = pd.DataFrame({"note": [long, "", "x"], "n": [1, 2, 3]})
    path = tmp_path / "people.dta"
    frame.to_stata(path, write_index=False, version=118, convert_strl=["note"])
    assert assert_same(path)["note"] == [long, "", "x"]


# SAS


def unpacked(data: Path, tmp_path: Path, old: bytes = b"", new: bytes = b"") -> Path:
    path = tmp_path / "iris.sas7bdat"
    content = gzip.decompress((data / "formats" / "iris.sas7bdat.gz").read_bytes())
    path.write_bytes(content.replace(old, new) if old else content)
    return path


def test_a_table_that_sas_wrote_is_read(data: Path, tmp_path: Path) -> None:
    """The iris table, whose counts and sums are known from its paper."""
    path = unpacked(data, tmp_path)
    found = assert_same(path)
    assert {name: len(cells) for name, cells in found.items()} == dict.fromkeys(found, 150)
    assert {name: found["Species"].count(name) for name in set(found["Species"])} == dict.fromkeys(
        ("setosa", "versic", "virgin"), 50
    )
    assert round(sum(map(float, found["Sepal_Length"])), 1) == 876.5
    assert kinds(path)["Petal_Width"] is Kind.DECIMAL


@pytest.mark.parametrize(
    ("shape", "first"),
    [
        (b"DATE", "1960-01-06"),
        (b"TIME", "00:00:05.100000"),
        (b"YYMM", "1960-01-06"),
        (b"HHMM", "00:00:05.100000"),
    ],
)
def test_the_format_of_a_sas_column_makes_dates_and_times(
    data: Path, tmp_path: Path, shape: bytes, first: str
) -> None:
    """The same file with another format of the same length: 5.1 is then a day or a second."""
    path = unpacked(data, tmp_path, b"BEST", shape)
    assert assert_same(path)["Sepal_Length"][0] == first
    assert_same(path, ReadOptions(missing=("NA",)))


@pytest.mark.parametrize("version", [5, 8])
def test_transport_files_have_dates_times_and_missing_values(tmp_path: Path, version: int) -> None:
    path = tmp_path / "people.xpt"
    frame = pd.DataFrame(
        {
            "day": [21974.0, np.nan, -1.0],
            "moment": [1898596800.0 + 0.5, np.nan, 0.0],
            "clock": [47100.0, 0.0, np.nan],
            "span": [90000.0, -60.0, 5.0],
            "name": ["Zoë", "", "x" * 150],
            "n": [0.1, 1e22, np.nan],
        }
    )
    shapes = {"day": "DATE9.", "moment": "DATETIME20.", "clock": "TIME8.", "span": "TIME8."}
    pyreadstat.write_xport(frame, path, file_format_version=version, variable_format=shapes)  # type: ignore[arg-type]
    assert_same(path, ReadOptions(missing=("NA",)))
    found = assert_same(path)
    assert found == {
        "day": ["2020-02-29", "", "1959-12-31"],
        "moment": ["2020-02-29 12:00:00.500000", "", "1960-01-01 00:00:00.000000"],
        "clock": ["13:05:00", "00:00:00", ""],
        "span": ["1 day, 1:00:00", "-1 day, 23:59:00", "0:00:05"],
        "name": ["Zoë", "", "x" * 150],
        "n": ["0.1", "10000000000000000000000", ""],
    }


def cataloged(data: Path, tmp_path: Path, name: str = "iris.sas7bcat") -> Path:
    """Return the iris table with numbers of the format CUTS, and write the catalog that has its labels."""
    (tmp_path / name).write_bytes(gzip.decompress((data / "formats" / "labels.sas7bcat.gz").read_bytes()))
    return unpacked(data, tmp_path, b"BEST", b"CUTS")


def test_a_catalog_beside_a_sas_table_has_its_value_labels(data: Path, tmp_path: Path) -> None:
    path = cataloged(data, tmp_path)
    found = assert_same(path)
    assert found["Sepal_Length"][:3] == ["middle", "4.9", "4.7"]
    assert "longest" in found["Sepal_Length"]
    assert found["Petal_Width"][0] == "0.2"
    reading = read(path)
    assert reading.options.catalog == "iris.sas7bcat"
    column = reading.table.column("Sepal_Length")
    assert column.data_type.kind is Kind.ORDERED
    assert column.coding.values["longest"] == (7.9, "longest")
    assert assert_same(path, ReadOptions(value_labels=CODES)) == assert_same(path, ReadOptions(catalog=""))
    assert read(path, ReadOptions(catalog="")).table.column("Sepal_Length").labels[-1] == "7.9"


def test_a_catalog_of_another_name_is_chosen(data: Path, tmp_path: Path) -> None:
    path = cataloged(data, tmp_path, "formats.sas7bcat")
    assert assert_same(path)["Sepal_Length"][0] == "5.1"
    for name in ("formats.sas7bcat", str(tmp_path / "formats.sas7bcat")):
        reading = read(path, ReadOptions(catalog=name))
        assert reading.options.catalog == name
        assert assert_same(path, ReadOptions(catalog=name))["Sepal_Length"][0] == "middle"
    with pytest.raises(TableError, match="does not exist"):
        read(path, ReadOptions(catalog="format.sas7bcat"))
    (tmp_path / "formats.sas7bcat").write_bytes(b"\0" * 5000)
    with pytest.raises(TableError, match=r"'formats.sas7bcat' is damaged or not a valid SAS catalog"):
        read(path, ReadOptions(catalog="formats.sas7bcat"))


# Codes instead of labels


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_codes_are_read_if_asked_for_and_keep_their_labels(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"people{ending}"
    write: Any = pyreadstat.write_sav if ending == ".sav" else pyreadstat.write_dta
    frame = pd.DataFrame({"sex": [1.0, 2.0, 3.0, None], "age": [9.0, 100.0, 9.0, 9.0]})
    labels = {"sex": {1: "male", 2: "other", 3: "other"}, "age": {100: "100 and above"}}
    write(frame, path, variable_value_labels=labels)
    assert assert_same(path)["sex"] == ["male", "other (2)", "other (3)", ""]
    found = assert_same(path, ReadOptions(value_labels=CODES))
    assert found == {"sex": ["1", "2", "3", ""], "age": ["9", "100", "9", "9"]}
    table = read_csv(path, ReadOptions(value_labels=CODES))
    assert table.column("age").data_type.kind is Kind.INTEGER
    coding = table.column("sex").coding
    assert coding.values == {"1": (1.0, "male"), "2": (2.0, "other"), "3": (3.0, "other")}


# SPSS portable


def test_portable_files_are_read(tmp_path: Path) -> None:
    path = write_portable(
        tmp_path / "people.por",
        {"AGE": [34.0, None, 7.5], "NAME": ["Ann", "O'Hara", ""], "DAY": [dt.date(2020, 2, 29), None, None]},
    )
    assert assert_same(path) == {
        "AGE": ["34", "", "7.5"],
        "NAME": ["Ann", "O'Hara", ""],
        "DAY": ["2020-02-29", "", ""],
    }


# Feather


@pytest.mark.parametrize("options", [{"compression": "lz4"}, {"compression": "zstd"}, {"version": 1}])
def test_both_versions_of_feather_are_read(tmp_path: Path, options: dict[str, Any]) -> None:
    table = pa.table(
        {
            "n": pa.array([1, None, 3]),
            "x": pa.array([0.1, 2.0, None], pa.float32()),
            "t": pa.array(["x", None, "Zoë"]),
            "day": pa.array([dt.date(2020, 2, 29), None, dt.date(1, 1, 1)]),
        }
    )
    path = tmp_path / "people.feather"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of version 1, which older programs wrote
        feather.write_feather(table, path, **options)
    assert assert_same(path) == {
        "n": ["1", "", "3"],
        "x": ["0.1", "2", ""],
        "t": ["x", "", "Zoë"],
        "day": ["2020-02-29", "", "0001-01-01"],
    }


def test_categories_and_row_labels_of_feather_are_as_in_parquet(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"grade": pd.Categorical(["b", None, "a"], ["b", "a"], ordered=True), "f": [True, False, None]}
    )
    frame.to_feather(tmp_path / "people.feather")
    assert assert_same(tmp_path / "people.feather") == {"grade": ["b", "", "a"], "f": ["True", "False", ""]}
    assert read_csv(tmp_path / "people.feather").column("grade").labels == ("b", "a", "")
    table = pa.Table.from_pandas(frame[["f"]].set_index(pd.Index(["x", "y", "z"])))
    feather.write_feather(table, tmp_path / "labelled.feather")
    assert list(assert_same(tmp_path / "labelled.feather")) == ["f"]


def test_a_feather_file_with_lists_is_refused_by_its_column(tmp_path: Path) -> None:
    feather.write_feather(pa.table({"x": pa.array([[1], [2]])}), tmp_path / "people.feather")
    with pytest.raises(TableError, match="'x'"):
        read_csv(tmp_path / "people.feather")


# OpenDocument


def test_cells_of_opendocument_are_read_as_they_look(tmp_path: Path) -> None:
    rows: list[Any] = [
        [],
        [None, None],
        [None, "a", 2020, "c ", "d"],
        [None, 1, "1", True, dt.time(13, 5)],
        [None, 1.5, dt.datetime(2020, 1, 1, 3, 4, 5), False, dt.time(0, 0, 1)],
        [None, 1e300, dt.date(2020, 1, 2), None, ""],
        [],
        ('<table:table-cell/><table:table-cell table:number-columns-repeated="2" office:value-type="float" '
         'office:value="7"><text:p>7,0</text:p></table:table-cell><table:table-cell '
         'office:value-type="percentage" office:value="0.256"><text:p>26 %</text:p></table:table-cell>',),
    ]  # fmt: skip
    path = write_sheets(
        tmp_path / "people.ods", ("Notes", [["n"]]), ("One", rows), ("Two", [["b"], ["y"]]), hidden="Notes"
    )
    assert sheet_names(path) == ("One", "Two", "Notes")
    assert assert_same(path) == {
        "a": ["1", "1.5", str(int(1e300)), "7"],
        "2020": ["1", "2020-01-01 03:04:05", "2020-01-02 00:00:00", "7"],
        "c ": ["TRUE", "FALSE", "", "0.256"],
        "d": ["13:05:00", "00:00:01", "", ""],
    }
    assert_same(path, ReadOptions(skip_lines=2, header=True))
    assert assert_same(path, ReadOptions(sheet="Two")) == {"b": ["y"]}
    assert "no sheet 'Three'" in refused(path, ReadOptions(sheet="Three")).problem


def test_merged_cells_of_opendocument_are_refused_below_the_skipped_rows(tmp_path: Path) -> None:
    merged = (
        '<table:table-cell table:number-columns-spanned="2" office:value-type="string"><text:p>People'
        "</text:p></table:table-cell><table:covered-table-cell/>",
    )
    path = write_sheets(tmp_path / "people.ods", ("S", [merged, ["a", "b"], ["x", "y"]]))
    assert "row 1 has merged cells" in refused(path).problem
    assert assert_same(path, ReadOptions(skip_lines=1)) == {"a": ["x"], "b": ["y"]}


# JSON lines


def lines(tmp_path: Path, *texts: str) -> Path:
    path = tmp_path / "people.jsonl"
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def test_numbers_of_json_are_as_written_and_missing_keys_missing(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        '{"n": 1.0, "big": 123456789012345678901234567890, "zip": "01234", "f": true}',
        "",
        '{"zip": "99", "n": 1, "late": "Zo\\u00eb \\ud83d\\ude00"}',
        '{"n": null, "big": -5, "f": false, "zip": ""}',
        '{"n": 1e2, "mixed": 5}',
        '{"n": 0.10, "mixed": "5"}',
    )
    assert assert_same(path) == {
        "n": ["1.0", "1", "", "1e2", "0.10"],
        "big": ["123456789012345678901234567890", "", "-5", "", ""],
        "zip": ["01234", "99", "", "", ""],
        "f": ["true", "", "false", "", ""],
        "late": ["", "Zoë 😀", "", "", ""],
        "mixed": ["", "", "", "5", "5"],
    }
    found = kinds(path)
    assert (found["n"], found["big"], found["zip"], found["f"]) == (
        Kind.DECIMAL,
        Kind.INTEGER,
        Kind.TEXT,
        Kind.BOOLEAN,
    )


def test_texts_that_are_all_dates_are_dates(tmp_path: Path) -> None:
    path = lines(tmp_path, '{"d": "2020-02-29", "e": "29.2.2020"}', '{"d": "2021-01-01", "e": "1.1.2021"}')
    assert kinds(path) == {"d": Kind.DATE, "e": Kind.TEXT}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"a": {"b": 1}}', "'a' has a list or an object"),
        ('{"a": [1, 2]}', "'a' has a list or an object"),
        ('{"a": []}', "'a' has a list or an object"),
        ('{"a": 1, "a": 2}', "the key 'a' occurs twice"),
        ('{"a": NaN}', "NaN is not a number of JSON"),
        ('{"a": -Infinity}', "-Infinity is not a number of JSON"),
        ("[1, 2]", "not an object"),
        ("5", "not an object"),
        ('{"a": 1} {"a": 2}', "not valid JSON at position 10"),
        ('{"a": 01}', "not valid JSON"),
        ('{"a": "\\u0000"}', "NUL character, or half of a character"),
        ('{"a": "\\ud800"}', "NUL character, or half of a character"),
        ('{"\\ud800": 1}', "NUL character, or half of a character"),
        ("[" * 100_000, "inside each other"),
    ],
)
def test_a_line_that_is_no_record_is_refused_with_its_number(tmp_path: Path, line: str, told: str) -> None:
    error = refused(lines(tmp_path, '{"a": 1}', '{"a": "x"}', "", line))
    assert error.problem.startswith("'people.jsonl', line 4: ")
    assert told in error.problem
    assert error.context["line"] == 4


def test_a_line_that_is_not_utf8_is_refused_and_a_byte_order_mark_not(tmp_path: Path) -> None:
    path = tmp_path / "people.ndjson"
    path.write_bytes(b'\xef\xbb\xbf{"a": "x"}\r\n{"a": "\xe9"}\n')
    assert "line 2: byte 8 is not UTF-8" in refused(path).problem
    path.write_bytes(b'\xef\xbb\xbf{"a": "x"}\r\n{"a": "y"}')
    assert assert_same(path) == {"a": ["x", "y"]}


def test_keys_of_few_records_each_do_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.records.text.json_lines.FEW_CELLS", 1000)
    many = [json.dumps({f"k{number}": 1}) for number in range(500)]
    assert "too many different keys" in refused(lines(tmp_path, *many)).problem
    one = lines(tmp_path, *[json.dumps({"a": 1, "b": 2}) for _unused in range(2000)])
    assert read_csv(one).n_records == 2000


def test_the_first_records_of_json_lines_are_shown_before_the_others(tmp_path: Path) -> None:
    path = lines(tmp_path, *['{"a": 1}'] * 3000)
    head = read_head(path)
    assert (head.table.n_records, head.is_complete) == (2000, False)
    assert read_head(lines(tmp_path, '{"a": 1}')).is_complete


# All of them

WRITERS = {
    ".dta": write_stata,
    ".xpt": write_transport,
    ".feather": write_feather,
    ".jsonl": write_json_lines,
}


@pytest.mark.parametrize("ending", [*WRITERS, ".por"])
def test_a_table_of_many_columns_is_read(tmp_path: Path, ending: str) -> None:
    columns = {f"V{number}": [float(number), None] for number in range(400)}
    path = {**WRITERS, ".por": write_portable}[ending](tmp_path / f"wide{ending}", columns)
    assert len(assert_same(path)) == 400


@pytest.mark.parametrize("ending", [".dta", ".xpt", ".feather"])
def test_a_table_without_records_is_refused(tmp_path: Path, ending: str) -> None:
    path = WRITERS[ending](tmp_path / f"none{ending}", {"age": []})
    assert "no records" in refused(path).problem


_TEXT = st.text(st.sampled_from(string.ascii_letters + string.digits + "éß€中 #,\"'"), max_size=6)
_FAMILIES: dict[str, st.SearchStrategy[Any]] = {
    "number": st.integers(-(10**9), 10**9)
    | st.floats(-1e15, 1e15).filter(lambda number: not 0 < abs(number) < 1e-60),
    "day": st.dates(dt.date(1900, 3, 1), dt.date(2199, 1, 1)),
    "text": _TEXT.map(str.strip),
}


@st.composite
def _columns(draw: st.DrawFn) -> dict[str, list[Any]]:
    n_records = draw(st.integers(1, 6))
    return {
        f"c{number}": draw(
            st.lists(
                _FAMILIES[draw(st.sampled_from(sorted(_FAMILIES)))] | st.none(),
                min_size=n_records,
                max_size=n_records,
            )
        )
        for number in range(draw(st.integers(1, 4)))
    }


@few
@pytest.mark.parametrize("ending", WRITERS)
@given(columns=_columns())
def test_any_cells_are_the_same_to_the_program_and_its_judge(
    tmp_path_factory: pytest.TempPathFactory, ending: str, columns: dict[str, list[Any]]
) -> None:
    path = WRITERS[ending](tmp_path_factory.mktemp("any") / f"people{ending}", columns)
    found = assert_same(path)
    for name, cells in columns.items():
        empty = [cell is None or cell == "" for cell in cells]
        assert [text == "" for text in found[name]] == empty


def test_another_encoding_can_be_given_for_an_old_file(tmp_path: Path) -> None:
    path = tmp_path / "people.dta"
    frame = pd.DataFrame({"name": ["Zoé", "x"]})
    frame.to_stata(path, write_index=False, version=114)
    raw = path.read_bytes()
    path.write_bytes(raw.replace("é".encode("latin-1"), "ж".encode("cp1251")))
    reading = read(path, ReadOptions(encoding="cp1251"))
    assert reading.table.column("name").text(0) == "Zoж"
    assert assert_same(path, ReadOptions(encoding="cp1251"))["name"] == ["Zoж", "x"]
