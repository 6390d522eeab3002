"""Where records are, as commands say it over a recipe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli import main
from engine.project.recipe.files import read_recipe
from engine.records.options import Placing
from tests.conftest import BEST_OF_CLINIC, EXAMPLES

CLINIC = EXAMPLES / "clinic" / "recipe.toml"
NODE = ["--node", ",".join(map(str, BEST_OF_CLINIC))]
PLACES = ("memory", "disk")


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    return tmp_path / "scratch"


def test_anonymize_says_where_records_were(tmp_path: Path, scratch: Path) -> None:
    found = {}
    for place in PLACES:
        out, summary = tmp_path / f"{place}.csv", tmp_path / f"{place}.json"
        words = ["--source", place, "--scratch", str(scratch), "--summary", str(summary), "--quiet"]
        assert main(["anonymize", str(CLINIC), *NODE, "--out", str(out), *words]) == 0
        found[place] = json.loads(summary.read_text(encoding="utf-8"))
    assert (tmp_path / "memory.csv").read_bytes() == (tmp_path / "disk.csv").read_bytes()
    assert {place: found[place]["source"] for place in PLACES} == {place: place for place in PLACES}
    assert found["disk"]["tuples"] == found["memory"]["tuples"] > 1_000
    assert found["disk"]["compared"] == found["memory"]["compared"] == "records"
    assert found["memory"]["spilled_bytes"] == 0
    n_cells = 2_000 * 8
    assert n_cells < found["disk"]["spilled_bytes"] < 8 * n_cells
    assert scratch.is_dir(), "temporary files were there"
    assert not list(scratch.iterdir()), "and are removed"


def test_lattice_and_report_take_the_place_too(
    tmp_path: Path, scratch: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--source", "disk", "--memory", "2 GB", "--scratch", str(scratch), "--quiet"]
    nodes = tmp_path / "nodes.csv"
    assert main(["lattice", str(CLINIC), "--out", str(nodes), *where]) == 0
    assert scratch.is_dir()
    scratch.rmdir()
    assert main(["report", str(CLINIC), *NODE, "--out", str(tmp_path / "report.json"), *where]) == 0
    scratch.rmdir()
    assert main(["anonymize", str(CLINIC), "--out", str(tmp_path / "r.csv"), "--source", "cloud"]) == 2
    assert "cannot be 'cloud'" in capsys.readouterr().err


def test_the_command_line_wins_over_the_recipe(tmp_path: Path) -> None:
    text = CLINIC.read_text(encoding="utf-8").replace(
        'path = "clinic.csv"', f'path = "{(CLINIC.parent / "clinic.csv").as_posix()}"\nsource = "disk"'
    )
    recipe = tmp_path / "recipe.toml"
    hierarchies = (CLINIC.parent / "hierarchies").as_posix()
    recipe.write_text(text.replace('"hierarchies/', f'"{hierarchies}/'), encoding="utf-8")
    assert read_recipe(recipe).stored is not None
    for source in ("memory", "auto"):
        assert read_recipe(recipe, placing=Placing(source=source)).stored is None
    kept = read_recipe(recipe, placing=Placing(source="", memory="3 GB"))
    assert kept.stored is not None
    assert (kept.options.source, kept.options.memory) == ("disk", "3 GB")


@pytest.mark.parametrize("further", [(), ("--recipe", str(CLINIC)), ("--compat", "anjana")], ids=" ".join)
def test_utility_reads_files_as_memory_up_to_the_limit_of_other_commands(
    further: tuple[str, ...],
    tmp_path: Path,
    scratch: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out, raw = tmp_path / "released.csv", CLINIC.parent / "clinic.csv"
    assert main(["anonymize", str(CLINIC), *NODE, "--out", str(out), "--quiet"]) == 0
    words = ["utility", str(raw), str(out), "--qi", "age", "--qi", "sex", "--format", "json", "--quiet"]
    found = []
    for place in PLACES:
        capsys.readouterr()
        where = ["--source", place, "--scratch", str(scratch)]
        assert main([*words, *further, *where]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]
    monkeypatch.setattr("engine.records.table.MOST_READ", 1_000)
    assert main([*words, *further, "--source", "disk"]) == 2
    assert "needs the records in memory; 2\u202f000 do not fit" in capsys.readouterr().err
