"""The two distributions: one set of sources, one list of bounds, and each part used alone."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser
from pathlib import Path

import pytest
import yaml

from engine.shipped import DISTRIBUTION, EXTRAS, HEADLESS, resources_path
from tests.conftest import ROOT

PACKAGE = resources_path() / "package"
BUILD = [sys.executable, "-m", "build", "--no-isolation"]


def built(folder: Path, place: Path, *words: str) -> zipfile.ZipFile:
    """Build by the installed backend; return the wheel."""
    done = subprocess.run([*BUILD, *words, "--outdir", folder, place], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return zipfile.ZipFile(next(folder.glob("*.whl")))


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, zipfile.ZipFile]]:
    folder = tmp_path_factory.mktemp("wheels")
    found = {
        DISTRIBUTION: built(folder / "desk", ROOT, "--wheel"),
        HEADLESS: built(folder / "headless", PACKAGE / "headless"),  # of its source archive
    }
    yield found
    for wheel in found.values():
        wheel.close()


def metadata(wheel: zipfile.ZipFile) -> Message:
    (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    return BytesParser().parsebytes(wheel.read(name))


def required(wheel: zipfile.ZipFile, *extras: str) -> set[str]:
    """Return what a wheel requires, without and with extras."""
    lines = [line.partition("; extra == ") for line in metadata(wheel).get_all("Requires-Dist", [])]
    return {need for need, _sign, extra in lines if not extra or extra.strip("'") in extras}


def contents(wheel: zipfile.ZipFile) -> dict[str, int]:
    """Return the files outside the metadata, with their checksums."""
    return {entry.filename: entry.CRC for entry in wheel.infolist() if ".dist-info/" not in entry.filename}


def test_the_part_without_a_window_has_the_same_engine_and_bounds(wheels) -> None:
    desk, headless = (wheels[name] for name in (DISTRIBUTION, HEADLESS))
    assert metadata(desk)["Version"] == metadata(headless)["Version"]
    assert contents(headless).items() <= contents(desk).items()
    engine = {name for name in contents(desk) if name.startswith("engine/") and "/resources/" not in name}
    assert engine <= set(contents(headless))
    window = {need for need in required(desk) if need.lower().startswith(("pyside6", "pyqtgraph"))}
    assert len(window) == 2
    assert required(desk) - window == required(headless, "fast", "report")
    assert required(headless) < required(headless, "report") < required(headless, "fast", "report")
    assert required(desk, *EXTRAS[DISTRIBUTION]) - window == required(headless, *EXTRAS[HEADLESS])
    assert set(metadata(headless).get_all("Provides-Extra")) == set(EXTRAS[HEADLESS])


def test_the_part_without_a_window_has_what_the_engine_reads(wheels) -> None:
    names = set(contents(wheels[HEADLESS]))
    assert not any("anonymizer_gui" in name or "PySide6" in name for name in names)
    for place in ("examples/adult/recipe.toml", "fonts/Inter-Regular.ttf", "help/commands.schema.json"):
        assert f"engine/resources/{place}" in names
    assert [name for name in names if name.startswith("engine/resources/statements/")]


@pytest.mark.parametrize("name", [DISTRIBUTION, HEADLESS])
def test_a_wheel_is_typed_licensed_and_described(name: str, wheels) -> None:
    names = wheels[name].namelist()
    assert "engine/py.typed" in names
    assert not [path for path in names if path.endswith((".po", ".pyc"))]
    assert "engine/resources/locale/de/LC_MESSAGES/anonymizer.mo" in names
    said = metadata(wheels[name])
    licences = said.get_all("License-File")
    assert {"LICENSE", "resources/fonts/OFL.txt"} <= set(licences)
    assert all(any(path.endswith(f"/licenses/{licence}") for path in names) for licence in licences)
    text = str(said.get_payload())
    assert "# Anonymizer\n\n" in text
    assert f"pip install {DISTRIBUTION}" in text
    assert not re.search(r"!\[|\]\((?!https?:)|resources/", text), "an index page has none of these"


def test_every_part_is_tried_by_the_workflow() -> None:
    words = [sys.executable, str(PACKAGE / "try_parts.py"), "--help"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    parts = re.search(r"PART\s+([\w.,\s-]+?)\n\noptions", said)[1].replace(",", "").split()
    jobs = yaml.safe_load((ROOT / ".github/workflows/checks.yml").read_text("utf-8"))["jobs"]
    assert parts == jobs["parts"]["strategy"]["matrix"]["part"]


@pytest.mark.thorough
def test_each_part_is_used_alone_in_an_empty_environment() -> None:
    done = subprocess.run([sys.executable, PACKAGE / "try_parts.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
