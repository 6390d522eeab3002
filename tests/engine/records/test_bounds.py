"""What no table can be is refused in a sentence, before it takes time or memory."""

from __future__ import annotations

import gzip
import os
import socket
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from engine.cli import main
from engine.errors import AnonymizerError, ExportError, HierarchyError, TableError
from engine.files import atomic_write
from engine.hierarchies.files import read_hierarchy, read_lines
from engine.monitor import SILENT
from engine.project import Project
from engine.project.recipe.files import read_recipe
from engine.project.storage import salvage
from engine.project.storage.file import open_project, save_project
from engine.recoding.rules.keyed_hash import read_key
from engine.records import DataType, Table, reader_process, table_files
from engine.records.columns_taken import TakenColumn, named_apart, refuse_repeated, taken_columns
from engine.records.formats import FORMATS, endings_of
from engine.records.frames import parquet as parquet_files
from engine.records.frames.parquet import write_parquet_texts
from engine.records.opening.files import read, read_csv, read_head
from engine.records.options import ReadOptions
from engine.records.text import dialect
from engine.records.text import reader as text_reader
from engine.records.text.dialect import LONGEST
from engine.records.values import make_column
from tests.conftest import ROOT
from tests.formats import write_sheets, write_workbook

posix = pytest.mark.skipif(sys.platform == "win32", reason="devices and pipes of POSIX")
KINDS = ("pipe", "socket", "device")
ENDINGS = ("", ".csv", ".csv.gz", *endings_of(*FORMATS))


@pytest.fixture
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A path without a regular file, with the wanted ending."""
    kind, ending = request.param
    path = tmp_path / f"odd{ending}"
    if kind == "device":
        path.symlink_to("/dev/zero")
        yield path
    elif kind == "pipe":
        os.mkfifo(path)
        yield path
    else:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path))
            yield path


@posix
@pytest.mark.parametrize("odd", [(k, e) for k in KINDS for e in ENDINGS], indirect=True)
def test_a_table_is_read_of_regular_files_only(odd: Path) -> None:
    for reads in (read_csv, read_head):
        with pytest.raises(AnonymizerError, match=r"not a regular file but a (pipe|socket|device)"):
            reads(odd)


@posix
@pytest.mark.parametrize("odd", [(kind, "") for kind in KINDS], indirect=True)
def test_hierarchies_recipes_projects_and_keys_are_regular_files(odd: Path) -> None:
    for reads in (
        read_hierarchy,
        read_recipe,
        open_project,
        lambda path: salvage.salvage(path),
        lambda path: read_key(str(path), "name"),
    ):
        with pytest.raises(AnonymizerError, match=r"not a regular file but a (pipe|socket|device)"):
            reads(odd)


@posix
@pytest.mark.parametrize("odd", [(kind, "") for kind in KINDS], indirect=True)
@pytest.mark.parametrize("section", ["data", "hierarchies", "population"])
def test_what_a_recipe_names_is_a_regular_file(
    odd: Path, section: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "people.csv"
    table.write_text("zip\n1\n2\n")
    data = odd if section == "data" else table
    hierarchy = f"path = '{odd}'" if section == "hierarchies" else "builder = 'suppress'"
    roles = 'quasi_identifying = ["zip"]'
    text = f"format = 1\n[data]\npath = '{data}'\n[roles]\n{roles}\n[hierarchies.zip]\n{hierarchy}\n"
    if section == "population":
        text += f"[population]\npath = '{odd}'\n"
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(text + "\n[[privacy]]\nmodel = 'k_anonymity'\nk = 2\n")
    assert main(["anonymize", str(recipe), "--out", str(tmp_path / "out.csv")]) == 2
    assert "not a regular file" in capsys.readouterr().err


@posix
@pytest.mark.parametrize("odd", [("pipe", ".csv"), ("socket", ".csv")], indirect=True)
def test_no_file_takes_the_place_of_a_pipe_or_a_device(odd: Path) -> None:
    with pytest.raises(ExportError, match="cannot be replaced, because it is a"), atomic_write(odd):
        pass
    assert not odd.is_file()


def test_a_line_longer_than_any_table_has_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_bytes(b"a,b\n1,2\n" + b"x" * (LONGEST + 2**20) + b",2\n3,4\n")
    with pytest.raises(TableError, match=r"'long.csv', line 3: a record is longer than 17 MB"):
        read_csv(path)
    with pytest.raises(HierarchyError, match="line 3: a record is longer"):
        read_hierarchy(path)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """A bound that small files reach."""
    monkeypatch.setattr(dialect, "LONGEST", 1 << 16)
    monkeypatch.setattr(table_files, "_BLOCK", 1 << 11)
    monkeypatch.setattr(text_reader, "_BLOCK", 1 << 11)
    return 1 << 16


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("begin", ["a,b\n1,2\n", 'a,b\n5",2\n'])
def test_a_quoted_cell_longer_than_any_table_has_is_refused(
    tmp_path: Path, small: int, encoding: str, packed: bool, begin: str
) -> None:
    path = tmp_path / ("long.csv.gz" if packed else "long.csv")
    line = 'so it goes on and ""on""\n'
    text = f'{begin}"{line * (small // len(line) + 1)}",2\n3,4\n'.encode(encoding)
    path.write_bytes(gzip.compress(text, 1) if packed else text)
    with pytest.raises(TableError, match=r"line 3: a record is longer than"):
        read_csv(path, ReadOptions(encoding=encoding))


@pytest.mark.parametrize("begin", ['5",x\n', '"7""",x\n', '5,it"s\n', "#it's \"so\n"])
@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_a_mark_that_opens_no_field_makes_no_record_long(
    tmp_path: Path, small: int, begin: str, delimiter: str
) -> None:
    path = tmp_path / "inches.csv"
    path.write_text(("a,b\n" + begin + "1,2\n" * small).replace(",", delimiter))
    table = read_csv(path, ReadOptions(delimiter=delimiter, comment="#"))
    assert table.n_records == small + (begin[0] != "#")


