"""The commands compared with other programs: ARX on Adult, and independently enumerated lattices."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
ARX = json.loads((DATA / "arx" / "nodes_k5.json").read_text(encoding="utf-8"))
OPTIMA = json.loads((DATA / "arx" / "optima.json").read_text(encoding="utf-8"))


ADULT = DATA / "tables" / "adult_arx.csv"


def write_recipe(
    path: Path,
    table: Path,
    hierarchies: Mapping[str, str],
    privacy: Iterable[str],
    limit: float,
    *,
    metric: str = "loss",
    sensitive: Sequence[str] = (),
) -> Path:
    """Write a recipe with hierarchies given as the lines of their tables."""
    lines = ["format = 1", "[data]", f"path = {json.dumps(str(table))}", "[roles]"]
    lines += [
        f"quasi_identifying = {json.dumps(list(hierarchies))}",
        f"sensitive = {json.dumps(list(sensitive))}",
    ]
    for column, entry in hierarchies.items():
        lines += [f"[hierarchies.{json.dumps(column)}]", entry]
    for model in privacy:
        lines += ["[[privacy]]", model]
    lines += ["[transformation]", f"suppression_limit = {limit}", "[search]", f'metric = "{metric}"']
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def k_anonymity(k: int) -> str:
    return f'model = "k_anonymity"\nk = {k}'


def from_file(path: Path) -> str:
    return f"path = {json.dumps(str(path))}"


def adult_hierarchies(columns: Iterable[str]) -> dict[str, str]:
    folder = DATA / "tables" / "hierarchies" / "adult_arx"
    return {column: from_file(folder / f"adult_hierarchy_{column}.csv") for column in columns}


@pytest.mark.parametrize("config", OPTIMA, ids=[config["config"] for config in OPTIMA])
def test_anonymize_reaches_the_optimum_of_arx(tmp_path: Path, config: dict[str, Any]) -> None:
    sensitive = [config["sensitive"]] if config["sensitive"] else []
    models = [k_anonymity(config["k"])]
    if config["l_distinct"]:
        models.append(f'model = "distinct_l_diversity"\ncolumn = "occupation"\nl = {config["l_distinct"]}')
    if config["t_equal"]:
        models.append(
            f'model = "t_closeness"\ncolumn = "occupation"\nt = {config["t_equal"]}\ndistance = "equal"'
        )
    recipe = write_recipe(
        tmp_path / "adult.toml",
        ADULT,
        adult_hierarchies(config["optimum"]),
        models,
        config["suppression_limit"],
        metric={"dm": "discernibility"}.get(config["metric"], config["metric"]),
        sensitive=sensitive,
    )
    out, summary = tmp_path / "out.csv", tmp_path / "summary.json"
    assert main(["anonymize", str(recipe), "--out", str(out), "--summary", str(summary), "--quiet"]) == 0
    figures = json.loads(summary.read_text(encoding="utf-8"))
    assert figures["value"] == pytest.approx(float(config["loss_lowest"]), rel=1e-9)
    assert figures["suppressed"] == config["output"]["suppressed_rows"]
    assert figures["classes"] == config["output"]["classes"]
    assert figures["k"] == config["output"]["min_class"]
    assert figures["node"] == config["optimum"]
    assert figures["nodes_total"] == config["nodes_total"]
    assert (figures["guarantee"], figures["satisfies"], figures["verified"]) == ("optimal", True, True)
