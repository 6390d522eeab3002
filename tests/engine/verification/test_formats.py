"""Verification reads originals in other formats than text itself, and finds the same cells as the program."""

from __future__ import annotations

import datetime as dt
import string
import zipfile
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from engine.errors import TableError
from engine.records import ReadOptions
from engine.records.opening.files import read_table
from engine.records.options import CODES
from engine.verification import verify
from engine.verification.claims import Reading, ValueLabels
from engine.verification.findings import UnverifiableError
from engine.verification.readers.collecting import Vocabulary
from engine.verification.readers.reading import read_codes
from tests.engine.records.test_formats import DAMAGED, LITTLE, WRITERS
from tests.engine.verification.plain_release import Recipe, write_release
from tests.formats import write_excel, write_spss, write_workbook
from tests.strategies import few

pytestmark = pytest.mark.usefixtures("work_here")

DETECT = ReadOptions()
Cells = dict[str, list[str]]


def cells_of(path: Path, options: ReadOptions) -> Cells:
    known: dict[str, Vocabulary] = {}
    reading = Reading(
        path,
        ",",
        options.encoding or "",
        options.header is not False,
        trim=options.trim,
        missing=options.missing,
        sheet=options.sheet or "",
        skip=options.skip_lines,
        labels=ValueLabels(
            options.value_labels == CODES, path.parent / options.catalog if options.catalog else None
        ),
    )
    codes = read_codes(reading, known, lambda _: None)
    return {name: [known[name].texts[code] for code in codes[name]] for name in codes}


def assert_same(path: Path, options: ReadOptions = DETECT) -> Cells:
    table, found = read_table(path, options)
    own = {c.name: [c.text(record) for record in range(table.n_records)] for c in table.columns}
    assert cells_of(path, found) == own
    return own


@pytest.mark.parametrize("ending", WRITERS)
def test_verification_reads_what_the_program_reads(tmp_path: Path, ending: str) -> None:
    path = WRITERS[ending](tmp_path / f"people{ending}", LITTLE)
    assert_same(path)
    assert_same(path, ReadOptions(missing=("low", ""), trim=True))
    assert_same(path.rename(path.with_suffix(ending.upper())))


@pytest.mark.parametrize("sheet", [None, "Hidden", "Zeros"])
def test_verification_reads_old_workbooks_as_the_program_does(data: Path, sheet: str | None) -> None:
    assert_same(data / "formats" / "little.xls")
    assert_same(data / "formats" / "awkward.xls", ReadOptions(sheet=sheet))


def test_verification_reads_awkward_sheets_as_the_program_does(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        [None, None],
        [None, "a", 2020, "c ", None, "blank"],
        [None, 1, "1", True, None, None],
        [None, 1.0, dt.datetime(2020, 1, 1), dt.time(1, 2, 3, 4000), None, None],
        [],
        [None, "", dt.date(2020, 1, 2), dt.timedelta(hours=-30, milliseconds=5), None, None],
        [None, 0.1 + 0.2, 1e300, 123456789012345678, None, ""],
        [None, "#N/A", -0.0, " \n", None, None],
        [None, 1e-9, None, dt.timedelta(days=3), None, None, None],
    ]
    path = write_workbook(tmp_path / "people.xlsx", ("One", rows), ("Two", [[3, 4], [5, None], [None, 1]]))
    book = openpyxl.load_workbook(path)
    for place, shape in (
        ("B3", "000"),
        ("B4", "00000"),
        ("D5", "00"),
        ("D4", "0"),
        ("B6", "0000"),
        ("C7", "00"),
    ):
        book["One"][place].number_format = shape
    book.save(path)
    assert len(assert_same(path)) == 4
    assert_same(path, ReadOptions(trim=True, missing=("NA", "1", "#N/A", "")))
    assert_same(path, ReadOptions(sheet="Two"))
    assert_same(path, ReadOptions(sheet="Two", missing=()))