def test_a_record_as_long_as_allowed_is_read(tmp_path: Path, small: int) -> None:
    path = tmp_path / "long.csv"
    cell = "ab\n" * (small // 3 - 4)
    path.write_text(f'a,b\n"{cell}",2\n3,4\n')
    assert cell in read_csv(path).column("a").labels


def test_a_line_of_more_columns_than_any_table_has_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("," * 1_000_000 + "\n1\n")
    with pytest.raises(TableError, match=r"line 1: 1\u202f000\u202f001 fields, more than a table can have"):
        read_csv(path)


def equal_records(n_records: int, n_columns: int = 1) -> Any:
    """A table of equal records, which packs into nothing."""
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n_records, np.int32)), pa.array(["f"]))
    return pa.table({f"sex {i}": texts for i in range(n_columns)})


@pytest.mark.parametrize(("n_records", "n_columns"), [(20_000_000, 1), (4_000_000, 3)])
def test_a_parquet_file_far_too_small_for_its_records_is_refused_before_they_are_decoded(
    tmp_path: Path, n_records: int, n_columns: int
) -> None:
    path = tmp_path / "bomb.parquet"
    parquet.write_table(equal_records(n_records, n_columns), path)
    assert path.stat().st_size < 100_000
    before = pa.total_allocated_bytes()
    with pytest.raises(TableError, match=r"'bomb.parquet': .*.000 cells in .* bytes are implausible"):
        read_csv(path)
    assert pa.total_allocated_bytes() - before < 2**20


