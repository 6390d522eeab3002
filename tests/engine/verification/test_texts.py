"""Texts read by the csv module."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.verification.claims import Reading
from engine.verification.findings import UnverifiableError
from engine.verification.readers.collecting import Vocabulary
from engine.verification.readers.reading import read_codes


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
