"""Cost and benefit from a recipe to a verified file: the optimum of ARX on Adult."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cli import main
from engine.params import values_of
from engine.project import edits
from engine.project.recipe.files import write_recipe
from tests.adult import ARX_COLUMNS
from tests.engine.privacy.test_cost_benefit import NAMES, ROWS, payout_of, project_of, requirement_of


def test_a_recipe_finds_the_optimum_of_arx_among_all_nodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = ROWS[NAMES.index("p_loss_2400")]
    project = replace(project_of(0), requirement=requirement_of(row))
    project = edits.set_metric(project, "payout", values_of(payout_of(row)))
    recipe, target = tmp_path / "recipe.toml", tmp_path / "adult.csv"
    write_recipe(project, recipe)
    assert main(["anonymize", str(recipe), "--out", str(target), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["node"] == {name: row["optimum"][name] for name in ARX_COLUMNS}
    assert (found["metric"], found["verified"], found["guarantee"]) == ("payout", True, "optimal")
    assert row["maximal_payout"] - found["value"] == pytest.approx(row["payout"], rel=1e-9)
    counts = {"suppressed": row["suppressed"], "classes": row["classes"], "k": row["min_class"]}
    assert {key: found[key] for key in counts} == counts
    assert found["models"] == [
        {"model": "profitability", "column": None, "suppressed": row["suppressed"], "met": True}
    ]
