"""Another package named `engine` is recognized before any of its code runs, and named with what to do."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.shipped import DISTRIBUTION
from tests.conftest import ROOT

RAN = "this code must not run"


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A folder with another package of that name."""
    package = tmp_path / "other" / "engine"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(f"print({RAN!r})\n", encoding="utf-8")
    return package.parent


def started(folder: Path, path: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Start the program in a folder, with further places of packages."""
    environment = {**os.environ, "PYTHONPATH": path}
    line = [sys.executable, *options, "-m", "anonymizer_gui", "--version"]
    return subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("is_current", [True, False])
def test_a_foreign_engine_is_named_and_not_imported(other: Path, tmp_path: Path, is_current: bool) -> None:
    path = str(ROOT) if is_current else os.pathsep.join([str(other), str(ROOT)])
    done = started(other if is_current else tmp_path, path)
    assert done.returncode == 2
    assert RAN not in done.stdout
    assert f"Found: {other / 'engine' / '__init__.py'}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_no_package_does_not_hide_the_engine(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    assert started(tmp_path, str(ROOT)).returncode == 0


def test_a_package_that_was_installed_over_the_engine_is_recognized(other: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    for name in ("engine", "anonymizer_gui"):
        shutil.copytree(ROOT / name, site / name, ignore=shutil.ignore_patterns("__pycache__"))
    assert started(tmp_path, str(site), "-P").returncode == 0
    shutil.copy(other / "engine" / "__init__.py", site / "engine" / "__init__.py")
    done = started(tmp_path, str(site), "-P")
    assert done.returncode == 2
    assert RAN not in done.stdout
    assert "install Anonymizer into an environment of its own" in done.stderr


def test_nothing_proposes_to_install_the_package_of_somebody_else() -> None:
    """The index has another project's package `anonymizer`: a hint with that name runs a stranger's code."""
    wrong = re.compile(
        r"(?<![-\w])anonymizer\[|\b(?:pip|pipx|uv|uvx) (?:tool )?(?:install|run) \W*anonymizer\b(?!-)"
    )
    endings = {".py", ".md", ".toml", ".yml", ".yaml", ".ipynb", ".json", ".iss", ".spec", ".po"}
    folders = ("engine", "anonymizer_gui", "resources", ".github", ".ci")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in endings]
    files += [ROOT / "README.md", ROOT / "pyproject.toml"]
    assert len(files) > 1000
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if wrong.search(line)
    ]
    assert found == []
    assert wrong.search("pip install anonymizer")
    assert wrong.search('uv pip install "anonymizer[formats]"')
    assert not wrong.search(f'pip install "{DISTRIBUTION}[formats]"')
