"""Parquet files are read by row groups: never more of them at once than wanted, and always the same cells."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from engine.verification import ReleaseClaim, row_groups, verify
from engine.verification.claims import Judge
from engine.verification.file_cells import Column
from engine.verification.formats import read_column_pieces, read_columns
from tests.engine.verification.plain_release import read_rows, write_release
from tests.engine.verification.test_large import judged, same
from tests.engine.verification.test_release_check import NAMES, recipe
from tests.strategies import few

MOMENT = dt.datetime(2020, 1, 2)
CELLS: dict[str, tuple[Any, list[Any]]] = {
    "text": (pa.string(), ["a", "", "b'", "é\0", None]),
    "chosen": (pa.dictionary(pa.int8(), pa.string()), ["x", "y", None]),
    "whole": (pa.int64(), [0, -7, 2**62, None]),
    "small": (pa.uint8(), [0, 255, None]),
    "real": (pa.float64(), [0.1, 1e300, -0.0, float("nan"), None]),
    "single": (pa.float32(), [0.5, 0.1, None]),
    "exact": (pa.decimal128(9, 2), [Decimal("1.50"), Decimal("-2"), None]),
    "is": (pa.bool_(), [True, False, None]),
    "day": (pa.date32(), [dt.date(2020, 1, 2), dt.date(1890, 12, 31), None]),
    "moment": (pa.timestamp("us"), [MOMENT, MOMENT.replace(hour=3), MOMENT.replace(microsecond=5), None]),
    "clock": (pa.time64("us"), [dt.time(1, 2, 3), None]),
    "nothing": (pa.null(), [None]),
}


def cells_of(pieces: list[list[Column]]) -> dict[str, list[str | None]]:
    found: dict[str, list[str | None]] = {}
    for columns in pieces:
        for column in columns:
            found.setdefault(column.name, []).extend(column.texts[place] for place in column.places)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("groups")


def test_some_row_groups_at_a_time_have_the_cells_of_all_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    usual = row_groups._read

    def counted(source: Any, columns: list[str] | None) -> pd.DataFrame:
        frame = usual(source, columns)
        read.append(len(frame))
        return frame

    monkeypatch.setattr(row_groups, "_read", counted)
    path = folder / "any.parquet"

    @few
    @given(st.data())
    def check(data: st.DataObject) -> None:
        n = data.draw(st.integers(0, 40))
        names = data.draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, unique=True))
        columns = {}
        for name in names:
            kind, values = CELLS[name]
            cells = data.draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))
            columns[name] = pa.array(cells, kind)
        table = pa.table(columns).replace_schema_metadata({"key": "x" * data.draw(st.integers(0, 300))})
        per_group, at_once = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 30))
        compression = data.draw(st.sampled_from(["none", "snappy", "zstd"]))
        parquet.write_table(table, path, row_group_size=per_group, compression=compression)
        monkeypatch.setattr(row_groups, "RECORDS", 1 << 40)
        whole = cells_of([read_columns(path, "", "", True, lambda part: None)])
        monkeypatch.setattr(row_groups, "RECORDS", at_once)
        read.clear()
        pieces = list(read_column_pieces(path, "", "", True, lambda part: None))
        assert cells_of(pieces) == whole
        assert cells_of([read_columns(path, "", "", True, lambda part: None)]) == whole
        assert max(read) <= max(per_group, at_once)
        assert len(pieces) == 1 or n > at_once

    check()


def test_row_labels_of_pandas_are_found_in_every_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_groups, "RECORDS", 2)
    path = tmp_path / "labels.parquet"
    frame = pd.DataFrame({"a": [1, 2, 3, 4, 5]}, index=pd.Index(list("vwxyz"), name="key"))
    frame.to_parquet(path, row_group_size=1)
    pieces = list(read_column_pieces(path, "", "", True, lambda part: None))
    assert [len(columns[0].places) for columns in pieces] == [2, 2, 1]
    assert cells_of(pieces) == {"a": ["1", "2", "3", "4", "5"], "key": list("vwxyz")}


def in_groups(claim: ReleaseClaim, n: int) -> tuple[ReleaseClaim, list[list[str]]]:
    """The same release `n` times over, both files as Parquet in row groups of 50 records; and its rows."""
    names, *rows = read_rows(claim)
    _unused, *original = read_rows(dataclasses.replace(claim, released=claim.original))
    paths = []
    for file, own in ((claim.original, original), (claim.released, rows)):
        cells = [[*row[:-1], str(number)] for number, row in enumerate(own * n)]
        paths.append(written(file.with_suffix(".parquet"), names, cells))
    expected = claim.expected
    figures = {"records": 6 * n, "kept": 6 * n, "k": n, "unchanged": None}
    expected = dataclasses.replace(expected, **figures)
    files = {"original": paths[0], "released": paths[1], "released_format": "parquet"}
    return dataclasses.replace(claim, expected=expected, **files), cells


def written(path: Path, names: Sequence[str], rows: list[list[str]]) -> Path:
    columns = [pa.array([cell or None for cell in cells]) for cells in zip(*rows, strict=True)]
    parquet.write_table(pa.table(columns, names=list(names)), path, row_group_size=50)
    return path


@pytest.mark.parametrize("judge", ["pieces", "database"])
def test_a_large_parquet_release_is_judged_by_row_groups_and_damage_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: Judge
) -> None:
    read: list[int] = []
    usual = row_groups._read
    monkeypatch.setattr(row_groups, "RECORDS", 120)
    monkeypatch.setattr(
        row_groups, "_read", lambda *given: (frame := usual(*given), read.append(len(frame)))[0]
    )
    claim, rows = in_groups(write_release(recipe(models=()), tmp_path), 60)
    found = judged(claim, judge)
    assert (found.problems, found.judge) == ((), judge)
    if judge == "pieces":
        assert max(read) == 100  # two groups of 50, not three
        assert len(read) > 2 * 360 // 100
    for damage in ("cell", "exchanged", "dropped", "repeated"):
        altered = [list(row) for row in rows]
        if damage == "cell":
            altered[277][-1] = "x"
        elif damage == "exchanged":
            altered[3], altered[340] = altered[340], altered[3]
        elif damage == "dropped":
            del altered[240]
        else:
            altered.insert(240, altered[240])
        path = written(tmp_path / "altered.parquet", NAMES, altered)
        broken = dataclasses.replace(claim, released=path)
        assert not judged(broken, judge).ok, damage
        if damage != "exchanged":
            assert not same(broken, judge).ok


def test_a_file_whose_end_is_damaged_is_judged_as_when_all_of_it_is_read(tmp_path: Path) -> None:
    claim, _rows = in_groups(write_release(recipe(models=()), tmp_path), 20)
    whole = claim.released.read_bytes()
    n_refused = 0
    for at in range(1, 400, 37):
        broken = bytearray(whole)
        broken[-at] ^= 0x5A
        claim.released.write_bytes(broken)
        usual = verify(claim).ok
        assert judged(claim, "pieces").ok is usual, at
        n_refused += not usual
    assert n_refused > 1
    claim.released.write_bytes(whole[:-1])
    assert "cannot be read" in judged(claim, "pieces").problems[0]
