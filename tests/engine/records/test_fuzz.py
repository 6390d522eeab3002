"""Some hundred damaged files of every format; `tests/faults/fuzz_import.py` makes ten thousand of each."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engine.errors import TableError
from engine.monitor import SILENT
from engine.records import ReadOptions
from engine.records.reading import tabled
from engine.records.table_files import Source
from engine.records.text.reader import parsed
from tests.faults.fuzz_import import FORMATS, fuzz


def test_damaged_files_are_read_or_refused_with_their_place(tmp_path: Path) -> None:
    assert fuzz(FORMATS, 45, seed=8, kept=tmp_path) == []


@given(
    text=st.text(st.sampled_from("ab1 .,;\t|'\"#\r\n-é"), max_size=60),
    comment=st.sampled_from(["", "#", "a"]),
    quote=st.sampled_from([None, '"', "'", ""]),
    skip=st.integers(0, 3),
    fill=st.booleans(),
)
def test_any_text_is_a_table_or_refused(
    text: str, comment: str, quote: str | None, skip: int, fill: bool
) -> None:
    options = ReadOptions(comment=comment, quote=quote, skip_lines=skip, ragged="fill" if fill else "refuse")
    refusals = []
    try:
        raw = parsed(Source("x.csv", text.encode(), "utf-8"), options, SILENT)
        table = tabled(raw, options, SILENT).table
        refusals.append("" if table.n_records else "no records")
    except TableError as error:
        refusals.append("" if "x.csv" in error.problem and error.hint else error.problem)
    assert refusals == [""]


@given(
    rows=st.lists(
        st.lists(st.text("a1 ,;'\"#\n\r", max_size=4), min_size=2, max_size=2), min_size=1, max_size=5
    ),
    quote=st.sampled_from(['"', "'"]),
    comment=st.sampled_from(["", "//"]),
)
def test_every_quoted_text_comes_back_whatever_it_holds(
    rows: list[list[str]], quote: str, comment: str
) -> None:
    written = "\n".join(
        ",".join(quote + cell.replace(quote, 2 * quote) + quote for cell in row)
        for row in [["A", "B"], *rows]
    )
    raw = parsed(
        Source("x.csv", written.encode(), "utf-8"),
        ReadOptions(delimiter=",", header=True, quote=quote, comment=comment),
        SILENT,
    )
    found = [
        [column.texts[code] for column in raw.columns for code in [column.codes[i]]] for i in range(len(rows))
    ]
    assert found == rows
