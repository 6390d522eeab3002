"""A setting is added by one line: form, recipe, project file and command get it from there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.added_setting import GROUPS

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("group", GROUPS)
def test_a_setting_declared_in_a_line_reaches_form_recipe_project_and_command(
    group: str, tmp_path: Path
) -> None:
    words = [sys.executable, "-m", "tests.contracts.added_setting", group, str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
