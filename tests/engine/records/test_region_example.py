"""The example of a folder of Parquet files: made, opened, released in parts and verified."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from engine.cli import main
from engine.project.recipe.files import read_recipe

SCRIPT = Path(__file__).parents[3] / "resources" / "examples" / "make_region.py"


@pytest.fixture(scope="module")
def region(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("region")
    made = runpy.run_path(str(SCRIPT))
    made["main"].__globals__["RECORDS_PER_FILE"] = 2_000
    made["main"]([str(folder), "5000"])
    return folder


def test_a_folder_of_parquet_files_is_released_in_parts(region: Path, tmp_path: Path) -> None:
    out, summary = tmp_path / "released.parquet", tmp_path / "summary.json"
    words = ["--out", f"{out}/", "--summary", str(summary), "--quiet"]
    assert main(["anonymize", str(region / "recipe.toml"), *words]) == 0
    figures = json.loads(summary.read_text(encoding="utf-8"))
    assert (figures["records"], figures["source"], figures["verified"]) == (5_000, "disk", True)
    assert figures["k"] >= 10
    manifest = json.loads((out / "_manifest.json").read_text(encoding="utf-8"))
    assert manifest["records"] == 5_000


def test_the_example_is_the_same_at_every_run(region: Path, tmp_path: Path) -> None:
    made = runpy.run_path(str(SCRIPT))
    made["main"].__globals__["RECORDS_PER_FILE"] = 2_000
    made["main"]([str(tmp_path), "5000"])
    one, other = (read_recipe(folder / "recipe.toml").table for folder in (region, tmp_path))
    assert one.n_records == other.n_records == 5_000
    assert len((region / "recipe.toml").read_text(encoding="utf-8")) > 500
    for first, second in zip(one.columns, other.columns, strict=True):
        assert first.labels == second.labels
        assert (first.codes == second.codes).all()
