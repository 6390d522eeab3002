"""Values are compared relative to all others, so that a slower machine makes no value slower."""

from __future__ import annotations

import json
from pathlib import Path

from tests.benchmarks.baseline import KEPT, compared, keep, slower

FIGURES = {"adult plain": 0.2, "adult pandas": 50.0, "knob size": 0.001, "demo turn": 0.003, "adult one": 0.3}


def test_on_a_machine_half_as_fast_no_value_is_slower(tmp_path: Path) -> None:
    keep(FIGURES, tmp_path / "kept.json")
    assert slower(compared({key: 2 * value for key, value in FIGURES.items()}, tmp_path / "kept.json")) == []


def test_a_value_that_doubled_alone_is_named_and_first(tmp_path: Path) -> None:
    keep(FIGURES, tmp_path / "kept.json")
    found = compared(FIGURES | {"knob size": 0.002}, tmp_path / "kept.json")
    assert found[0][0] == "knob size"
    assert slower(found) == ["knob size"]


def test_wall_time_is_not_stored(tmp_path: Path) -> None:
    keep(FIGURES, tmp_path / "kept.json")
    assert "adult one" not in dict(compared(FIGURES, tmp_path / "kept.json"))


def test_the_stored_values_name_no_computer() -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert set(kept) == {"machine", "figures"}
    assert all(value > 0 for value in kept["figures"].values())
