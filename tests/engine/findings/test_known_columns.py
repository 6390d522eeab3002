"""Groups of a finished table by the columns that attackers know, against pandas."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from engine.cli import main
from engine.errors import InputError
from engine.findings.model_check import check
from tests.engine.cli.running import Command

QI = ["a", "b", "c"]


def drawn(seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    columns = {
        name: random.integers(0, size, 40).astype(str) for name, size in zip(QI, (2, 3, 4), strict=True)
    }
    return pd.DataFrame({**columns, "s": random.choice(list("xyz"), 40), "pid": random.integers(0, 25, 40)})


def by_pandas(table: pd.DataFrame, known: list[str]) -> tuple[int, int, float]:
    """Return k, l and confidence of the groups by some columns."""
    groups = table.groupby(known)["s"]
    share = groups.value_counts(normalize=True).max()
    return int(groups.size().min()), int(groups.nunique().min()), float(share)


@pytest.mark.parametrize("seed", range(5))
def test_groups_by_every_set_are_those_of_pandas(seed: int) -> None:
    table, sets = drawn(seed), [["a"], ["c", "a"], ["b", "c"], QI]
    found = check(table, QI, "s", known=sets, any_columns=2).attackers
    assert [own.columns for own in found[:4]] == [("a",), ("a", "c"), ("b", "c"), ("a", "b", "c")]
    for own, known in zip(found, sets, strict=False):
        assert (own.k, own.l, own.confidence) == by_pandas(table, known)
    each = [by_pandas(table, list(known)) for known in combinations(QI, 2)]
    worst = found[4]
    assert (worst.m, worst.k) == (2, min(own[0] for own in each))
    assert (worst.l, worst.confidence) == (min(own[1] for own in each), max(own[2] for own in each))
    assert by_pandas(table, list(worst.columns))[0] == worst.k


def test_groups_are_counted_in_persons() -> None:
    table = drawn(0)
    (found,) = check(table, QI, known=[["a", "b"]], person="pid").attackers
    assert found.k == table.groupby(["a", "b"])["pid"].nunique().min()
    assert (found.l, found.confidence) == (None, None)


def test_a_column_that_is_not_quasi_identifying_is_refused() -> None:
    with pytest.raises(InputError, match="'s' is not a quasi-identifying column"):
        check(drawn(0), QI, "s", known=[["a", "s"]])


def test_the_command_prints_the_groups_of_every_attacker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, path = drawn(1), tmp_path / "table.csv"
    table.drop(columns="pid").to_csv(path, index=False)
    words = [path, *(word for name in QI for word in ("--qi", name)), "--sa", "s"]
    words += ["--known", "a,b", "--any-columns", "2"]
    first, second = Command("check", capsys).json(*words)["attackers"]
    k, least, share = by_pandas(table, ["a", "b"])
    assert first == {"columns": ["a", "b"], "k": k, "l": least, "confidence": share}
    assert (second["m"], second["k"]) == (2, min(by_pandas(table, list(c))[0] for c in combinations(QI, 2)))
    assert main(["check", *map(str, words)]) == 0
    printed = capsys.readouterr().out
    assert "known: a, b" in printed
    assert "any 2 columns" in printed
