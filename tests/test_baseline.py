"""A figure is judged by what it changed beyond all others, so that a slower machine slows nothing."""

from __future__ import annotations

import json
from pathlib import Path

from tests.benchmarks.baseline import KEPT, compared, keep, slower

FIGURES = {"adult plain": 0.2, "adult pandas": 50.0, "knob size": 0.001, "demo turn": 0.003, "adult one": 0.3}


def test_a_machine_half_as_fast_has_no_slower_figure(tmp_path: Path) -> None:
    keep(FIGURES, tmp_path / "kept.json")
    assert slower(compared({key: 2 * value for key, value in FIGURES.items()}, tmp_path / "kept.json")) == []


def test_a_figure_that_doubled_by_itself_is_named_and_first(tmp_path: Path) -> None:
    keep(FIGURES, tmp_path / "kept.json")
    found = compared(FIGURES | {"knob size": 0.002}, tmp_path / "kept.json")
    assert found[0][0] == "knob size"
    assert slower(found) == ["knob size"]


def test_wall_time_is_not_kept(tmp_path: Path) -> None:
    keep(FIGURES, tmp_path / "kept.json")
    assert "adult one" not in dict(compared(FIGURES, tmp_path / "kept.json"))


def test_the_kept_figures_name_no_computer() -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert set(kept) == {"machine", "figures"}
    assert all(value > 0 for value in kept["figures"].values())