def test_a_feather_file_far_too_small_for_its_records_is_refused_before_they_are_decoded(
    tmp_path: Path,
) -> None:
    path = tmp_path / "bomb.feather"
    feather.write_feather(equal_records(4_000_000, 3), path, compression="zstd")
    before = pa.total_allocated_bytes()
    with pytest.raises(TableError, match=r"'bomb.feather': .*.000 cells in .* bytes are implausible"):
        reader_process.read_here(path, ReadOptions(), SILENT)
    assert pa.total_allocated_bytes() - before < 2**22


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.filterwarnings("ignore:Feather V1")
def test_feather_files_of_both_versions_are_read(tmp_path: Path, version: int) -> None:
    feather.write_feather(pa.table({"sex": ["f", "m"]}), tmp_path / "a.feather", version=version)
    raw = reader_process.read_here(tmp_path / "a.feather", ReadOptions(), SILENT)
    assert [list(column.texts) for column in raw.columns] == [["f", "m"]]


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_an_intact_file_that_needs_too_much_memory_is_not_called_damaged(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"large.{ending}"
    {"parquet": parquet.write_table, "feather": feather.write_feather}[ending](pa.table({"n": [1, 2]}), path)

    def need_memory(*_unused: object) -> None:
        raise pa.ArrowMemoryError("malloc of size 8000000000 failed")

    monkeypatch.setattr("engine.records.frames.series.of_arrow", need_memory)
    with pytest.raises(TableError, match=f"'large.{ending}' does not fit into memory"):
        reader_process.read_here(path, ReadOptions(), SILENT)


@pytest.mark.parametrize(
    ("values", "ending"),
    [
        pytest.param(
            pa.array([b"a"], pa.binary_view()),
            "parquet",
            marks=pytest.mark.skipif(pa.__version__ < "24", reason="this pyarrow writes no such file"),
        ),
        (pa.array([b"a"], pa.binary_view()), "feather"),
        (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "feather"),
    ],
)
def test_a_type_of_arrow_that_no_table_has_is_named(tmp_path: Path, values: Any, ending: str) -> None:
    path, table = tmp_path / f"odd.{ending}", pa.table({"x": values})
    {"parquet": parquet.write_table, "feather": feather.write_feather}[ending](table, path)
    with pytest.raises(TableError, match=f"Column 'x' has the type {values.type}, which cannot be read"):
        reader_process.read_here(path, ReadOptions(), SILENT)


CELL = '<table:table-cell office:value-type="string"{}><text:p>f{}</text:p></table:table-cell>'
ROW = "</table:table-row><table:table-row table:number-rows-repeated='{}'>"


@pytest.mark.parametrize(
    "xml",
    [
        ROW.format(2_000_000_000) + CELL.format("", ""),
        ROW.format(1_000_000) + CELL.format(' table:number-columns-repeated="1000"', ""),
        ROW.format(10**30) + CELL.format("", ""),
        CELL.format("", '<text:s text:c="2000000000"/>'),
        ROW.format(100_000) + CELL.format("", '<text:s text:c="30000"/>'),
    ],
)
def test_repeated_rows_cells_and_spaces_of_an_open_document_are_bounded(tmp_path: Path, xml: str) -> None:
    write_sheets(tmp_path / "bomb.ods", ("People", [["sex"], (xml,)]))
    began = time.process_time()
    with pytest.raises(TableError, match=r"'bomb.ods'.*(are implausible|would unpack to)"):
        reader_process.read_here(tmp_path / "bomb.ods", ReadOptions(), SILENT)
    assert time.process_time() - began < 5


def test_usual_repetitions_of_an_open_document_are_read(tmp_path: Path) -> None:
    end = '<table:table-cell table:number-columns-repeated="16383"/>'
    rows = [
        ["sex"],
        (CELL.format("", '<text:s text:c="3"/>m') + end,),
        (ROW.format(50) + CELL.format("", ""),),
    ]
    write_sheets(tmp_path / "a.ods", ("People", rows))
    (column,) = reader_process.read_here(tmp_path / "a.ods", ReadOptions(), SILENT).columns
    assert [column.texts[code] for code in column.codes] == ["f   m", *50 * ["f"]]


def test_a_packed_file_of_millions_of_empty_members_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "members.csv.gz"
    path.write_bytes(gzip.compress(b"sex\nf\n") + 500_000 * gzip.compress(b""))
    began = time.process_time()
    with pytest.raises(TableError, match=r"'members.csv.gz' consists of .* packed parts"):
        read_csv(path)
    assert time.process_time() - began < 2


def test_a_packed_file_of_many_members_is_read(tmp_path: Path) -> None:
    path = tmp_path / "members.csv.gz"
    path.write_bytes(gzip.compress(b"sex\n") + b"".join(gzip.compress(b"f%d\n" % n) for n in range(1000)))
    assert read_csv(path).n_records == 1000


def test_a_list_of_millions_in_one_record_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    many = pa.ListArray.from_arrays([0, 10_000_001], pa.array(np.zeros(10_000_001, np.int8)))
    parquet.write_table(pa.table({"list": many}), tmp_path / "list.parquet")
    with pytest.raises(TableError, match=r"10\u202f000\u202f001 cells"):
        read_csv(tmp_path / "list.parquet")


def test_damaged_details_of_a_column_do_not_end_the_program() -> None:
    """Arrow aborts the process if it is asked for details with a histogram of a wrong size."""
    path = ROOT / "tests" / "data" / "formats" / "damaged-histogram.parquet"
    code = "from tests.faults.fuzz_import import *; print(problem_of(Path(sys.argv[1]), {}) or 'fine')"
    line = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "fine\n"), done.stderr


