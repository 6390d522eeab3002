"""Rows of databases: many different values are held by Arrow, which nothing else shows."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.errors import TableError
from engine.records.chunks import Texts
from engine.records.databases import rows
from engine.records.databases.rows import counted_values, gathered, write_codes
from engine.records.raw import RawColumn

MANY = list(range(7, 40))
CASES: dict[str, list[Any]] = {
    "numbers in order": MANY,
    "numbers": [*MANY[::-1], None, *range(-4, 0)],
    "some twice": [*MANY, *MANY[:5], 3, 3, None],
    "texts": [f"{i % 7}-{i}" for i in MANY],
    "texts and none": [*(f"x{i}" for i in MANY), None, "x8", "", "NA"],
    "dates as texts": [f"2020-01-{i % 28 + 1:02d} {i:02d}:00:00" for i in range(24)],
    "then a text": [*MANY, "8", 41, "x"],
    "then a boolean": [*MANY, True, 1],
    "then a fraction": [*MANY, 0.5, Decimal("8.0")],
    "then a large number": [*MANY, 1 << 70, 5],
    "identifiers": [uuid.UUID(int=i) for i in MANY],
    "days": [date.fromordinal(700_000 + i) for i in MANY],
    "repeated": [1, 2, 1, 2, 1, 1, 2, 2, 1, 2, 1, 2, *MANY],
}


def in_blocks(values: Sequence[Any], *more: Any) -> list[list[tuple[Any, ...]]]:
    return [[(value, *more) for value in values[start : start + 3]] for start in range(0, len(values), 3)]


def known(column: RawColumn) -> tuple[list[str], list[int], Any]:
    return list(column.texts), column.codes.tolist(), column.data_type


def read(values: Sequence[Any], folder: Path) -> list[Any]:
    """Return what each way of reading gives for a column."""
    (whole,) = gathered(["a"], in_blocks(values), file="people").columns
    (counted,), (kinds,), counts = counted_values(["a"], in_blocks(values, 2), missing=("NA",))
    folder.mkdir()
    (written,), n_rows = write_codes(["a"], in_blocks(values), folder)
    codes = np.fromfile(folder / "0", np.int32)
    texts = [None if code < 0 else written.texts[written.codes[code]] for code in codes]
    return [known(whole), known(counted), kinds, counts.tolist(), texts, written.data_type, n_rows]


@pytest.mark.parametrize("case", CASES)
def test_values_held_by_arrow_are_those_held_by_python(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = read(CASES[case], tmp_path / "python")
    monkeypatch.setattr(rows, "_MANY", 4)
    assert read(CASES[case], tmp_path / "arrow") == expected
    ((held,), _kinds, _counts) = counted_values(["a"], in_blocks(CASES[case], 2))
    assert isinstance(held.texts, Texts) == (not case.startswith(("then", "days")))


def test_a_cell_that_cannot_be_a_value_is_named_by_its_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_MANY", 4)
    for cell in (b"x", [1]):
        with pytest.raises(TableError, match="row 32"):
            gathered(["a"], in_blocks([*range(31), cell]), file="people")
