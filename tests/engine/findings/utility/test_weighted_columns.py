"""Estimates of a survey from an original and a released table, by hand."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from engine.cli import main
from engine.errors import InputError
from engine.findings.utility.of_table import measure_utility
from tests.engine.cli.running import Command

RAW = pd.DataFrame(
    {"age": [20, 30, 40, 50], "sex": ["f", "m", "f", "m"], "w": [1.5, 2.5, 4.0, 2.0], "s": list("xyxy")}
)
RELEASED = pd.DataFrame({"age": [25, 25, 45], "sex": ["f", "m", "f"], "w": [1.5, 2.5, 4.0], "s": list("xyx")})


def test_means_quartiles_and_shares_are_weighted() -> None:
    found = measure_utility(RAW, RELEASED, ["age", "sex"], "s", weight="w").weighted
    assert list(found) == ["age", "sex", "s"]
    assert found["age"].before == pytest.approx((36.5, 30, 40, 40))
    assert found["age"].after == pytest.approx((35.0, 25, 25, 45))
    assert (found["sex"].before, found["sex"].after) == (None, None)
    assert found["sex"].shares == {"f": pytest.approx((0.55, 0.6875)), "m": pytest.approx((0.45, 0.3125))}
    assert found["age"].shares["40"] == pytest.approx((0.4, 0))
    assert not measure_utility(RAW, RELEASED, ["age", "sex"], "s").weighted


def test_the_weight_column_has_no_other_use() -> None:
    with pytest.raises(InputError, match="'w' also has another use"):
        measure_utility(RAW, RELEASED, ["age", "w"], weight="w")


def test_the_command_compares_weighted_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [tmp_path / "raw.csv", tmp_path / "released.csv"]
    for table, path in zip((RAW, RELEASED), paths, strict=True):
        table.to_csv(path, index=False)
    words = [*paths, "--qi", "age", "--qi", "sex", "--weight", "w"]
    weighted = Command("utility", capsys).json(*words)["weighted"]
    assert weighted["age"]["before"]["mean"] == pytest.approx(36.5)
    assert weighted["sex"]["shares"]["f"] == {"before": pytest.approx(0.55), "after": pytest.approx(0.6875)}
    assert main(["utility", *map(str, words)]) == 0
    printed = capsys.readouterr().out
    assert "Weighted mean, age" in printed
    assert "Weighted share, sex" in printed