def test_verification_reads_labels_and_missing_codes_as_the_program_does(tmp_path: Path) -> None:
    path = write_spss(
        tmp_path / "people.sav",
        {
            "q": [8.0, 9.0, 3.0, 5.0, None],
            "m": ["m", "f", "x ", "", None],
            "n": [-9.0, 1.5, 2.0, 99.0, None],
            "day": [dt.date(2020, 2, 29), None, dt.date(1582, 12, 31), None, None],
            "moment": [dt.datetime(2020, 2, 29, 13, 5), None, None, None, dt.datetime(1900, 1, 1)],
            "clock": [dt.time(13, 5), None, dt.time(0, 0, 1), None, None],
        },
        variable_value_labels={
            "q": {8: "no answer", 9: "no answer", 3: "5", 7: ""},
            "m": {"m": "male", "f": "x"},
            "n": {-9: "refused", 2: "two"},
        },
        missing_ranges={"n": [-9, 99]},
        variable_measure={"q": "ordinal", "n": "scale"},
    )
    found = assert_same(path)
    assert found["q"] == ["no answer (8)", "no answer (9)", "5 (3)", "5", ""]
    assert_same(path, ReadOptions(missing=("two", "NA"), trim=True))


def test_verification_reads_the_students_as_the_program_does(table_path: Callable[[str], Path]) -> None:
    assert len(assert_same(table_path("students_math_score.sav"))["Teacher"]) == 217


PARQUET = {
    "half": pa.array([np.float16(0.1), None, np.float16(-0.0)], pa.float16()),
    "narrow": pa.array([0.1, float("nan"), 16777216.0], pa.float32()),
    "wide": pa.array([0.1, 1e22, -1e-9]),
    "tiny": pa.array([1.5e-170, -2e-100, 1e-99]),
    "small": pa.array([-128, None, 127], pa.int8()),
    "large": pa.array([2**63, None, 2**64 - 1], pa.uint64()),
    "exact": pa.array([Decimal("1.50"), Decimal("-2"), None], pa.decimal128(20, 2)),
    "exact_large": pa.array([Decimal(10**35), Decimal(10**35 + 1), None], pa.decimal256(50, 0)),
    "flag": pa.array([True, None, False]),
    "day": pa.array([dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]),
    "midnights": pa.array([dt.datetime(2020, 1, 1), dt.datetime(987, 1, 1), None], pa.timestamp("ms")),
    "moment": pa.array([dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2, 3), None], pa.timestamp("s")),
    "fine": pa.array([dt.datetime(2020, 1, 1, 0, 0, 0, 7), None, None], pa.timestamp("us")),
    "nano": pa.array([10**18, None, 0], pa.timestamp("ns")),
    "zoned": pa.array([0, 3600, None], pa.timestamp("s", "Europe/Rome")),
    "clock": pa.array([dt.time(1, 2, 3), None, dt.time(0, 0, 0, 5)]),
    "lasting": pa.array([dt.timedelta(days=1, seconds=5), None, dt.timedelta(microseconds=-5)]),
    "text": pa.array(["x", "", None]),
    "large_text": pa.array(["x", " ", None], pa.large_string()),
    "grade": pa.array(["b", None, "a"]).dictionary_encode(),
    "numbered": pa.array([2.0, None, 1.5]).dictionary_encode(),
    "nothing": pa.nulls(3),
}


@pytest.mark.parametrize("name", PARQUET)
def test_verification_reads_every_type_of_parquet_as_the_program_does(tmp_path: Path, name: str) -> None:
    if name == "half" and pa.__version__ < "26":
        pytest.skip("this pyarrow refuses halves, which hardly any file has")
    parquet.write_table(pa.table({name: PARQUET[name]}), tmp_path / "people.parquet")
    assert_same(tmp_path / "people.parquet")
    assert_same(tmp_path / "people.parquet", ReadOptions(missing=("NA", "0", "x"), trim=True))


def test_verification_omits_row_labels_of_pandas(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3]}, index=pd.Index(["x", "y", "z"], name="code"))
    frame.to_parquet(tmp_path / "named.parquet")
    frame.reset_index(drop=True).iloc[1:].to_parquet(tmp_path / "filtered.parquet")
    assert list(assert_same(tmp_path / "named.parquet")) == ["a", "code"]
    assert list(assert_same(tmp_path / "filtered.parquet")) == ["a"]


