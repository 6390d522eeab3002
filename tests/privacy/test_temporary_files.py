"""Temporary files are private and deleted at the end, or after a crash at the next start."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from engine.cli import main as run_command
from tests.privacy.sources import ROOT

DIES_WHILE_JUDGING = """
import os, signal, sys
import engine.pipeline.judging as judging
from engine.cli import main
judging.verify = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
main(["anonymize", sys.argv[1], "--out", sys.argv[2], "--quiet"])
"""


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "scratch"
    monkeypatch.setenv("ANONYMIZER_SCRATCH_DIR", str(folder))
    return folder


def files_in(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_release_is_made_with_private_files_only_and_leaves_none(
    tmp_path: Path, examples: Path, scratch: Path, config_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[Path, int]] = []

    def watched(make: Any, place: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            result = make(*args, **kwargs)
            path = Path(place(result))
            made.append((path, stat.S_IMODE(path.stat().st_mode)))
            return result

        return call

    monkeypatch.setattr(tempfile, "mkdtemp", watched(tempfile.mkdtemp, lambda result: result))
    out = tmp_path / "out"
    out.mkdir()
    before = os.umask(0)  # the program does not rely on the user's umask
    try:
        recipe = examples / "hospital" / "recipe.toml"
        assert run_command(["anonymize", str(recipe), "--out", str(out / "r.csv"), "--quiet"]) == 0
    finally:
        os.umask(before)
    assert {path.parent for path, _ in made} <= {scratch, out, *(path for path, _ in made)}
    assert {mode for _, mode in made} <= {0o600, 0o700}
    assert any(path.parent == scratch for path, _ in made), "the original is judged in a folder of its own"
    assert [path for path, _ in made if path.exists()] == []
    assert files_in(out) == ["r.csv"]
    assert files_in(config_dir) == []


def test_files_left_by_a_crash_during_verification_are_deleted_at_the_next_start(
    tmp_path: Path, examples: Path, scratch: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    recipe = examples / "hospital" / "recipe.toml"
    ended = subprocess.run(
        [sys.executable, "-c", DIES_WHILE_JUDGING, str(recipe), str(out / "r.csv")],
        cwd=ROOT,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()
    assert files_in(out) != []
    assert not (out / "r.csv").exists()
    assert list(scratch.iterdir()) != [], "the folder of the judge"
    table = examples / "hospital" / "hospital.csv"
    assert run_command(["singletons", str(table), "--quiet"]) == 0
    assert files_in(out) == []
    assert list(scratch.iterdir()) == []