def test_a_long_text_of_many_records_is_held_once(tmp_path: Path) -> None:
    n_records, text = 200_000, "x" * 1_000_000  # 200 GB otherwise
    codes = pa.array(np.zeros(n_records, np.int32))
    table = pa.table({"note": pa.DictionaryArray.from_arrays(codes, pa.array([text]))})
    parquet.write_table(table, tmp_path / "long.parquet", compression="zstd", store_schema=False)
    read = read_csv(tmp_path / "long.parquet")
    assert (read.n_records, read.column("note").labels) == (n_records, (text,))


def test_a_table_of_equal_records_that_the_program_wrote_opens_again(tmp_path: Path) -> None:
    n_records = 2_000_001
    column = make_column("sex", ["f"], np.zeros(n_records, dtype=np.int32), DataType())
    columns = tuple(replace(column, name=f"sex {i}") for i in range(5))
    project = Project("equal", None, ReadOptions(), Table(columns))
    save_project(project, tmp_path / "equal.anon")
    assert open_project(tmp_path / "equal.anon").project.table.n_records == n_records
    with (tmp_path / "equal.parquet").open("wb") as file:
        write_parquet_texts(file, [c.name for c in columns], [(c.labels, c.codes) for c in columns])
    assert read_csv(tmp_path / "equal.parquet").n_records == n_records


def test_a_project_far_too_small_for_its_records_is_refused_before_they_are_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    column = make_column("sex", ["f"], np.zeros(15_000_000, dtype=np.int32), DataType())
    project = Project("bomb", None, ReadOptions(), Table((column,)))
    with monkeypatch.context() as patch:
        patch.setattr(parquet_files, "missing_bytes", lambda *figures: 0)
        save_project(project, tmp_path / "bomb.anon")
    assert (tmp_path / "bomb.anon").stat().st_size < 300_000
    before = pa.total_allocated_bytes()
    with pytest.raises(
        AnonymizerError, match=r"'bomb\.anon' cannot be opened: .* 15\u202f000\u202f000 cells"
    ):
        open_project(tmp_path / "bomb.anon")
    with pytest.raises(AnonymizerError):
        salvage.salvage(tmp_path / "bomb.anon")
    assert pa.total_allocated_bytes() - before < 2**20


def workbook(path: Path, rows: str) -> Path:
    """A workbook with the XML of its rows."""
    write_workbook(path.with_name("usual.xlsx"), ("People", [["a", "b"], [1, 2]]))
    with zipfile.ZipFile(path.with_name("usual.xlsx")) as usual, zipfile.ZipFile(path, "w", 8) as archive:
        for name in usual.namelist():
            data = usual.read(name)
            if name.endswith("sheet1.xml"):
                begin, end = data.index(b"<sheetData>"), data.index(b"</sheetData>")
                data = data[:begin] + b"<sheetData>" + rows.encode() + data[end:]
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("far", ["every row", "the last row"])
def test_a_workbook_of_empty_cells_is_refused_before_they_are_held(tmp_path: Path, far: str) -> None:
    column = "ALL" if far == "every row" else "A"
    rows = [f'<row r="{i}"><c r="{column}{i}"><v>1</v></c></row>' for i in range(1, 70_000)]
    rows.append('<row r="70000"><c r="XFD70000"><v>1</v></c></row>')
    path = workbook(tmp_path / "far.xlsx", "".join(rows))
    assert path.stat().st_size < 600_000
    tracemalloc.start()
    with pytest.raises(TableError, match=r"'far.xlsx', sheet 'People': .* columns, nearly all of them empty"):
        read_csv(path)
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()


