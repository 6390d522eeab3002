"""No cell of a table gets into a log, neither by unexpected errors nor by output of libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.privacy.sources import ROOT

JOURNEY = Path(__file__).parent / "marked_journey.py"
CELL = "Lovelace-1815"
RECIPE = """
format = 1
[data]
path = "table.csv"
[roles]
quasi_identifying = ["town", "age"]
sensitive = ["illness"]
[hierarchies.town]
builder = "suppress"
[hierarchies.age]
builder = "suppress"
[[privacy]]
model = "k_anonymity"
k = 2
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """Return a recipe that can be released, over a table with the same text in every cell."""
    folder = tmp_path / "data"
    folder.mkdir()
    rows = [f"{CELL} {place},{CELL} {age},{CELL} {ill}" for place in "ab" for age in "cd" for ill in "ef"]
    (folder / "table.csv").write_text("\n".join(["town,age,illness", *rows]) + "\n", encoding="utf-8")
    path = folder / "recipe.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"} | environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def files_with(text: str, folder: Path) -> list[str]:
    """Return the files of a folder that contain a text, or have it in their name."""
    return [
        path.name
        for path in sorted(folder.rglob("*"))
        if text in path.name or (path.is_file() and text.encode() in path.read_bytes())
    ]


def test_whatever_fails_in_the_window_no_log_and_no_stored_file_contains_a_cell(
    recipe: Path, tmp_path: Path, config_dir: Path
) -> None:
    out, scratch = tmp_path / "out", tmp_path / "scratch"
    out.mkdir()
    ended = run(str(JOURNEY), str(recipe), CELL, str(out), ANONYMIZER_SCRATCH_DIR=str(scratch))
    said = ended.stdout + ended.stderr
    assert ended.returncode == 0, said
    assert "came to the end" in said
    assert "Internal error: ValueError" in said, "what went wrong is logged"
    assert "UserWarning in privacy/marked_journey.py" in said
    assert CELL not in said
    recovered = files_with(CELL, config_dir / "recovery")  # the user's work, not a description of it
    assert sorted(set(files_with(CELL, config_dir)) - set(recovered)) == []
    assert files_with(CELL, scratch) == []


def test_whatever_fails_in_a_command_no_cell_is_printed(recipe: Path) -> None:
    code = (
        "import logging, sys, warnings\n"
        "import engine.cli.lattice as lattice\n"
        "from engine.cli import main\n"
        "def fail(*_, **__):\n"
        f"    warnings.warn('cell A1 holds {CELL}')\n"
        f"    logging.getLogger('a library').warning('{CELL}')\n"
        f"    raise ValueError('{CELL}')\n"
        "lattice.read_recipe = fail\n"
        f"sys.exit(main(['lattice', {str(recipe)!r}, '--out', {str(recipe.parent / 'nodes.csv')!r}]))\n"
    )
    ended = run("-c", code)
    assert ended.returncode == 2, ended.stderr
    assert "Internal error: ValueError" in ended.stderr
    assert "UserWarning" in ended.stderr
    assert CELL not in ended.stdout + ended.stderr
