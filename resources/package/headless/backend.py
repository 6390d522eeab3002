"""Build backend of the distribution without a window: it builds a copy of the sources, with a project file.

The source archive has the copy and that file, so that everybody else builds its wheel by hatchling alone.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import tomli_w
from hatchling import build

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TAKEN = ("LICENSE", "README.md", "engine", "resources")
OF_THE_WINDOW = ("icons", "package", "site", "start.py")  # and the pages of the help


def build_wheel(directory: str, settings: Any = None, metadata: str | None = None) -> str:
    """Build the wheel into a folder and return its name."""
    place = os.path.abspath(directory)
    with staged():
        return build.build_wheel(place, settings)


def build_sdist(directory: str, settings: Any = None) -> str:
    """Build the source archive into a folder and return its name."""
    place = os.path.abspath(directory)
    with staged():
        return build.build_sdist(place, settings)


@contextmanager
def staged() -> Iterator[Path]:
    """Be in a folder with the sources and their project file."""
    with tempfile.TemporaryDirectory(prefix="anonymizer-headless-") as name:
        folder = Path(name)
        for taken in TAKEN:
            source = ROOT / taken
            if source.is_dir():
                shutil.copytree(source, folder / taken, ignore=_left_out)
            else:
                shutil.copy(source, folder)
        (folder / "pyproject.toml").write_text(tomli_w.dumps(project_file()), encoding="utf-8")
        with chdir(folder):
            yield folder


def _left_out(folder: str, names: list[str]) -> set[str]:
    place = Path(folder).relative_to(ROOT)
    if place == Path("resources"):
        return {"__pycache__", *OF_THE_WINDOW} & set(names)
    is_help = place.parts[:2] == ("resources", "help")
    return {
        name
        for name in names
        if name == "__pycache__" or name.endswith(".po") or (is_help and not name.endswith(".json"))
    }


def project_file() -> dict[str, Any]:
    """Return the project file of this distribution: that of the program with a window, and what differs."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        desk = tomllib.load(file)
    with (HERE / "pyproject.toml").open("rb") as file:
        own = tomllib.load(file)
    project: dict[str, Any] = {**desk["project"], **own["project"], "dynamic": desk["project"]["dynamic"]}
    del project["gui-scripts"]
    needed = {_name(words): words for words in desk["project"]["dependencies"]}
    differing = own["tool"]["headless"]
    extras = {extra: [needed[name] for name in names] for extra, names in differing["extras"].items()}
    moved = {*differing["without"], *(name for names in differing["extras"].values() for name in names)}
    project["dependencies"] = [words for name, words in needed.items() if name not in moved]
    for_use = {extra: desk["project"]["optional-dependencies"][extra] for extra in ("stats", "cluster")}
    project["optional-dependencies"] = extras | for_use
    project["classifiers"] = [
        line for line in project["classifiers"] if not line.startswith("Environment ::") or "Console" in line
    ]
    hatch = desk["tool"]["hatch"]
    readme = hatch["metadata"]["hooks"]["fancy-pypi-readme"]
    readme["fragments"][1] = {"text": differing["start"]}
    wheel = hatch["build"]["targets"]["wheel"]
    wheel = {"only-include": ["engine", "resources"], "sources": wheel["sources"]}
    return {
        "build-system": desk["build-system"],
        "project": project,
        "tool": {"hatch": {"metadata": hatch["metadata"], "build": {"targets": {"wheel": wheel}}}},
    }


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