def test_two_cells_far_apart_are_read(tmp_path: Path) -> None:
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    table = read_csv(workbook(tmp_path / "far.xlsx", rows), ReadOptions(header=False))
    assert (table.n_records, len(table.columns)) == (2, 2)


@pytest.mark.parametrize("value", ["nan", "inf", "1e", "9" * 5000])
def test_a_number_of_a_workbook_that_is_not_one_is_refused_with_its_row(tmp_path: Path, value: str) -> None:
    rows = f'<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>{value}</v></c></row>'
    with pytest.raises(TableError, match=r"sheet 'People': a cell in row 2 or below is marked as a number"):
        read_csv(workbook(tmp_path / "odd.xlsx", rows))


def test_durations_of_nanoseconds_stay_apart_and_such_times_of_day_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "spans.parquet"
    parquet.write_table(pa.table({"span": pa.array([1, 2, 1], pa.duration("ns"))}), path)
    column = read_csv(path).column("span")
    assert (len(column.labels), column.codes.tolist()) == (2, [0, 1, 0])
    parquet.write_table(pa.table({"time": pa.array([1000, 2000, 1000], pa.time64("ns"))}), path)
    assert read_csv(path).column("time").labels == ("00:00:00.000001", "00:00:00.000002")
    parquet.write_table(pa.table({"time": pa.array([1, 2, 1], pa.time64("ns"))}), path)
    with pytest.raises(TableError, match="Column 'time' has times of day finer than microseconds"):
        read_csv(path)


@pytest.mark.parametrize("data", [b"a\0b\n", b"a\0;xy;\n\0\n", b"a\0b\r\n", b"a\0;\0b\n"])
def test_a_short_hierarchy_with_a_nul_is_not_taken_for_utf_16(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "h.csv"
    path.write_bytes(data)
    with pytest.raises(HierarchyError, match="NUL"):
        read_hierarchy(path)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("text", ["a;b\nc;d\n", "a;b", "Ċ;x\ny;z\n", "a;b\r\n"])
def test_a_short_hierarchy_in_utf_16_is_read(tmp_path: Path, encoding: str, text: str) -> None:
    path = tmp_path / "h.csv"
    path.write_bytes(text.encode(encoding))
    assert [row for _, row in read_lines(path)] == [line.split(";") for line in text.split()]


def test_columns_are_named_found_and_numbered_in_linear_time() -> None:
    names = [f"column {i}" for i in range(200_000)]
    begin = time.process_time()
    refuse_repeated(names, "f", "f")
    assert [own.name for own in named_apart(["x"] * 200_000)][-1] == "x (200000)"
    taken = taken_columns(names, [TakenColumn(name, name) for name in names], False, "f")
    column = make_column("", ["a"], np.zeros(1, np.int32), DataType())
    table = Table(tuple(replace(column, name=name) for name in names))
    assert all(table.column(name).name == name for name in table.names)
    assert len(taken) == len(names)
    assert time.process_time() - begin < 20, "quadratic, it takes minutes"


def test_tens_of_thousands_of_columns_open(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    names = [f"a column of some length {i}" for i in range(8_000)]
    path.write_text("\n".join([",".join(names), *[",".join("12345" * 1_600) for _ in range(20)]]) + "\n")
    begin = time.process_time()
    reading = read(path)
    table, found = reading.table, reading.options
    assert (table.n_records, table.names) == (20, tuple(names))
    beginning = read_head(path, found)
    head, is_all = beginning.table, beginning.is_complete
    assert (head.names, is_all) == (table.names, False)
    assert 1 <= head.n_records < 20
    assert time.process_time() - begin < 20, "quadratic, it takes a minute"