_TEXT = st.text(st.sampled_from(string.printable + "éß€中 #"), max_size=4).filter(lambda t: t.isprintable())
_FAMILIES = {
    "number": st.integers(-(10**9), 10**9)
    | st.floats(-1e15, 1e15).filter(lambda number: not 0 < abs(number) < 1e-180),
    "date": st.dates(dt.date(1900, 3, 1), dt.date(2199, 1, 1)),
    "moment": st.datetimes(dt.datetime(1900, 3, 1), dt.datetime(2199, 1, 1)).map(
        lambda moment: moment.replace(microsecond=0)
    ),
    "text": _TEXT,
    "flag": st.booleans(),
}


@st.composite
def _columns(draw: st.DrawFn, is_mixed: bool, families: list[str]) -> dict[str, list[Any]]:
    n_records = draw(st.integers(1, 6))
    columns = {}
    for number in range(draw(st.integers(1, 3))):
        cell = _FAMILIES[draw(st.sampled_from(families))]
        if is_mixed and draw(st.booleans()):
            cell = st.one_of(*(_FAMILIES[name] for name in families))
        cells = st.lists(cell | st.none(), min_size=n_records, max_size=n_records)
        columns[f"c{number}"] = draw(cells)
    return columns


@few
@given(_columns(True, list(_FAMILIES)))
def test_any_cells_of_a_workbook_are_the_same_to_both(
    tmp_path_factory: pytest.TempPathFactory, columns: dict[str, list[Any]]
) -> None:
    path = write_excel(tmp_path_factory.mktemp("any") / "people.xlsx", columns)
    if not any(cell not in (None, "") for cells in columns.values() for cell in cells):
        with pytest.raises(TableError, match="no records"):
            read_table(path, ReadOptions(header=True))
    else:
        assert_same(path, ReadOptions(header=True))


@few
@given(_columns(False, ["number", "date", "moment", "text"]))
def test_any_cells_of_an_spss_file_are_the_same_to_both(
    tmp_path_factory: pytest.TempPathFactory, columns: dict[str, list[Any]]
) -> None:
    assert_same(write_spss(tmp_path_factory.mktemp("any") / "people.sav", columns))


@few
@given(_columns(False, list(_FAMILIES)))
def test_any_cells_of_a_parquet_file_are_the_same_to_both(
    tmp_path_factory: pytest.TempPathFactory, columns: dict[str, list[Any]]
) -> None:
    path = tmp_path_factory.mktemp("any") / "people.parquet"
    typed = {
        name: [float(v) if isinstance(v, int | float) and not isinstance(v, bool) else v for v in values]
        for name, values in columns.items()
    }
    assert_same(WRITERS[".parquet"](path, typed))


@pytest.mark.parametrize("ending", DAMAGED)
def test_unreadable_files_are_not_confirmed(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"people{ending}"
    path.write_bytes(DAMAGED[ending][0])
    with pytest.raises(UnverifiableError, match="cannot be read"):
        cells_of(path, DETECT)


@pytest.mark.parametrize("ending", [".xlsx", ".parquet", ".sav", ".dta", ".xpt", ".feather", ".jsonl"])
def test_a_release_of_such_an_original_is_confirmed_or_a_changed_cell_found(
    tmp_path: Path, ending: str
) -> None:
    """Class M has two records and F three; the release is the table itself."""
    columns = {"sex": ["F", "M", "F", "M", "F"], "age": [30, 40, 30, 40, 30]}
    original = WRITERS[ending](tmp_path / f"people{ending}", columns)
    rows = [[str(value) for value in row] for row in zip(*columns.values(), strict=True)]
    recipe = Recipe(
        ("sex", "age"),
        rows,
        ("sex", "age"),
        {"sex": [["M"], ["F"]], "age": [["30"], ["40"]]},
        {"sex": 0, "age": 0},
    )
    claim = replace(write_release(recipe, tmp_path), original=Reading(original))
    assert verify(claim).ok
    text = claim.released.path.read_text(encoding="utf-8")
    claim.released.path.write_text(text.replace("F,30", "F,31", 1), encoding="utf-8")
    verdict = verify(claim)
    assert not verdict.ok
    assert any("the file has '31'" in problem for problem in verdict.problems)


def test_numbers_beyond_all_bounds_are_the_same_text_to_both(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "people.xlsx", ("S", [["a"], [2.5], [1e308]]))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    assert b"<v>2.5</v>" in members[sheet]
    members[sheet] = members[sheet].replace(b"<v>2.5</v>", b"<v>2.5e999</v>")
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    assert assert_same(path)["a"] == ["inf", str(int(1e308))]
