"""Columns coded once: texts and codes are those of the records, whether texts repeat or not."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.monitor import SILENT
from engine.records import chunks
from engine.records.chunks import PIECE, Coded, Texts, coded_in_turn
from engine.records.opening.files import read_csv
from engine.records.options import ReadOptions
from engine.records.text import reader
from engine.records.text.reader import read_text

BLOCKS = st.lists(
    st.tuples(st.lists(st.text(max_size=2), min_size=1, max_size=12), st.booleans()), min_size=1, max_size=6
)


@given(BLOCKS, st.booleans())
def test_blocks_of_strings_and_of_coded_cells_are_coded_alike(
    blocks: list[tuple[list[str], bool]], by_python: bool
) -> None:
    column = Coded()
    for cells, is_coded in blocks:
        block = pa.array(cells, pa.string())
        column.add(block.dictionary_encode() if is_coded else block)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "_FEW_JOINED", 1000 if by_python else 0)
        [(place, (texts, codes))] = coded_in_turn([column])
    records = [cell for cells, _unused in blocks for cell in cells]
    assert place == 0
    assert list(texts) == sorted(set(records))
    assert [texts[code] for code in codes.tolist()] == records
    assert codes.dtype == np.int32


def test_the_largest_column_comes_first_and_each_one_once() -> None:
    columns = [Coded() for _unused in range(7)]
    for i, column in enumerate(columns):
        column.add(pa.array([f"{j}" for j in range(100 * ((3 * i) % 7) + 1)]))
    sizes = [column.n_bytes for column in columns]
    places = [place for place, _unused in coded_in_turn(columns)]
    assert sorted(places) == list(range(7))
    assert [sizes[place] for place in places] == sorted(sizes, reverse=True)


@pytest.mark.parametrize("lead", [0, 3000])
@pytest.mark.parametrize("quoted", [False, True])
def test_a_file_of_many_blocks_has_the_texts_of_its_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lead: int, quoted: bool
) -> None:
    """Whether a column repeats at the beginning says nothing about its other records."""
    monkeypatch.setattr(reader, "_BLOCK", 1 << 12)
    monkeypatch.setattr(reader, "_TRIED", 1 << 10)
    rng = np.random.default_rng(0)
    n = 6000
    end = ["", " x", '"', "a\nb", ",", "é"] if quoted else ["", " x", "é"]
    records = [
        [
            f"P{i:05d}",
            "same" if i < lead else f"{i}",
            f"{i}" if i < lead else "same",
            end[i % len(end)],
            str(v),
        ]
        for i, v in enumerate(rng.integers(0, 2500, size=n))
    ]
    made = io.StringIO()
    csv.writer(made).writerows([["id", "late", "early", "end", "number"], *records])
    path = tmp_path / "records.csv"
    path.write_text(made.getvalue(), encoding="utf-8", newline="")
    raw = read_text(path, ReadOptions(), SILENT)
    for place, column in enumerate(raw.columns):
        assert list(column.texts) == sorted({record[place] for record in records})
        assert [column.texts[code] for code in column.codes.tolist()] == [record[place] for record in records]
    table = read_csv(path, ReadOptions(missing=("", "same")))
    for place, table_column in enumerate(table.columns):
        found = [table_column.text(i) for i in range(n)]
        assert found == ["" if record[place] == "same" else record[place] for record in records]


def test_texts_are_the_same_held_by_arrow_and_listed() -> None:
    words = [f"{i:05d}" for i in range(PIECE + 10)]
    listed, held = Texts(words), Texts(arrow=pa.array(words))
    for texts in (listed, held):
        assert list(texts) == words
        assert len(texts) == len(words)
        assert texts[3] == "00003"
        assert list(texts[2:4]) == ["00002", "00003"]
        assert "00004" in texts
        assert "4" not in texts
        assert "\ud800" not in texts
        assert texts.index("00009") == 9
        with pytest.raises(ValueError, match="4"):
            texts.index("4")
        assert list(texts.without("00001")) == [word for word in words if word != "00001"]
        assert list(texts.at(np.array([7, 2]))) == ["00007", "00002"]
    lone = Texts(["\ud800", "b"])
    assert lone.index("b") == 1
    assert "\ud800" in lone
    assert "x" not in lone
    assert list(lone.without("b")) == ["\ud800"]
    assert list(lone.at(np.array([1, 0]))) == ["b", "\ud800"]
