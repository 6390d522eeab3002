"""Moved dates of tables larger than memory: every one with the key, their relations without it."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.verification import ModelClaim, ReleaseClaim, verify
from engine.verification.claims import ColumnKind, RuleClaim
from tests.engine.recoding.slow_rules import offset, shifted
from tests.engine.verification.plain_release import Recipe, read_rows, with_rows, write_csv, write_release
from tests.engine.verification.test_large import judged, same, shuffled
from tests.strategies import ten

KEY = b"0123456789abcdef0123456789abcdef"
NAMES = ("who", "age", "day", "note")
DAYS = ["2020-02-28", "2020-02-29", "1999-12-31", ""]
AGES = [["1", "*"], ["2", "*"], ["3", "*"]]
ROLES = ["sensitive", "identifying", "other"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("moved")


@st.composite
def moved_releases(draw: st.DrawFn, folder: Path) -> ReleaseClaim:
    """A release of a table with a column of dates, moved by a key that the claim may name."""
    (folder / "own.key").write_bytes(KEY)
    row = st.tuples(st.sampled_from(["a", "b", ""]), *map(st.sampled_from, ("123", DAYS, "xyz")))
    rows = [list(cells) for cells in draw(st.lists(row, min_size=1, max_size=20))]
    role, has_key = draw(st.sampled_from(ROLES)), draw(st.booleans())
    person = draw(st.sampled_from(["", "who"]))
    shift = {"days": draw(st.sampled_from([1, 3, 40])), "skip_zero": draw(st.booleans())}
    moved = []
    for number, (who, age, day, note) in enumerate(rows, start=1):
        days = offset(KEY, who if person else str(number), shift["days"], shift["skip_zero"])
        moved.append([who, age, shifted(day, "%Y-%m-%d", days) if day else "", note])
    k, different = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    if person:
        k = different = 1  # which count persons, but the release is made by records
    models = [ModelClaim("k_anonymity", {"k": k})]
    if role == "sensitive":
        models.append(ModelClaim("distinct_l_diversity", {"column": "day", "l": different}))
    options = {
        "identifying": ("who",),
        "suppressed_records": draw(st.sampled_from(["star", "remove"])),
        "blank_suppressed": role != "identifying" and draw(st.booleans()),
    }
    sensitive = ("day",) if role == "sensitive" else ()
    node = {"age": draw(st.integers(0, 1))}
    case = Recipe(NAMES, moved, ("age",), {"age": AGES}, node, sensitive, tuple(models), options=options)
    claim = write_release(case, folder)  # as if the moved dates were the original ones
    write_csv(claim.original.path, NAMES, rows)
    parameters = {**shift, "key_file": str(folder / "own.key") if has_key else None}
    return dataclasses.replace(
        claim,
        expected=dataclasses.replace(claim.expected, are_claimed=False, unchanged=None),
        identifying=("who", "day") if role == "identifying" else ("who",),
        rules={"day": RuleClaim("date_shift", parameters, ColumnKind("date", "%Y-%m-%d"))},
        person=person,
    )


def can_be_compared(claim: ReleaseClaim) -> bool:
    is_whole = claim.suppressed_records == "star" and not claim.blank_suppressed
    return bool(claim.rules["day"].parameters["key_file"]) or "day" not in claim.sensitive or is_whole


@ten
@given(data=st.data())
def test_moved_dates_are_judged_as_in_memory(folder: Path, data: st.DataObject) -> None:
    claim = data.draw(moved_releases(folder))
    if data.draw(st.booleans()):
        claim = shuffled(claim)
    if not can_be_compared(claim):
        assert "cannot be recounted without its key" in same(claim).problems[0]
        return
    assert same(claim).ok
    names, *rows = read_rows(claim)
    if not rows:
        return
    row, column = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.sampled_from([2, 2, 2, 1, 3]))
    altered = [list(own) for own in rows]
    others = ["", "2020-03-01", "2020-02-27", "no date", "x", "*", *(own[column] for own in rows)]
    altered[row][column] = data.draw(st.sampled_from(others))
    broken = with_rows(claim, [names, *altered])
    assert judged(broken).ok is verify(broken).ok
    if claim.rules["day"].parameters["key_file"]:
        assert judged(broken).ok is (altered == rows)


@ten
@given(data=st.data())
def test_moved_dates_of_persons_in_no_order_are_judged(folder: Path, data: st.DataObject) -> None:
    claim = dataclasses.replace(data.draw(moved_releases(folder)), order="none")
    names, *rows = read_rows(claim)
    claim = with_rows(claim, [names, *rows[::-1]])
    found = judged(claim)
    if not (claim.person and claim.rules["day"].parameters["key_file"]):
        assert "Moved dates, as of 'day'" in found.problems[0]
        return
    assert (found.problems, found.compared) == ((), "multiset")
    if rows:
        place = data.draw(st.integers(0, len(rows) - 1))
        altered = [list(own) for own in rows]
        altered[place][2] = "2020-03-05"
        assert judged(with_rows(claim, [names, *altered])).ok is (altered == rows)


def test_a_database_compares_moved_dates_record_by_record(tmp_path: Path) -> None:
    (tmp_path / "own.key").write_bytes(KEY)
    rows = [["a", "1", "2020-02-28", "x"], ["b", "1", "2020-02-29", "y"], ["a", "2", "", "z"]]
    case = Recipe(NAMES, rows, ("age",), {"age": AGES}, {"age": 1}, options={"identifying": ("who",)})
    claim = write_release(case, tmp_path)
    parameters = {"days": 40, "skip_zero": True, "key_file": str(tmp_path / "own.key")}
    rule = RuleClaim("date_shift", parameters, ColumnKind("date", "%Y-%m-%d"))
    claim = dataclasses.replace(claim, rules={"day": rule})
    cells = read_rows(claim)
    for number, row in enumerate(cells[1:], start=1):
        row[2] = shifted(row[2], "%Y-%m-%d", offset(KEY, str(number), 40, True)) if row[2] else ""
    claim = with_rows(claim, cells)
    assert judged(claim).problems == ()
    due = cells[2][2]
    cells[2][2] = "2020-02-29"
    found = same(with_rows(claim, cells))
    assert found.problems[0] == (
        f"Record 2, column 'day': the file has '2020-02-29', but its rule gives '{due}'."
    )
