"""Writing CSV: the exact bytes, and nothing half done."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError
from engine.records.opening.files import read_csv
from engine.records.text.writing import write_csv, write_records
from tests.stopping import Stopping


def test_the_file_has_line_feeds_and_quotes_only_where_needed(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    write_csv(path, ["a", "b;c"], [["plain text", 'say "x"', "l\nr"], ["1", "ü", "x\ry"]], ";")
    assert path.read_bytes() == 'a;"b;c"\nplain text;1\n"say ""x""";ü\n"l\nr";"x\ry"\n'.encode()


def test_coded_columns_write_like_their_texts(tmp_path: Path) -> None:
    codes = np.array([1, 0, 1], dtype=np.int32)
    write_csv(tmp_path / "one.csv", ["a"], [(("x", "y"), codes)])
    write_csv(tmp_path / "two.csv", ["a"], [["y", "x", "y"]])
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes() == b"a\ny\nx\ny\n"


def test_a_lone_empty_field_is_not_an_empty_line(tmp_path: Path) -> None:
    write_csv(tmp_path / "out.csv", ["a"], [["x", "", "y"]])
    assert read_csv(tmp_path / "out.csv").n_records == 3


def test_a_byte_order_mark_that_is_part_of_a_value_is_preserved(tmp_path: Path) -> None:
    write_csv(tmp_path / "out.csv", ["\ufeffa"], [["\ufeffx", "y"]])
    table = read_csv(tmp_path / "out.csv")
    assert table.names == ("\ufeffa",)
    assert set(table.columns[0].labels) == {"\ufeffx", "y"}


def test_a_table_that_is_read_and_written_has_the_same_bytes(tables: Path, tmp_path: Path) -> None:
    source = tables / "adult_arx.csv"
    table = read_csv(source)
    write_csv(tmp_path / "copy.csv", table.names, [(c.labels, c.codes) for c in table.columns], ";")
    assert (tmp_path / "copy.csv").read_bytes() == source.read_bytes().replace(b"\r\n", b"\n")


def test_a_cancelled_export_leaves_the_target_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("before")
    with pytest.raises(CancelledError):
        write_csv(path, ["a"], [["x"]], monitor=Stopping())
    assert [p.name for p in tmp_path.iterdir()] == ["out.csv"]
    assert path.read_text() == "before"


@given(st.lists(st.tuples(st.text(max_size=6), st.text(max_size=6)), max_size=8), st.sampled_from(";,\t|"))
def test_quoting_is_that_of_the_csv_module(rows: list[tuple[str, str]], delimiter: str) -> None:
    bare = str.maketrans("", "", "\r\ufeff")  # which that module leaves bare, and readers do not
    rows = [(a.translate(bare), b.translate(bare)) for a, b in rows]
    expected, written = io.StringIO(newline=""), io.BytesIO()
    csv.writer(expected, delimiter=delimiter, lineterminator="\n").writerows([("p", "q"), *rows])
    write_records(written, ("p", "q"), [[a for a, _ in rows], [b for _, b in rows]], delimiter)
    assert written.getvalue().decode("utf-8", "surrogatepass") == expected.getvalue()
