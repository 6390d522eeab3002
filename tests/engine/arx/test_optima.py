"""Adult as an ARX project comes out with the optimum and the score that ARX computed for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.arx.reading import read_arx
from engine.pipeline import search
from engine.project.compile import compile_problem
from tests.adult import ARX_COLUMNS, TABLES
from tests.arx_projects import QI, SENSITIVE, Column, arx_project, configuration, measure_object

FOLDER = TABLES / "hierarchies" / "adult_arx"
OPTIMA: list[dict[str, Any]] = json.loads((TABLES.parent / "arx" / "optima.json").read_text(encoding="utf-8"))
CHOSEN = [entry for entry in OPTIMA if entry["sensitive"] or entry["metric"] != "loss"]
MEASURES = {
    "loss": (
        "Loss (0.5/1.0/1.0)",
        measure_object("MetricMDNMLossPotentiallyPrecomputed", "GEOMETRIC_MEAN", 0.5),
    ),
    "dm": ("Non-monotonic discernability", measure_object("MetricSDNMDiscernability")),
    "precision": ("Non-monotonic precision", measure_object("MetricMDNMPrecision", "ARITHMETIC_MEAN", 0.5)),
}


@pytest.mark.parametrize("expected", CHOSEN, ids=[entry["config"] for entry in CHOSEN])
def test_the_optimum_is_that_of_arx(tmp_path: Path, expected: dict[str, Any]) -> None:
    sensitive = expected["sensitive"]
    models = [f"{expected['k']}-anonymity"]
    if expected["l_distinct"]:
        models.append(f"distinct-{expected['l_distinct']}-diversity for attribute '{sensitive}'")
    if expected["t_equal"]:
        models.append(f"{expected['t_equal']}-closeness with equal distance for attribute '{sensitive}'")
    words, measure = MEASURES[expected["metric"]]
    project = read_arx(
        arx_project(
            tmp_path,
            table=(TABLES / "adult_arx.csv").read_text(encoding="utf-8"),
            columns=[Column(name, SENSITIVE if name == sensitive else QI) for name in ARX_COLUMNS],
            hierarchies={
                name: (FOLDER / f"adult_hierarchy_{name}.csv").read_text(encoding="utf-8")
                for name in expected["optimum"]
            },
            models=models,
            measure=words,
            limit=expected["suppression_limit"],
            weights=dict.fromkeys(ARX_COLUMNS, 0.5),
            config=configuration(measure=measure),
        )
    ).project
    result = search(project, compile_problem(project))
    assert dict(zip(project.quasi_identifying, result.node or (), strict=True)) == expected["optimum"]
