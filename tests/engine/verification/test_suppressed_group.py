"""Suppressed records as one class are recounted from the original, wherever the files are judged."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from engine.verification import Limits, ModelClaim, ReleaseClaim, Verdict, verify
from tests.engine.verification.plain_release import (
    Recipe,
    read_rows,
    with_expected,
    with_rows,
    write_release,
)

# Ayas and Brusson have two people each with one illness; only together they are diverse.
ROWS = [
    ["Ayas", "flu", "a"],
    ["Ayas", "flu", "b"],
    ["Brusson", "gout", "c"],
    ["Brusson", "gout", "d"],
    ["Cogne", "flu", "e"],
    ["Cogne", "gout", "f"],
]
WAYS = ["memory", "database"]


def recipe(least: int, **options: Any) -> Recipe:
    towns = tuple((town, "*") for town in ("Ayas", "Brusson", "Cogne"))
    models = (
        ModelClaim("k_anonymity", {"k": 2}),
        ModelClaim("distinct_l_diversity", {"column": "illness", "l": least}),
    )
    return Recipe(
        ("town", "illness", "note"),
        ROWS if least == 2 else [*ROWS, ["Cogne", "cold", "g"]],
        ("town",),
        {"town": towns},
        {"town": 0},
        sensitive=("illness",),
        models=models,
        options={"suppressed_group": "if_held", **options},
    )


def judged(claim: ReleaseClaim, judge: Any) -> Verdict:
    limits = Limits() if judge == "memory" else Limits(records=0)
    found = verify(claim, limits=limits)
    assert found.judge == (judge or "memory")
    return found


@pytest.mark.parametrize("judge", WAYS)
@pytest.mark.parametrize("least", [2, 3])
def test_a_group_that_is_held_keeps_its_cells_and_another_has_none(
    judge: Any, least: int, tmp_path: Path
) -> None:
    claim = write_release(recipe(least), tmp_path)
    found = judged(claim, judge)
    assert found.problems == ()
    assert found.measured["group"]["held"] == (least == 2)
    assert read_rows(claim)[1] == (["*", "flu", "a"] if least == 2 else ["*", "*", "*"])


@pytest.mark.parametrize("judge", WAYS)
@pytest.mark.parametrize(
    ("part", "wrong"),
    [("records", 3), ("k", 5), ("held", False), ("l", {"illness": 3}), ("t", {"illness": 0.25})],
)
def test_a_wrong_figure_of_the_group_is_noticed(judge: Any, part: str, wrong: Any, tmp_path: Path) -> None:
    claim = write_release(recipe(2), tmp_path)
    assert claim.expected.group is not None
    found = judged(with_expected(claim, group={**claim.expected.group, part: wrong}), judge)
    assert any(problem.startswith("Suppressed records:") for problem in found.problems)


@pytest.mark.parametrize("judge", WAYS)
@pytest.mark.parametrize("least", [2, 3])
def test_cells_that_stay_or_not_against_the_rule_are_noticed(judge: Any, least: int, tmp_path: Path) -> None:
    other = write_release(recipe(least, suppressed_group="", blank_suppressed=least == 2), tmp_path)
    assert judged(other, judge).ok
    claim = dataclasses.replace(other, suppressed_group="if_held")
    assert "as one class" in " ".join(judged(claim, judge).problems)
    assert judged(dataclasses.replace(other, suppressed_group="ignore"), judge).ok


@pytest.mark.parametrize("judge", WAYS)
@pytest.mark.parametrize("least", [2, 3])
def test_a_row_of_stars_with_half_of_its_other_cells_is_refused(
    judge: Any, least: int, tmp_path: Path
) -> None:
    claim = write_release(recipe(least), tmp_path)
    rows = read_rows(claim)
    rows[1] = ["*", rows[1][1], "*"] if least == 2 else ["*", "flu", "*"]
    assert not judged(with_rows(claim, rows), judge).ok
