"""Work over many texts in pieces gives what one call over all of them gives."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.project.storage import parquet
from engine.records import chunks, table_files
from engine.records.chunks import (
    PIECE,
    all_match,
    any_begins,
    chosen,
    count_in,
    find_in,
    has_any,
    sorted_places,
)
from engine.records.opening.files import read, read_csv
from engine.records.options import ReadOptions
from engine.records.types import DataType, Kind

TEXTS = st.lists(st.text(max_size=3), max_size=30, unique=True)


@given(TEXTS, st.booleans())
def test_different_texts_are_put_in_the_order_python_has(texts: list[str], by_arrow: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "_FEW", 0 if by_arrow else 1000)
        places = sorted_places(texts)
    assert list(texts if places is None else chosen(texts, places)) == sorted(texts)


def test_the_last_of_many_texts_counts_as_the_first_does() -> None:
    texts = [str(i) for i in range(3 * PIECE)]
    digits = re.compile("[0-9]+")
    assert all_match(digits, texts)
    assert not all_match(digits, [*texts, "x"])
    assert any_begins(re.compile("x"), [*texts, "x1"])
    assert not any_begins(re.compile("x"), texts)
    assert has_any([*texts, "NA"], ("NA",))
    assert not has_any(texts, ("NA",))
    assert not has_any(texts, ())


@given(st.binary(max_size=40), st.integers(0, 10))
def test_a_byte_is_found_and_counted_across_pieces(data: bytes, start: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "_BYTES", 7)
        assert count_in(data, b"\0", start) == data.count(b"\0", start)
        assert find_in(data, b"\0", start) == data.find(b"\0", start)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "cp1252", "shift_jis", "utf-32"])
def test_other_encodings_are_read_across_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setattr(table_files, "_BLOCK", 7)
    word = "Zoë" if encoding == "cp1252" else "木村"
    path = tmp_path / "t.csv"
    path.write_bytes(f"name,city\n{word},Bonn\n{word}2,Köln\n".replace("Köln", "x").encode(encoding))
    table = read_csv(path, ReadOptions(encoding=encoding))
    assert table.record(1) == (f"{word}2", "x")


def test_a_given_type_that_some_cell_does_not_fit_can_be_ignored(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n2,y\nz,3\n")
    wanted = ReadOptions(types={"a": DataType(Kind.INTEGER), "b": DataType()})
    report = read(path, wanted, holds_types=False)
    table, found = report.table, report.options
    assert table.column("a").data_type == found.types["a"] == DataType()
    assert report.misfits["a"].cells(0, 9) == [(2, "z")]
    assert "b" not in report.misfits


def test_a_table_written_to_a_project_in_pieces_is_the_same_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id,sex,age\n" + "".join(f"P{i},{'fm'[i % 2]},{i if i % 5 else ''}\n" for i in range(50)))
    table = read_csv(path)
    monkeypatch.setattr(parquet, "_RECORDS", 7)
    monkeypatch.setattr(parquet, "_LONG", 10)
    again = parquet.read_parquet(
        parquet.write_parquet(table), {column.name: column.data_type for column in table.columns}
    )
    for one, other in zip(table.columns, again.columns, strict=True):
        assert (one.name, one.labels, one.has_missing) == (other.name, other.labels, other.has_missing)
        assert np.array_equal(one.codes, other.codes)
