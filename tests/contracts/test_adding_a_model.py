"""The model and the metric of CONTRIBUTING: a model needs a file, a verifier and a measure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("what", ["whole", "contracts", "unjudged"])
def test_the_model_and_the_metric_of_the_contributing_guide_work_everywhere(
    what: str, tmp_path: Path
) -> None:
    words = [sys.executable, "-m", "tests.contracts.added_members", what, str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
