"""Packages installed for one process: a folder with their metadata, as package managers write it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "resources" / "examples" / "plugin"


def install(site: Path, name: str, version: str, entries: Mapping[str, Mapping[str, str]]) -> None:
    """Write the metadata of a package into a folder; `entries` are its entry points by group."""
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    blocks = (
        "\n".join([f"[{group}]", *(f"{key} = {place}" for key, place in members.items())])
        for group, members in entries.items()
    )
    (info / "entry_points.txt").write_text("\n".join(blocks) + "\n", "utf-8")


def install_example(site: Path, version: str = "") -> None:
    """Write the metadata of the example, whose code stays in its folder."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    install(site, project["name"], version or project["version"], project["entry-points"])


def run(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the packages of a folder, and the code of the example, installed."""
    paths = os.pathsep.join(map(str, (ROOT, site, EXAMPLE)))
    usual = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = {**usual, "PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen"}
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
