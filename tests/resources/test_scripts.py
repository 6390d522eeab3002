"""Twelve scripts of users, from a first release to a gate, each run as they would run it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "resources" / "examples" / "scripts"

# By script: what it prints, and the files that it leaves.
PRINTED = {
    "compare_k": (r"k +loss.*\n +2 +0\.0.*\n +5 .*\n *10 .*\n *20 .*", []),
    "first_release": (r"age is probably quasi-identifying(?s:.)*verified: yes(?s:.)*20-29", [
        "recipe-files", "recipe.toml", "released.csv"]),
    "model_on_levels": (r"levels \{'age': [1-9](?s:.)*accuracy 0\.[78]", []),
    "next_month": (r"\{'answered': \d, 'birth year': \d", ["april.csv"]),
    "plots": (r"lattice\.svg\nprices\.svg\nrisk\.svg\nage-and-sex\.svg\ntable\.svg", [
        "age-and-sex.svg", "lattice.svg", "prices.svg", "risk.svg", "table.svg"]),
    "polars_in_and_out": (r"female(?s:.)*\n[5-9]$", ["released.parquet"]),
    "population": (r"k_anonymity \{.*loss 0\.[1-9]\d*\nk_map \{.*loss 0\.0\d*$", []),
    "relation_of_duckdb": (r"20-39 +│ +\d+", ["released.parquet"]),
    "report_for_signing": (r"report\.pdf\npublic\.html", ["public.html", "report.pdf"]),
    "someone_elses_release": (r"verified: yes(?s:.)*\nFalse\n- Record 1, column 'disease'", []),
    "survey_weights": (r"re-identifications: [1-9]\.\d+\nunique in few columns: \d+ of 500\n0\.\d+", []),
}  # fmt: skip


def run(script: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, SCRIPTS / f"{script}.py", *words]
    own = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, cwd=folder, env=own, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize("script", PRINTED)
def test_a_script_prints_and_writes_what_it_says(script: str, tmp_path: Path) -> None:
    printed, files = PRINTED[script]
    done = run(script, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(printed, done.stdout.strip()), done.stdout
    assert sorted(file.name for file in tmp_path.iterdir()) == files


def test_the_gate_passes_the_first_release_and_stops_a_changed_one(tmp_path: Path) -> None:
    assert run("first_release", tmp_path).returncode == 0
    passed = run("gate", tmp_path, "released.csv", "recipe.toml")
    assert (passed.returncode, passed.stdout) == (0, "Every promise and condition is kept.\n")
    file = tmp_path / "released.csv"
    file.write_text(file.read_text(encoding="utf-8").replace("20-29", "21", 1), encoding="utf-8")
    stopped = run("gate", tmp_path, "released.csv", "recipe.toml")
    assert (stopped.returncode, stopped.stdout) == (1, "")
    assert re.match(
        r"Not released: The table does not keep what its recipe promises\.\n.*'21'", stopped.stderr
    )


def test_there_are_twelve_short_scripts_which_the_help_lists() -> None:
    assert {file.stem for file in SCRIPTS.glob("*.py")} == {*PRINTED, "gate"}
    assert len(PRINTED) == 11
    for page in ("python.md", "de/python.md"):
        text = (ROOT / "resources" / "help" / page).read_text(encoding="utf-8")
        assert [name for name in (*PRINTED, "gate") if f"`{name}.py`" not in text] == []
    for file in SCRIPTS.glob("*.py"):
        assert 9 <= len(file.read_text(encoding="utf-8").splitlines()) <= 25, file
