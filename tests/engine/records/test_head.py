"""The beginning of a table, read before the whole; pasted tables; and how much memory reading takes."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import TableError
from engine.records import DataType, Kind, ReadOptions, table_files
from engine.records.opening.files import read, read_csv, read_head
from engine.records.text import reader as text_reader
from engine.records.text.pasted import write_pasted

READ = """
import sys
from pathlib import Path
from engine.processes import most_memory_held
from engine.search.trace import start_counting
from engine.records.opening.files import read_csv
small, large = map(Path, sys.argv[1:])
read_csv(small)
before = start_counting()
read_csv(large)
print((most_memory_held() - before) / large.stat().st_size)
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32-be"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_the_beginning_has_whole_records_of_the_file(tmp_path: Path, encoding: str, is_packed: bool) -> None:
    content = ("id,name\n" + "".join(f"{i},Zoë 😀\n" for i in range(2000))).encode(encoding)
    path = tmp_path / ("people.csv.gz" if is_packed else "people.csv")
    path.write_bytes(gzip.compress(content) if is_packed else content)
    beginning = read_head(path, n_bytes=4001)
    head, found, is_all = beginning.table, beginning.options, beginning.is_complete
    whole = read_csv(path)
    assert 0 < head.n_records < 2000
    assert not is_all
    assert [head.record(i) for i in range(head.n_records)] == [whole.record(i) for i in range(head.n_records)]
    assert found.encoding == read(path, guess=True).options.encoding
    assert read_head(path).is_complete


def test_a_type_that_does_not_fit_the_beginning_is_not_held_to(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n1,x\n2,3\n", encoding="utf-8")
    types = {"a": DataType(Kind.TEXT), "b": DataType(Kind.INTEGER)}
    table = read_head(path, ReadOptions(types=types)).table
    assert [c.data_type.kind for c in table.columns] == [Kind.TEXT, Kind.TEXT]
    with pytest.raises(TableError, match="has no column 'c'"):
        read_head(path, ReadOptions(types={"c": DataType()}))


def test_a_long_first_line_is_read_completely_and_one_without_end_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a" * 5000 + "\n1\n" + "2\n" * 50_000, encoding="utf-8")
    beginning = read_head(path, n_bytes=1000)
    head, is_all = beginning.table, beginning.is_complete
    assert (head.names, is_all) == (("a" * 5000,), False)
    monkeypatch.setattr(table_files, "_LONGEST_HEAD", 4000)
    with pytest.raises(TableError, match="no line end"):
        read_head(path, n_bytes=1000)


def test_cells_copied_from_a_spreadsheet_are_a_table(tmp_path: Path) -> None:
    path = tmp_path / "pasted.tsv"
    write_pasted('name\tnote\r\nAnn\t"two\nlines"\r\nBob\t1,5\r\n', path)
    assert read_csv(path).record(0) == ("Ann", "two\nlines")
    for nothing in ("", " \n\t"):
        with pytest.raises(TableError, match="clipboard contains no table"):
            write_pasted(nothing, path)


def test_a_large_file_is_read_piece_by_piece_and_again_if_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,b\n" + "1,x\n2,y\n" * 500 + '3,"z\n', encoding="utf-8")
    monkeypatch.setattr(text_reader, "_LARGE", 1000)
    with pytest.raises(TableError, match="line 1002: a quoted field is never closed"):
        read_csv(path)
    path.write_text("\n\na,b\n" + "1,x\n2,y\n" * 500 + "3\n", encoding="utf-8")
    with pytest.raises(TableError, match="line 1004: 1 field"):
        read_csv(path)
    assert read_csv(path, ReadOptions(ragged="fill")).n_records == 1001
    path.write_text("\n\na,b\n" + "1,x\n2,y\n" * 500, encoding="utf-8")
    assert read_csv(path).n_records == read_csv(path, ReadOptions(skip_lines=1)).n_records == 1000


def test_reading_takes_less_memory_than_three_times_the_file(tmp_path: Path) -> None:
    small, large = tmp_path / "small.csv", tmp_path / "large.csv"
    rest = [
        "Married-civ-spouse,Transport-moving,12.25,2020-02-29 10:30:00,01234,Self-emp-not-inc,White",
        "Married-AF-spouse,Craft-repair-other,7.5,1999-12-31 00:00:00,99999,Local-government,Other",
    ]
    rows = "".join(
        f"{i},{i % 90},{rest[i % 2]},{i % 7},{i % 1000},not-in-family,Assoc-acdmy,United-States,x\n"
        for i in range(300_000)
    )
    names = ",".join(f"c{i}" for i in range(15)) + "\n"
    small.write_text(names + rows[:2000].rpartition("\n")[0] + "\n", encoding="utf-8")
    large.write_text(names + rows, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", READ, str(small), str(large)], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 3
