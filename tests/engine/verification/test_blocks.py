"""Texts divided block by block are the records that the csv module finds in the whole."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.verification.findings import UnverifiableError
from engine.verification.readers import blocks
from engine.verification.readers.blocks import Blocks, can_be_divided
from engine.verification.readers.collecting import Vocabulary
from engine.verification.readers.reading import Reading, read_codes

PIECES = (
    "a",
    "1",
    "1.50",
    "00",
    "NA",
    "",
    " ",
    "é",
    ",",
    ",",
    ",",
    '"',
    '""',
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "'",
)
WIDTH = 3


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_BYTES", 16)


def by_the_csv_module(text: str, quote: str) -> list[list[str]]:
    quoting = csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
    return list(
        filter(None, csv.reader(io.StringIO(text, newline=""), quotechar=quote or None, quoting=quoting))
    )


def by_blocks(text: str, quote: str) -> list[list[str]]:
    found = Blocks(io.BytesIO(text.encode()), "utf-8", ",", quote)
    header = found.header("", 0)
    rows = [] if header is None else [header]
    for part in found.tables(WIDTH):
        rows += part if isinstance(part, list) else part.to_numpy().tolist()
    return rows


# Lines of three cells are common, so that blocks which pandas parses stand beside those it cannot.
lines = st.one_of(
    st.lists(st.sampled_from(("a", "1", "1.0", "007", "", " ", "é")), min_size=WIDTH, max_size=WIDTH).map(
        ",".join
    ),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
)


@given(
    st.lists(lines, max_size=12),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(['"', "'", ""]),
)
@example(["a,b,c", "1,2", "1,2,3,4"], "\n", True, '"')  # as many delimiters in all
@example(["a,b,c", "1,2,3,4", "1,2"], "\n", True, '"')
@example(["a,b,c", "   ", "1,2,3,4,5"], "\n", True, '"')  # pandas takes a line of blanks for none
@example(["a,b,c", '"1",2," 3"', '"",5,"6"'], "\n", True, '"')  # the same cells are quoted in all lines
@example(["a,b,c", '"1",2,"3"', '"4",5,x"6"'], "\n", True, '"')
@example(["a,b,c", '1,"2', '2",3', "4,5,6"], "\n", False, '"')  # a cell goes on in the next block
def test_records_are_those_of_the_whole_text(rows: list[str], end: str, is_ended: bool, quote: str) -> None:
    text = end.join(rows) + (end if is_ended else "")
    assert by_blocks(text, quote) == by_the_csv_module(text, quote)


def test_texts_that_look_like_numbers_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("zip,n\n" + "00097,1.50\n1e3,NA\n,nan\n" * 20, encoding="utf-8")
    known: dict[str, Vocabulary] = {}
    frame = read_codes(Reading(path, ",", "utf-8", True), known, lambda part: None)
    cells = [[known[name].texts[code] for code in frame[name]] for name in frame.columns]
    assert cells == [["00097", "1e3", ""] * 20, ["1.50", "NA", "nan"] * 20]


@pytest.mark.parametrize("broken", ["1,2", "1,2,3,4", " "])
def test_a_record_of_another_length_is_named(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "ragged.csv"
    path.write_text("a,b,c\n" + "1,2,3\n" * 50 + broken + "\n" + "1,2,3\n" * 50, encoding="utf-8")
    with pytest.raises(UnverifiableError, match=r"Record 51 of 'ragged\.csv'"):
        read_codes(Reading(path, ",", "utf-8", True), {}, lambda part: None)


@pytest.mark.parametrize("encoding", ["utf-8", "ISO-8859-1", "cp1252"])
def test_encodings_whose_first_half_is_ascii_can_be_divided(encoding: str) -> None:
    assert can_be_divided(";", encoding)


@pytest.mark.parametrize(("delimiter", "encoding"), [(",", "utf-16"), ("§", "utf-8"), ("a", "utf-8")])
def test_other_texts_cannot(delimiter: str, encoding: str) -> None:
    assert not can_be_divided(delimiter, encoding)
