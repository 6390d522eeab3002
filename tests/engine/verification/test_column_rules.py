"""Moved dates and coded cells that a file must have, with the key and without it, against single changes."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path
from typing import Any

import pytest

from engine.verification import Expected, ReleaseClaim, verify
from engine.verification.claims import ColumnKind, ModelClaim, Reading, RuleClaim
from tests.engine.recoding.slow_rules import coded, rounded, shifted

KEY = b"0123456789abcdef0123456789abcdef"
WRITTEN = "%d.%m.%Y %H:%M"
ROWS = [
    ("a", "1", "03.01.2020 08:15", "5"),
    ("a", "1", "17.01.2020 23:59", "15"),
    ("b", "1", "", "12.5"),
    ("", "1", "29.02.2020 00:00", "-2.5"),
    ("b", "1", "31.12.2019 12:00", ""),
]
OFFSETS = {"a": 12, "b": -7, "": 3}


def claim_of(folder: Path, rows: list[list[str]], **changes: Any) -> ReleaseClaim:
    for name, table in (("in.csv", ROWS), ("out.csv", rows)):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([["person", "age", "day", "income"], *table])
    shift = {"days": 20, "skip_zero": True, "key_file": None}
    claim = ReleaseClaim(
        original=Reading(folder / "in.csv", missing=("",)),
        released=Reading(folder / "out.csv", format="csv"),
        expected=Expected(5, 5, 0, 1, 3, persons=3, affected_persons=0, lost_persons=0, k_records=5),
        quasi_identifying=("age",),
        hierarchies={"age": [["1"]]},
        node={"age": 0},
        identifying=("person",),
        models=(ModelClaim("k_anonymity", {"k": 2}),),
        person="person",
        rules={"day": RuleClaim("date_shift", shift, ColumnKind("date", WRITTEN))},
    )
    return dataclasses.replace(claim, **changes)


def file(**cells: str) -> list[list[str]]:
    """The rows of the file, with other cells by column and record, such as day3."""
    rows = []
    for number, (person, age, day, income) in enumerate(ROWS):
        moved = shifted(day, WRITTEN, OFFSETS[person]) if day else ""
        rows.append(["*", age, cells.get(f"day{number}", moved), cells.get(f"income{number}", income)])
    return rows


def test_without_the_key_dates_that_move_together_are_confirmed(tmp_path: Path) -> None:
    verdict = verify(claim_of(tmp_path, file()))
    assert verdict.ok, verdict.problems


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        ({"day1": "30.01.2020 23:59"}, "other dates of this person moved by another number of days"),
        ({"day1": "29.01.2020 23:58"}, "the time of day differs"),
        ({"day3": "22.03.2020 00:00"}, "this is more than 20 days"),
        ({"day3": "29.02.2020 00:00"}, "every date must move"),
        ({"day2": "03.01.2020 08:15"}, "only one of the two is missing"),
        ({"day3": ""}, "only one of the two is missing"),
        ({"day3": "yesterday"}, "this is not a date"),
        ({"income0": "6"}, "the original has '5'"),
    ],
)  # fmt: skip
def test_without_the_key_what_no_key_could_have_moved_is_found(
    tmp_path: Path, cells: dict[str, str], problem: str
) -> None:
    verdict = verify(claim_of(tmp_path, file(**cells)))
    assert not verdict.ok
    assert problem in " ".join(verdict.problems)


def test_sensitive_dates_are_measured_as_written_without_the_key(tmp_path: Path) -> None:
    expected = Expected(5, 5, 0, 1, 3, {"day": 3}, persons=3, affected_persons=0, lost_persons=0, k_records=5)
    claim = claim_of(tmp_path, file(), sensitive=("day",), expected=expected)
    verdict = verify(claim)
    assert verdict.measured["l"] == {"day": 4}  # both dates of a count although one would be left without it
    assert not verify(dataclasses.replace(claim, suppressed_records="remove")).ok


def test_with_the_key_every_date_is_compared(tmp_path: Path) -> None:
    (tmp_path / "own.key").write_bytes(KEY)
    claim = claim_of(tmp_path, file())
    shift = {"days": 20, "skip_zero": True, "key_file": str(tmp_path / "own.key")}
    rules = {"day": RuleClaim("date_shift", shift, ColumnKind("date", WRITTEN))}
    verdict = verify(dataclasses.replace(claim, rules=rules))
    assert "its rule gives" in " ".join(verdict.problems)


@pytest.mark.parametrize("rule", ["round", "top_code", "bottom_code"])
def test_numbers_follow_their_rule_and_coded_cells_are_counted(tmp_path: Path, rule: str) -> None:
    incomes = [row[3] for row in ROWS]
    if rule == "round":
        parameters, n_coded = {"base": 10, "mode": "half_even"}, None
        due = [rounded(cell, "10", "half_even") if cell else "" for cell in incomes]
    else:
        sign = ">=" if rule == "top_code" else "<="
        parameters, n_coded = {"limit": 12.5, "written": "label"}, 2 if rule == "top_code" else 3
        due = [coded(cell, "12.5", sign, "label") if cell else "" for cell in incomes]
    own = RuleClaim(rule, parameters, ColumnKind("decimal", "."), coded=n_coded)
    rows = file(**{f"income{i}": cell for i, cell in enumerate(due)})
    claim = claim_of(tmp_path, rows)
    rules = {**claim.rules, "income": own}
    assert verify(dataclasses.replace(claim, rules=rules)).ok
    if n_coded is not None:
        miscounted = {**rules, "income": dataclasses.replace(own, coded=n_coded - 1)}
        problems = verify(dataclasses.replace(claim, rules=miscounted)).problems
        assert f"{n_coded - 1} cells are beyond the limit by the claim, but {n_coded} are" in problems[0]
    assert not verify(claim_of(tmp_path, file(), rules=rules)).ok


def test_a_rule_of_a_quasi_identifying_column_is_no_claim(tmp_path: Path) -> None:
    verdict = verify(claim_of(tmp_path, file(), rules={"age": RuleClaim("star")}))
    assert verdict.problems == ("'age' is released by a rule, but is quasi-identifying.",)
