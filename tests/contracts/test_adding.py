"""What CONTRIBUTING says of adding: a model is a file, a verifier and a measure; a setting is one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ADDED = [("added_members", what) for what in ("whole", "contracts", "unjudged")]


@pytest.mark.parametrize(("script", "what"), [*ADDED, ("added_setting", "of every kind")])
def test_what_is_added_by_the_contributing_guide_works_everywhere(
    script: str, what: str, tmp_path: Path
) -> None:
    words = [sys.executable, "-m", f"tests.contracts.{script}", what, str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
