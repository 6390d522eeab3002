"""Aggregates of classes are worked out again from the original, and every other cell is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from engine.verification import Expected, ModelClaim, ReleaseClaim, verify
from engine.verification.aggregates import due_cells
from engine.verification.claims import AggregateClaim, ColumnKind, Reading
from engine.verification.readers.collecting import Vocabulary
from tests.engine.verification.plain_release import write_csv

NUMBER, COMMA = ColumnKind("decimal", "."), ColumnKind("decimal", ",")
DAY = ColumnKind("date", "%d/%m/%Y")
GRADE = ColumnKind("ordered", values=("low", "middle", "high"))


def due(function: str, kind: ColumnKind, texts: list[str], **options: Any) -> str:
    vocabulary = Vocabulary()
    codes = pd.Series([vocabulary.code(text) for text in texts])
    claim = AggregateClaim(function, kind, **options)
    found = due_cells(claim, codes, codes * 0, vocabulary, "", codes * 0 + 1, codes.value_counts())
    assert found.nunique() == 1
    return vocabulary.texts[found.iloc[0]]


@pytest.mark.parametrize(
    ("function", "kind", "texts", "text"),
    [
        ("mean", NUMBER, ["1", "2", "2"], "1.67"),
        ("mean", NUMBER, ["-0.005"], "0"),
        ("mean", NUMBER, ["0.015"], "0.02"),
        ("mean", COMMA, ["1,5", "2", ""], "1,75"),
        ("mean", DAY, ["1/2/2020", "03/02/2020"], "02/02/2020"),
        (
            "mean",
            ColumnKind("date", "%Y-%m-%d %H:%M"),
            ["0999-01-01 00:00", "0999-01-02 00:01"],
            "0999-01-01 12:00",
        ),
        ("geometric_mean", NUMBER, ["4", "9"], "6"),
        ("geometric_mean", NUMBER, ["0.125"], "0.12"),
        ("geometric_mean", NUMBER, ["0.135", "0.135"], "0.14"),
        ("geometric_mean", NUMBER, ["1" + "0" * 190, "1" + "0" * 192], "1" + "0" * 191),
        ("geometric_mean", NUMBER, ["8e99", "1e99", "1e99"], "2" + "0" * 99),
        ("geometric_mean", NUMBER, ["0", "7"], "0"),
        ("median", NUMBER, ["1.25", "1.50"], "1.375"),
        ("median", GRADE, ["high", "low", "middle", "high"], "middle"),
        ("mode", GRADE, ["high", "low"], "low"),
        ("mode", ColumnKind("boolean"), ["TRUE", "true", "false"], "true"),
        ("interval", GRADE, ["high", "low"], "[low, high]"),
        ("interval", COMMA, ["2", "1,50"], "[1,5; 2]"),
        ("set", ColumnKind(), ["b", "a", "b"], "{a, b}"),
        ("set", NUMBER, ["1.0", "1"], "1"),
    ],
)
def test_expected_cells_match_results_by_hand(
    function: str, kind: ColumnKind, texts: list[str], text: str
) -> None:
    assert due(function, kind, texts, decimals=2) == text


def test_all_records_decide_between_equally_frequent_values_of_a_class() -> None:
    vocabulary = Vocabulary()
    every = pd.Series([vocabulary.code(text) for text in ["low", "high", "high", "low", "high"]])
    claim = AggregateClaim("mode_by_column", GRADE)
    some = every[:2]
    found = due_cells(claim, some, some * 0, vocabulary, "", some * 0 + 1, every.value_counts())
    assert [vocabulary.texts[code] for code in found] == ["high", "high"]
    assert due("mode_by_column", GRADE, ["high", "low"]) == "low"


def test_missing_values_that_count_are_missing_aggregates_or_values() -> None:
    texts = ["1", "", "2", ""]
    for function in ("mean", "geometric_mean", "median", "interval", "mode"):
        assert due(function, NUMBER, texts, ignore_missing=False) == ""
        assert due(function, NUMBER, texts) != ""
    assert due("set", NUMBER, texts, ignore_missing=False) == "{1, 2, }"


ORIGINAL = [
    ["20", "a", "flu"],
    ["25", "a", "cold"],
    ["31", "b", "flu"],
    ["40", "b", "mumps"],
    ["41", "b", "flu"],
    ["70", "c", "flu"],
]
RELEASED = [
    ["22.5", "a", "flu"],
    ["22.5", "a", "cold"],
    ["37.3", "b", "flu"],
    ["37.3", "b", "mumps"],
    ["37.3", "b", "flu"],
    ["*", "*", "flu"],
]
NAMES = ("age", "town", "illness")


@pytest.fixture
def claim(tmp_path: Path) -> ReleaseClaim:
    """Six people: the mean age of each town with two of them; one person is suppressed."""
    return ReleaseClaim(
        original=Reading(write_csv(tmp_path / "original.csv", NAMES, ORIGINAL), missing=("",)),
        released=Reading(write_csv(tmp_path / "released.csv", NAMES, RELEASED), format="csv"),
        expected=Expected(6, 5, 1, 2, 2),
        quasi_identifying=("age", "town"),
        hierarchies={"town": [("a", "*"), ("b", "*"), ("c", "*")]},
        node={"town": 0},
        sensitive=("illness",),
        models=(ModelClaim("k_anonymity", {"k": 2}),),
        suppression_limit="0.2",
        aggregates={"age": AggregateClaim("mean", ColumnKind("integer", "."), decimals=1)},
    )


def problems_of(claim: ReleaseClaim, rows: list[list[str]] | None = None, **changes: Any) -> tuple[str, ...]:
    if rows is not None:
        path = write_csv(claim.released.path.with_name("altered.csv"), NAMES, rows)
        changes["released"] = replace(claim.released, path=path)
    return verify(replace(claim, **changes)).problems


def test_a_true_release_is_confirmed(claim: ReleaseClaim) -> None:
    assert problems_of(claim) == ()
    removed = RELEASED[:5]
    assert problems_of(claim, removed, suppressed_records="remove") == ()
    assert problems_of(claim, node=None) == ()  # levels that differ by record: classes are those of the file


@pytest.mark.parametrize("node", [{"town": 0}, None], ids=["node", "by record"])
@pytest.mark.parametrize(
    ("row", "text", "told"),
    [
        (2, "37.33", "Record 3, column 'age': the file has '37.33', but its class has '37.3' (mean)."),
        (0, "20", "Record 1, column 'age': the file has '20', but its class has '22.5' (mean)."),
        (1, "*", "Record 2, column 'age': the file has '*', but its class has '22.5' (mean)."),
    ],
)
def test_a_wrong_aggregate_is_named(
    claim: ReleaseClaim, node: dict[str, int] | None, row: int, text: str, told: str
) -> None:
    rows = [list(cells) for cells in RELEASED]
    rows[row][0] = text
    assert told in problems_of(claim, rows, node=node)


def test_a_suppressed_record_shows_nothing(claim: ReleaseClaim) -> None:
    rows = [*RELEASED[:5], ["70", "*", "flu"]]
    told = "Record 6, column 'age': the file has '70', but the record is suppressed: expected '*'."
    assert told in problems_of(claim, rows)
    assert problems_of(claim, rows, node=None)


@pytest.mark.parametrize(
    "aggregate",
    [
        {"decimals": 0},
        {"function": "median"},
        {"function": "interval"},
        {"function": "set"},
        {"function": "mode"},
        {"function": "geometric_mean"},
    ],
)
def test_another_aggregate_than_the_one_claimed_is_no_confirmation(
    claim: ReleaseClaim, aggregate: dict[str, Any]
) -> None:
    other = replace(claim.aggregates["age"], **aggregate)
    assert len(problems_of(claim, aggregates={"age": other})) >= 2


def test_a_label_instead_of_a_claimed_aggregate_is_reported(claim: ReleaseClaim) -> None:
    assert problems_of(claim, [*ORIGINAL[:5], ["*", "*", "flu"]])
    assert problems_of(claim, aggregates={})


def test_unverifiable_aggregates_are_reported(claim: ReleaseClaim) -> None:
    mean = claim.aggregates["age"]
    for aggregates, told in (
        ({"age": replace(mean, function="variance")}, "Unknown aggregate 'variance'"),
        (
            {"age": mean, "illness": mean},
            "'illness' is released as an aggregate, but is not quasi-identifying",
        ),
        ({"age": replace(mean, kind=ColumnKind("text"))}, "have no mean"),
        (
            {"age": mean, "town": replace(mean, function="mode", kind=ColumnKind(), grouping=True)},
            "cannot form classes",
        ),
    ):
        (problem,) = problems_of(
            claim, aggregates=aggregates, node=None if "town" in aggregates else claim.node
        )
        assert told in problem


def test_classes_with_equal_cells_are_checked_as_one(tmp_path: Path) -> None:
    groups = [("1", "outer"), ("2", "inner"), ("3", "inner"), ("4", "outer")]
    original = [[value, "x"] for value, _ in groups]
    claim = ReleaseClaim(
        original=Reading(write_csv(tmp_path / "original.csv", ("v", "s"), original), missing=("",)),
        released=Reading(write_csv(tmp_path / "released.csv", ("v", "s"), [["2.5", "x"]] * 4), format="csv"),
        expected=Expected(4, 4, 0, 1, 4),
        quasi_identifying=("v",),
        hierarchies={"v": groups},
        node={"v": 1},
        models=(ModelClaim("k_anonymity", {"k": 2}),),
        aggregates={"v": AggregateClaim("mean", ColumnKind("integer", "."), grouping=True, decimals=1)},
    )
    assert verify(claim).problems == ()
    told = verify(replace(claim, expected=Expected(4, 4, 0, 2, 2))).problems
    assert any("classes = 2, but the file has 1" in problem for problem in told)
